// One row for each kernel launch, with the columns of PyProf2 and what the cost model adds.
#pragma once

#include <memory>
#include <vector>

#include "analysis/lazy_table.h"
#include "analysis/lines.h"
#include "analysis/stack_of.h"
#include "analysis/table.h"
#include "analysis/tensor_cores.h"
#include "cost/attribution.h"
#include "cost/devices.h"
#include "cost/pyprof.h"
#include "model/model.h"

namespace emberline {

enum class CostMode : uint8_t {
  kCorrected,
  kPyProf2,  // operations and bytes as PyProf2 gave them, each kernel with all of its call's
};

// What all tables of costs stand on; what the members refer to must outlive it.
struct CostContext {
  const Model& model;
  const CostAttribution& costs;
  const TensorCoreKernels& tensor_cores;
  StepSelection steps;
  std::span<const DevicePeaks> own_devices;  // the user's, asked first
  // Which line of the source launched what; null: the innermost frame of the user's as recorded.
  const LineAttribution* lines = nullptr;
  // Of the model, where somebody keeps them: making them takes as long as the trace is. Null: each
  // list of launches makes its own.
  const StackIds* stacks = nullptr;
};

// The device of each track; null for tracks of devices without known peaks.
std::vector<const DevicePeaks*> DevicesOfTracks(const CostContext& context);

// The launches of the selected steps, in the order of their start: the rows of the table, which is
// never whole.
struct LaunchRows {
  std::vector<uint32_t> kernels;  // index into CostAttribution::kernels
  std::vector<uint32_t> sub;      // number of the kernel within its call, from 0
  CostMode mode = CostMode::kCorrected;
  // As PyProf2, each row's figures: many rows share one.
  std::vector<uint32_t> figures_of;  // index into `figures`; empty in the other mode
  std::vector<PyProfFigures> figures;
  size_t MemoryBytes() const {
    return (kernels.capacity() + sub.capacity() + figures_of.capacity()) * sizeof(uint32_t) +
           figures.capacity() * sizeof(PyProfFigures);
  }
};
// Errors: kCancelled.
Result<LaunchRows> ListLaunches(const CostContext& context, CostMode mode,
                                const CancelToken& cancel);

// Of their table (cost/launch_columns.h), what a query finds. Errors: kCancelled, and those of
// OrderRows().
Result<TablePage> QueryLaunches(const CostContext& context, CostMode mode, const TableQuery& query,
                                const CancelToken& cancel);

}  // namespace emberline
