// Kernels, copies and sets.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/stack_of.h"
#include "analysis/table.h"
#include "analysis/tensor_cores.h"
#include "base/cancel.h"
#include "base/result.h"
#include "model/model.h"

namespace emberline {

enum class KernelGrouping { kName, kProperties };

struct KernelRow {
  StringId name = 0;
  // Only when grouped by properties.
  StringId op = 0;               // 0: no operator launched it
  StringId grid = 0, block = 0;  // recorded text; 0 missing
  std::optional<int64_t> registers, shared_bytes;
  int64_t calls = 0;
  Ns total = 0, min = 0, max = 0;
  MatrixUse tensor_cores = MatrixUse::kUnknown;
  bool communication = false;
  bool op_eligible = false;  // the launching operator is a kind that matrix units can run
  // Weighted by duration over the calls that have the value (B58); absent when none has.
  std::optional<double> blocks_per_sm, occupancy;
  SliceIndex example = kNone;  // its longest launch
};

struct KernelData {
  std::vector<KernelRow> rows;  // by total time, then name (B57)
  Ns total = 0;                 // sum over all kernels
  Ns busy = 0;  // time with at least one kernel running, added up over devices (B61)
  Ns tensor_core_total = 0;
  Ns tensor_core_unknown_total = 0;  // of kernels whose names do not tell
  Ns communication_total = 0;
  int64_t launches = 0;
  // Of them outside every step: before the first, between two, or by launches before the recording.
  // Only the whole trace has them; all steps together have the others.
  int64_t launches_outside_steps = 0;
  bool has_blocks_per_sm = false, has_occupancy = false;
};

// `within`, one flag per slice, leaves out kernels that were launched elsewhere; empty takes all.
// Errors: kCancelled.
Result<KernelData> AnalyzeKernels(const Model& model, const StepSelection& selection,
                                  KernelGrouping grouping, const TensorCoreRules& rules,
                                  const CancelToken& cancel, const std::vector<bool>& within = {});
Table KernelTable(const Model& model, const KernelData& data, KernelGrouping grouping);

// Bytes that a copy or set moved, where recorded: on it, or on the call that launched it.
std::optional<int64_t> CopyBytes(const Model& model, SliceIndex copy);
// How long a copy or set of so many bytes took, in nanoseconds, 0 where that is not known. Early
// releases of PyTorch cut durations to whole microseconds after they computed the rate: where the
// recorded rate says how much was cut, it is put back. Other recorded rates are not used, because
// some releases record wrong ones.
double CopyNs(const Model& model, SliceIndex copy, int64_t bytes);

// Where a copy or set goes, as the rows of CopiesTable say it; "" where the recorder did not say.
struct CopyKey {
  std::string direction, source, target;
  bool operator==(const CopyKey&) const = default;
};
CopyKey CopyKeyOf(const TraceStore& store, SliceIndex copy);

// Copies and sets by direction and kind of memory, with the bandwidth from bytes and CopyNs().
Table CopiesTable(const Model& model, const StepSelection& selection);

// Who launched the kernels, or the copies and sets, of one row.
struct KernelLaunches {
  Table operators;                 // operator, calls, totalUs
  Table modules;                   // module, calls, totalUs
  Table lines;                     // file, line, function, calls, totalUs
  std::vector<SliceIndex> slices;  // the longest launches, at most 100
};
struct KernelKey {
  std::string name;
  std::optional<std::string> op, grid,
      block;  // narrow a row of the properties grouping; "" for none
};
// Errors: kCancelled, kNotFound.
Result<KernelLaunches> LaunchesOfCopy(const Model& model, const StepSelection& selection,
                                      const CopyKey& key, const StackIds& stacks,
                                      const CancelToken& cancel);
Result<KernelLaunches> LaunchesOfKernel(const Model& model, const StepSelection& selection,
                                        const KernelKey& key, const StackIds& stacks,
                                        const CancelToken& cancel);

}  // namespace emberline
