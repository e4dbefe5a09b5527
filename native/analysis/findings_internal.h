// Findings beyond the plugin's seven; FindFindings() calls them, on two threads.
#pragma once

#include <string>
#include <vector>

#include "analysis/findings.h"

namespace emberline {

// What texts call the span that averages are over: "step", or "trace" where there are no steps.
MessageArg SpanArg(const Model& model);

// What texts call the kind of device that the trace used; where none is known, a GPU.
struct DeviceWords {
  std::string name;   // "GPU", "NPU"
  std::string torch;  // what PyTorch calls it: "cuda" (which AMD's are too), "npu"
  std::string graph;  // work recorded once and launched as a whole: "CUDA graph", "HIP graph"
  std::string
      matrix;  // what its maker calls the units for matrices: "tensor cores", "matrix cores"
  // The environment variable of its allocator; "" where there is none.
  std::string allocator_variable;
};
DeviceWords DeviceWordsFor(const Model& model, Vendor vendor = Vendor::kUnknown);

// True for what belongs to a selected step: figures per step leave out what lies between steps,
// which the whole trace has too. Traces without steps are one step.
inline bool InSteps(const Model& model, const StepSelection& selection, SliceIndex slice) {
  return model.step[slice] != kNone && selection.Contains(model.step[slice]);
}

// Appends what applies, in no order: launch bound, host synchronization.
void AddLostTime(const Model& model, const StepSelection& selection, const Overview& overview,
                 std::vector<Finding>* findings);

// The same: shapes that miss tensor cores, pageable copies, small kernels, fragmentation, the
// profiler's own cost, missing records.
void AddFurtherFindings(const Model& model, const StepSelection& selection,
                        const Overview& overview, const CancelToken& cancel,
                        std::vector<Finding>* findings);

}  // namespace emberline
