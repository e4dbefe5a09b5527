// A job in a few figures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ranks/job.h"

namespace emberline {

// Where the time of a step goes: means in ns over the whole steps of all ranks and devices, without
// those of no length. The parts add up to `length`; `busy` is how long the device ran anything. All
// are 0 without a whole step.
struct JobBreakdown {
  int64_t steps = 0;  // that the means are over
  double length = 0, computation = 0, overlap = 0, communication = 0, other = 0;
  double busy = 0;
};
JobBreakdown BreakdownOf(const Job& job);

// The durations of a kernel on all ranks of a job, in ns. `max_rank` of the sum: as the job numbers
// its ranks; -1 where the trace does not say its own.
struct KernelSum {
  std::string kind, name;  // as in JobDigest::kernels
  Stat stat;
};
// By kind, then name. Kernels of traces alone that the job leaves out are not listed.
std::vector<KernelSum> SumKernels(const Job& job);

// Over all collectives, in ns. `matched`: calls that more than one rank took part in.
struct JobCalls {
  uint64_t matched = 0;
  Ns transfer = 0, waiting = 0;
};
JobCalls SumCalls(const Job& job);

}  // namespace emberline
