// IsListedOperator() for many slices.
#pragma once

#include <cstdint>
#include <vector>

#include "model/model.h"
#include "model/names.h"

namespace emberline {

// Judges each name once. Not thread-safe.
class ListedOperators {
 public:
  explicit ListedOperators(const Model& model) : model_(model) {}
  bool operator()(SliceIndex slice) {
    if (!model_.IsOp(slice)) return false;
    const TraceStore& store = model_.store();
    if (plain_.empty()) plain_.resize(store.strings().size());
    uint8_t& known = plain_[store.name_id(slice)];
    if (known == 0) known = ClassifyRange(store.name(slice)) == RangeKind::kPlain ? 2 : 1;
    return known == 2;
  }

 private:
  const Model& model_;
  std::vector<uint8_t> plain_;  // by name: 0 not judged yet, 1 no, 2 yes
};

}  // namespace emberline
