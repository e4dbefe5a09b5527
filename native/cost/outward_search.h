// Finds something around operators, and remembers what it climbed.
#pragma once

#include <vector>

#include "model/model.h"

namespace emberline {

// From an operator outwards to the first that is looked for. Asking for every operator of a trace
// is linear, because nothing is climbed twice. Of one thread, and of one question: what is looked
// for stays the same.
class OutwardSearch {
 public:
  explicit OutwardSearch(const Model& model)
      : model_(model), found_(model.store().all_slice_count(), kUnset) {}

  // The first of `op` and the operators around it of which `is_it` holds; kNone where there is
  // none, and for kNone.
  template <typename IsIt>
  SliceIndex From(SliceIndex op, const IsIt& is_it) {
    climbed_.clear();
    SliceIndex found = kNone;
    for (; op != kNone; op = model_.op[op]) {
      if (found_[op] != kUnset) {
        found = found_[op];
        break;
      }
      climbed_.push_back(op);
      if (is_it(op)) {
        found = op;
        break;
      }
    }
    for (const SliceIndex climbed : climbed_) found_[climbed] = found;
    return found;
  }

 private:
  static constexpr SliceIndex kUnset = kNone - 1;
  const Model& model_;
  std::vector<SliceIndex> found_;  // per slice
  std::vector<SliceIndex> climbed_;
};

}  // namespace emberline
