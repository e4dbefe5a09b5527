// One clock for all ranks: collectives that everybody leaves together tell by how much each rank's
// clock is off.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "ranks/job.h"
#include "ranks/line_fit.h"

namespace emberline {
namespace {

constexpr int kRounds = 4;
constexpr size_t kMaxCalls = 20000;  // as many as tell enough
constexpr size_t kMaxDrifts = 16;    // of a group's members that are tried on the others
constexpr size_t kEnough = 9;        // ranks of a call that tell when it ended

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

// What ends say together: of an even number the middle between the two in the middle, so that
// neither of a pair is taken for the right one.
Ns Agreed(std::vector<Ns> ends) {
  const auto middle = ends.begin() + static_cast<std::ptrdiff_t>(ends.size() / 2);
  std::nth_element(ends.begin(), middle, ends.end());
  if (ends.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(ends.begin(), middle), *middle);
}

// A first guess: one rank after the other against those that are placed already, the one that
// shares the most calls with them first, from the smallest rank of each connected part.
void PlaceRanks(const std::vector<const MatchedCall*>& calls, Job* job) {
  struct Part {  // of a rank in a call
    uint32_t call, member;
  };
  const size_t n = job->ranks.size();
  std::vector<std::vector<Part>> parts(n);
  for (uint32_t c = 0; c < calls.size(); ++c) {
    for (uint32_t m = 0; m < calls[c]->members.size(); ++m) {
      parts[calls[c]->members[m].rank].push_back({c, m});
    }
  }
  std::vector<std::vector<Ns>> ends(calls.size());  // by call, of some ranks that are placed
  std::vector<bool> placed(n, false);
  std::vector<size_t> shares(n, 0);                        // calls with ranks that are placed
  std::priority_queue<std::pair<size_t, uint32_t>> known;  // the same, and n - 1 - rank
  uint32_t clock = 0;
  const auto place = [&](uint32_t rank) {
    placed[rank] = true;
    job->ranks[rank].clock = clock;
    for (const auto& [c, m] : parts[rank]) {
      const MatchedCall& call = *calls[c];
      if (ends[c].empty()) {
        for (const auto& member : call.members) {
          if (placed[member.rank]) continue;
          known.emplace(++shares[member.rank], static_cast<uint32_t>(n - 1 - member.rank));
        }
      }
      if (ends[c].size() < kEnough) ends[c].push_back(CommonEndOf(*job, call.members[m]));
    }
  };
  for (uint32_t root = 0; root < n; ++root) {
    if (placed[root]) continue;
    place(root);
    while (!known.empty()) {
      const auto [shared, mirrored] = known.top();
      known.pop();
      const auto rank = static_cast<uint32_t>(n - 1 - mirrored);
      if (placed[rank] || shared != shares[rank]) continue;
      std::vector<ClockOffset> points;
      for (const auto& [c, m] : parts[rank]) {
        if (ends[c].empty()) continue;
        const MatchedCall::Member& member = calls[c]->members[m];
        points.push_back({OwnEndOf(*job, member), EndOf(*job, member) - Agreed(ends[c])});
      }
      TakeOff(FitClock(points), &job->ranks[rank]);
      place(rank);
    }
    ++clock;
  }
}

// How far a rank's call ends from where those of the others do.
struct Off {
  const MatchedCall* call = nullptr;
  Ns own = 0, common = 0;  // its end since the start of its trace, and on the common clock
  Ns off = 0;
};

std::vector<std::vector<Off>> OffsOf(const std::vector<const MatchedCall*>& calls, const Job& job) {
  std::vector<std::vector<Off>> off(job.ranks.size());
  for (const MatchedCall* call : calls) {
    std::vector<Ns> ends;
    for (const auto& member : call->members) ends.push_back(CommonEndOf(job, member));
    const Ns agreed = Agreed(ends);
    for (size_t i = 0; i < ends.size(); ++i) {
      const MatchedCall::Member& member = call->members[i];
      off[member.rank].push_back({call, OwnEndOf(job, member), ends[i], ends[i] - agreed});
    }
  }
  return off;
}

// Moves the ranks of a group together, by what their calls in larger groups say.
void MoveGroups(const std::vector<const MatchedCall*>& calls, Job* job) {
  std::vector<bool> has_calls(job->groups.size(), false);
  for (const MatchedCall* call : calls) has_calls[call->group] = true;
  const std::vector<std::vector<Off>> off = OffsOf(calls, *job);
  std::vector<bool> moved(job->ranks.size(), false);
  for (uint32_t g = 0; g < job->groups.size(); ++g) {
    const std::vector<uint32_t>& members = job->groups[g].members;
    if (!has_calls[g] || members.size() < 2 || 2 * members.size() > job->ranks.size()) continue;
    if (std::any_of(members.begin(), members.end(), [&](uint32_t r) { return moved[r]; })) continue;
    // One point for each call: its ends have the same chance in common.
    std::map<const MatchedCall*, std::pair<std::vector<Ns>, std::vector<Ns>>> outer;
    for (const uint32_t r : members) {
      for (const Off& one : off[r]) {
        if (one.call->group == g || one.call->members.size() < 2 * members.size()) continue;
        auto& [ends, offs] = outer[one.call];
        ends.push_back(one.common);
        offs.push_back(one.off);
      }
    }
    std::vector<ClockOffset> points;
    for (auto& [call, both] : outer) {
      points.push_back({Agreed(std::move(both.first)), Agreed(std::move(both.second))});
    }
    if (points.empty()) continue;
    // Where members drift against each other, some do not drift at all.
    std::set<int64_t> drifts;
    for (const uint32_t r : members) {
      if (drifts.size() < kMaxDrifts) drifts.insert(-job->ranks[r].drift_ppb);
    }
    if (drifts.size() == 1) drifts.clear();
    const ClockFit ahead = FitClock(points, drifts);
    const double slope = static_cast<double>(ahead.drift_ppb) * 1e-9;
    for (const uint32_t r : members) {
      JobRank& rank = job->ranks[r];
      const auto start = static_cast<double>(rank.At(0, job->base_ns));
      const auto drift = static_cast<double>(rank.drift_ppb);
      rank.correction -= ahead.offset + static_cast<Ns>(std::llround(slope * start));
      rank.drift_ppb += std::llround(static_cast<double>(ahead.drift_ppb) - slope * drift);
      moved[r] = true;
    }
  }
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
  const size_t n = job->ranks.size();
  PlaceRanks(calls, job);
  // Then each rank against what its groups agree on, and small groups against larger ones: ranks
  // that agree with each other, most of whose calls are their own, would stay wherever one of them
  // was put.
  for (int round = 0; round + 1 < kRounds; ++round) {
    const std::vector<std::vector<Off>> off = OffsOf(calls, *job);
    for (uint32_t r = 0; r < n; ++r) {
      std::vector<ClockOffset> points;
      for (const Off& one : off[r]) points.push_back({one.own, one.off});
      if (!points.empty()) TakeOff(FitClock(points), &job->ranks[r]);
    }
    MoveGroups(calls, job);
  }
  const std::vector<std::vector<Off>> off = OffsOf(calls, *job);
  for (uint32_t r = 0; r < n; ++r) {
    JobRank& rank = job->ranks[r];
    rank.matched = static_cast<uint32_t>(off[r].size());
    std::vector<Ns> distances;
    for (const Off& one : off[r]) distances.push_back(std::abs(one.off));
    rank.residual = MedianOf(std::move(distances));
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
