// Calls of operators as the tables count them, and what graphs ran for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/model.h"

namespace emberline {

// An op that is the only child of an op of the same name is the same call seen twice (a dispatch
// through several keys): it becomes part of the outer one, with its own launches (B14).
class OperatorCalls {
 public:
  OperatorCalls() = default;
  explicit OperatorCalls(const Model& model);
  // The call that op `i` is part of; `i` itself when it is a call of its own.
  SliceIndex Of(SliceIndex i) const { return call_[i]; }

 private:
  std::vector<SliceIndex> call_;  // by slice
};

// Whether a call lies in another call of its row, whose total holds it already. To be asked in the
// order of the slices.
class NestedCalls {
 public:
  explicit NestedCalls(const TraceStore& store) : store_(&store) {}
  bool operator()(SliceIndex call, size_t row);

 private:
  struct Open {
    TrackIndex track;
    Ns start, end;
    size_t row;
  };

  const TraceStore* store_;
  std::vector<Open> open_;       // the last one's thread; each lies in the one before
  std::vector<uint32_t> depth_;  // by row: how many of its calls are open
};

// Device time that graphs ran in the selected steps, by the op that recorded it at capture. The op
// itself may have run in another step, or in another trace.
struct ReplayedTimes {
  std::vector<Ns> self, total;       // per slice; empty when no graph's recorder is known
  std::vector<SliceIndex> heaviest;  // work of the op's own or of ops inside, for links
  bool Has(SliceIndex op) const { return !total.empty() && total[op] > 0; }
  Ns Self(SliceIndex op) const { return self.empty() ? 0 : self[op]; }
  Ns Total(SliceIndex op) const { return total.empty() ? 0 : total[op]; }
};

ReplayedTimes TimesOfReplays(const Model& model, const StepSelection& selection);

}  // namespace emberline
