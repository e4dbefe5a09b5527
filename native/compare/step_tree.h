// What ran in the selected steps as one tree: steps, the modules, ranges and operators inside, and
// what ran on other threads meanwhile. The form in which two traces are aligned.
#pragma once

#include <string>
#include <vector>

#include "base/byte_size.h"
#include "base/cancel.h"
#include "base/packed_column.h"
#include "base/result.h"
#include "compare/sequences.h"
#include "model/model.h"

namespace emberline {

enum class StepNodeKind : uint8_t {
  kRoot,
  kStep,
  kModule,  // a call of an nn.Module
  kRange,   // a user annotation
  kDataLoader,
  kOptimizer,
  kCommunication,  // a collective that was started by the host
  kOperator,
  kThread,          // what ran on another thread during a step
  kBackwardThread,  // the same, of backward
};
const char* StepNodeKindName(StepNodeKind kind);  // "step", "module", ...

// A node that is no slice, or more than one: the root, steps and threads.
struct StepGroup {
  uint32_t node = 0;
  Ns host = 0, device = 0;  // of threads the sums of what is inside
};

// Durations of the device work that slices of host threads launched, added up over any range of
// them in bounded time: sums stand at every kStride-th slice, and what lies between is looked at.
class LaunchedWork {
 public:
  LaunchedWork() = default;
  explicit LaunchedWork(const Model& model);
  // Of slices [first, end) of `model`, the one that it was made of.
  Ns Between(const Model& model, SliceIndex first, SliceIndex end) const;
  // Of slice `i` and what lies inside of it.
  Ns Inside(const Model& model, SliceIndex i) const;
  size_t MemoryBytes() const { return HeapBytesOf(before_); }

 private:
  static constexpr SliceIndex kStride = 256;
  std::vector<Ns> before_;  // of slices [0, k * kStride)
};

// There are nearly as many nodes as slices: what another place knows is left there.
struct StepTree {
  // Of nodes, depth first; the root is the first. kNone for the root, for threads, and for the step
  // of a trace without steps.
  PackedColumn<SliceIndex> slices;
  PackedColumn<uint32_t> inside;     // of nodes: how many lie inside
  PackedColumn<uint32_t> label_of;   // of nodes: in `labels`
  std::vector<ElementLabel> labels;  // each once; some may be no node's
  std::vector<StepNodeKind> kinds;   // of the nodes of a label
  std::vector<StepGroup> groups;     // by node
  LaunchedWork launched;
  size_t size() const { return slices.size(); }
  const ElementLabel& LabelOf(uint32_t node) const { return labels[label_of[node]]; }
  StepNodeKind KindOf(uint32_t node) const { return kinds[label_of[node]]; }
  // It ran beside its siblings, not between them.
  bool IsConcurrent(uint32_t node) const {
    return KindOf(node) == StepNodeKind::kThread || KindOf(node) == StepNodeKind::kBackwardThread;
  }
  // The first node behind what lies inside `node`: nodes (node, end) are inside of it.
  uint32_t EndOf(uint32_t node) const { return node + 1 + inside[node]; }
  bool IsLeaf(uint32_t node) const { return inside[node] == 0; }
  Pass PassOf(const Model& model, uint32_t node) const;
  // Durations of the device work that was launched inside a node of the tree of `model`, added up.
  Ns DeviceOf(const Model& model, uint32_t node) const;
  // Host time of a node of the tree of `model`.
  Ns HostOf(const Model& model, uint32_t node) const;
  std::vector<uint32_t> ChildrenOf(uint32_t node) const;
  size_t MemoryBytes() const {
    return HeapBytesOf(slices, inside, label_of, labels, kinds, groups, launched);
  }

 private:
  const StepGroup* GroupAt(uint32_t node) const;  // null where it is a slice
};

// Of a trace without recorded steps, the root's only child is the whole trace. What lies outside
// of every step is left out. Linear in the slices. Errors: kCancelled.
Result<StepTree> BuildStepTree(const Model& model, const StepSelection& steps,
                               const CancelToken& cancel);

// One flag per slice: whether it lies inside one of `nodes`. Linear in the slices.
std::vector<bool> SlicesInside(const Model& model, const StepTree& tree,
                               const std::vector<uint32_t>& nodes);

// The first slice of its track, which ends at `last`, behind what lies inside slice `i`.
SliceIndex EndOfInside(const TraceStore& store, SliceIndex i, SliceIndex last);

// What a node is called: "Linear_3", "aten::mm", "Backward".
std::string StepNodeName(const Model& model, const StepTree& tree, uint32_t node);

}  // namespace emberline
