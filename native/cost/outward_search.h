// Finds something around operators, and remembers what it climbed.
#pragma once

#include <vector>

#include "model/model.h"

namespace emberline {

// From an operator outwards to the first that is looked for. Asking for every operator of a trace
// is linear, because nothing is climbed twice; who asks for the few of a page does not pay for a
// figure per slice. Not thread-safe, and serves one question: what is looked for stays the same.
class OutwardSearch {
 public:
  explicit OutwardSearch(const Model& model) : model_(model) {}

  // The first of `op` and the operators around it of which `is_it` holds; kNone where there is
  // none, and for kNone.
  template <typename IsIt>
  SliceIndex From(SliceIndex op, const IsIt& is_it) {
    if (found_.empty() && ++asked_ > kFew) found_.assign(model_.store().all_slice_count(), kUnset);
    climbed_.clear();
    SliceIndex found = kNone;
    for (; op != kNone; op = model_.op[op]) {
      if (!found_.empty() && found_[op] != kUnset) {
        found = found_[op];
        break;
      }
      if (!found_.empty()) climbed_.push_back(op);
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
  static constexpr uint32_t kFew = 500;
  const Model& model_;
  uint32_t asked_ = 0;
  std::vector<SliceIndex> found_;  // per slice; empty until more than a few were asked for
  std::vector<SliceIndex> climbed_;
};

}  // namespace emberline
