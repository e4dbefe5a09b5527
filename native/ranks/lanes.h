// The calls of one rank in one group in their order, and how they lie beside those of another.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ranks/job.h"

namespace emberline {

struct Lane {
  uint32_t rank = 0;            // in Job::ranks
  std::vector<uint32_t> calls;  // in its digest's collectives, in the order of launches
  // Of each call, the part of it that is meant; kNone: all of it. Empty: all of all.
  std::vector<uint32_t> parts;
};

// The step of a call, for matching step by step. Calls between steps stand before the step that
// follows them; those before the first step are of the one before that.
int64_t StepKey(const RankDigest& digest, uint32_t call);

// Which calls of `lane` are which of `reference`, the longer one: pairs of places in
// Lane::calls. What is called in which order decides, and the clocks where that leaves a choice.
std::vector<std::pair<uint32_t, uint32_t>> PairsOf(const Job& job, const Lane& reference,
                                                   const Lane& lane);

}  // namespace emberline
