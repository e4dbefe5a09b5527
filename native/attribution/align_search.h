// The cheapest path of one run through a function's flow (Viterbi).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attribution/align.h"
#include "attribution/align_costs.h"

namespace emberline {

// The costs outlive it and are prepared.
class PathSearch {
 public:
  explicit PathSearch(const AlignmentCosts& costs) : c_(costs), function_(costs.function) {}

  // Costs of beginning at each point, closed.
  std::vector<float> Begin(const Start& start) const;

  // Places sequence[0, n); `start` holds the closed costs before it and becomes those before
  // sequence[keep]. Placements are written for [0, keep).
  double Window(std::span<const uint32_t> sequence, std::span<const int> called_at, size_t keep,
                bool last_ends, std::vector<float>& start, Placement* out) const;

 private:
  std::vector<float> StartCosts(const Start& start) const;
  // Costs at each point become those of also reaching it by sites that are passed over.
  void CloseForward(float* d) const;
  void CloseBackward(float* d) const;

  const AlignmentCosts& c_;
  const PythonFunction& function_;
};

}  // namespace emberline
