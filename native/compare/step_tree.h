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
  uint32_t end = 0;          // nodes (own index, end) lie inside
  uint32_t device = 0;       // see StepTree::DeviceOf
};

struct StepTree {
  std::vector<StepNode> nodes;       // depth first; the root is the first
  NumberColumn label_of;             // of nodes: in `labels`
  std::vector<ElementLabel> labels;  // each once; some may be no node's
  std::vector<StepNodeKind> kinds;   // of the nodes of a label
  // Of the nodes that are no slices: the root, steps and threads, by node. Of threads the sum of
  // what is inside.
  std::vector<std::pair<uint32_t, Ns>> group_host;
  // Of the nodes whose device work takes longer than a node can say, by node.
  std::vector<std::pair<uint32_t, Ns>> long_device;
  const ElementLabel& LabelOf(uint32_t node) const { return labels[label_of[node]]; }
  StepNodeKind KindOf(uint32_t node) const { return kinds[label_of[node]]; }
  // It ran beside its siblings, not between them.
  bool IsConcurrent(uint32_t node) const {
    return KindOf(node) == StepNodeKind::kThread || KindOf(node) == StepNodeKind::kBackwardThread;
  }
  Pass PassOf(const Model& model, uint32_t node) const;
  // Durations of the device work that was launched inside a node, added up.
  Ns DeviceOf(uint32_t node) const;
  // Host time of a node of the tree of `model`.
  Ns HostOf(const Model& model, uint32_t node) const;
  std::vector<uint32_t> ChildrenOf(uint32_t node) const;
  size_t MemoryBytes() const {
    return nodes.capacity() * sizeof(StepNode) + label_of.MemoryBytes() +
           labels.capacity() * sizeof(ElementLabel) + kinds.capacity() * sizeof(StepNodeKind) +
           (group_host.capacity() + long_device.capacity()) * sizeof(group_host[0]);
  }
};

// Of a trace without recorded steps, the root's only child is the whole trace. What lies outside
// of every step is left out. Linear in the slices. Errors: kCancelled.
Result<StepTree> BuildStepTree(const Model& model, const StepSelection& steps,
                               const CancelToken& cancel);

// One flag per slice: whether it lies inside one of `nodes`. Linear in the slices.
std::vector<bool> SlicesInside(const Model& model, const StepTree& tree,
                               const std::vector<uint32_t>& nodes);

// What a node is called: "Linear_3", "aten::mm", "Backward".
std::string StepNodeName(const Model& model, const StepTree& tree, uint32_t node);

}  // namespace emberline
