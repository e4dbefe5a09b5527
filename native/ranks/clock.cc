// One clock for all ranks: collectives that everybody leaves together tell by how much each rank's
// clock is off.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <queue>

#include "ranks/job.h"

namespace emberline {
namespace {

constexpr int kRounds = 4;
constexpr size_t kMaxCalls = 20000;  // as many as tell enough

Ns Median(std::vector<Ns> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The recorded end of a member's call, in ns since the job's start.
Ns EndOf(const Job& job, const MatchedCall::Member& member) {
  const RankDigest& digest = *job.ranks[member.rank].digest;
  const CollectiveDigest& c = digest.collectives[member.call];
  return (digest.base_ns - job.base_ns) + c.start + c.duration;
}

}  // namespace

void AlignClocks(Job* job) {
  std::vector<const MatchedCall*> calls;
  for (const MatchedCall& call : job->calls) {
    if (call.members.size() > 1 && IsSymmetric(call.op)) calls.push_back(&call);
  }
  // Evenly over the job, where there are more than are needed.
  if (calls.size() > kMaxCalls) {
    const size_t stride = calls.size() / kMaxCalls + 1;
    std::vector<const MatchedCall*> some;
    for (size_t i = 0; i < calls.size(); i += stride) some.push_back(calls[i]);
    calls = std::move(some);
  }
  // A first guess along shared calls, from the smallest rank of each connected part.
  const size_t n = job->ranks.size();
  std::vector<std::map<uint32_t, std::vector<Ns>>> ahead(n);  // of the other's end over one's own
  for (const MatchedCall* call : calls) {
    const MatchedCall::Member& first = call->members[0];
    const Ns end = EndOf(*job, first);
    for (size_t i = 1; i < call->members.size(); ++i) {
      const MatchedCall::Member& other = call->members[i];
      const Ns difference = EndOf(*job, other) - end;
      ahead[first.rank][other.rank].push_back(difference);
      ahead[other.rank][first.rank].push_back(-difference);
    }
  }
  std::vector<bool> placed(n, false);
  uint32_t clock = 0;
  for (uint32_t root = 0; root < n; ++root) {
    if (placed[root]) continue;
    std::queue<uint32_t> next;
    next.push(root);
    placed[root] = true;
    for (; !next.empty(); next.pop()) {
      const uint32_t from = next.front();
      job->ranks[from].clock = clock;
      for (const auto& [to, differences] : ahead[from]) {
        if (placed[to]) continue;
        placed[to] = true;
        job->ranks[to].correction = job->ranks[from].correction - Median(differences);
        next.push(to);
      }
    }
    ++clock;
  }
  // Then each rank against what its groups agree on.
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::vector<Ns>> off(n);
    for (const MatchedCall* call : calls) {
      std::vector<Ns> ends;
      for (const auto& member : call->members) {
        ends.push_back(EndOf(*job, member) + job->ranks[member.rank].correction);
      }
      const Ns agreed = Median(ends);
      for (size_t i = 0; i < ends.size(); ++i)
        off[call->members[i].rank].push_back(ends[i] - agreed);
    }
    for (uint32_t r = 0; r < n; ++r) {
      JobRank& rank = job->ranks[r];
      rank.matched = static_cast<uint32_t>(off[r].size());
      if (off[r].empty()) continue;
      if (round + 1 < kRounds) {
        rank.correction -= Median(off[r]);
        continue;
      }
      for (Ns& distance : off[r]) distance = std::abs(distance);
      rank.residual = Median(std::move(off[r]));
    }
  }
  // The smallest rank of each part keeps its own clock.
  std::map<uint32_t, Ns> kept;
  for (JobRank& rank : job->ranks) {
    const Ns base = kept.try_emplace(rank.clock, rank.correction).first->second;
    rank.correction -= base;
  }
}

}  // namespace emberline
