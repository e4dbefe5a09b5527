// What ranks did in the work that took longer than usual, down to the operator and line.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "ranks/own_work.h"

namespace emberline {

using ReasonKey = std::tuple<uint8_t, std::string, std::string>;
inline ReasonKey KeyOf(const Activity& activity) {
  return {activity.where, activity.name, activity.place};
}

using WorkTimes = std::map<ReasonKey, Ns>;

// What ranks did beyond what is usual for them, and in each step beyond ranks that are like them.
class WorkReasons {
 public:
  WorkReasons(const Job& job, const std::vector<RankWork>& work)
      : job_(job), work_(work), steps_(work.size()) {}

  // With the times of that.
  std::vector<LateReason> Of(uint32_t rank);

 private:
  // What a rank does in a step, without what was late once.
  const WorkTimes& StepOf(uint32_t rank);

  const Job& job_;
  const std::vector<RankWork>& work_;
  std::vector<std::unique_ptr<WorkTimes>> steps_;  // by rank, as far as asked for
};

}  // namespace emberline
