#include "ranks/own_work.h"

#include <algorithm>
#include <utility>

#include "ranks/own_work_parts.h"

namespace emberline {

Ns LowerMedian(std::vector<Ns> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

int64_t StepNumber(const RankDigest& digest, int64_t step) {
  if (step < 0) return -1;
  const int64_t number = digest.steps[static_cast<size_t>(step)].number;
  return digest.has_steps && number >= 0 ? number : step;
}

std::vector<RankWork> FindOwnWork(const Job& job) {
  DrawnWork drawn = DrawWork(job);
  if (drawn.ranks.empty()) return {};
  const WorkDeviations deviations = FindExcess(&drawn);
  CompareLikeRanks(job, deviations, &drawn);
  return std::move(drawn.ranks);
}

}  // namespace emberline
