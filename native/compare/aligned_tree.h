// Two step trees aligned: which node of the candidate is which of the baseline, what is new, what
// is gone, and what stands in the place of something else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "compare/step_tree.h"
#include "model/model.h"

namespace emberline {

enum class CompareStatus : uint8_t { kBoth, kNew, kGone, kReplaced };
const char* CompareStatusName(CompareStatus status);  // "both", "new", "gone", "replaced"

// A node of one side or of both. Of a replacement, all nodes that went and all that came: several
// operators for one fused kernel, say.
struct AlignedItem {
  CompareStatus status = CompareStatus::kBoth;
  bool moved = false;               // it stands elsewhere among its neighbors
  std::vector<uint32_t> baseline;   // nodes; empty when new
  std::vector<uint32_t> candidate;  // nodes; empty when gone
};

// One side of the comparison.
struct ComparedSide {
  const Model* model = nullptr;
  const StepTree* tree = nullptr;
};

// The children of two matched nodes in order, by edits that are as few as possible.
std::vector<AlignedItem> AlignChildren(const StepTree& baseline, uint32_t baseline_node,
                                       const StepTree& candidate, uint32_t candidate_node);

// The item's inside can be looked into: one node stands against one.
inline bool IsPair(const AlignedItem& item) {
  return item.baseline.size() == 1 && item.candidate.size() == 1;
}

// The item at `path`, the positions among siblings from the root on: "0.3.1"; "" is the root.
// Errors: kNotFound.
Result<AlignedItem> ItemAt(const StepTree& baseline, const StepTree& candidate,
                           std::string_view path);

}  // namespace emberline
