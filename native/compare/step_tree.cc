#include "compare/step_tree.h"

#include <algorithm>

#include "model/names.h"

namespace emberline {
namespace {

// As a node's device time: the tree knows it, because it is too long for a node.
constexpr uint32_t kLongDevice = UINT32_MAX;

// The entry of `node` in a list by nodes; its end where there is none.
using ByNode = std::vector<std::pair<uint32_t, Ns>>;
ByNode::const_iterator Find(const ByNode& list, uint32_t node) {
  const auto at = std::lower_bound(list.begin(), list.end(), std::pair(node, INT64_MIN));
  return at != list.end() && at->first == node ? at : list.end();
}

}  // namespace

const char* StepNodeKindName(StepNodeKind kind) {
  switch (kind) {
    case StepNodeKind::kRoot:
      return "root";
    case StepNodeKind::kStep:
      return "step";
    case StepNodeKind::kModule:
      return "module";
    case StepNodeKind::kRange:
      return "range";
    case StepNodeKind::kDataLoader:
      return "dataLoader";
    case StepNodeKind::kOptimizer:
      return "optimizer";
    case StepNodeKind::kCommunication:
      return "communication";
    case StepNodeKind::kOperator:
      return "operator";
    case StepNodeKind::kThread:
    case StepNodeKind::kBackwardThread:
      return "thread";
  }
  return "operator";
}

Pass StepTree::PassOf(const Model& model, uint32_t node) const {
  const SliceIndex slice = nodes[node].slice;
  if (slice != kNone) return model.pass[slice];
  return KindOf(node) == StepNodeKind::kBackwardThread ? Pass::kBackward : Pass::kForward;
}

void StepTree::SetEnd(uint32_t node, uint32_t end) {
  const uint32_t count = end - node - 1;
  if (count < kFar) {
    inside[node] = static_cast<uint16_t>(count);
    return;
  }
  inside[node] = kFar;
  far_ends.emplace_back(node, end);
}

void StepTree::SetDevice(uint32_t node, Ns device) {
  if (device < kLongDevice) {
    nodes[node].device = static_cast<uint32_t>(device);
    return;
  }
  nodes[node].device = kLongDevice;
  long_device.emplace_back(node, device);
}

void StepTree::Order() {
  std::sort(long_device.begin(), long_device.end());
  std::sort(far_ends.begin(), far_ends.end());
}

uint32_t StepTree::FarEndOf(uint32_t node) const {
  return std::lower_bound(far_ends.begin(), far_ends.end(), std::pair(node, uint32_t{0}))->second;
}

Ns StepTree::DeviceOf(uint32_t node) const {
  const uint32_t device = nodes[node].device;
  return device == kLongDevice ? Find(long_device, node)->second : device;
}

Ns StepTree::HostOf(const Model& model, uint32_t node) const {
  const auto at = Find(group_host, node);
  if (at != group_host.end()) return at->second;
  return model.store().duration(nodes[node].slice);
}

std::vector<uint32_t> StepTree::ChildrenOf(uint32_t node) const {
  std::vector<uint32_t> children;
  const uint32_t end = EndOf(node);
  for (uint32_t child = node + 1; child < end; child = EndOf(child)) {
    children.push_back(child);
  }
  return children;
}

std::vector<bool> SlicesInside(const Model& model, const StepTree& tree,
                               const std::vector<uint32_t>& nodes) {
  const TraceStore& s = model.store();
  std::vector<bool> inside(s.all_slice_count(), false);
  for (const uint32_t node : nodes) {
    const uint32_t last = tree.EndOf(node);
    for (uint32_t i = node; i < last;) {
      const StepNode& at = tree.nodes[i];
      // A step is more than its slice: what other threads ran meanwhile is among its nodes.
      if (at.slice == kNone || tree.KindOf(i) == StepNodeKind::kStep) {
        ++i;
        continue;
      }
      const SliceIndex end = EndOfInside(s, at.slice, s.tracks()[s.track(at.slice)].last);
      std::fill(inside.begin() + at.slice, inside.begin() + end, true);
      i = tree.EndOf(i);
    }
  }
  return inside;
}

// Most slices enclose few: the end is looked for nearby first.
SliceIndex EndOfInside(const TraceStore& s, SliceIndex i, SliceIndex last) {
  SliceIndex low = i + 1, high = low;
  for (SliceIndex step = 1; high < last && s.start(high) < s.end(i); step *= 2) {
    low = high + 1;
    high = last - high > step ? high + step : last;
  }
  while (low < high) {
    const SliceIndex middle = low + (high - low) / 2;
    if (s.start(middle) < s.end(i)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

std::string StepNodeName(const Model& model, const StepTree& tree, uint32_t index) {
  const StepNode& node = tree.nodes[index];
  const StepNodeKind kind = tree.KindOf(index);
  if (kind == StepNodeKind::kRoot) return "All steps";
  if (kind == StepNodeKind::kBackwardThread) return "Backward thread";
  if (kind == StepNodeKind::kThread) return "Another thread";
  if (node.slice == kNone) return "Whole trace";
  std::string_view name = model.store().name(node.slice);
  if (kind == StepNodeKind::kModule) name.remove_prefix(kModulePrefix.size());
  return std::string(name);
}

}  // namespace emberline
