// Which waiting the excess of a rank's work caused, through all the sends, receives and collectives
// that handed the delay on.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "ranks/own_work.h"

namespace emberline {

class Delays {
 public:
  // Waiting counts in calls that follow sends or receives; others tell by themselves who is late.
  Delays(const Job& job, const std::vector<RankWork>& work);

  // What of a rank's work others waited for.
  std::vector<LateWork> Of(uint32_t rank) const;

 private:
  friend class DelayRun;
  using Origin = std::pair<uint32_t, DelayKind>;
  // By the number of the step; of each, how long each rank waited.
  std::map<Origin, std::map<int64_t, std::map<uint32_t, Ns>>> waited_;
  const Job& job_;
  const std::vector<RankWork>& work_;
};

}  // namespace emberline
