// Series that are computed from the work of one device.
#pragma once

#include "analysis/intervals.h"
#include "analysis/timeline_series.h"
#include "model/model.h"

namespace emberline {

class DeviceSeries {
 public:
  DeviceSeries(const Model& model, const Device& device) : model_(model), device_(device) {}

  // 1 while any of its streams works; with `kernels_only`, copies and sets apart.
  IntervalSet Busy(bool kernels_only = false) const;
  // Concurrent kernels' blocks per multiprocessor, at most 1 each moment (the sum is capped, not
  // each kernel).
  TimelineSeries SmEfficiency() const;
  // Bytes per second of all copies that run, in GB/s.
  TimelineSeries CopyBandwidth() const;
  // Launches on one stream whose work has not begun (analysis/launch_queue.h); never below zero.
  TimelineSeries QueueDepth(TrackIndex stream) const;

 private:
  template <typename F>
  void ForEach(F&& visit) const;

  const Model& model_;
  const Device& device_;
};

// 1 inside of the set, 0 outside.
TimelineSeries SeriesOfSet(const IntervalSet& set);

}  // namespace emberline
