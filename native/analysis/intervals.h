// Sets of disjoint intervals: what "busy" is made of, because a union is never a sum.
#pragma once

#include <vector>

#include "base/types.h"

namespace emberline {

// Sorted, disjoint, not touching, none of them empty.
using IntervalSet = std::vector<Interval>;

// The union of any intervals; those that overlap or touch fuse. Consumes its argument.
IntervalSet Unite(std::vector<Interval> intervals);
IntervalSet Intersect(const IntervalSet& a, const IntervalSet& b);
// What of `a` is not in `b`.
IntervalSet Subtract(const IntervalSet& a, const IntervalSet& b);
Ns LengthOf(const IntervalSet& set);

// Answers how much of a set lies inside a range, in logarithmic time whatever the range holds: the
// ranges asked for may overlap, as steps of several profilers do.
class IntervalLengths {
 public:
  explicit IntervalLengths(IntervalSet set);
  Ns Within(Interval range) const;

 private:
  // Length of the part before `at`.
  Ns Before(Ns at) const;

  IntervalSet set_;
  std::vector<Ns> before_;  // parallel to set_: length of all that stand before
};

}  // namespace emberline
