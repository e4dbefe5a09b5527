#include "analysis/stacks.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "analysis/stack_of.h"
#include "model/host_place.h"

namespace emberline {
namespace {

constexpr uint32_t kRoot = 0;
// Deeper stacks only occur in made-up files; what is deeper counts at this depth.
constexpr uint32_t kMaxDepth = 1024;

bool ContainsFolded(std::string_view text, std::string_view needle) {
  return std::search(text.begin(), text.end(), needle.begin(), needle.end(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) ==
                  std::tolower(static_cast<unsigned char>(b));
         }) != text.end();
}

class Trie {
 public:
  explicit Trie(StackTree& tree) : tree_(tree) {
    if (tree_.nodes.empty()) tree_.nodes.emplace_back();
    depth_.assign(tree_.nodes.size(), 0);
  }
  uint32_t Child(uint32_t parent, StringId frame) {
    if (depth_[parent] >= kMaxDepth) return parent;
    const uint64_t key = uint64_t{parent} << 32 | frame;
    auto [it, fresh] = index_.try_emplace(key, static_cast<uint32_t>(tree_.nodes.size()));
    if (fresh) {
      StackNode node;
      node.parent = parent;
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

// Forward operator of the innermost op or of one around it; kNone for forward work.
SliceIndex ForwardOf(const Model& model, SliceIndex op) {
  for (uint32_t i = 0; op != kNone && i < kMaxDepth; ++i) {
    if (model.forward[op] != kNone) return model.forward[op];
    op = model.op[op];
  }
  return kNone;
}

bool FromPythonFunctions(const Model& model, const StackOptions& options, const CancelToken& cancel,
                         StackTree& tree) {
  const TraceStore& store = model.store();
  Trie trie(tree);
  FrameNames names(tree, options);
  std::vector<uint32_t> node(store.all_slice_count(), kRoot);
  // Time of python_function slices less that of the ones directly inside.
  std::vector<Ns> own(options.weight == StackWeight::kHost ? store.slice_count() : 0, 0);
  for (const Track& track : store.tracks()) {
    // Captures of graphs ran at another time: they have stacks for work, but no time.
    const bool capture =
        track.kind == TrackKind::kGraphCapture && options.weight == StackWeight::kDevice;
    if (track.kind != TrackKind::kHostThread && !capture) continue;
    for (SliceIndex i = track.first; i < track.last; ++i) {
      if ((i & 0xFFFF) == 0 && cancel.cancelled()) return false;
      const SliceIndex parent = store.parent(i);
      const uint32_t above = parent == kNone ? kRoot : node[parent];
      node[i] = above;
      if (store.kind(i) != SliceKind::kPythonFunction) continue;
      const StringId frame = names.Of(store.name(i));
      if (frame != 0) node[i] = trie.Child(above, frame);
      if (!own.empty()) {
        own[i] += store.duration(i);
        if (model.frame[i] != kNone) own[model.frame[i]] -= store.duration(i);
      }
    }
  }
  for (SliceIndex i = 0; i < store.slice_count(); ++i) {
    if ((i & 0xFFFF) == 0 && cancel.cancelled()) return false;
    if (!options.steps.Contains(model.step[i])) continue;
    if (options.weight == StackWeight::kHost) {
      if (store.kind(i) == SliceKind::kPythonFunction && own[i] > 0) trie.Add(node[i], own[i]);
    } else if (IsDeviceWork(store.kind(i))) {
      const SliceIndex forward = ForwardOf(model, model.SourceOp(i));
      const SliceIndex at = forward != kNone ? forward : HostPlaceOf(model, i);
      trie.Add(at == kNone ? kRoot : node[at], store.duration(i));
    }
  }
  return true;
}

bool FromStrings(const Model& model, const StackOptions& options, StringId key,
                 const CancelToken& cancel, StackTree& tree) {
  const TraceStore& store = model.store();
  Trie trie(tree);
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
    if (store.kind(i) != SliceKind::kCpuOp || !options.steps.Contains(model.step[i])) continue;
    const Ns weight =
        options.weight == StackWeight::kHost ? model.host_self[i] : model.device_self[i];
    if (weight <= 0) continue;
    // An op without a stack takes that of the op around it, a backward op that of its forward op.
    std::string_view stack;
    SliceIndex at = i;
    for (uint32_t depth = 0; at != kNone && stack.empty() && depth < kMaxDepth; ++depth) {
      stack = store.ArgText(at, key);
      if (stack.empty() && model.forward[at] != kNone)
        stack = store.ArgText(model.forward[at], key);
      at = model.op[at];
    }
    trie.Add(stack.empty() ? kRoot : node_of(stack), weight);
  }
  return true;
}

// Keeps the weight of stacks in which some frame matches.
void KeepMatching(StackTree& tree, const std::string& filter) {
  std::vector<int8_t> frame_matches(tree.frames.size(), 0);
  for (StringId id = 0; id < tree.frames.size(); ++id) {
    frame_matches[id] = ContainsFolded(tree.frames.Get(id), filter);
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
      at = trie.Child(at, top_down.nodes[up].frame);
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
  const StringId key = store.strings().Find("Call stack");
  bool python = false, strings = false;
  for (SliceIndex i = 0; i < store.all_slice_count() && !python; ++i) {
    const SliceKind kind = store.kind(i);
    python = kind == SliceKind::kPythonFunction;
    if (!strings && key != kNone && kind == SliceKind::kCpuOp)
      strings = !store.ArgText(i, key).empty();
  }
  tree.recorded = python || strings;
  tree.strings = !python && strings;
  bool done = true;
  if (python) {
    done = FromPythonFunctions(model, options, cancel, tree);
  } else if (strings) {
    done = FromStrings(model, options, key, cancel, tree);
  } else {
    tree.nodes.emplace_back();
  }
  if (!done) return Error{ErrorKind::kCancelled, "Cancelled.", "", {}};
  if (!options.filter.empty()) KeepMatching(tree, options.filter);
  if (options.bottom_up) tree = Inverted(std::move(tree));
  SumTotals(tree);
  for (StackNode& node : tree.nodes) {
    std::stable_sort(node.children.begin(), node.children.end(), [&](uint32_t a, uint32_t b) {
      return tree.nodes[a].total > tree.nodes[b].total;
    });
  }
  return tree;
}

Table StackTable(const StackTree& tree) {
  Table table;
  table.columns = {
      {"function", "Function", "Function as recorded.", CellType::kText, Unit::kNone, false},
      {"selfUs", "Self", "Time with this function innermost.", CellType::kNumber, Unit::kUs, false},
      {"totalUs", "Total", "Time with this function anywhere in the stack; recursion counts once.",
       CellType::kNumber, Unit::kUs, false},
      {"share", "Share", "Total as a part of all time.", CellType::kNumber, Unit::kRatio, false},
      {"library", "Library",
       "The function belongs to the standard library or an installed package.", CellType::kBool,
       Unit::kNone, false},
      {"file", "File", "File as recorded.", CellType::kText, Unit::kNone, false},
      {"line", "Line", "Line as recorded.", CellType::kInteger, Unit::kNone, false},
  };
  std::vector<Ns> self(tree.frames.size(), 0), total(tree.frames.size(), 0);
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
    if (open[node.frame]++ == 0) total[node.frame] += node.total;
    work.push_back(-at);
    for (uint32_t child : node.children) work.push_back(child);
  }
  const double whole = static_cast<double>(std::max<Ns>(1, tree.nodes[kRoot].total));
  for (StringId id = 1; id < tree.frames.size(); ++id) {
    if (total[id] <= 0) continue;
    const Frame frame = ParseFrameName(tree.frames.Get(id));
    table.rows.push_back({frame.function, static_cast<double>(self[id]) / 1000.0,
                          static_cast<double>(total[id]) / 1000.0,
                          static_cast<double>(total[id]) / whole, frame.library,
                          frame.file.empty() ? Cell{} : Cell{frame.file},
                          frame.line > 0 ? Cell{frame.line} : Cell{}});
  }
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    return std::get<double>(a[1]) > std::get<double>(b[1]);
  });
  return table;
}

}  // namespace emberline
