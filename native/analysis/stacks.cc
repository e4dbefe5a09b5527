#include "analysis/stacks.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "analysis/columns.h"
#include "analysis/host_nesting.h"
#include "analysis/stack_of.h"
#include "base/case.h"
#include "model/host_place.h"
#include "model/names.h"

namespace emberline {
namespace {

constexpr uint32_t kRoot = 0;
// Deeper stacks only occur in made-up files; what is deeper counts at this depth.
constexpr uint32_t kMaxDepth = 1024;
constexpr SliceIndex kMaxLook = 4096;  // slices looked through for the first that says something
constexpr std::string_view kRecomputeName = "recompute";

class Trie {
 public:
  explicit Trie(StackTree& tree) : tree_(tree) {
    if (tree_.nodes.empty()) tree_.nodes.emplace_back();
    depth_.assign(tree_.nodes.size(), 0);
  }
  uint32_t Child(uint32_t parent, StringId frame, StackNodeKind kind = StackNodeKind::kFunction) {
    if (depth_[parent] >= kMaxDepth) return parent;
    const uint64_t key = uint64_t{parent} << 32 | frame;
    auto [it, fresh] = index_.try_emplace(key, static_cast<uint32_t>(tree_.nodes.size()));
    if (fresh) {
      StackNode node;
      node.parent = parent;
      node.kind = kind;
      node.frame = frame;
      tree_.nodes.push_back(std::move(node));
      tree_.nodes[parent].children.push_back(it->second);
      depth_.push_back(depth_[parent] + 1);
    }
    return it->second;
  }
  void Add(uint32_t node, Ns weight) {
    tree_.nodes[node].self += weight;
    ++tree_.nodes[node].calls;
  }

 private:
  StackTree& tree_;
  std::unordered_map<uint64_t, uint32_t> index_;
  std::vector<uint32_t> depth_;
};

void SumTotals(StackTree& tree) {
  for (StackNode& node : tree.nodes) node.total = node.self;
  for (size_t i = tree.nodes.size(); i-- > 1;) {
    tree.nodes[tree.nodes[i].parent].total += tree.nodes[i].total;
  }
}

// Whether a function has any of the time.
bool HasFunctions(StackTree& tree) {
  SumTotals(tree);
  return std::any_of(tree.nodes.begin() + 1, tree.nodes.end(), [](const StackNode& node) {
    return node.kind == StackNodeKind::kFunction && node.total > 0;
  });
}

// Frame names that are shown: each distinct recorded name is judged once.
class FrameNames {
 public:
  FrameNames(StackTree& tree, const StackOptions& options) : tree_(tree), options_(options) {}
  // Id in the tree's pool, or 0 when the frame is left out.
  StringId Of(std::string_view name) {
    auto it = known_.find(name);
    if (it != known_.end()) return it->second;
    StringId id = 0;
    if (!ModuleName(name)) {
      const Frame frame = ParseFrameName(name);
      if (!options_.fold_library || !(frame.library || frame.file.empty())) {
        // Addresses in reprs would make every call a function of its own.
        id = tree_.frames.Intern(frame.file.empty() ? std::string_view(frame.function) : name);
      }
    }
    known_.emplace(name, id);
    return id;
  }

 private:
  StackTree& tree_;
  const StackOptions& options_;
  std::unordered_map<std::string_view, StringId> known_;
};

// Places of the slices in the stacks of python_function slices.
class PythonStacks {
 public:
  PythonStacks(const Model& model, const StackOptions& options, const CancelToken& cancel,
               StackTree& tree)
      : model_(model),
        store_(model.store()),
        options_(options),
        cancel_(cancel),
        tree_(tree),
        trie_(tree),
        names_(tree, options),
        host_(options.weight == StackWeight::kHost),
        recompute_(tree.frames.Intern(kRecomputeName)) {}

  bool Run() {
    node_.assign(store_.all_slice_count(), kRoot);
    // What ran in backward is placed by what ran before, on whatever thread.
    if (!Place(false) || !Place(true)) return false;
    return host_ ? WeighHost() : WeighDevices();
  }

 private:
  bool Stop(SliceIndex i) const { return (i & 0xFFFF) == 0 && cancel_.cancelled(); }
  bool IsFrame(SliceIndex i) const { return store_.kind(i) == SliceKind::kPythonFunction; }

  bool Place(bool backward) {
    const TrackIndex main = host_ ? MainThread() : kNone;
    for (TrackIndex t = 0; t < store_.tracks().size(); ++t) {
      const Track& track = store_.tracks()[t];
      // Captures of graphs ran at another time: they have stacks for work, but no time.
      const bool capture = track.kind == TrackKind::kGraphCapture && !host_;
      if (track.kind != TrackKind::kHostThread && !capture) continue;
      for (SliceIndex i = track.first; i < track.last; ++i) {
        if (Stop(i)) return false;
        if (backward != (model_.pass[i] != Pass::kForward)) continue;
        const SliceIndex parent = store_.parent(i);
        uint32_t at = parent == kNone ? kRoot : node_[parent];
        if (!backward && IsFrame(i) && model_.frame[i] == kNone && main != kNone && t != main)
          at = ThreadNode(track);
        if (backward) at = BackwardPlace(i, parent, at);
        if (IsFrame(i)) {
          const StringId frame = names_.Of(store_.name(i));
          if (frame != 0) at = trie_.Child(at, frame);
        }
        node_[i] = at;
      }
    }
    return true;
  }

  // The thread of most steps, else the one with most time of operators; kNone where there is none.
  TrackIndex MainThread() const {
    std::vector<std::pair<uint64_t, Ns>> weight(store_.tracks().size());
    for (const Step& step : model_.steps) {
      if (step.slice != kNone) ++weight[store_.track(step.slice)].first;
    }
    for (SliceIndex i = 0; i < store_.slice_count(); ++i) {
      if (model_.IsOp(i) && model_.pass[i] == Pass::kForward)
        weight[store_.track(i)].second += model_.host_self[i];
    }
    const auto most = std::max_element(weight.begin(), weight.end());
    if (most == weight.end() || *most == std::pair<uint64_t, Ns>{}) return kNone;
    return static_cast<TrackIndex>(most - weight.begin());
  }
  uint32_t ThreadNode(const Track& track) {
    const uint32_t others =
        trie_.Child(kRoot, tree_.frames.Intern("other threads"), StackNodeKind::kThreads);
    std::string name(store_.strings().Get(track.thread_name));
    if (name.empty())
      name = "thread " + (track.tid.is_text ? std::string(store_.strings().Get(track.tid.text))
                                            : std::to_string(track.tid.number));
    return trie_.Child(others, tree_.frames.Intern(name), StackNodeKind::kThreads);
  }

  // `at` is the place of what is around the slice on its thread.
  uint32_t BackwardPlace(SliceIndex i, SliceIndex parent, uint32_t at) {
    const Pass around = parent == kNone ? Pass::kForward : model_.pass[parent];
    const bool alone = model_.frame[i] == kNone;  // no frame around it
    if (model_.pass[i] == Pass::kRecompute) {
      if (around == Pass::kRecompute) return at;
      if (!alone) return trie_.Child(at, recompute_, StackNodeKind::kRecompute);
      return IsFrame(i) ? MarkedPlace(CheckpointOf(i), at) : RepeatedPlace(i, at);
    }
    if (around == Pass::kRecompute && !alone) return BesideRecompute(i);
    const SliceIndex forward = alone && model_.IsOp(i) ? FirstRun(model_.forward[i]) : kNone;
    return forward != kNone ? node_[forward] : at;
  }
  // The forward op itself, for work that ran again: when it ran first, if that is known.
  SliceIndex FirstRun(SliceIndex forward) const {
    if (forward == kNone || model_.pass[forward] != Pass::kRecompute) return forward;
    return model_.repeats[forward] != kNone ? model_.repeats[forward] : forward;
  }

  // A call into the engine from a checkpoint's frames: what it runs is backward again.
  uint32_t BesideRecompute(SliceIndex i) {
    std::vector<SliceIndex> below;
    for (SliceIndex at = model_.frame[i];
         at != kNone && model_.pass[at] == Pass::kRecompute && below.size() < kMaxDepth;
         at = model_.frame[at]) {
      below.push_back(at);
    }
    const SliceIndex around = below.empty() ? kNone : store_.parent(below.back());
    uint32_t node = around == kNone ? kRoot : node_[around];
    for (size_t k = below.size(); k-- > 0;) {
      const StringId frame = names_.Of(store_.name(below[k]));
      if (frame != 0) node = trie_.Child(node, frame);
    }
    return node;
  }

  // The frame of the checkpoint that a frame of recomputation belongs to, by the ops inside it.
  SliceIndex CheckpointOf(SliceIndex frame) {
    const SliceIndex last = store_.tracks()[store_.track(frame)].last;
    for (SliceIndex i = frame + 1; i < last && i - frame < kMaxLook; ++i) {
      if (store_.start(i) >= store_.end(frame)) break;
      if (model_.repeats[i] == kNone) continue;
      SliceIndex at = model_.frame[model_.repeats[i]];
      for (uint32_t k = 0; at != kNone && k < kMaxDepth && !IsCheckpoint(at); ++k)
        at = model_.frame[at];
      return at != kNone && IsCheckpoint(at) ? at : kNone;
    }
    return kNone;
  }
  uint32_t MarkedPlace(SliceIndex frame, uint32_t otherwise) {
    return trie_.Child(frame == kNone ? otherwise : node_[frame], recompute_,
                       StackNodeKind::kRecompute);
  }

  // Place of recomputed work by what ran before: the same functions, below the checkpoint's.
  uint32_t RepeatedPlace(SliceIndex op, uint32_t otherwise) {
    SliceIndex first = kNone;
    if (op != kNone && model_.IsOp(op)) first = model_.repeats[op];
    if (first == kNone) return MarkedPlace(kNone, otherwise);
    const SliceIndex innermost = model_.frame[first];
    if (innermost == kNone) return trie_.Child(node_[first], recompute_, StackNodeKind::kRecompute);
    const auto [it, fresh] = repeated_.try_emplace(innermost, kRoot);
    if (!fresh) return it->second;
    std::vector<SliceIndex> below;
    SliceIndex at = innermost;
    while (at != kNone && below.size() < kMaxDepth && !IsCheckpoint(at)) {
      below.push_back(at);
      at = model_.frame[at];
    }
    if (at == kNone || !IsCheckpoint(at)) {
      below.clear();
      at = innermost;
    }
    uint32_t node = MarkedPlace(at, kRoot);
    for (size_t k = below.size(); k-- > 0;) {
      const StringId frame = names_.Of(store_.name(below[k]));
      if (frame != 0) node = trie_.Child(node, frame);
    }
    return repeated_[innermost] = node;
  }
  bool IsCheckpoint(SliceIndex frame) {
    const auto [it, fresh] = checkpoint_.try_emplace(store_.name_id(frame), false);
    if (fresh) it->second = ClassifyFrame(store_.name(frame)) == FrameKind::kCheckpoint;
    return it->second;
  }

  bool WeighHost() {
    return ForEachHostWork(store_, cancel_, [&](SliceIndex i, Ns exclusive) {
      if (exclusive > 0 && options_.steps.Contains(model_.step[i])) trie_.Add(node_[i], exclusive);
    });
  }

  bool WeighDevices() {
    for (SliceIndex i = 0; i < store_.slice_count(); ++i) {
      if (Stop(i)) return false;
      if (!IsDeviceWork(store_.kind(i)) || !options_.steps.Contains(model_.step[i])) continue;
      trie_.Add(DevicePlace(i), store_.duration(i));
    }
    return true;
  }
  uint32_t DevicePlace(SliceIndex i) {
    const SliceIndex op = model_.SourceOp(i);
    const SliceIndex place = HostPlaceOf(model_, i);
    const uint32_t around = place == kNone ? kRoot : node_[place];
    if (model_.pass[i] == Pass::kRecompute && op != kNone && model_.repeats[op] != kNone)
      return RepeatedPlace(op, around);
    if (model_.pass[i] == Pass::kBackward && op != kNone && model_.forward[op] != kNone)
      return node_[FirstRun(model_.forward[op])];
    return around;
  }

  const Model& model_;
  const TraceStore& store_;
  const StackOptions& options_;
  const CancelToken& cancel_;
  StackTree& tree_;
  Trie trie_;
  FrameNames names_;
  const bool host_;
  const StringId recompute_;
  std::vector<uint32_t> node_;                         // per host slice
  std::unordered_map<SliceIndex, uint32_t> repeated_;  // frame of what ran first -> place
  std::unordered_map<StringId, bool> checkpoint_;
};

bool FromStrings(const Model& model, const StackOptions& options, const CancelToken& cancel,
                 StackTree& tree) {
  const TraceStore& store = model.store();
  Trie trie(tree);
  HostNesting nesting;
  const bool host = options.weight == StackWeight::kHost;
  if (host && !NestHostWork(store, cancel, &nesting)) return false;
  const StringId recompute = tree.frames.Intern(kRecomputeName);
  FrameNames names(tree, options);
  std::unordered_map<std::string_view, uint32_t> known;
  const auto node_of = [&](std::string_view stack) {
    auto [it, fresh] = known.try_emplace(stack, kRoot);
    if (fresh) {
      const std::vector<Frame> frames = ParseCallStack(stack);
      uint32_t at = kRoot;
      for (size_t k = frames.size(); k-- > 0;) {
        const Frame& f = frames[k];
        const std::string name = f.file.empty()
                                     ? f.function
                                     : f.file + "(" + std::to_string(f.line) + "): " + f.function;
        const StringId frame = names.Of(tree.frames.Get(tree.frames.Intern(name)));
        if (frame != 0) at = trie.Child(at, frame);
      }
      it->second = at;
    }
    return it->second;
  };
  for (SliceIndex i = 0; i < store.slice_count(); ++i) {
    if ((i & 0xFFFF) == 0 && cancel.cancelled()) return false;
    if (!options.steps.Contains(model.step[i])) continue;
    if (host ? !IsHostWork(store.kind(i)) : !IsDeviceWork(store.kind(i))) continue;
    const Ns weight = host ? nesting.exclusive[i] : store.duration(i);
    if (weight <= 0) continue;
    // What has no stack takes that of the op around it, backward work that of its forward op, and
    // what runs again that of the op that ran before.
    std::string_view stack;
    SliceIndex at = store.kind(i) == SliceKind::kCpuOp ? i : model.SourceOp(i);
    for (uint32_t depth = 0; at != kNone && stack.empty() && depth < kMaxOpsAround; ++depth) {
      stack = store.ArgText(at, ArgRole::kCallStack);
      for (const SliceIndex other : {model.forward[at], model.repeats[at]}) {
        if (stack.empty() && other != kNone) stack = store.ArgText(other, ArgRole::kCallStack);
      }
      at = model.op[at];
    }
    uint32_t node = stack.empty() ? kRoot : node_of(stack);
    if (model.pass[i] == Pass::kRecompute)
      node = trie.Child(node, recompute, StackNodeKind::kRecompute);
    trie.Add(node, weight);
  }
  return true;
}

// Keeps the weight of stacks in which some frame matches.
void KeepMatching(StackTree& tree, const std::string& filter) {
  const std::string lower = LowerText(filter);
  std::vector<int8_t> frame_matches(tree.frames.size(), 0);
  for (StringId id = 0; id < tree.frames.size(); ++id) {
    frame_matches[id] = ContainsLower(tree.frames.Get(id), lower);
  }
  std::vector<bool> hit(tree.nodes.size(), false);
  for (uint32_t i = 1; i < tree.nodes.size(); ++i) {
    hit[i] = hit[tree.nodes[i].parent] || frame_matches[tree.nodes[i].frame];
    if (!hit[i]) tree.nodes[i].self = 0, tree.nodes[i].calls = 0;
  }
  tree.nodes[kRoot].self = 0;
  tree.nodes[kRoot].calls = 0;
}

StackTree Inverted(StackTree&& top_down) {
  StackTree tree;
  tree.recorded = top_down.recorded;
  tree.strings = top_down.strings;
  tree.frames = std::move(top_down.frames);
  Trie trie(tree);
  for (uint32_t i = 0; i < top_down.nodes.size(); ++i) {
    const StackNode& leaf = top_down.nodes[i];
    if (leaf.self <= 0) continue;
    uint32_t at = kRoot;
    // Self time belongs to the function at the root of the inverted stack; callers below divide it.
    for (uint32_t up = i; up != kRoot && up != kNone; up = top_down.nodes[up].parent) {
      at = trie.Child(at, top_down.nodes[up].frame, top_down.nodes[up].kind);
    }
    trie.Add(at, leaf.self);
  }
  return tree;
}

}  // namespace

Result<StackTree> AnalyzeStacks(const Model& model, const StackOptions& options,
                                const CancelToken& cancel) {
  const TraceStore& store = model.store();
  StackTree tree;
  bool python = false, strings = false;
  for (SliceIndex i = 0; i < store.all_slice_count() && !python; ++i) {
    const SliceKind kind = store.kind(i);
    python = kind == SliceKind::kPythonFunction;
    if (!strings && kind == SliceKind::kCpuOp)
      strings = !store.ArgText(i, ArgRole::kCallStack).empty();
  }
  tree.recorded = python || strings;
  tree.strings = !python && strings;
  bool done = true;
  if (python) {
    done = PythonStacks(model, options, cancel, tree).Run();
  } else if (strings) {
    done = FromStrings(model, options, cancel, tree);
  } else {
    tree.nodes.emplace_back();
  }
  if (!done) return Cancelled();
  if (options.fold_library && tree.recorded && !HasFunctions(tree)) {
    // Where all is library code, a fold would leave nothing to see.
    StackOptions unfolded = options;
    unfolded.fold_library = false;
    return AnalyzeStacks(model, unfolded, cancel);
  }
  if (!options.filter.empty()) KeepMatching(tree, options.filter);
  if (options.bottom_up) tree = Inverted(std::move(tree));
  SumTotals(tree);
  for (StackNode& node : tree.nodes) {
    std::stable_sort(node.children.begin(), node.children.end(), [&](uint32_t a, uint32_t b) {
      const StackNode &first = tree.nodes[a], &second = tree.nodes[b];
      const bool threads = first.kind == StackNodeKind::kThreads;
      if (threads != (second.kind == StackNodeKind::kThreads)) return !threads;
      return first.total > second.total;
    });
  }
  return tree;
}

Table StackTable(const StackTree& tree) {
  std::vector<Ns> self(tree.frames.size(), 0), total(tree.frames.size(), 0);
  std::vector<StackNodeKind> kind(tree.frames.size(), StackNodeKind::kFunction);
  std::vector<uint32_t> open(tree.frames.size(), 0);
  // Depth first without recursion: a negative entry closes its node.
  std::vector<int64_t> work;
  for (uint32_t child : tree.nodes[kRoot].children) work.push_back(child);
  while (!work.empty()) {
    const int64_t at = work.back();
    work.pop_back();
    if (at < 0) {
      --open[tree.nodes[-at].frame];
      continue;
    }
    const StackNode& node = tree.nodes[at];
    self[node.frame] += node.self;
    kind[node.frame] = node.kind;
    if (open[node.frame]++ == 0) total[node.frame] += node.total;
    work.push_back(-at);
    for (uint32_t child : node.children) work.push_back(child);
  }
  struct Row {
    Frame frame;
    Ns self = 0, total = 0;
  };
  std::vector<Row> rows;
  for (StringId id = 1; id < tree.frames.size(); ++id) {
    if (total[id] <= 0 || kind[id] == StackNodeKind::kThreads) continue;
    Row& row = rows.emplace_back(Row{{}, self[id], total[id]});
    if (kind[id] == StackNodeKind::kFunction) {
      row.frame = ParseFrameName(tree.frames.Get(id));
    } else {
      row.frame.function = std::string(tree.frames.Get(id));
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.self > b.self; });
  const double whole = static_cast<double>(tree.nodes[kRoot].total);
  TableBuilder<Row> table;
  table.Add(TextKey("function", "Function", "Name of the function, as recorded."),
            [](const Row& row) { return TextCell(row.frame.function); });
  table.Add(
      Duration("selfUs", "Self", "Time during which this function was innermost on the stack."),
      &Row::self);
  table.Add(
      Duration(
          "totalUs", "Total",
          "Time during which this function was anywhere on the stack. Recursive calls count once."),
      &Row::total);
  table.Add(Share("share", "Share", "Total as a share of all time."),
            [&](const Row& row) { return ShareCell(static_cast<double>(row.total), whole); });
  table.Add(
      FlagFact("library", "Library",
               "Whether the function belongs to the standard library or an installed package."),
      [](const Row& row) { return Cell(row.frame.library); });
  table.Add(TextKey("file", "File", "Path of the file, as recorded."),
            [](const Row& row) { return TextOrEmpty(row.frame.file); });
  table.Add(IntegerKey("line", "Line", "Line of that frame, as recorded."),
            [](const Row& row) { return row.frame.line > 0 ? Cell(row.frame.line) : Cell(); });
  return table.Make(rows);
}

}  // namespace emberline
