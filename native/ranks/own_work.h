// What each rank of a pipeline or a ring worked between its calls, apart from waiting, and by how
// much that was longer than usual.
#pragma once

#include <cstdint>
#include <vector>

#include "ranks/job.h"

namespace emberline {

// What takes a rank up to less than this is noise of the clocks.
inline constexpr Ns kLate = 20'000;

// The lower of the two in the middle of an even number; 0 of none.
Ns LowerMedian(std::vector<Ns> values);

// The work before a call, since the start of the call before on the same device.
struct WorkPart {
  uint32_t call = 0;     // in the digest's collectives
  uint32_t stretch = 0;  // that it is a part of
  Ns work = 0;
  Ns excess = 0;  // beyond what is usual, where that is more than chance
  Ns more = 0;    // of the rest, beyond like ranks in every step
};

// The work between two calls that hold their rank up. Calls that run beside its work divide it into
// parts, which differ from time to time by what those calls wait for.
struct Stretch {
  uint32_t first = 0, last = 0;  // parts, the last included
  bool known = false;            // false of the first: when it began is not known
  bool compared = false;         // others tell what is usual
  int64_t step = -1;             // StepNumber() of the last call
  uint32_t kind = 0;             // of its rank: stretches between the same kinds of calls
  uint32_t place = 0;  // of its rank: of the same kind, and as many came before in their step
  Ns work = 0;
  Ns usual = 0;   // what it was expected to take; `work` where nothing tells
  Ns excess = 0;  // that of its parts
};

struct RankWork {
  std::vector<WorkPart> parts;  // by time; empty where the rank takes no part in exchanges
  std::vector<Stretch> stretches;
  uint32_t component = 0;  // ranks that sends and receives tie together have the same
  // What it works in a step without what was late once, and what the ranks that it is compared
  // with do; the same where it is not behind them.
  Ns step_work = 0, like_work = 0;
  DelayKind like = DelayKind::kHeavy;  // how they are like it, where it is behind them
  std::vector<uint32_t> like_ranks;    // in Job::ranks
};

// The number of the step that a call stands in, alike on all ranks; -1 outside of steps.
int64_t StepNumber(const RankDigest& digest, int64_t step);

// By rank, as in Job::ranks; empty where no send or receive found its peer.
std::vector<RankWork> FindOwnWork(const Job& job);

}  // namespace emberline
