// What the host did at each moment, as far as it was recorded.
#pragma once

#include <vector>

#include "base/cancel.h"
#include "model/model.h"

namespace emberline {

// A time in which `slice` was the innermost of its thread.
struct HostSegment {
  Interval time;
  SliceIndex slice = kNone;
};

// Segments of a thread in order of time, not overlapping; within a range of a data loader, that
// range stands for all that it does. Linear in the slices of the thread.
std::vector<HostSegment> SegmentsOf(const Model& model, TrackIndex track,
                                    const CancelToken& cancel);

// `first`, and where it says nothing `second`.
std::vector<HostSegment> Overlay(const std::vector<HostSegment>& first,
                                 const std::vector<HostSegment>& second);

// The host thread that drives the program: the one with the steps, else with the most slices;
// kNone without any.
TrackIndex MainThread(const Model& model);

}  // namespace emberline
