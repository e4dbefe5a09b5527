// What the reader found out about who recorded a trace.
#pragma once

#include <algorithm>

#include "store/trace_store.h"

namespace emberline {

// The problem by which the reader says that a trace is not PyTorch's.
inline constexpr const char* kUnknownRecorder = "unknownRecorder";

// True when another program recorded the trace: what it says of devices is not known, so there are
// no figures of them, not even zeros, and no advice on how to record more.
inline bool IsOfOtherRecorder(const TraceStore& store) {
  return std::any_of(store.problems().begin(), store.problems().end(),
                     [](const Problem& problem) { return problem.kind == kUnknownRecorder; });
}

}  // namespace emberline
