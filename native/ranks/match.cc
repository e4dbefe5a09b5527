// Calls of different ranks that are one collective.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "ranks/job.h"
#include "ranks/lanes.h"

namespace emberline {
namespace {

using GroupKey = std::tuple<std::string, std::string, RankSet, int64_t, int64_t>;

GroupKey KeyOf(const CollectiveGroup& group) {
  const bool named = !group.name.empty() || !group.ranks.empty();
  return {group.name, group.description, group.ranks, group.complete ? -1 : group.size,
          named ? 0 : group.lane};
}

class Matcher {
 public:
  explicit Matcher(Job* job) : job_(*job) {}

  void Match() {
    std::map<GroupKey, std::vector<Lane>> groups;
    std::map<GroupKey, CollectiveGroup> about;
    std::vector<std::vector<GroupKey>> keys(job_.ranks.size());  // of each rank's groups
    for (uint32_t r = 0; r < job_.ranks.size(); ++r) {
      const RankDigest& digest = *job_.ranks[r].digest;
      for (uint32_t g = 0; g < digest.groups.size(); ++g) {
        keys[r].push_back(KeyOf(digest.groups[g]));
        CollectiveGroup& known = about.try_emplace(keys[r][g], digest.groups[g]).first->second;
        known.size = std::max(known.size, digest.groups[g].size);
      }
      for (uint32_t c = 0; c < digest.collectives.size(); ++c) {
        std::vector<Lane>& lanes = groups[keys[r][digest.collectives[c].group]];
        if (lanes.empty() || lanes.back().rank != r) lanes.push_back({r, {}});
        lanes.back().calls.push_back(c);
      }
    }
    std::map<GroupKey, uint32_t> numbers;
    for (auto& [key, lanes] : groups) {
      numbers[key] = static_cast<uint32_t>(job_.groups.size());
      JobGroup group;
      group.about = about[key];
      for (const Lane& lane : lanes) group.members.push_back(lane.rank);
      job_.groups.push_back(std::move(group));
      group_ = static_cast<uint32_t>(job_.groups.size() - 1);
      MatchGroup(lanes);
    }
    for (uint32_t r = 0; r < job_.ranks.size(); ++r) {
      for (const GroupKey& key : keys[r]) {
        const auto number = numbers.find(key);  // a group without a call has none
        job_.ranks[r].groups.push_back(number == numbers.end() ? 0 : number->second);
      }
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
        // Sends and receives have partners, not a group: see match_pairs.cc.
        if (!IsPointToPoint(static_cast<CollectiveOp>(Call(lane.rank, c).op))) {
          rest.calls.push_back(c);
        }
      }
      // Work is put in a queue in the order of launches, whatever stream it runs on.
      std::stable_sort(rest.calls.begin(), rest.calls.end(), [&](uint32_t a, uint32_t b) {
        return Launched(lane.rank, a) < Launched(lane.rank, b);
      });
      if (!rest.calls.empty()) together.push_back(std::move(rest));
    }
    if (together.empty()) return;
    if (Ambiguous(together)) {
      for (const Lane& lane : together) {
        for (const uint32_t c : lane.calls) Add(-1, {{lane.rank, c, 0, 0, 0}}, {});
      }
      job_.groups.back().ambiguous = true;
      return;
    }
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

  // Calls of more ranks than their group has, which nothing names: several groups of one size.
  // Who was with whom is not known.
  bool Ambiguous(const std::vector<Lane>& lanes) const {
    const CollectiveGroup& about = job_.groups[group_].about;
    const bool named = !about.name.empty() || !about.ranks.empty();
    return !named && about.size > 0 && static_cast<int64_t>(lanes.size()) > about.size;
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
        const int64_t key = numbered ? StepKey(digest, c) : 0;
        std::vector<Lane>& part = steps[key];
        if (part.empty() || part.back().rank != lane.rank) part.push_back({lane.rank, {}});
        part.back().calls.push_back(c);
      }
    }
    int64_t position = 0;
    for (auto& [key, part] : steps) position = MatchPart(part, position, lanes);
  }

  int64_t MatchPart(const std::vector<Lane>& part, int64_t position,
                    const std::vector<Lane>& lanes) {
    const Lane* reference = &part[0];
    for (const Lane& lane : part) {
      if (lane.calls.size() > reference->calls.size()) reference = &lane;
    }
    std::vector<std::vector<MatchedCall::Member>> found(reference->calls.size());
    std::vector<std::vector<MatchedCall::Member>> alone;
    for (const Lane& lane : part) {
      std::vector<bool> taken(lane.calls.size(), false);
      for (const auto& [at, own] : PairsOf(job_, *reference, lane)) {
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
};

}  // namespace

void MatchCalls(Job* job) { Matcher(job).Match(); }

}  // namespace emberline
