#include "compare/step_tree.h"

#include <algorithm>
#include <optional>

#include "analysis/operators.h"
#include "model/names.h"

namespace emberline {
namespace {

constexpr std::string_view kModulePrefix = "nn.Module: ";

// "Linear" of "Linear_3": the number says which instance it is, and shifts when one is added.
std::string_view WithoutNumber(std::string_view name) {
  size_t end = name.size();
  while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9') --end;
  return end < name.size() && end > 1 && name[end - 1] == '_' ? name.substr(0, end - 1) : name;
}

// "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__" of any loader is the same.
std::string_view WithoutSuffix(std::string_view name) { return name.substr(0, name.find('#')); }

// The first slice of the track, which ends at `last`, behind what lies inside `i`.
SliceIndex EndOf(const TraceStore& s, SliceIndex i, SliceIndex last) {
  SliceIndex low = i + 1, high = last;
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

class Builder {
 public:
  Builder(const Model& model, const StepSelection& steps, const CancelToken& cancel)
      : model_(model), s_(model.store()), steps_(steps), cancel_(cancel), shapes_(model.store()) {}

  Result<StepTree> Run() {
    SumDeviceWork();
    kind_of_name_.assign(s_.strings().size() * size_t{3}, kUnknownName);
    labels_.assign(s_.strings().size() * size_t{3}, {});
    shape_hashes_.assign(s_.strings().size(), 0);
    forests_.resize(model_.steps.size());
    nodes_.reserve(CountNodes());
    for (TrackIndex t = 0; t < s_.tracks().size(); ++t) {
      if (s_.tracks()[t].kind != TrackKind::kHostThread) continue;
      if (!ReadTrack(t)) return Error{ErrorKind::kCancelled, "Comparing was cancelled.", "", {}};
    }
    Assemble();
    return std::move(tree_);
  }

 private:
  static constexpr uint8_t kUnknownName = 255, kNoNode = 254;
  // The nodes of one track in one step: [first, last) of `nodes_`, whose `end` counts from `first`.
  struct Forest {
    TrackIndex track = kNone;
    uint32_t first = 0, last = 0;
    bool backward = false;
    Ns host = 0, device = 0;
  };

  // Device work launched by the slices before each one, so that a difference tells what was
  // launched inside a slice: what lies inside follows it.
  void SumDeviceWork() {
    launched_.assign(s_.slice_count() + size_t{1}, 0);
    for (SliceIndex i = 0; i < s_.slice_count(); ++i) {
      Ns sum = 0;
      if (i < model_.launched.rows()) {
        for (const uint32_t work : model_.launched[i]) {
          if (IsDeviceWork(s_.kind(work))) sum += s_.duration(work);
        }
      }
      launched_[i + 1] = launched_[i] + sum;
    }
  }

  // At most so many nodes there are: room is taken once, because it is large.
  size_t CountNodes() {
    size_t count = 0;
    for (const Track& track : s_.tracks()) {
      if (track.kind != TrackKind::kHostThread) continue;
      for (SliceIndex i = track.first; i < track.last; ++i) count += KindOf(i) ? 1 : 0;
    }
    return count;
  }

  static size_t FormOf(SliceKind kind) {
    return kind == SliceKind::kCpuOp ? 0 : kind == SliceKind::kUserAnnotation ? 1 : 2;
  }

  std::optional<StepNodeKind> KindOf(SliceIndex i) {
    const SliceKind kind = s_.kind(i);
    if (kind != SliceKind::kCpuOp && kind != SliceKind::kUserAnnotation &&
        kind != SliceKind::kPythonFunction) {
      return std::nullopt;
    }
    uint8_t& known = kind_of_name_[s_.name_id(i) * size_t{3} + FormOf(kind)];
    if (known == kUnknownName) known = Classify(i, kind);
    if (known == kNoNode) return std::nullopt;
    return static_cast<StepNodeKind>(known);
  }

  uint8_t Classify(SliceIndex i, SliceKind kind) const {
    const std::string_view name = s_.name(i);
    const auto number = [](StepNodeKind node) { return static_cast<uint8_t>(node); };
    if (kind == SliceKind::kPythonFunction) {
      return name.starts_with(kModulePrefix) ? number(StepNodeKind::kModule) : kNoNode;
    }
    switch (ClassifyRange(name)) {
      case RangeKind::kStep:
        return kNoNode;
      case RangeKind::kDataLoader:
        return number(StepNodeKind::kDataLoader);
      case RangeKind::kOptimizer:
        return number(StepNodeKind::kOptimizer);
      default:
        break;
    }
    if (!CollectiveLibrary(name).empty()) return number(StepNodeKind::kCommunication);
    return number(model_.IsOp(i) ? StepNodeKind::kOperator : StepNodeKind::kRange);
  }

  // What the name says; made once for each.
  ElementLabel NameLabel(std::string_view name, StepNodeKind kind) const {
    ElementLabel label;
    if (kind == StepNodeKind::kModule) {
      name.remove_prefix(kModulePrefix.size());
      label.name = StableHash(WithoutNumber(name));
      label.detail = StableHash(name);
    } else if (kind == StepNodeKind::kOperator) {
      label.name = StableHash(name);
    } else {
      label.name = StableHash(WithoutSuffix(name));
      label.detail = StableHash(name);
    }
    label.name = StableHash(label.name, static_cast<uint64_t>(kind));
    return label;
  }

  ElementLabel LabelOf(SliceIndex i, StepNodeKind kind) {
    ElementLabel& known = labels_[s_.name_id(i) * size_t{3} + FormOf(s_.kind(i))];
    if (known.name == 0) known = NameLabel(s_.name(i), kind);
    if (kind != StepNodeKind::kOperator) return known;
    ElementLabel label = known;
    const StringId shapes = shapes_.Of(i);
    uint64_t& hash = shape_hashes_[shapes];
    if (hash == 0 && shapes != 0) hash = StableHash(s_.strings().Get(shapes));
    label.detail = hash;
    return label;
  }

  bool ReadTrack(TrackIndex t) {
    const Track& track = s_.tracks()[t];
    Forest* forest = nullptr;
    uint32_t step = kNone;
    std::vector<uint32_t> open;  // of `nodes_`, around the next slice
    for (SliceIndex i = track.first; i < track.last; ++i) {
      if (i % kCancelStride == 0 && cancel_.cancelled()) return false;
      const std::optional<StepNodeKind> kind = KindOf(i);
      if (!kind) continue;
      while (forest != nullptr && !open.empty() &&
             s_.end(nodes_[open.back()].slice) <= s_.start(i)) {
        Close(*forest, &open);
      }
      if (open.empty()) {
        // What begins in a step belongs to it.
        const uint32_t now = model_.step[i];
        if (now == kNone || !steps_.Contains(now)) {
          forest = nullptr;
          continue;
        }
        if (forest == nullptr || now != step) {
          forest = &forests_[now].emplace_back();
          forest->track = t;
          forest->first = forest->last = static_cast<uint32_t>(nodes_.size());
          step = now;
        }
      } else if (forest == nullptr) {
        continue;
      }
      StepNode node;
      node.kind = *kind;
      node.slice = i;
      node.host = s_.duration(i);
      node.pass = model_.pass[i];
      node.device = launched_[EndOf(s_, i, track.last)] - launched_[i];
      node.label = LabelOf(i, *kind);
      forest->backward = forest->backward || model_.pass[i] != Pass::kForward;
      if (open.empty()) {
        forest->host += node.host;
        forest->device += node.device;
      }
      open.push_back(static_cast<uint32_t>(nodes_.size()));
      nodes_.push_back(node);
      forest->last = static_cast<uint32_t>(nodes_.size());
    }
    while (forest != nullptr && !open.empty()) Close(*forest, &open);
    return true;
  }

  void Close(const Forest& forest, std::vector<uint32_t>* open) {
    nodes_[open->back()].end = forest.last - forest.first;
    open->pop_back();
  }

  // The thread whose work a step is made of.
  TrackIndex MainTrack() const {
    for (const Step& step : model_.steps) {
      if (step.slice != kNone) return s_.track(step.slice);
    }
    std::vector<Ns> host(s_.tracks().size(), 0);
    for (const auto& forests : forests_) {
      for (const Forest& forest : forests) {
        if (!forest.backward) host[forest.track] += forest.host;
      }
    }
    const auto most = std::max_element(host.begin(), host.end());
    return most == host.end() ? kNone : static_cast<TrackIndex>(most - host.begin());
  }

  void Assemble() {
    const TrackIndex main = MainTrack();
    size_t forest_count = 0;
    for (const auto& forests : forests_) forest_count += forests.size();
    tree_.nodes.reserve(1 + model_.steps.size() + forest_count + nodes_.size());
    tree_.nodes.emplace_back();
    tree_.nodes[0].kind = StepNodeKind::kRoot;
    for (uint32_t step = 0; step < model_.steps.size(); ++step) {
      if (!steps_.Contains(step)) continue;
      const auto at = static_cast<uint32_t>(tree_.nodes.size());
      StepNode& node = tree_.nodes.emplace_back();
      node.kind = StepNodeKind::kStep;
      node.slice = model_.steps[step].slice;
      node.host = model_.steps[step].time.Length();
      node.label.name = StableHash("step");
      Ns device = 0;
      for (const bool others : {false, true}) {
        for (Forest& forest : forests_[step]) {
          if ((forest.track != main) == others) device += Append(forest, others);
        }
      }
      tree_.nodes[at].device = device;
      tree_.nodes[at].end = static_cast<uint32_t>(tree_.nodes.size());
      tree_.nodes[0].host += tree_.nodes[at].host;
      tree_.nodes[0].device += device;
    }
    tree_.nodes[0].end = static_cast<uint32_t>(tree_.nodes.size());
    HashContents();
  }

  // Gives the device time of what was added.
  Ns Append(const Forest& forest, bool other_thread) {
    if (other_thread) {
      StepNode thread;
      thread.kind = StepNodeKind::kThread;
      thread.host = forest.host;
      thread.device = forest.device;
      thread.concurrent = true;
      thread.pass = forest.backward ? Pass::kBackward : Pass::kForward;
      thread.label.name = StableHash(forest.backward ? "backward" : "thread");
      thread.label.detail = forest.backward;
      thread.end = static_cast<uint32_t>(tree_.nodes.size() + forest.last - forest.first + 1);
      tree_.nodes.push_back(thread);
    }
    const auto base = static_cast<uint32_t>(tree_.nodes.size());
    for (uint32_t i = forest.first; i < forest.last; ++i) {
      StepNode& node = tree_.nodes.emplace_back(nodes_[i]);
      node.end += base;
    }
    return forest.device;
  }

  void HashContents() {
    for (uint32_t i = static_cast<uint32_t>(tree_.nodes.size()); i-- > 0;) {
      uint64_t content = 0;
      for (uint32_t child = i + 1; child < tree_.nodes[i].end; child = tree_.nodes[child].end) {
        const ElementLabel& label = tree_.nodes[child].label;
        content = StableHash(content, StableHash(label.name, label.content));
      }
      tree_.nodes[i].label.content = content;
    }
  }

  const Model& model_;
  const TraceStore& s_;
  const StepSelection& steps_;
  const CancelToken& cancel_;
  std::vector<Ns> launched_;
  const RecordedShapesOf shapes_;
  // By name and kind of slice.
  std::vector<uint8_t> kind_of_name_;
  std::vector<ElementLabel> labels_;
  std::vector<uint64_t> shape_hashes_;        // by text
  std::vector<StepNode> nodes_;               // in the order of the tracks
  std::vector<std::vector<Forest>> forests_;  // by step
  StepTree tree_;
};

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
      return "thread";
  }
  return "operator";
}

std::vector<uint32_t> StepTree::ChildrenOf(uint32_t node) const {
  std::vector<uint32_t> children;
  for (uint32_t child = node + 1; child < nodes[node].end; child = nodes[child].end) {
    children.push_back(child);
  }
  return children;
}

Result<StepTree> BuildStepTree(const Model& model, const StepSelection& steps,
                               const CancelToken& cancel) {
  return Builder(model, steps, cancel).Run();
}

std::vector<bool> SlicesInside(const Model& model, const StepTree& tree,
                               const std::vector<uint32_t>& nodes) {
  const TraceStore& s = model.store();
  std::vector<bool> inside(s.all_slice_count(), false);
  for (const uint32_t node : nodes) {
    for (uint32_t i = node; i < tree.nodes[node].end;) {
      const StepNode& at = tree.nodes[i];
      // A step is more than its slice: what other threads ran meanwhile is among its nodes.
      if (at.slice == kNone || at.kind == StepNodeKind::kStep) {
        ++i;
        continue;
      }
      const SliceIndex end = EndOf(s, at.slice, s.tracks()[s.track(at.slice)].last);
      std::fill(inside.begin() + at.slice, inside.begin() + end, true);
      i = at.end;
    }
  }
  return inside;
}

std::string StepNodeName(const Model& model, const StepTree& tree, uint32_t index) {
  const StepNode& node = tree.nodes[index];
  if (node.kind == StepNodeKind::kRoot) return "All steps";
  if (node.kind == StepNodeKind::kThread) {
    return node.label.detail != 0 ? "Backward thread" : "Another thread";
  }
  if (node.slice == kNone) return "Whole trace";
  std::string_view name = model.store().name(node.slice);
  if (node.kind == StepNodeKind::kModule) name.remove_prefix(kModulePrefix.size());
  return std::string(name);
}

}  // namespace emberline
