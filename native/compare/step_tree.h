// What ran in the selected steps as one tree: steps, the modules, ranges and operators inside, and
// what ran on other threads meanwhile. The form in which two traces are aligned.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/cancel.h"
#include "base/number_column.h"
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

// There are nearly as many as slices: what another place knows is left there.
struct StepNode {
  SliceIndex slice = kNone;  // kNone for the root, for threads, and for a trace without steps
  uint32_t device = 0;       // see StepTree::DeviceOf
};

struct StepTree {
  std::vector<StepNode> nodes;       // depth first; the root is the first
  std::vector<uint16_t> inside;      // of nodes: see EndOf
  NumberColumn label_of;             // of nodes: in `labels`
  std::vector<ElementLabel> labels;  // each once; some may be no node's
  std::vector<StepNodeKind> kinds;   // of the nodes of a label
  // Of the nodes that are no slices: the root, steps and threads, by node. Of threads the sum of
  // what is inside.
  std::vector<std::pair<uint32_t, Ns>> group_host;
  // Of the nodes whose device work takes longer than a node can say, by node.
  std::vector<std::pair<uint32_t, Ns>> long_device;
  // Of the nodes with more inside than `inside` can say, by node: their ends.
  std::vector<std::pair<uint32_t, uint32_t>> far_ends;
  const ElementLabel& LabelOf(uint32_t node) const { return labels[label_of[node]]; }
  StepNodeKind KindOf(uint32_t node) const { return kinds[label_of[node]]; }
  // It ran beside its siblings, not between them.
  bool IsConcurrent(uint32_t node) const {
    return KindOf(node) == StepNodeKind::kThread || KindOf(node) == StepNodeKind::kBackwardThread;
  }
  // The first node behind what lies inside `node`: nodes (node, end) are inside of it.
  uint32_t EndOf(uint32_t node) const {
    return inside[node] == kFar ? FarEndOf(node) : node + 1 + inside[node];
  }
  // While a tree is built, of each node once and in any order; Order() makes them readable.
  void SetEnd(uint32_t node, uint32_t end);
  void SetDevice(uint32_t node, Ns device);
  void Order();
  bool IsLeaf(uint32_t node) const { return inside[node] == 0; }
  Pass PassOf(const Model& model, uint32_t node) const;
  // Durations of the device work that was launched inside a node, added up.
  Ns DeviceOf(uint32_t node) const;
  // Host time of a node of the tree of `model`.
  Ns HostOf(const Model& model, uint32_t node) const;
  std::vector<uint32_t> ChildrenOf(uint32_t node) const;
  size_t MemoryBytes() const {
    return nodes.capacity() * sizeof(StepNode) + inside.capacity() * sizeof(uint16_t) +
           label_of.MemoryBytes() + labels.capacity() * sizeof(ElementLabel) +
           kinds.capacity() * sizeof(StepNodeKind) +
           (group_host.capacity() + long_device.capacity()) * sizeof(group_host[0]) +
           far_ends.capacity() * sizeof(far_ends[0]);
  }

 private:
  static constexpr uint16_t kFar = UINT16_MAX;
  uint32_t FarEndOf(uint32_t node) const;
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
