#include "compare/step_tree.h"

#include <algorithm>

#include "model/names.h"

namespace emberline {
namespace {

// Durations of the device work that slices [first, end) launched, added up.
Ns WorkOf(const Model& model, SliceIndex first, SliceIndex end) {
  const TraceStore& s = model.store();
  Ns sum = 0;
  for (SliceIndex i = first; i < end; ++i) {
    for (const uint32_t work : model.launched[i]) {
      if (IsDeviceWork(s.kind(work))) sum += s.duration(work);
    }
  }
  return sum;
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
  const SliceIndex slice = slices[node];
  if (slice != kNone) return model.pass[slice];
  return KindOf(node) == StepNodeKind::kBackwardThread ? Pass::kBackward : Pass::kForward;
}

const StepGroup* StepTree::GroupAt(uint32_t node) const {
  const auto at =
      std::lower_bound(groups.begin(), groups.end(), node,
                       [](const StepGroup& group, uint32_t other) { return group.node < other; });
  return at != groups.end() && at->node == node ? &*at : nullptr;
}

Ns StepTree::DeviceOf(const Model& model, uint32_t node) const {
  const StepGroup* group = GroupAt(node);
  return group != nullptr ? group->device : launched.Inside(model, slices[node]);
}

Ns StepTree::HostOf(const Model& model, uint32_t node) const {
  const StepGroup* group = GroupAt(node);
  return group != nullptr ? group->host : model.store().duration(slices[node]);
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
      const SliceIndex at = tree.slices[i];
      // A step is more than its slice: what other threads ran meanwhile is among its nodes.
      if (at == kNone || tree.KindOf(i) == StepNodeKind::kStep) {
        ++i;
        continue;
      }
      const SliceIndex end = EndOfInside(s, at, s.tracks()[s.track(at)].last);
      std::fill(inside.begin() + at, inside.begin() + end, true);
      i = tree.EndOf(i);
    }
  }
  return inside;
}

LaunchedWork::LaunchedWork(const Model& model) {
  const auto rows = static_cast<SliceIndex>(model.launched.rows());
  before_.reserve(rows / kStride + 1);
  before_.push_back(0);
  for (SliceIndex first = 0; rows - first >= kStride; first += kStride) {
    const Ns sum = before_.back();
    before_.push_back(sum + WorkOf(model, first, first + kStride));
  }
}

Ns LaunchedWork::Between(const Model& model, SliceIndex first, SliceIndex end) const {
  end = std::min(end, static_cast<SliceIndex>(model.launched.rows()));
  if (first >= end) return 0;
  const SliceIndex from = (first + kStride - 1) / kStride, to = end / kStride;
  if (from >= to) return WorkOf(model, first, end);
  return WorkOf(model, first, from * kStride) + before_[to] - before_[from] +
         WorkOf(model, to * kStride, end);
}

Ns LaunchedWork::Inside(const Model& model, SliceIndex i) const {
  const TraceStore& s = model.store();
  return Between(model, i, EndOfInside(s, i, s.tracks()[s.track(i)].last));
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
  const SliceIndex slice = tree.slices[index];
  const StepNodeKind kind = tree.KindOf(index);
  if (kind == StepNodeKind::kRoot) return "All steps";
  if (kind == StepNodeKind::kBackwardThread) return "Backward thread";
  if (kind == StepNodeKind::kThread) return "Another thread";
  if (slice == kNone) return "Whole trace";
  std::string_view name = model.store().name(slice);
  if (kind == StepNodeKind::kModule) name.remove_prefix(kModulePrefix.size());
  return std::string(name);
}

}  // namespace emberline
