#include "model/graph_captures.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "base/hash.h"
#include "model/graphs.h"

namespace emberline {
namespace {

// Nodes that have no name on the call that records them.
constexpr std::string_view kCopy =
    "\x01"
    "copy";
constexpr std::string_view kSet =
    "\x01"
    "set";
// A hostile file may nest without end.
constexpr uint32_t kMaxDepth = 1024;
// Args of recorded calls that views show or need.
constexpr std::array<ArgRole, 5> kKeptArgs = {ArgRole::kInputShapes, ArgRole::kInputTypes,
                                              ArgRole::kModule, ArgRole::kCallStack,
                                              ArgRole::kCallSite};

bool IsKept(SliceKind kind) {
  return kind == SliceKind::kPythonFunction || kind == SliceKind::kCpuOp || IsLaunchApi(kind);
}

// A node's name in a graph that runs; "" when it is of a kind that no capture names.
std::string_view NodeName(const TraceStore& store, SliceIndex work) {
  switch (NodeOfWork(store.kind(work))) {
    case 'k':
      return store.name(work);
    case 'c':
      return kCopy;
    case 's':
      return kSet;
  }
  return {};
}

uint64_t HashNodes(const std::vector<std::string_view>& nodes) {
  uint64_t hash = nodes.size();
  for (const std::string_view node : nodes) hash = HashPair(HashText(node), hash);
  return hash;
}

// The recorded calls of one capture with everything around them, as a tree that needs its trace no
// more.
class TreeBuilder {
 public:
  explicit TreeBuilder(const TraceStore& store) : s_(store) {}

  CapturedTree Build(const GraphCapture& capture, const std::vector<SliceIndex>& calls) {
    std::vector<SliceIndex> kept = Around(calls);
    std::unordered_map<SliceIndex, uint32_t, NumberHash> place;
    CapturedTree tree;
    for (const SliceIndex i : kept) {
      place.emplace(i, static_cast<uint32_t>(tree.slices.size()));
      CapturedTree::Slice slice;
      slice.name = std::string(s_.name(i));
      slice.category = std::string(s_.strings().Get(s_.categories()[s_.category(i)].raw));
      slice.kind = s_.kind(i);
      slice.start = s_.start(i) - capture.begin;
      slice.duration = s_.duration(i);
      slice.thread = s_.track(i);
      SliceIndex parent = s_.parent(i);
      for (uint32_t k = 0; parent != kNone && k < kMaxDepth; ++k, parent = s_.parent(parent)) {
        const auto at = place.find(parent);
        if (at == place.end()) continue;
        slice.parent = at->second;
        break;
      }
      for (const ArgRole role : kKeptArgs) {
        const std::string_view text = s_.ArgText(i, role);
        if (text.empty()) continue;
        const bool json = text.front() == '[' || text.front() == '{';
        slice.args.push_back({role, std::string(text), json});
      }
      tree.slices.push_back(std::move(slice));
    }
    for (const SliceIndex call : calls) tree.calls.push_back(place.at(call));
    return tree;
  }

 private:
  // The calls, what encloses them, and what the enclosing Python functions called besides: finding
  // the lines of a function needs all of its calls in order.
  std::vector<SliceIndex> Around(const std::vector<SliceIndex>& calls) const {
    std::vector<bool> around(s_.slice_count(), false), kept(s_.slice_count(), false);
    std::vector<TrackIndex> tracks;
    for (SliceIndex at : calls) {
      kept[at] = true;
      if (std::find(tracks.begin(), tracks.end(), s_.track(at)) == tracks.end()) {
        tracks.push_back(s_.track(at));
      }
      for (; at != kNone && !around[at]; at = s_.parent(at)) {
        around[at] = true;
        kept[at] = kept[at] || IsKept(s_.kind(at));
      }
    }
    std::sort(tracks.begin(), tracks.end());
    std::vector<SliceIndex> list;
    for (const TrackIndex t : tracks) {
      for (SliceIndex i = s_.tracks()[t].first; i < s_.tracks()[t].last; ++i) {
        const SliceIndex parent = s_.parent(i);
        const bool beside = parent != kNone && around[parent] && IsKept(s_.kind(i)) &&
                            s_.kind(parent) == SliceKind::kPythonFunction;
        if (kept[i] || beside) list.push_back(i);
      }
    }
    return list;
  }

  const TraceStore& s_;
};

// What the calls of a tree stand in: the chain of operators, that of everything, and the shapes.
struct Signature {
  uint64_t ops = 0, frames = 0, shapes = 0;
};

Signature SignatureOf(const CapturedTree& tree) {
  std::vector<Signature> of(tree.slices.size());
  for (size_t i = 0; i < tree.slices.size(); ++i) {
    const CapturedTree::Slice& slice = tree.slices[i];
    if (slice.parent != kNone) of[i] = of[slice.parent];
    const uint64_t name = HashText(slice.name);
    of[i].frames = HashPair(name, of[i].frames);
    if (slice.kind != SliceKind::kCpuOp) continue;
    of[i].ops = HashPair(name, of[i].ops);
    for (const CapturedTree::Arg& arg : slice.args) {
      if (arg.role == ArgRole::kInputShapes)
        of[i].shapes = HashPair(HashText(arg.text), of[i].shapes);
    }
  }
  Signature all;
  for (const uint32_t call : tree.calls) {
    all.ops = HashPair(of[call].ops, all.ops);
    all.frames = HashPair(of[call].frames, all.frames);
    all.shapes = HashPair(of[call].shapes, all.shapes);
  }
  return all;
}

// Leaves out the Python functions, and what they called beside the graph's calls.
CapturedTree WithoutFrames(const CapturedTree& tree) {
  std::vector<bool> kept(tree.slices.size(), false);
  for (uint32_t at : tree.calls) {
    for (; at != kNone && !kept[at]; at = tree.slices[at].parent) kept[at] = true;
  }
  std::vector<uint32_t> place(tree.slices.size(), kNone);
  CapturedTree out;
  for (uint32_t i = 0; i < tree.slices.size(); ++i) {
    const CapturedTree::Slice& slice = tree.slices[i];
    const uint32_t parent = slice.parent == kNone ? kNone : place[slice.parent];
    if (!kept[i] || slice.kind == SliceKind::kPythonFunction) {
      place[i] = parent;  // what is inside belongs to what is outside
      continue;
    }
    place[i] = static_cast<uint32_t>(out.slices.size());
    out.slices.push_back(slice);
    out.slices.back().parent = parent;
    std::erase_if(out.slices.back().args, [](const CapturedTree::Arg& arg) {
      return arg.role == ArgRole::kCallStack || arg.role == ArgRole::kModule;
    });
  }
  for (const uint32_t call : tree.calls) out.calls.push_back(place[call]);
  return out;
}

}  // namespace

CaptureMatcher::CaptureMatcher(const Model& model) : model_(model) {
  const TraceStore& s = model.store();
  for (const Track& track : s.tracks()) {
    if (track.kind != TrackKind::kHostThread) continue;
    for (SliceIndex i = track.first; i < track.last; ++i) {
      if (IsLaunchApi(s.kind(i)) && !model.launched[i].empty() && IsGraphLaunch(s.name(i))) {
        AddLaunch(i);
      }
    }
  }
}

void CaptureMatcher::AddLaunch(SliceIndex launch) {
  const TraceStore& s = model_.store();
  const auto launched = model_.launched[launch];
  std::vector<SliceIndex> order(launched.begin(), launched.end());
  if (std::any_of(order.begin(), order.end(),
                  [&](SliceIndex w) { return model_.CapturedCall(w) != kNone; })) {
    return;
  }
  const auto node = [&](SliceIndex w) { return s.ArgInt(w, ArgRole::kGraphNode).value_or(0); };
  if (std::all_of(order.begin(), order.end(), [&](SliceIndex w) { return node(w) != 0; })) {
    std::stable_sort(order.begin(), order.end(),
                     [&](SliceIndex a, SliceIndex b) { return node(a) < node(b); });
  } else {
    // Several streams run beside each other: their order says nothing.
    if (std::any_of(order.begin(), order.end(),
                    [&](SliceIndex w) { return s.track(w) != s.track(order[0]); })) {
      return;
    }
    std::sort(order.begin(), order.end());
  }
  std::vector<std::string_view> nodes;
  for (const SliceIndex w : order) {
    nodes.push_back(NodeName(s, w));
    if (nodes.back().empty()) return;
  }
  const auto [it, fresh] = by_nodes_.try_emplace(HashNodes(nodes), graphs_.size());
  if (fresh) {
    graphs_.emplace_back();
    graphs_.back().nodes = std::move(nodes);
  } else if (graphs_[it->second].nodes != nodes) {
    return;
  }
  Graph& graph = graphs_[it->second];
  for (uint32_t k = 0; k < order.size(); ++k) graph.work.emplace_back(order[k], k);
}

bool CaptureMatcher::Wanted() const {
  return std::any_of(graphs_.begin(), graphs_.end(), [](const Graph& g) { return !g.found; });
}

Result<CaptureSource> CaptureMatcher::Look(const Model& capture, std::string file,
                                           const CancelToken& cancel) {
  const TraceStore& s = capture.store();
  CaptureSource source;
  source.file = std::move(file);
  const std::vector<GraphCapture> captures = FindCaptures(capture, cancel);
  uint64_t unnamed = 0;
  for (const GraphCapture& found : captures) {
    if (cancel.cancelled()) return Cancelled();
    std::vector<std::string_view> nodes;
    for (size_t k = 0; k < found.calls.size(); ++k) {
      nodes.push_back(found.nodes[k] == 'c'   ? kCopy
                      : found.nodes[k] == 's' ? kSet
                                              : s.ArgText(found.calls[k], ArgRole::kKernelName));
    }
    if (nodes.empty()) continue;
    if (std::any_of(nodes.begin(), nodes.end(), [](auto node) { return node.empty(); })) {
      ++unnamed;
      continue;
    }
    const auto it = by_nodes_.find(HashNodes(nodes));
    if (it == by_nodes_.end() || graphs_[it->second].nodes != nodes) continue;
    Graph& graph = graphs_[it->second];
    CapturedTree tree = TreeBuilder(s).Build(found, found.calls);
    const Signature signature = SignatureOf(tree);
    if (!graph.found) {
      graph.found = true;
      graph.ops = signature.ops;
      graph.frames = signature.frames;
      graph.shapes = signature.shapes;
      graph.tree = std::move(tree);
      ++source.graphs;
      source.work += graph.work.size();
      continue;
    }
    graph.same_ops = graph.same_ops && graph.ops == signature.ops;
    graph.same_frames = graph.same_frames && graph.frames == signature.frames;
    graph.same_shapes = graph.same_shapes && graph.shapes == signature.shapes;
  }
  if (source.graphs == 0) {
    source.reason = captures.empty() ? "It holds no capture of a graph."
                    : unnamed == captures.size()
                        ? "Its calls do not name their kernels, so nothing says which graph they "
                          "recorded."
                        : "It recorded none of the graphs that ran here.";
  }
  return source;
}

std::vector<CaptureMatcher::Match> CaptureMatcher::Take() {
  std::vector<Match> matches;
  for (Graph& graph : graphs_) {
    if (!graph.found || !graph.same_ops) continue;
    CapturedTree tree = graph.same_frames ? std::move(graph.tree) : WithoutFrames(graph.tree);
    if (!graph.same_shapes) {
      for (CapturedTree::Slice& slice : tree.slices) {
        std::erase_if(slice.args, [](const CapturedTree::Arg& arg) {
          return arg.role == ArgRole::kInputShapes;
        });
      }
    }
    matches.push_back({std::move(tree), std::move(graph.work)});
  }
  return matches;
}

}  // namespace emberline
