// What changes over time on a device's streams: work that waits in queues, and the bandwidth of
// copies.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/model.h"

namespace emberline {

// From `at` on, until the next.
struct SeriesPoint {
  Ns at = 0;
  int64_t value = 0;
};

// Launches on each stream whose work has not begun, after each launch and each begin. By stream. As
// analysis/launch_queue.h counts them, so that no length is negative.
std::map<int64_t, std::vector<SeriesPoint>> QueuesOf(const Model& model, const Device& device);

// Copies of one kind on a device.
struct CopySeries {
  uint64_t count = 0;
  int64_t bytes = -1;  // -1: not recorded
  Ns time = 0;
  std::vector<Interval> times;
  std::vector<Interval> sized;  // the same of those whose bytes are known
  // Sum of the bandwidths of the copies that run, in kB/s: whole numbers, so that it comes back to
  // 0.
  std::vector<SeriesPoint> rates;
};
// By kind: "Memcpy DtoH" as the recorder names copies, whatever the memory's kind; "Memset".
std::map<std::string, CopySeries> CopiesOf(const Model& model, const Device& device);

}  // namespace emberline
