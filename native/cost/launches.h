// One row for each kernel launch, with the columns of PyProf2 and what the cost model adds.
#pragma once

#include <memory>
#include <vector>

#include "analysis/lines.h"
#include "analysis/select_rows.h"
#include "analysis/table.h"
#include "analysis/tensor_cores.h"
#include "cost/attribution.h"
#include "cost/devices.h"
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
};

// The device of each track; null for tracks of devices without known peaks.
std::vector<const DevicePeaks*> DevicesOfTracks(const CostContext& context);

// Rows in the order of their start. The whole table is never made: a piece costs its own rows, and
// sorting or filtering goes over the rows in pieces. Errors: kCancelled, and those of SelectRows().
Result<RowCounts> VisitLaunches(const CostContext& context, CostMode mode, const TableQuery& query,
                                const CancelToken& cancel, const VisitRows& visit);
// The same as one page.
Result<TablePage> QueryLaunches(const CostContext& context, CostMode mode, const TableQuery& query,
                                const CancelToken& cancel);

}  // namespace emberline
