// Sends and receives of different ranks that are one: by source and target, then by their order.
#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "ranks/job.h"
#include "ranks/lanes.h"

namespace emberline {
namespace {

constexpr uint32_t kUnnamed = UINT32_MAX;

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
        if (IsPointToPoint(op)) Put(r, c, op);
      }
    }
    for (auto& [key, sides] : pairs_) {
      if (sides[0].calls.empty() || sides[1].calls.empty()) {
        for (const Lane& side : sides) Leave(side);
      } else {
        MatchSides(sides);
      }
    }
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

  void Put(uint32_t rank, uint32_t index, CollectiveOp op) {
    const CollectiveDigest& call = CallOf(rank, index);
    if (call.peer < 0 || op == CollectiveOp::kSendRecv) {
      ++job_.unmatched_pairs;
      AddAlone(rank, index);
      return;
    }
    const CollectiveGroup& about = job_.groups[GroupOf(rank, index)].about;
    const bool named = !about.name.empty() || !about.ranks.empty();
    const bool sends = op == CollectiveOp::kSend;
    const int64_t own = job_.ranks[rank].rank;
    Sides& sides = pairs_[{named ? GroupOf(rank, index) : kUnnamed, sends ? own : call.peer,
                           sends ? call.peer : own}];
    Lane& side = sides[sends ? 0 : 1];
    side.rank = rank;
    side.calls.push_back(index);
  }

  // Step by step, where both know their steps: one may have begun to record later.
  void MatchSides(const Sides& sides) {
    const bool numbered =
        job_.ranks[sides[0].rank].digest->has_steps && job_.ranks[sides[1].rank].digest->has_steps;
    std::map<int64_t, Sides> steps;
    for (size_t side = 0; side < sides.size(); ++side) {
      const RankDigest& digest = *job_.ranks[sides[side].rank].digest;
      for (const uint32_t call : sides[side].calls) {
        Sides& step = steps[numbered ? StepKey(digest, call) : 0];
        step[0].rank = sides[0].rank;
        step[1].rank = sides[1].rank;
        step[side].calls.push_back(call);
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
      MatchedCall call;
      call.group = GroupOf(reference.rank, reference.calls[at]);
      call.op = CollectiveOp::kSend;
      call.sequence = (*position)++;
      call.members = {{reference.rank, reference.calls[at], 0, 0, 0},
                      {lane.rank, lane.calls[own], 0, 0, 0}};
      if (longer == 1) std::swap(call.members[0], call.members[1]);  // who sends comes first
      job_.calls.push_back(std::move(call));
    }
    for (size_t i = 0; i < taken.size(); ++i) {
      if (!taken[i]) AddAlone(reference.rank, reference.calls[i]);
    }
    for (size_t i = 0; i < matched.size(); ++i) {
      if (!matched[i]) AddAlone(lane.rank, lane.calls[i]);
    }
  }

  void Leave(const Lane& lane) {
    for (const uint32_t call : lane.calls) AddAlone(lane.rank, call);
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

  Job& job_;
  std::map<int64_t, uint32_t> index_;  // of ranks, by number
  std::map<Key, Sides> pairs_;
};

}  // namespace

void MatchPairs(Job* job) { PairMatcher(job).Match(); }

}  // namespace emberline
