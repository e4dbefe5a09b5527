#include "ranks/job_sums.h"

namespace emberline {

JobBreakdown BreakdownOf(const Job& job) {
  Ns length = 0, computation = 0, overlap = 0, communication = 0, busy = 0;
  JobBreakdown mean;
  for (const JobRank& rank : job.ranks) {
    for (const DeviceTime& time : rank.digest->times) {
      if (time.step < 0 || rank.digest->steps[time.step].partial) continue;
      // Nothing can take a part of a step that took no time; it would only dilute the others.
      if (time.length <= 0) continue;
      ++mean.steps;
      length += time.length;
      computation += time.computation;
      overlap += time.overlap;
      communication += time.communication;
      busy += time.busy;
    }
  }
  if (mean.steps == 0) return mean;
  const auto over = [&](Ns sum) {
    return static_cast<double>(sum) / static_cast<double>(mean.steps);
  };
  mean.length = over(length);
  mean.computation = over(computation);
  mean.overlap = over(overlap);
  mean.communication = over(communication);
  mean.other = over(length - computation - overlap - communication);
  mean.busy = over(busy);
  return mean;
}

std::vector<KernelSum> SumKernels(const Job& job) {
  std::vector<const JobRank*> shown(job.digest->ranks.size(), nullptr);  // of each trace
  for (const JobRank& rank : job.ranks) {
    shown[static_cast<size_t>(rank.digest - job.digest->ranks.data())] = &rank;
  }
  std::vector<KernelSum> sums;
  for (const auto& [key, stats] : job.digest->kernels) {
    Stat sum;
    for (const KernelStat& one : stats) {
      const JobRank* rank = shown[one.trace];
      if (rank == nullptr) continue;
      Stat stat = one.stat;
      stat.max_rank = rank->digest->rank < 0 ? -1 : rank->rank;
      sum.Merge(stat);
    }
    if (sum.count > 0) sums.push_back({key.first, key.second, std::move(sum)});
  }
  return sums;
}

JobCalls SumCalls(const Job& job) {
  JobCalls sums;
  for (const MatchedCall& call : job.calls) {
    sums.matched += call.members.size() > 1;
    sums.transfer += call.transfer;
    sums.waiting += call.waiting;
  }
  return sums;
}

}  // namespace emberline
