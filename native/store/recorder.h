// What the reader found out about who recorded a trace.
#pragma once

#include <algorithm>

#include "store/problems.h"
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

// True when a part of the file could not be read: what the trace seems to lack may have been in
// that part, and sums are too low.
inline bool IsIncomplete(const TraceStore& store) {
  return std::any_of(store.problems().begin(), store.problems().end(), [](const Problem& problem) {
    return problem.kind == ProblemKindName(ProblemKind::kTruncated) ||
           problem.kind == ProblemKindName(ProblemKind::kTruncatedGzip) ||
           problem.kind == ProblemKindName(ProblemKind::kDamagedGzip);
  });
}

}  // namespace emberline
