// Where a kernel's operator stands: the outermost operator of its call, its backward node, its
// sequence numbers.
#pragma once

#include <string>
#include <vector>

#include "cost/outward_search.h"
#include "model/model.h"

namespace emberline {

// Remembers what it climbed: asking for every kernel of a trace is linear. Not thread-safe.
class CallChain {
 public:
  explicit CallChain(const Model& model);

  // The outermost operator around `op` that no Python frame separates from it: the one that the
  // program called. kNone for kNone.
  SliceIndex Outermost(SliceIndex op);
  // The innermost autograd node around `op` or itself; kNone in forward.
  SliceIndex Node(SliceIndex op);
  // The forward operator of the node, or of what encloses it; kNone where not known.
  SliceIndex Forward(SliceIndex node) const;
  // What the kernel's work is listed under: in backward the forward operator's outermost, else the
  // outermost operator itself.
  SliceIndex Listed(SliceIndex op, bool backward);
  // The operator or node whose name OpName() gives; kNone where there is none.
  SliceIndex Shown(SliceIndex op, bool backward);
  // PyProf2's "op": a name without "aten::", of a node without forward without "Backward0".
  std::string OpName(SliceIndex op, bool backward);
  // Sequence number of the call, and the others around it, ascending. At most 32 operators around
  // are looked at.
  std::optional<int64_t> Sequence(SliceIndex op, bool backward);
  std::vector<int64_t> OtherSequences(SliceIndex op, std::optional<int64_t> own) const;

 private:
  const Model& model_;
  OutwardSearch outermost_, node_;
};

}  // namespace emberline
