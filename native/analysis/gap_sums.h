// Idle time of a device in a range, summed by reason.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/stack_of.h"
#include "analysis/timeline_gaps.h"

namespace emberline {

struct GapSums {
  struct Reason {
    uint64_t count = 0;
    Ns sum = 0;
  };
  Ns idle = 0;  // inside the range
  uint64_t total = 0;
  std::vector<const DeviceGap*> longest;  // longest first, as many as asked for
  std::array<Reason, kGapReasonCount> reasons;
};
// Gaps of at least `min_ns` that touch the range; their time counts inside of it. The result points
// into `gaps`.
GapSums SumGaps(const std::vector<DeviceGap>& gaps, Interval range, Ns min_ns, size_t longest);

// The line of the user's that a gap belongs to: where the host was, else where the late launch came
// from.
std::optional<Frame> FrameOfGap(const Model& model, const DeviceGap& gap);

}  // namespace emberline
