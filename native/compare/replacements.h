// What stands in the place of something else in two aligned step trees.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "compare/aligned_tree.h"
#include "compare/fused_elsewhere.h"

namespace emberline {

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
  // Those of these in whose place something stands elsewhere, by node.
  std::vector<ElsewhereNode> elsewhere_gone, elsewhere_came;
  std::vector<std::string> elsewhere_texts;
  std::vector<StructuralChange> changes;  // in the order of their first places
  std::optional<BatchSizes> batch;        // absent where no other pair of sizes explains most
  size_t MemoryBytes() const;
};
// Errors: kCancelled.
Result<Replacements> FindReplacements(const ComparedSide& baseline, const ComparedSide& candidate,
                                      const CancelToken& cancel);

// What stands elsewhere in the place of a node of one side, or of what is most of it: its name, or
// the names of several. Null where nothing does.
const std::string* ElsewhereOf(const Replacements& found, bool baseline, uint32_t node);
// The same of the innermost node around `node`, up to `outer`, in whose place something stands.
const std::string* ElsewhereAround(const Replacements& found, bool baseline, const StepTree& tree,
                                   uint32_t outer, uint32_t node);

}  // namespace emberline
