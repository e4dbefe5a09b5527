// Two step trees aligned: which node of the candidate is which of the baseline, what is new, what
// is gone, and what stands in the place of something else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
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

// First dimensions of what most matched operators take as their first input, where they differ
// between the sides: the sizes of the batch, mostly.
struct BatchSizes {
  int64_t baseline = 0, candidate = 0;
};

// A module that is new or gone, or what stands in the place of something else, summed over all
// places where that happened.
struct StructuralChange {
  CompareStatus status = CompareStatus::kReplaced;
  std::string gone, came;  // "aten::addmm + aten::gelu"; "" of what is not there
  Ns host_before = 0, host_after = 0, device_before = 0, device_after = 0;
};

// Names of operators, and of the kernels that they launched, that went and came where something
// stands in the place of something else.
struct Replacements {
  std::unordered_set<std::string> gone, came;
  // Also of operators that both sides have, where these launched other kernels.
  std::unordered_set<std::string> kernels_gone, kernels_came;
  // Of both sides, what went and what came there: nodes with all that lies inside.
  std::vector<uint32_t> nodes_gone, nodes_came;
  std::vector<StructuralChange> changes;  // in the order of their first places
  std::optional<BatchSizes> batch;        // absent where no other pair of sizes explains most
  size_t MemoryBytes() const;
};
// Errors: kCancelled.
Result<Replacements> FindReplacements(const ComparedSide& baseline, const ComparedSide& candidate,
                                      const CancelToken& cancel);

}  // namespace emberline
