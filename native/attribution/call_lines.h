// From which lines the calls of the user's frames were made: as recorded (CallFrom), and as
// alignment with the source found them.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "analysis/lines.h"
#include "attribution/frames.h"
#include "attribution/observed.h"
#include "store/trace_store.h"

namespace emberline {

// The calling line of a frame where it was recorded, in the text at hand; 0 where it was not, or
// its statement is gone.
struct CalledAt {
  int line = 0;
  LineConfidence confidence = LineConfidence::kExact;
  bool lost = false;
};

// By line, what was called from it: each kind once.
using CalledByLine = std::map<int, std::map<uint32_t, Observed>>;

// Not thread-safe.
class CallLines {
 public:
  CallLines(const TraceStore& store, Frames& frames, const std::vector<SliceIndex>& parent)
      : s_(store), frames_(frames), parent_(parent), recorded_(store.HasArg(ArgRole::kCallSite)) {}

  // Frames say from which line they were called.
  bool recorded() const { return recorded_; }
  CalledAt Recorded(SliceIndex child) const;
  // Finds where the calling lines recorded in a function are in the text at hand.
  void Follow(const PythonFunction& function, SliceIndex frame, const CalledByLine& recorded);

  std::vector<int> placed;  // per slice, by alignment; 0 not placed

 private:
  const TraceStore& s_;
  Frames& frames_;
  const std::vector<SliceIndex>& parent_;
  const bool recorded_;
  std::map<std::pair<const PythonFunction*, int>, CalledAt> followed_;
};

}  // namespace emberline
