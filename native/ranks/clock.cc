// One clock for all ranks: collectives that everybody leaves together tell by how much each rank's
// clock is off.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <queue>

#include "ranks/job.h"
#include "ranks/line_fit.h"

namespace emberline {
namespace {

constexpr int kRounds = 4;
constexpr size_t kMaxCalls = 20000;  // as many as tell enough

// The recorded end of a member's call, in ns since the job's start.
Ns EndOf(const Job& job, const MatchedCall::Member& member) {
  const JobRank& rank = job.ranks[member.rank];
  const CollectiveDigest& c = rank.digest->collectives[member.call];
  return (rank.base_ns - job.base_ns) + c.start + c.duration;
}

// The same since the start of its own trace.
Ns OwnEndOf(const Job& job, const MatchedCall::Member& member) {
  const CollectiveDigest& c = job.ranks[member.rank].digest->collectives[member.call];
  return c.start + c.duration;
}

// And on the common clock, as far as it is known.
Ns CommonEndOf(const Job& job, const MatchedCall::Member& member) {
  return job.ranks[member.rank].At(OwnEndOf(job, member), job.base_ns);
}

void TakeOff(const ClockFit& ahead, JobRank* rank) {
  rank->correction -= ahead.offset;
  rank->drift_ppb += ahead.drift_ppb;
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
  struct Pair {
    const MatchedCall::Member* own;
    const MatchedCall::Member* other;
  };
  std::vector<std::map<uint32_t, std::vector<Pair>>> shared(n);
  for (const MatchedCall* call : calls) {
    const MatchedCall::Member& first = call->members[0];
    for (size_t i = 1; i < call->members.size(); ++i) {
      const MatchedCall::Member& other = call->members[i];
      shared[first.rank][other.rank].push_back({&first, &other});
      shared[other.rank][first.rank].push_back({&other, &first});
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
      for (const auto& [to, pairs] : shared[from]) {
        if (placed[to]) continue;
        placed[to] = true;
        std::vector<ClockPoint> points;
        for (const Pair& pair : pairs) {
          points.push_back({OwnEndOf(*job, *pair.other),
                            EndOf(*job, *pair.other) - CommonEndOf(*job, *pair.own)});
        }
        TakeOff(FitClock(points), &job->ranks[to]);
        next.push(to);
      }
    }
    ++clock;
  }
  // Then each rank against what its groups agree on.
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::vector<ClockPoint>> off(n);
    for (const MatchedCall* call : calls) {
      std::vector<Ns> ends;
      for (const auto& member : call->members) ends.push_back(CommonEndOf(*job, member));
      const Ns agreed = MedianOf(ends);
      for (size_t i = 0; i < ends.size(); ++i) {
        const MatchedCall::Member& member = call->members[i];
        off[member.rank].push_back({OwnEndOf(*job, member), ends[i] - agreed});
      }
    }
    for (uint32_t r = 0; r < n; ++r) {
      JobRank& rank = job->ranks[r];
      rank.matched = static_cast<uint32_t>(off[r].size());
      if (off[r].empty()) continue;
      if (round + 1 < kRounds) {
        TakeOff(FitClock(off[r]), &rank);
        continue;
      }
      std::vector<Ns> distances;
      for (const ClockPoint& point : off[r]) distances.push_back(std::abs(point.offset));
      rank.residual = MedianOf(std::move(distances));
    }
  }
  // The smallest rank of each part keeps its own clock.
  struct Kept {
    Ns correction;
    int64_t drift_ppb;
    Ns start;  // of its trace, by the recorded clocks
  };
  std::map<uint32_t, Kept> kept;
  for (JobRank& rank : job->ranks) {
    const Ns start = rank.base_ns - job->base_ns;
    const Kept& first =
        kept.try_emplace(rank.clock, Kept{rank.correction, rank.drift_ppb, start}).first->second;
    // Its drift has begun with its trace: a trace that starts later lies so much further off.
    const auto apart = static_cast<double>(start + rank.correction - first.start);
    rank.correction +=
        static_cast<Ns>(std::llround(apart * 1e-9 * static_cast<double>(first.drift_ppb))) -
        first.correction;
    rank.drift_ppb -= first.drift_ppb;
  }
}

}  // namespace emberline
