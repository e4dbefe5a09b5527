// The overview: step breakdown, devices and their use, configuration.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/steps.h"
#include "analysis/tensor_cores.h"
#include "base/cancel.h"
#include "base/result.h"
#include "model/model.h"

namespace emberline {

struct GpuSummary {
  int64_t index = 0;
  std::string label;  // "GPU 2", "MTIA 9"
  std::string name;
  int64_t memory_bytes = 0;        // 0 unknown
  std::string compute_capability;  // "9.0"; "" unknown
  int64_t multiprocessors = 0;     // 0 unknown
  // Ratios 0..1 over the selected steps, gaps between them included; absent without the data.
  std::optional<double> utilization;        // some kernel runs
  std::optional<double> est_sm_efficiency;  // sum of concurrent kernels' blocks per SM, at most 1
  std::optional<double> est_occupancy;      // weighted by time of the kernels
  std::optional<double> tensor_core_share;  // of kernel time
  // Of kernel time: in kernels whose names do not tell.
  std::optional<double> tensor_core_unknown_share;
  Ns kernel_ns = 0;  // sum of kernel durations inside the range
};

struct ConfigEntry {
  std::string name;
  std::string value;
};

// What backward ran again for activation checkpointing in the selected steps, and all there is.
struct RecomputeCost {
  Ns host = 0, all_host = 0;      // work of host threads, as lines and stacks count it
  Ns device = 0, all_device = 0;  // sums of durations
};

struct Overview {
  StepBreakdown steps;
  std::vector<GpuSummary> gpus;
  std::vector<ConfigEntry> configuration;
  bool has_device_work = false;
  std::optional<RecomputeCost> recompute;  // absent where nothing ran again
  Vendor vendor = Vendor::kUnknown;
  // Of all kernel time in the selected steps: time on matrix units, in kernels whose names do not
  // tell, and launched by operators that could use them. Absent without kernels.
  std::optional<double> tensor_core_share;
  std::optional<double> tensor_core_unknown_share;
  std::optional<double> tensor_core_eligible_share;
};

// Errors: kCancelled.
Result<Overview> AnalyzeOverview(const Model& model, const StepSelection& selection,
                                 const TensorCoreRules& rules, const CancelToken& cancel);

}  // namespace emberline
