// A straight line through points of which some are far off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "base/types.h"

namespace emberline {

Ns MedianOf(std::vector<Ns> values);  // 0 of none

struct ClockOffset {
  Ns at = 0;      // moment, by the clock that is looked at
  Ns offset = 0;  // by how much it is ahead there
};

struct ClockFit {
  Ns offset = 0;          // at moment 0
  int64_t drift_ppb = 0;  // by which the offset grows, in billionths
};

// The median offset, and a slope where the points rise by much more than chance would make them.
// Slopes are medians of those between pairs of points (Theil and Sen), so that up to a quarter of
// the points may lie anywhere; of fewer than twelve, all have to lie on the line. At least four
// points, and no more than a twentieth: nothing that is further off is a clock.
//
// Where chance would do, the slope of those that are `known` to be possible which the points lie
// closest to, if any is closer than none.
ClockFit FitClock(const std::vector<ClockOffset>& points, const std::set<int64_t>& known_ppb = {});

}  // namespace emberline
