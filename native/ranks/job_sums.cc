#include "ranks/job_sums.h"

namespace emberline {

JobBreakdown BreakdownOf(const Job& job) {
  Ns length = 0, computation = 0, overlap = 0, communication = 0, busy = 0;
  JobBreakdown mean;
  for (const JobRank& rank : job.ranks) {
    for (const DeviceTime& time : rank.digest->times) {
      if (time.step < 0 || rank.digest->steps[time.step].partial) continue;
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
