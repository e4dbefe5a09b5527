#include <algorithm>
#include <optional>
#include <unordered_map>

#include "analysis/operators.h"
#include "base/ascii.h"
#include "base/hash.h"
#include "compare/step_tree.h"
#include "model/names.h"

namespace emberline {
namespace {

// "Linear" of "Linear_3": the number says which instance it is, and shifts when one is added.
std::string_view WithoutNumber(std::string_view name) {
  size_t end = name.size();
  while (end > 0 && IsDigit(name[end - 1])) --end;
  return end < name.size() && end > 1 && name[end - 1] == '_' ? name.substr(0, end - 1) : name;
}

// "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__" of any loader is the same.
std::string_view WithoutSuffix(std::string_view name) { return name.substr(0, name.find('#')); }

// The different labels of a tree. Nodes repeat: layers, steps, calls of one operator.
class Labels {
 public:
  // Of what has nothing inside. `about` says which it is: two with one number are one.
  uint32_t Leaf(uint64_t about, const ElementLabel& label, StepNodeKind kind) {
    const auto [at, added] = leaves_.try_emplace(about, static_cast<uint32_t>(labels_.size()));
    if (added) Add(label, kind);
    return at->second;
  }
  uint32_t Add(const ElementLabel& label, StepNodeKind kind) {
    labels_.push_back(label);
    kinds_.push_back(kind);
    return static_cast<uint32_t>(labels_.size() - 1);
  }
  // The same around other contents.
  uint32_t Around(uint32_t leaf, uint64_t content) {
    const auto [at, added] =
        around_.try_emplace({leaf, content}, static_cast<uint32_t>(labels_.size()));
    if (added) {
      ElementLabel label = labels_[leaf];
      label.content = content;
      Add(label, kinds_[leaf]);
    }
    return at->second;
  }
  const ElementLabel& operator[](uint32_t label) const { return labels_[label]; }
  void MoveTo(StepTree* tree) {
    labels_.shrink_to_fit();
    kinds_.shrink_to_fit();
    tree->labels = std::move(labels_);
    tree->kinds = std::move(kinds_);
  }

 private:
  struct PairHash {
    size_t operator()(const std::pair<uint32_t, uint64_t>& pair) const {
      return HashPair(pair.first, pair.second);
    }
  };
  std::vector<ElementLabel> labels_;
  std::vector<StepNodeKind> kinds_;  // parallel
  std::unordered_map<uint64_t, uint32_t, NumberHash> leaves_;
  std::unordered_map<std::pair<uint32_t, uint64_t>, uint32_t, PairHash> around_;
};

// Reads the tracks twice: to count what each step holds on each, then to write every node where it
// belongs. The nodes of a large trace are too many to be moved afterwards.
class Builder {
 public:
  Builder(const Model& model, const StepSelection& steps, const CancelToken& cancel)
      : model_(model), s_(model.store()), steps_(steps), cancel_(cancel), shapes_(model.store()) {}

  Result<StepTree> Run() {
    if (!SumSteps()) return Cancelled();
    tree_.launched = LaunchedWork(model_);
    kind_of_name_.assign(s_.strings().size() * size_t{3}, kUnknownName);
    of_step_.resize(model_.steps.size());
    Counter counter{*this};
    if (!ReadTracks(counter)) return Cancelled();
    LayOut();
    label_of_name_.assign(s_.strings().size() * size_t{3}, kNone);
    Writer writer{*this};
    if (!ReadTracks(writer)) return Cancelled();
    HashContents();
    labels_.MoveTo(&tree_);
    tree_.groups.shrink_to_fit();
    tree_.slices.Pack();
    tree_.inside.Pack();
    tree_.label_of.Pack();
    return std::move(tree_);
  }

 private:
  // By which what lies inside a node may end later: whole microseconds are cut separately.
  static constexpr Ns kEndsLater = 1000;
  static constexpr uint8_t kUnknownName = 255, kNoNode = 254;
  // The nodes of one track in one step, in the order in which they are met.
  struct Forest {
    TrackIndex track = kNone;
    uint32_t count = 0;
    uint32_t first = 0;  // its place in the tree
    bool backward = false;
    Ns host = 0, device = 0;
  };

  // Device work of each step: also what was launched outside of all nodes, by a script's own kernel
  // or a replayed graph, and what was recorded without its launch. A step is more than its nodes.
  bool SumSteps() {
    device_of_step_.assign(model_.steps.size(), 0);
    for (SliceIndex i = 0; i < s_.slice_count(); ++i) {
      if (i % kCancelStride == 0 && cancel_.cancelled()) return false;
      if (model_.step[i] == kNone || !IsDeviceWork(s_.kind(i))) continue;
      device_of_step_[model_.step[i]] += s_.duration(i);
    }
    return true;
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

  uint32_t LabelOf(SliceIndex i, StepNodeKind kind) {
    uint32_t& known = label_of_name_[s_.name_id(i) * size_t{3} + FormOf(s_.kind(i))];
    if (known == kNone) known = labels_.Add(NameLabel(s_.name(i), kind), kind);
    if (kind != StepNodeKind::kOperator) return known;
    const StringId shapes = shapes_.Of(i);
    if (shapes == 0) return known;
    ElementLabel label = labels_[known];
    label.detail = StableHash(s_.strings().Get(shapes));
    return labels_.Leaf(uint64_t{known} << 32 | shapes, label, kind);
  }

  // What reads the tracks is told of each stretch of nodes in one step, of each node, and that the
  // innermost open node ends.
  struct Counter {
    Builder& builder;
    void Begin(TrackIndex track, uint32_t step) {
      builder.of_step_[step].push_back(static_cast<uint32_t>(builder.forests_.size()));
      builder.forests_.emplace_back().track = track;
    }
    void Node(SliceIndex i, StepNodeKind, bool outermost) {
      Forest& forest = builder.forests_.back();
      ++forest.count;
      forest.backward = forest.backward || builder.model_.pass[i] != Pass::kForward;
      if (!outermost) return;
      forest.host += builder.s_.duration(i);
      forest.device += builder.tree_.launched.Inside(builder.model_, i);
    }
    void End() {}
  };
  struct Writer {
    Builder& builder;
    uint32_t forest = kNone;  // which is read
    uint32_t at = 0;          // the next node's place
    std::vector<uint32_t> open;
    void Begin(TrackIndex, uint32_t) { at = builder.forests_[++forest].first; }
    void Node(SliceIndex i, StepNodeKind kind, bool) {
      builder.tree_.slices[at] = i;
      builder.tree_.label_of[at] = builder.LabelOf(i, kind);
      open.push_back(at++);
    }
    void End() {
      builder.SetEnd(open.back(), at);
      open.pop_back();
    }
  };

  template <typename Reader>
  bool ReadTracks(Reader& reader) {
    for (TrackIndex t = 0; t < s_.tracks().size(); ++t) {
      if (s_.tracks()[t].kind != TrackKind::kHostThread) continue;
      if (!ReadTrack(t, reader)) return false;
    }
    return true;
  }

  template <typename Reader>
  bool ReadTrack(TrackIndex t, Reader& reader) {
    const Track& track = s_.tracks()[t];
    uint32_t step = kNone;  // whose nodes are read
    std::vector<Ns> open;   // ends of the nodes around the next slice
    for (SliceIndex i = track.first; i < track.last; ++i) {
      if (i % kCancelStride == 0 && cancel_.cancelled()) return false;
      const std::optional<StepNodeKind> kind = KindOf(i);
      if (!kind) continue;
      // What outlasts an open node does not lie inside of it: clocks are read one after the other,
      // so that of two calls in a row the second may begin before the first has ended.
      while (!open.empty() &&
             (open.back() <= s_.start(i) || s_.end(i) > open.back() + kEndsLater)) {
        reader.End();
        open.pop_back();
      }
      if (open.empty()) {
        // What begins in a step belongs to it.
        const uint32_t now = model_.step[i];
        if (now == kNone || !steps_.Contains(now)) {
          step = kNone;
          continue;
        }
        if (now != step) reader.Begin(t, now);
        step = now;
      }
      reader.Node(i, *kind, open.empty());
      open.push_back(s_.end(i));
    }
    for (; !open.empty(); open.pop_back()) reader.End();
    return true;
  }

  // The thread whose work a step is made of.
  TrackIndex MainTrack() const {
    for (const Step& step : model_.steps) {
      if (step.slice != kNone) return s_.track(step.slice);
    }
    std::vector<Ns> host(s_.tracks().size(), 0);
    for (const Forest& forest : forests_) {
      if (!forest.backward) host[forest.track] += forest.host;
    }
    const auto most = std::max_element(host.begin(), host.end());
    return most == host.end() ? kNone : static_cast<TrackIndex>(most - host.begin());
  }

  // Gives every node its place, and writes those that are no slices.
  void LayOut() {
    const TrackIndex main = MainTrack();
    size_t count = 1;
    for (uint32_t step = 0; step < model_.steps.size(); ++step) {
      if (!steps_.Contains(step)) continue;
      ++count;
      for (const uint32_t forest : of_step_[step]) {
        count += forests_[forest].count + (forests_[forest].track != main ? size_t{1} : 0);
      }
    }
    tree_.slices.assign(count, kNone);
    tree_.inside.assign(count, 0);
    tree_.label_of.assign(count, 0);
    const uint32_t step_label = labels_.Add({StableHash("step"), 0, 0}, StepNodeKind::kStep);
    uint32_t at = 1;
    Ns host = 0, device = 0;
    tree_.groups.push_back({0, 0, 0});
    for (uint32_t step = 0; step < model_.steps.size(); ++step) {
      if (!steps_.Contains(step)) continue;
      const uint32_t here = at++;
      const Ns length = model_.steps[step].time.Length();
      tree_.groups.push_back({here, length, device_of_step_[step]});
      tree_.slices[here] = model_.steps[step].slice;
      tree_.label_of[here] = step_label;
      for (const bool others : {false, true}) {
        for (const uint32_t forest : of_step_[step]) {
          if ((forests_[forest].track != main) != others) continue;
          at = Place(&forests_[forest], others, at);
        }
      }
      SetEnd(here, at);
      host += length;
      device += device_of_step_[step];
    }
    tree_.groups[0] = {0, host, device};
    tree_.label_of[0] = labels_.Add({}, StepNodeKind::kRoot);
    SetEnd(0, at);
  }

  // Gives the place behind it.
  uint32_t Place(Forest* forest, bool other_thread, uint32_t at) {
    if (other_thread) {
      tree_.groups.push_back({at, forest->host, forest->device});
      tree_.label_of[at] = ThreadLabel(forest->backward);
      SetEnd(at, at + 1 + forest->count);
      ++at;
    }
    forest->first = at;
    return at + forest->count;
  }

  uint32_t ThreadLabel(bool backward) {
    uint32_t& known = thread_labels_[backward ? 1 : 0];
    if (known == kNone) {
      known = labels_.Add(
          {StableHash(backward ? "backward" : "thread"), static_cast<uint64_t>(backward), 0},
          backward ? StepNodeKind::kBackwardThread : StepNodeKind::kThread);
    }
    return known;
  }

  uint32_t LabelAt(uint32_t node) const { return tree_.label_of[node]; }
  void SetEnd(uint32_t node, uint32_t end) { tree_.inside[node] = end - node - 1; }

  void HashContents() {
    for (uint32_t i = static_cast<uint32_t>(tree_.size()); i-- > 0;) {
      uint64_t content = 0;
      const uint32_t end = tree_.EndOf(i);
      for (uint32_t child = i + 1; child < end; child = tree_.EndOf(child)) {
        const ElementLabel& label = labels_[LabelAt(child)];
        content = StableHash(content, StableHash(label.name, label.content));
      }
      if (content != 0) tree_.label_of[i] = labels_.Around(LabelAt(i), content);
    }
  }

  const Model& model_;
  const TraceStore& s_;
  const StepSelection& steps_;
  const CancelToken& cancel_;
  std::vector<Ns> device_of_step_;
  const RecordedShapesOf shapes_;
  // By name and kind of slice.
  std::vector<uint8_t> kind_of_name_;
  std::vector<uint32_t> label_of_name_;  // kNone: not met yet
  uint32_t thread_labels_[2] = {kNone, kNone};
  Labels labels_;
  std::vector<Forest> forests_;                 // in the order of the tracks
  std::vector<std::vector<uint32_t>> of_step_;  // forests, by step
  StepTree tree_;
};

}  // namespace

Result<StepTree> BuildStepTree(const Model& model, const StepSelection& steps,
                               const CancelToken& cancel) {
  return Builder(model, steps, cancel).Run();
}

}  // namespace emberline
