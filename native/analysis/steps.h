// Where the time of each step went (SEMANTICS.md); the plugin's mistakes B1, B3, B6 and B68 are
// mended.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/message.h"
#include "base/result.h"
#include "model/model.h"

namespace emberline {

// In order of priority: an instant belongs to the first role that is active.
enum class Role : uint8_t {
  kKernel,
  kMemcpy,
  kMemset,
  kCommunication,
  kRuntime,
  kDataLoader,
  kCpuExec,
  kOther,
};
inline constexpr size_t kRoleCount = 8;
const char* RoleKey(Role role);             // "kernel", ..., "cpuExec", "other"
const Sentence& RoleTitle(Role role);       // "Kernel", ..., "CPU operators", "Python / unrecorded"
const Sentence& RoleDefinition(Role role);  // when time counts as it

struct StepParts {
  uint32_t step = 0;                   // index into Model::steps
  std::array<Ns, kRoleCount> parts{};  // sums to the step's length
};

struct StepBreakdown {
  std::vector<StepParts> steps;  // the selected steps in order
  // Mean over the selected steps that are not partial (over all, when each is partial).
  std::array<double, kRoleCount> average_ns{};
  double average_total_ns = 0;
  uint32_t averaged_steps = 0;
  std::array<bool, kRoleCount> present{};  // the trace has such events at all
};

// Errors: kCancelled.
Result<StepBreakdown> AnalyzeSteps(const Model& model, const StepSelection& selection,
                                   const CancelToken& cancel);

// From the first selected whole step to the end of the last, gaps included: what utilization and
// the like refer to. Empty when nothing is selected.
Interval SelectedRange(const Model& model, const StepSelection& selection);

}  // namespace emberline
