// The parts of finding what each rank worked itself: one function for each, in the file that is
// named after it.
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "ranks/own_work.h"

namespace emberline {

// Where micro-batches go, as ranks of stages ascend; kTogether in an exchange of a ring.
enum class Way : uint8_t { kUp, kDown, kTogether };

struct Label {
  Way way = Way::kUp;
  int64_t number = 0;  // of the micro-batch in its step, or of the exchange
  auto operator<=>(const Label&) const = default;
};

// The work of all ranks between their calls, before anything is compared.
struct DrawnWork {
  std::vector<RankWork> ranks;                          // as in Job::ranks
  std::vector<bool> not_ring;                           // by component
  std::vector<std::vector<std::vector<Label>>> labels;  // by rank, parallel to its stretches
};

// By component: the standard deviation of a stretch of one piece of work, as a part of what is
// usual. Nothing for components of which nothing was seen twice.
using WorkDeviations = std::map<uint32_t, double>;

inline double DeviationIn(const WorkDeviations& deviations, uint32_t component) {
  constexpr double kUnknown = 0.3;  // of what was not seen twice
  const auto at = deviations.find(component);
  return at == deviations.end() ? kUnknown : at->second;
}

// Without ranks where no send or receive found its peer.
DrawnWork DrawWork(const Job& job);

// Finds what is usual for each stretch, and by how much those that are longer than chance makes
// them exceed it: fills in `usual`, `compared` and `excess`.
WorkDeviations FindExcess(DrawnWork* drawn);

// Compares ranks with those that do the same work: fills in `step_work`, the members called `like`,
// and `more`.
void CompareLikeRanks(const Job& job, const WorkDeviations& deviations, DrawnWork* drawn);

inline Ns Scaled(Ns value, double factor) {
  return static_cast<Ns>(std::llround(static_cast<double>(value) * factor));
}

// The lower middle of sorted values without one of them.
template <typename T>
T MiddleWithout(const std::vector<T>& sorted, T own) {
  const size_t rest = sorted.size() - 1;
  const size_t middle = (rest - 1) / 2;
  const auto at =
      static_cast<size_t>(std::lower_bound(sorted.begin(), sorted.end(), own) - sorted.begin());
  return sorted[middle < at ? middle : middle + 1];
}

}  // namespace emberline
