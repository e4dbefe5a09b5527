// The figures of two traces side by side, and what to say first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/memory.h"
#include "analysis/overview.h"
#include "analysis/table.h"
#include "base/message.h"
#include "compare/noise.h"

namespace emberline {

// One figure of the overview.
struct ComparedFigure {
  std::string key;   // "step", "kernel", "utilization", "peakAllocatedBytes"
  std::string name;  // "Step time", "Kernel", "GPU utilization"
  std::string definition;
  Unit unit = Unit::kUs;
  std::optional<double> baseline, candidate;  // times in microseconds; absent: not recorded
  // Half the width of the 95 % confidence interval of the difference; absent with one step.
  std::optional<double> noise;
  std::optional<bool> beyond_noise;
};

// What one side brings.
struct OverviewSide {
  const Model* model = nullptr;
  const Overview* overview = nullptr;
  const MemoryData* memory = nullptr;
};

// What texts call the devices of both sides: "GPU", "NPU"; "Device" where they differ in kind.
std::string CommonDeviceKind(const Model& baseline, const Model& candidate);

// Steps that are averaged over: those that were recorded whole.
std::vector<StepParts> WholeSteps(const Model& model, const StepBreakdown& steps);

// Step time first, then its parts, devices and memory. Times are means of one step.
std::vector<ComparedFigure> CompareOverviews(const OverviewSide& baseline,
                                             const OverviewSide& candidate);

// What did it, for the sentence.
struct VerdictCause {
  std::string name;
  double baseline_us = 0, candidate_us = 0;  // per step
  bool replaced = false;  // it stands in the place of something else, or something else in its
  std::string by = "";    // what stands in its place, where that is known
};
// One sentence: "Step time went from 14.2 ms to 9.1 ms (-36 % ±2 %), because normalise went from
// 7.5 ms to 0.1 ms." `step` is the first figure.
Message VerdictText(const ComparedFigure& step, bool has_steps,
                    const std::optional<VerdictCause>& cause);

}  // namespace emberline
