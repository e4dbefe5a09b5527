// Two timelines laid beside each other: which moment of one recording is which of the other, and
// which slice.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "compare/aligned_tree.h"

namespace emberline {

// A moment of both recordings: where something that both have begins or ends. Nanoseconds since the
// start of each.
struct ClockPoint {
  Ns baseline = 0, candidate = 0;
  bool operator==(const ClockPoint&) const = default;
};

// Begins and ends of matched steps and of what is matched inside them, on the thread that the steps
// are made of: the knots of a piecewise linear map between both clocks. Neither side ever
// decreases; one stands still where only the other ran something. The longest pairs come first
// until there are `most` points, and before all others those that touch `window` of the baseline's
// clock. What has moved gives no points. Swapping the sides swaps the points, where no window is
// given. Linear in the nodes of what is looked into. Errors: kCancelled.
Result<std::vector<ClockPoint>> MatchClocks(const ComparedSide& baseline,
                                            const ComparedSide& candidate,
                                            const std::optional<Interval>& window, size_t most,
                                            const CancelToken& cancel);

// What a slice of one side is on the other.
struct SliceMatch {
  // kBoth: it is there. kReplaced: something else stands in its place. kGone: the other side lacks
  // it, whichever side that is.
  CompareStatus status = CompareStatus::kGone;
  SliceIndex slice = kNone;  // of the other side; kNone where it has none
  std::string path;          // of the block of the aligned execution around both, as of ItemAt()
  // Where the other side lacks it: the innermost node around it, and the outermost one of these
  // that the other side lacks. 0: none is known.
  uint32_t node = 0, lacking = 0;
};

// Operators, modules and ranges by the aligned trees; what lies inside of these, and the device
// work that they launched, by kind, name and order. `from_baseline` says which side has `slice`.
// Linear in the nodes and slices of both sides. Errors: kCancelled.
Result<SliceMatch> MatchSlice(const ComparedSide& baseline, const ComparedSide& candidate,
                              bool from_baseline, SliceIndex slice, const CancelToken& cancel);

}  // namespace emberline
