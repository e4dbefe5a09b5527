// Sends and receives of different ranks that are one: by source and target, then by their order.
// Several that run as one on one rank tie its partners together: they are one exchange.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "ranks/job.h"
#include "ranks/lanes.h"

namespace emberline {
namespace {

constexpr uint32_t kUnnamed = UINT32_MAX;

// Calls that wait for each other: what sends and receives tie together. A rank has one of them.
class Exchanges {
 public:
  using Node = std::pair<uint32_t, uint32_t>;  // a rank and its call

  void Add(const Node& node) { (void)IndexOf(node); }
  // Joins the two, unless a rank had two calls then.
  void Tie(const Node& a, const Node& b) {
    uint32_t small = RootOf(IndexOf(a)), large = RootOf(IndexOf(b));
    if (small == large) return;
    if (ranks_[small].size() > ranks_[large].size()) std::swap(small, large);
    for (const uint32_t rank : ranks_[small]) {
      if (ranks_[large].count(rank) > 0) return;
    }
    ranks_[large].merge(ranks_[small]);
    root_[small] = large;
  }
  // Each exchange's calls, by rank.
  std::vector<std::vector<Node>> Take() {
    std::map<uint32_t, std::vector<Node>> found;
    for (const auto& [node, index] : index_) found[RootOf(index)].push_back(node);
    std::vector<std::vector<Node>> all;
    for (auto& [root, nodes] : found) all.push_back(std::move(nodes));
    return all;
  }

 private:
  uint32_t IndexOf(const Node& node) {
    const auto [at, added] = index_.try_emplace(node, static_cast<uint32_t>(root_.size()));
    if (added) {
      root_.push_back(at->second);
      ranks_.push_back({node.first});
    }
    return at->second;
  }
  uint32_t RootOf(uint32_t index) {
    while (root_[index] != index) index = root_[index] = root_[root_[index]];
    return index;
  }

  std::map<Node, uint32_t> index_;
  std::vector<uint32_t> root_;
  std::vector<std::set<uint32_t>> ranks_;  // of roots
};

class PairMatcher {
 public:
  explicit PairMatcher(Job* job) : job_(*job) {
    for (uint32_t r = 0; r < job_.ranks.size(); ++r) index_[job_.ranks[r].rank] = r;
  }

  void Match() {
    for (uint32_t r = 0; r < job_.ranks.size(); ++r) {
      const RankDigest& digest = *job_.ranks[r].digest;
      for (uint32_t c = 0; c < digest.collectives.size(); ++c) {
        const auto op = static_cast<CollectiveOp>(digest.collectives[c].op);
        if (IsPointToPoint(op)) Put(r, c);
      }
    }
    for (auto& [key, sides] : pairs_) {
      if (sides[0].calls.empty() || sides[1].calls.empty()) {
        for (const Lane& side : sides) Leave(side);
      } else {
        MatchSides(sides);
      }
    }
    AddExchanges();
  }

 private:
  // The group, the source and the target; groups without a name are one, since streams number them
  // on each rank in another way.
  using Key = std::tuple<uint32_t, int64_t, int64_t>;
  using Sides = std::array<Lane, 2>;  // what is sent, and what is received

  const CollectiveDigest& CallOf(uint32_t rank, uint32_t call) const {
    return job_.ranks[rank].digest->collectives[call];
  }
  uint32_t GroupOf(uint32_t rank, uint32_t call) const {
    return job_.ranks[rank].groups[CallOf(rank, call).group];
  }
  static ExchangePart PartOf(const CollectiveDigest& call, uint32_t part) {
    if (part != kNone) return call.parts[part];
    return {static_cast<CollectiveOp>(call.op) == CollectiveOp::kSend, call.peer, call.bytes};
  }

  void Put(uint32_t rank, uint32_t index) {
    const CollectiveDigest& call = CallOf(rank, index);
    if (!call.parts.empty()) {
      bool known = false;
      for (uint32_t i = 0; i < call.parts.size(); ++i) {
        if (call.parts[i].peer < 0) continue;
        known = true;
        PutPart(rank, index, i);
      }
      job_.unmatched_pairs += known ? 0 : 1;
      exchanges_.Add({rank, index});
    } else if (call.peer < 0 || static_cast<CollectiveOp>(call.op) == CollectiveOp::kSendRecv) {
      ++job_.unmatched_pairs;
      AddAlone(rank, index);
    } else {
      PutPart(rank, index, kNone);
    }
  }

  void PutPart(uint32_t rank, uint32_t index, uint32_t part) {
    const ExchangePart one = PartOf(CallOf(rank, index), part);
    const CollectiveGroup& about = job_.groups[GroupOf(rank, index)].about;
    const bool named = !about.name.empty() || !about.ranks.empty();
    const int64_t own = job_.ranks[rank].rank;
    Sides& sides = pairs_[{named ? GroupOf(rank, index) : kUnnamed, one.sends ? own : one.peer,
                           one.sends ? one.peer : own}];
    Lane& side = sides[one.sends ? 0 : 1];
    side.rank = rank;
    side.calls.push_back(index);
    side.parts.push_back(part);
  }

  // Step by step, where both know their steps: one may have begun to record later.
  void MatchSides(const Sides& sides) {
    const bool numbered =
        job_.ranks[sides[0].rank].digest->has_steps && job_.ranks[sides[1].rank].digest->has_steps;
    std::map<int64_t, Sides> steps;
    for (size_t side = 0; side < sides.size(); ++side) {
      const RankDigest& digest = *job_.ranks[sides[side].rank].digest;
      for (size_t i = 0; i < sides[side].calls.size(); ++i) {
        const uint32_t call = sides[side].calls[i];
        Sides& step = steps[numbered ? StepKey(digest, call) : 0];
        step[0].rank = sides[0].rank;
        step[1].rank = sides[1].rank;
        step[side].calls.push_back(call);
        step[side].parts.push_back(sides[side].parts[i]);
      }
    }
    int64_t position = 0;
    for (const auto& [key, step] : steps) MatchStep(step, &position);
  }

  void MatchStep(const Sides& step, int64_t* position) {
    const size_t longer = step[0].calls.size() >= step[1].calls.size() ? 0 : 1;
    const Lane& reference = step[longer];
    const Lane& lane = step[1 - longer];
    std::vector<bool> taken(reference.calls.size(), false), matched(lane.calls.size(), false);
    for (const auto& [at, own] : PairsOf(job_, reference, lane)) {
      taken[at] = matched[own] = true;
      const size_t sent = longer == 0 ? at : own, received = longer == 0 ? own : at;
      Join(step, sent, received, (*position)++);
    }
    for (size_t i = 0; i < taken.size(); ++i) {
      if (!taken[i]) LeaveCall(reference, i);
    }
    for (size_t i = 0; i < matched.size(); ++i) {
      if (!matched[i]) LeaveCall(lane, i);
    }
  }

  // A send and its receive.
  void Join(const Sides& sides, size_t sent, size_t received, int64_t position) {
    const std::array places{sent, received};
    std::array<Exchanges::Node, 2> nodes;
    int64_t bytes = -1;
    bool single = true;
    for (size_t side = 0; side < sides.size(); ++side) {
      const Lane& lane = sides[side];
      const size_t i = places[side];
      nodes[side] = {lane.rank, lane.calls[i]};
      single = single && lane.parts[i] == kNone;
      if (bytes < 0) bytes = PartOf(CallOf(lane.rank, lane.calls[i]), lane.parts[i]).bytes;
    }
    AddTraffic(job_.ranks[sides[0].rank].rank, job_.ranks[sides[1].rank].rank, bytes);
    if (!single) {
      exchanges_.Tie(nodes[0], nodes[1]);
      return;
    }
    MatchedCall call;
    call.group = GroupOf(nodes[0].first, nodes[0].second);
    call.op = CollectiveOp::kSend;
    call.sequence = position;
    for (const auto& [rank, index] : nodes) call.members.push_back({rank, index, 0, 0, 0});
    job_.calls.push_back(std::move(call));
  }

  void AddTraffic(int64_t from, int64_t to, int64_t bytes) {
    PairTraffic& traffic = job_.traffic[{from, to}];
    // A damaged digest may say anything.
    if (__builtin_add_overflow(traffic.bytes, std::max<int64_t>(bytes, 0), &traffic.bytes)) {
      traffic.bytes = INT64_MAX;
    }
    ++traffic.calls;
  }

  void Leave(const Lane& lane) {
    for (size_t i = 0; i < lane.calls.size(); ++i) LeaveCall(lane, i);
  }

  // One side tells about a peer of which there is no trace.
  void LeaveCall(const Lane& lane, size_t i) {
    const ExchangePart part = PartOf(CallOf(lane.rank, lane.calls[i]), lane.parts[i]);
    const int64_t own = job_.ranks[lane.rank].rank;
    AddTraffic(part.sends ? own : part.peer, part.sends ? part.peer : own, part.bytes);
    if (lane.parts[i] == kNone) {
      AddAlone(lane.rank, lane.calls[i]);
    } else {
      const auto peer = index_.find(part.peer);
      if (peer != index_.end()) lacking_[{lane.rank, lane.calls[i]}].insert(peer->second);
    }
  }

  void AddAlone(uint32_t rank, uint32_t index) {
    const CollectiveDigest& own = CallOf(rank, index);
    MatchedCall call;
    call.group = GroupOf(rank, index);
    call.op = static_cast<CollectiveOp>(own.op);
    call.members = {{rank, index, 0, 0, 0}};
    if (own.peer >= 0 && call.op != CollectiveOp::kSendRecv) {
      const auto peer = index_.find(own.peer);
      if (peer != index_.end()) call.lacking = {peer->second};
    }
    job_.calls.push_back(std::move(call));
  }

  void AddExchanges() {
    int64_t position = 0;
    for (const std::vector<Exchanges::Node>& nodes : exchanges_.Take()) {
      MatchedCall call;
      call.group = GroupOf(nodes[0].first, nodes[0].second);
      call.op = CollectiveOp::kSendRecv;
      if (nodes.size() > 1) call.sequence = position++;
      std::set<uint32_t> lacking;
      for (const Exchanges::Node& node : nodes) {
        call.members.push_back({node.first, node.second, 0, 0, 0});
        const auto missed = lacking_.find(node);
        if (missed != lacking_.end()) lacking.insert(missed->second.begin(), missed->second.end());
      }
      for (const Exchanges::Node& node : nodes) lacking.erase(node.first);
      call.lacking.assign(lacking.begin(), lacking.end());
      job_.calls.push_back(std::move(call));
    }
  }

  Job& job_;
  std::map<int64_t, uint32_t> index_;  // of ranks, by number
  std::map<Key, Sides> pairs_;
  Exchanges exchanges_;
  std::map<Exchanges::Node, std::set<uint32_t>> lacking_;  // who lacks a part of an exchange
};

}  // namespace

void MatchPairs(Job* job) { PairMatcher(job).Match(); }

}  // namespace emberline
