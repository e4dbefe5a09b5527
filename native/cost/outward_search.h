// Finds something around operators, and remembers what it climbed.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "model/model.h"

namespace emberline {

// From an operator outwards to the first that is looked for. Asking for every operator of a trace
// is linear, and who asks for the operators of one table's kernels does not pay for a figure per
// slice: what was climbed lately is remembered, and only where operators nest so deep that this
// does not save most of the climbing, all of it is. Not thread-safe, and serves one question: what
// is looked for stays the same.
class OutwardSearch {
 public:
  explicit OutwardSearch(const Model& model) : model_(model) {}

  // The first of `op` and the operators around it of which `is_it` holds; kNone where there is
  // none, and for kNone.
  template <typename IsIt>
  SliceIndex From(SliceIndex op, const IsIt& is_it) {
    budget_ += kStepsOfOne;
    climbed_.clear();
    SliceIndex found = kNone;
    for (; op != kNone; op = model_.op[op]) {
      const SliceIndex known = Known(op);
      if (known != kUnset) {
        found = known;
        break;
      }
      climbed_.push_back(op);
      if (is_it(op)) {
        found = op;
        break;
      }
    }
    if (found_.empty() && climbed_.size() > budget_) {
      found_.assign(model_.store().all_slice_count(), kUnset);
    }
    for (const SliceIndex climbed : climbed_) Remember(climbed, found);
    budget_ -= std::min<uint64_t>(budget_, climbed_.size());
    return found;
  }

 private:
  static constexpr SliceIndex kUnset = kNone - 1;
  // What is climbed for one question, on average, before everything is remembered.
  static constexpr uint64_t kStepsOfOne = 8;
  struct Climbed {
    SliceIndex from = kNone, found = kNone;
  };

  SliceIndex Known(SliceIndex op) const {
    if (!found_.empty()) return found_[op];
    const Climbed& lately = lately_[op % lately_.size()];
    return lately.from == op ? lately.found : kUnset;
  }
  void Remember(SliceIndex op, SliceIndex found) {
    if (!found_.empty()) {
      found_[op] = found;
    } else {
      lately_[op % lately_.size()] = {op, found};
    }
  }

  const Model& model_;
  uint64_t budget_ = 1 << 12;  // steps that may be climbed yet
  std::array<Climbed, 256> lately_;
  std::vector<SliceIndex> found_;  // per slice; empty until climbing takes too long
  std::vector<SliceIndex> climbed_;
};

}  // namespace emberline
