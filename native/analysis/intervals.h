// Sets of disjoint intervals: what "busy" is made of, because a union is never a sum.
#pragma once

#include <vector>

#include "base/types.h"

namespace emberline {

// Sorted, disjoint, not touching, none of them empty.
using IntervalSet = std::vector<Interval>;

// The union of any intervals; those that overlap or touch fuse. Takes its argument apart.
IntervalSet Unite(std::vector<Interval> intervals);
IntervalSet Intersect(const IntervalSet& a, const IntervalSet& b);
// What of `a` is not in `b`.
IntervalSet Subtract(const IntervalSet& a, const IntervalSet& b);
Ns LengthOf(const IntervalSet& set);
// Length of the part of `set` inside `range`; logarithmic to find the beginning.
Ns LengthWithin(const IntervalSet& set, Interval range);

}  // namespace emberline
