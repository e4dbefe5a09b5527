// Calls of different ranks that are one collective.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "compare/sequences.h"
#include "ranks/job.h"

namespace emberline {
namespace {

constexpr size_t kMaxShift = 64;
constexpr double kFits = 0.95;

// Calls of one rank in one group, in the order in which they were launched.
struct Lane {
  uint32_t rank = 0;
  std::vector<uint32_t> calls;
};

using GroupKey = std::tuple<std::string, std::string, std::vector<int64_t>, int64_t, int64_t>;

GroupKey KeyOf(const CollectiveGroup& group) {
  // Sizes that only some calls tell do not make another group.
  const bool named = !group.name.empty() || !group.ranks.empty();
  return {group.name, group.description, group.ranks, named && !group.complete ? group.size : -1,
          named ? 0 : group.lane};
}

ElementLabel LabelOf(const CollectiveDigest& call) {
  return {StableHash(call.op, 1), StableHash(static_cast<uint64_t>(call.bytes), call.op), 0};
}

class Matcher {
 public:
  explicit Matcher(Job* job) : job_(*job) {}

  void Match() {
    std::map<GroupKey, std::vector<Lane>> groups;
    std::map<GroupKey, CollectiveGroup> about;
    for (uint32_t r = 0; r < job_.ranks.size(); ++r) {
      const RankDigest& digest = *job_.ranks[r].digest;
      std::map<uint32_t, GroupKey> keys;
      for (uint32_t g = 0; g < digest.groups.size(); ++g) {
        keys[g] = KeyOf(digest.groups[g]);
        CollectiveGroup& known = about.try_emplace(keys[g], digest.groups[g]).first->second;
        known.size = std::max(known.size, digest.groups[g].size);
      }
      for (uint32_t c = 0; c < digest.collectives.size(); ++c) {
        std::vector<Lane>& lanes = groups[keys[digest.collectives[c].group]];
        if (lanes.empty() || lanes.back().rank != r) lanes.push_back({r, {}});
        lanes.back().calls.push_back(c);
      }
    }
    for (auto& [key, lanes] : groups) {
      JobGroup group;
      group.about = about[key];
      for (const Lane& lane : lanes) group.members.push_back(lane.rank);
      job_.groups.push_back(std::move(group));
      group_ = static_cast<uint32_t>(job_.groups.size() - 1);
      MatchGroup(lanes);
    }
  }

 private:
  const CollectiveDigest& Call(uint32_t rank, uint32_t call) const {
    return job_.ranks[rank].digest->collectives[call];
  }

  void MatchGroup(std::vector<Lane>& lanes) {
    std::vector<Lane> together;
    for (Lane& lane : lanes) {
      Lane rest{lane.rank, {}};
      for (const uint32_t c : lane.calls) {
        const CollectiveDigest& call = Call(lane.rank, c);
        if (IsPointToPoint(static_cast<CollectiveOp>(call.op))) {
          AddPair(lane.rank, c, call);
        } else {
          rest.calls.push_back(c);
        }
      }
      // Work is put in a queue in the order of launches, whatever stream it runs on.
      std::stable_sort(rest.calls.begin(), rest.calls.end(), [&](uint32_t a, uint32_t b) {
        return Launched(lane.rank, a) < Launched(lane.rank, b);
      });
      if (!rest.calls.empty()) together.push_back(std::move(rest));
    }
    FinishPairs();
    if (together.empty()) return;
    if (HaveSequences(together)) {
      MatchBySequence(together);
    } else {
      MatchByPlace(together);
    }
  }

  Ns Launched(uint32_t rank, uint32_t call) const {
    const CollectiveDigest& c = Call(rank, call);
    return c.launched >= 0 ? c.launched : c.start;
  }

  // --- Sends and receives: by source and target, then by their order.
  void AddPair(uint32_t rank, uint32_t index, const CollectiveDigest& call) {
    if (call.peer < 0 || static_cast<CollectiveOp>(call.op) == CollectiveOp::kSendRecv) {
      ++job_.unmatched;
      ++job_.unmatched_pairs;
      return;
    }
    const bool sends = static_cast<CollectiveOp>(call.op) == CollectiveOp::kSend;
    const int64_t own = job_.ranks[rank].rank;
    pairs_[sends ? std::pair(own, call.peer) : std::pair(call.peer, own)][sends ? 0 : 1].push_back(
        {rank, index, 0, 0, 0});
  }
  void FinishPairs() {
    for (auto& [pair, sides] : pairs_) {
      const size_t both = std::min(sides[0].size(), sides[1].size());
      job_.unmatched += sides[0].size() + sides[1].size() - 2 * both;
      for (size_t i = 0; i < both; ++i) {
        MatchedCall call;
        call.group = group_;
        call.op = CollectiveOp::kSend;
        call.sequence = static_cast<int64_t>(i);
        call.members = {sides[0][i], sides[1][i]};
        job_.calls.push_back(std::move(call));
      }
    }
    pairs_.clear();
  }

  // --- By recorded numbers. Parts of a coalesced call share one: they are told apart by order.
  bool HaveSequences(const std::vector<Lane>& lanes) const {
    return std::all_of(lanes.begin(), lanes.end(), [&](const Lane& lane) {
      return std::all_of(lane.calls.begin(), lane.calls.end(),
                         [&](uint32_t c) { return Call(lane.rank, c).sequence >= 0; });
    });
  }
  void MatchBySequence(const std::vector<Lane>& lanes) {
    std::map<std::pair<int64_t, size_t>, std::vector<MatchedCall::Member>> found;
    for (const Lane& lane : lanes) {
      std::map<int64_t, size_t> seen;
      for (const uint32_t c : lane.calls) {
        const int64_t sequence = Call(lane.rank, c).sequence;
        found[{sequence, seen[sequence]++}].push_back({lane.rank, c, 0, 0, 0});
      }
    }
    for (auto& [key, members] : found) Add(key.first, std::move(members), lanes);
  }

  // --- By step, then by what was called in which order.
  void MatchByPlace(const std::vector<Lane>& lanes) {
    std::map<int64_t, std::vector<Lane>> steps;
    bool numbered = true;
    for (const Lane& lane : lanes) numbered = numbered && job_.ranks[lane.rank].digest->has_steps;
    for (const Lane& lane : lanes) {
      const RankDigest& digest = *job_.ranks[lane.rank].digest;
      for (const uint32_t c : lane.calls) {
        const int64_t step = digest.collectives[c].step;
        const int64_t key = !numbered   ? 0
                            : step >= 0 ? digest.steps[step].number
                                        : OutsideKey(digest, c);
        std::vector<Lane>& part = steps[key];
        if (part.empty() || part.back().rank != lane.rank) part.push_back({lane.rank, {}});
        part.back().calls.push_back(c);
      }
    }
    int64_t position = 0;
    for (auto& [key, part] : steps) position = MatchPart(part, position, lanes);
  }

  // Calls outside of every step stand before the step that follows them.
  static int64_t OutsideKey(const RankDigest& digest, uint32_t c) {
    for (const StepDigest& step : digest.steps) {
      if (step.begin >= digest.collectives[c].start) return -1000 - step.number;
    }
    return INT64_MIN;
  }

  int64_t MatchPart(const std::vector<Lane>& part, int64_t position,
                    const std::vector<Lane>& lanes) {
    const Lane* reference = &part[0];
    for (const Lane& lane : part) {
      if (lane.calls.size() > reference->calls.size()) reference = &lane;
    }
    std::vector<std::vector<MatchedCall::Member>> found(reference->calls.size());
    std::vector<ElementLabel> left;
    for (const uint32_t c : reference->calls) left.push_back(LabelOf(Call(reference->rank, c)));
    std::vector<std::vector<MatchedCall::Member>> alone;
    for (const Lane& lane : part) {
      std::vector<bool> taken(lane.calls.size(), false);
      for (const auto& [at, own] : PairsOf(*reference, left, lane)) {
        found[at].push_back({lane.rank, lane.calls[own], 0, 0, 0});
        taken[own] = true;
      }
      for (size_t i = 0; i < taken.size(); ++i) {
        if (!taken[i]) alone.push_back({{lane.rank, lane.calls[i], 0, 0, 0}});
      }
    }
    for (auto& members : found) Add(position++, std::move(members), lanes);
    for (auto& members : alone) Add(-1, std::move(members), lanes);
    return position;
  }

  std::vector<std::pair<uint32_t, uint32_t>> PairsOf(const Lane& reference,
                                                     const std::vector<ElementLabel>& left,
                                                     const Lane& lane) const {
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
    std::vector<ElementLabel> right;
    for (const uint32_t c : lane.calls) right.push_back(LabelOf(Call(lane.rank, c)));
    if (const auto shift = ShiftOf(reference, left, lane, right)) {
      for (uint32_t i = 0; i < right.size(); ++i) {
        const int64_t at = static_cast<int64_t>(i) + *shift;
        if (at >= 0 && at < static_cast<int64_t>(left.size()) && left[at].name == right[i].name) {
          pairs.emplace_back(static_cast<uint32_t>(at), i);
        }
      }
      return pairs;
    }
    for (const emberline::Match& match : MatchSequences(left, right)) {
      if (!match.moved) pairs.emplace_back(match.baseline, match.candidate);
    }
    return pairs;
  }

  // By how many places the lane lies behind the reference when it only began later: what is called
  // must agree; of several ways that agree, the recorded clocks decide.
  std::optional<int64_t> ShiftOf(const Lane& reference, const std::vector<ElementLabel>& left,
                                 const Lane& lane, const std::vector<ElementLabel>& right) const {
    const auto same = [&](int64_t shift) {
      size_t agree = 0, common = 0;
      for (size_t i = 0; i < right.size(); ++i) {
        const int64_t at = static_cast<int64_t>(i) + shift;
        if (at < 0 || at >= static_cast<int64_t>(left.size())) continue;
        ++common;
        agree += left[at].detail == right[i].detail;
      }
      return common == 0 ? 0.0 : static_cast<double>(agree) / static_cast<double>(common);
    };
    if (left.size() == right.size() && same(0) >= kFits) return 0;
    const size_t longest = std::max(left.size(), right.size());
    const size_t difference = left.size() - right.size();  // the reference is the longest
    if (difference > kMaxShift) return std::nullopt;
    std::optional<int64_t> best;
    Ns nearest = 0;
    for (int64_t shift = 0; shift <= static_cast<int64_t>(difference); ++shift) {
      if (right.size() * 20 < longest || same(shift) < 1.0) continue;
      const Ns distance = DistanceAt(reference, lane, shift);
      if (!best || distance < nearest) {
        best = shift;
        nearest = distance;
      }
    }
    return best;
  }

  Ns DistanceAt(const Lane& reference, const Lane& lane, int64_t shift) const {
    const RankDigest& a = *job_.ranks[reference.rank].digest;
    const RankDigest& b = *job_.ranks[lane.rank].digest;
    std::vector<Ns> distances;
    for (size_t i = 0; i < lane.calls.size(); ++i) {
      const CollectiveDigest& left = a.collectives[reference.calls[i + shift]];
      const CollectiveDigest& right = b.collectives[lane.calls[i]];
      distances.push_back(std::abs((a.base_ns - b.base_ns) + (left.start + left.duration) -
                                   (right.start + right.duration)));
    }
    std::nth_element(distances.begin(), distances.begin() + distances.size() / 2, distances.end());
    return distances[distances.size() / 2];
  }

  void Add(int64_t sequence, std::vector<MatchedCall::Member> members,
           const std::vector<Lane>& lanes) {
    if (members.empty()) return;
    MatchedCall call;
    call.group = group_;
    call.sequence = sequence;
    call.op = static_cast<CollectiveOp>(Call(members[0].rank, members[0].call).op);
    std::sort(members.begin(), members.end(),
              [](const auto& a, const auto& b) { return a.rank < b.rank; });
    std::set<uint32_t> there;
    for (const auto& member : members) there.insert(member.rank);
    for (const Lane& lane : lanes) {
      if (there.count(lane.rank) == 0) call.lacking.push_back(lane.rank);
    }
    call.members = std::move(members);
    job_.calls.push_back(std::move(call));
  }

  Job& job_;
  uint32_t group_ = 0;
  std::map<std::pair<int64_t, int64_t>, std::vector<MatchedCall::Member>[2]> pairs_;
};

}  // namespace

void MatchCalls(Job* job) { Matcher(job).Match(); }

}  // namespace emberline
