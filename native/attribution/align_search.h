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
  // `may_raise`: what ran may have raised at no cost, wherever a handler is and nothing tells that
  // it returned; so may what leaves no trace and often fails.
  explicit PathSearch(const AlignmentCosts& costs, bool may_raise = false)
      : c_(costs), function_(costs.function), may_raise_(may_raise) {}

  struct Result {
    double cost = 0;
    Ended ended = Ended::kUnknown;
  };

  // Costs of beginning at each point, closed.
  std::vector<float> Begin(const Start& start) const;

  // Places sequence[0, n); `start` holds the closed costs before it and becomes those before
  // sequence[keep]. Placements are written for [0, keep).
  Result Window(std::span<const uint32_t> sequence, const RunEvidence& known, size_t keep,
                bool last_ends, std::vector<float>& start, Placement* out) const;

 private:
  static constexpr uint32_t kNoPoint = 0xffffffff;

  std::vector<float> StartCosts(const Start& start) const;
  // Of going along an edge without placing anything.
  float Edge(const FlowEdge& e) const;
  // Costs at each point become those of also reaching it by sites that are passed over.
  void CloseForward(float* d) const;
  // Edges that leave the point `barred` are not taken.
  void CloseBackward(float* d, uint32_t barred = kNoPoint) const;
  // Where the flow goes on once a thing was taken that leads to the point `at` and ended like this:
  // calls take(point, cost) for each.
  template <typename Take>
  void Onward(uint32_t at, Ended ended, const Take& take) const;
  // How a run ended of which `reached` holds the costs at its end.
  Ended EndedBy(const float* reached) const;

  const AlignmentCosts& c_;
  const PythonFunction& function_;
  const bool may_raise_;
};

}  // namespace emberline
