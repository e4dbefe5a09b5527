#include "model/graphs.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/hash.h"
#include "base/text.h"

namespace emberline {
namespace {

// What a call would put into a graph: 'k' kernel, 'c' copy, 's' set; 0 for other calls.
char NodeOfCall(std::string_view name) {
  if (Contains(name, "GraphLaunch")) return 0;
  if (Contains(name, "LaunchKernel") || Contains(name, "LaunchCooperativeKernel")) return 'k';
  if (!Contains(name, "Async")) return 0;
  return Contains(name, "Memcpy") ? 'c' : Contains(name, "Memset") ? 's' : 0;
}

struct Graph {
  RecordedId pid;
  Ns first_launch = 0;
  std::string nodes;
  std::vector<std::pair<SliceIndex, uint32_t>> work;  // and its index among the nodes
};

class Finder {
 public:
  Finder(const Model& model, const CancelToken& cancel)
      : model_(model), s_(model.store()), cancel_(cancel) {}

  std::vector<GraphCapture> Captures() {
    FindCaptures();
    if (!captures_.empty()) CollectCalls();
    if (cancel_.cancelled()) return {};
    return std::move(captures_);
  }

  std::unordered_map<SliceIndex, SliceIndex> Run() {
    FindCaptures();
    if (captures_.empty()) return {};
    CollectCalls();
    CollectGraphs();
    if (cancel_.cancelled()) return {};
    return Match();
  }

 private:
  bool Stop(SliceIndex i) const { return i % kCancelStride == 0 && cancel_.cancelled(); }

  void FindCaptures() {
    for (TrackIndex t = 0; t < s_.tracks().size(); ++t) {
      const Track& track = s_.tracks()[t];
      if (track.kind != TrackKind::kHostThread) continue;
      SliceIndex begun = kNone;
      for (SliceIndex i = track.first; i < track.last; ++i) {
        if (Stop(i)) return;
        if (!IsLaunchApi(s_.kind(i))) continue;
        const std::string_view name = s_.name(i);
        if (Contains(name, "StreamBeginCapture")) {
          begun = i;
        } else if (Contains(name, "StreamEndCapture") && begun != kNone) {
          GraphCapture c;
          c.pid = track.pid;
          c.track = t;
          c.begin = s_.end(begun);
          c.end = s_.start(i);
          captures_.push_back(std::move(c));
          begun = kNone;
        }
      }
    }
    std::sort(captures_.begin(), captures_.end(), [](const GraphCapture& a, const GraphCapture& b) {
      return std::tie(a.pid, a.begin) < std::tie(b.pid, b.begin);
    });
    for (size_t i = 0, longest = 0; i + 1 < captures_.size(); ++i) {
      if (captures_[i].end > captures_[longest].end || captures_[i].pid != captures_[longest].pid)
        longest = i;
      if (captures_[i + 1].pid == captures_[longest].pid &&
          captures_[i + 1].begin < captures_[longest].end) {
        captures_[longest].alone = captures_[i + 1].alone = false;
      }
    }
  }

  // Launches between begin and end that ran nothing: of all threads of the process, because
  // autograd launches from its own; of the capturing thread where captures overlap.
  void CollectCalls() {
    for (const Track& track : s_.tracks()) {
      if (track.kind != TrackKind::kHostThread) continue;
      const auto t = static_cast<TrackIndex>(&track - s_.tracks().data());
      for (SliceIndex i = track.first; i < track.last; ++i) {
        if (Stop(i)) return;
        if (!IsLaunchApi(s_.kind(i)) || !model_.launched[i].empty()) continue;
        if (NodeOfCall(s_.name(i)) == 0) continue;
        auto after =
            std::upper_bound(captures_.begin(), captures_.end(), std::tuple(track.pid, s_.start(i)),
                             [](const std::tuple<RecordedId, Ns>& key, const GraphCapture& c) {
                               return key < std::tuple(c.pid, c.begin);
                             });
        if (after == captures_.begin()) continue;
        GraphCapture& c = *std::prev(after);
        if (c.pid != track.pid || s_.start(i) >= c.end || (!c.alone && c.track != t)) continue;
        c.calls.push_back(i);
      }
    }
    for (GraphCapture& c : captures_) {
      std::stable_sort(c.calls.begin(), c.calls.end(),
                       [&](SliceIndex a, SliceIndex b) { return s_.start(a) < s_.start(b); });
      for (const SliceIndex i : c.calls) c.nodes.push_back(NodeOfCall(s_.name(i)));
    }
  }

  void CollectGraphs() {
    struct Nodes {
      RecordedId pid;
      Ns first_launch = 0;
      std::map<int64_t, char> kinds;
      std::vector<std::pair<SliceIndex, int64_t>> work;
    };
    std::map<std::pair<RecordedId, int64_t>, Nodes> with_ids;  // ids count up with each graph
    std::map<std::pair<RecordedId, std::vector<StringId>>, std::vector<SliceIndex>> without;
    for (const Track& track : s_.tracks()) {
      if (track.kind != TrackKind::kHostThread) continue;
      for (SliceIndex i = track.first; i < track.last; ++i) {
        if (Stop(i)) return;
        if (!IsLaunchApi(s_.kind(i)) || model_.launched[i].empty() || !IsGraphLaunch(s_.name(i)))
          continue;
        const auto work = model_.launched[i];
        const bool ids = s_.HasArg(ArgRole::kGraphNode) &&
                         std::all_of(work.begin(), work.end(), [&](uint32_t w) {
                           return s_.ArgInt(w, ArgRole::kGraphNode).value_or(0) != 0;
                         });
        if (!ids) {
          std::vector<SliceIndex> order(work.begin(), work.end());
          const TrackIndex stream = s_.track(order[0]);
          if (std::any_of(order.begin(), order.end(),
                          [&](SliceIndex w) { return s_.track(w) != stream; })) {
            continue;
          }
          std::sort(order.begin(), order.end());
          std::vector<StringId> names;
          for (const SliceIndex w : order) names.push_back(s_.name_id(w));
          auto& list = without[{track.pid, std::move(names)}];
          list.insert(list.end(), order.begin(), order.end());
          continue;
        }
        for (const SliceIndex w : work) {
          const int64_t node = *s_.ArgInt(w, ArgRole::kGraphNode);
          // Where the graph's id is missing it is the node id's upper half.
          const int64_t graph = s_.ArgInt(w, ArgRole::kGraph).value_or(node >> 32);
          const auto [it, fresh] = with_ids.try_emplace({track.pid, graph});
          Nodes& g = it->second;
          if (fresh) {
            g.pid = track.pid;
            g.first_launch = s_.start(i);
          }
          g.first_launch = std::min(g.first_launch, s_.start(i));
          g.kinds[node] = NodeOfWork(s_.kind(w));
          g.work.emplace_back(w, node);
        }
      }
    }
    for (auto& [key, nodes] : with_ids) {
      Graph g;
      g.pid = nodes.pid;
      g.first_launch = nodes.first_launch;
      std::unordered_map<int64_t, uint32_t, NumberHash> rank;
      for (const auto& [node, kind] : nodes.kinds) {
        rank.emplace(node, static_cast<uint32_t>(g.nodes.size()));
        g.nodes.push_back(kind);
      }
      for (const auto& [w, node] : nodes.work) g.work.emplace_back(w, rank[node]);
      numbered_[{g.pid, g.nodes}].push_back(std::move(g));
    }
    for (const auto& [key, list] : without) {
      Graph g;
      g.pid = key.first;
      const size_t length = key.second.size();
      for (size_t k = 0; k < length; ++k) g.nodes.push_back(NodeOfWork(s_.kind(list[k])));
      g.first_launch = s_.start(model_.launch[list[0]]);
      for (size_t k = 0; k < list.size(); ++k) {
        g.first_launch = std::min(g.first_launch, s_.start(model_.launch[list[k]]));
        g.work.emplace_back(list[k], static_cast<uint32_t>(k % length));
      }
      unnumbered_[{g.pid, g.nodes}].push_back(std::move(g));
    }
  }

  std::unordered_map<SliceIndex, SliceIndex> Match() {
    std::map<std::pair<RecordedId, std::string>, std::vector<const GraphCapture*>> by_nodes;
    for (const GraphCapture& c : captures_) {
      if (!c.nodes.empty()) by_nodes[{c.pid, c.nodes}].push_back(&c);
    }
    std::unordered_map<SliceIndex, SliceIndex> out;
    for (const auto& [key, captures] : by_nodes) {
      const auto numbered = numbered_.find(key);
      const auto unnumbered = unnumbered_.find(key);
      std::vector<const Graph*> graphs;
      if (numbered != numbered_.end()) {
        for (const Graph& g : numbered->second) graphs.push_back(&g);
      }
      if (unnumbered != unnumbered_.end()) {
        for (const Graph& g : unnumbered->second) graphs.push_back(&g);
        // Without ids nothing tells which of several graphs came first.
        if (graphs.size() > 1) continue;
      }
      if (graphs.size() != captures.size()) continue;
      for (size_t k = 0; k < graphs.size(); ++k) {
        if (graphs[k]->first_launch < captures[k]->end) continue;
        for (const auto& [work, node] : graphs[k]->work) out[work] = captures[k]->calls[node];
      }
    }
    return out;
  }

  const Model& model_;
  const TraceStore& s_;
  const CancelToken& cancel_;
  std::vector<GraphCapture> captures_;  // by process and time
  std::map<std::pair<RecordedId, std::string>, std::vector<Graph>> numbered_, unnumbered_;
};

}  // namespace

bool IsGraphLaunch(std::string_view name) { return Contains(name, "GraphLaunch"); }

char NodeOfWork(SliceKind kind) {
  return kind == SliceKind::kKernel   ? 'k'
         : kind == SliceKind::kMemcpy ? 'c'
         : kind == SliceKind::kMemset ? 's'
                                      : '?';
}

std::vector<GraphCapture> FindCaptures(const Model& model, const CancelToken& cancel) {
  return Finder(model, cancel).Captures();
}

std::unordered_map<SliceIndex, SliceIndex> CapturedCalls(const Model& model,
                                                         const CancelToken& cancel) {
  return Finder(model, cancel).Run();
}

}  // namespace emberline
