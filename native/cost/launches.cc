#include "cost/launches.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/hash.h"
#include "cost/call_chain.h"
#include "cost/launch_columns.h"
#include "cost/pyprof_of_kernels.h"
#include "cost/recorded_cost.h"
#include "model/names.h"

namespace emberline {
namespace {

constexpr size_t kPiece = 2048;  // rows that are made at a time

}  // namespace

std::vector<const DevicePeaks*> DevicesOfTracks(const CostContext& context) {
  const TraceStore& store = context.model.store();
  std::map<int64_t, const DevicePeaks*> by_ordinal;
  for (const Device& device : context.model.devices) {
    DeviceProperties unknown;
    unknown.name = device.name;
    by_ordinal[device.ordinal] = FindDevice(
        device.properties != nullptr ? *device.properties : unknown, context.own_devices);
  }
  std::vector<const DevicePeaks*> devices(store.tracks().size(), nullptr);
  for (size_t i = 0; i < devices.size(); ++i) {
    const auto it = by_ordinal.find(store.tracks()[i].device);
    if (it != by_ordinal.end()) devices[i] = it->second;
  }
  return devices;
}

Result<LaunchRows> ListLaunches(const CostContext& context, CostMode mode,
                                const CancelToken& cancel) {
  const Model& model = context.model;
  CallChain chain(model);
  RecordedCosts recorded(model.store(), nullptr);
  PyProfOfKernels pyprof(model, &chain, &recorded);
  // How many kernels of a call there were: by its operator, where no graph replays it.
  std::vector<uint32_t> of_call;
  std::unordered_map<uint64_t, uint32_t, NumberHash> of_replay;
  uint32_t of_none = 0;
  LaunchRows rows;
  rows.mode = mode;
  for (uint32_t i = 0; i < context.costs.kernels.size(); ++i) {
    if (i % kPiece == 0 && cancel.cancelled()) return Cancelled();
    const SliceIndex kernel = context.costs.kernels.kernel(i);
    if (!context.steps.Contains(model.step[kernel])) continue;
    uint32_t sub = 0;
    const SliceIndex op = model.SourceOp(kernel);
    const bool backward = model.pass[kernel] == Pass::kBackward;
    if (op != kNone) {
      const SliceIndex call = backward ? chain.Node(op) : chain.Outermost(op);
      // A replayed call counts anew with each launch of its graph.
      const SliceIndex launch = model.launch[kernel];
      if (model.CapturedCall(kernel) != kNone && launch != kNone) {
        sub = of_replay[(uint64_t{call} << 32) | launch]++;
      } else if (call != kNone) {
        if (of_call.empty()) of_call.resize(model.store().all_slice_count());
        sub = of_call[call]++;
      } else {
        sub = of_none++;
      }
    }
    rows.kernels.push_back(i);
    rows.sub.push_back(sub);
    if (mode == CostMode::kPyProf2) {
      rows.figures_of.push_back(pyprof.Of(kernel, op, sub, backward));
    }
  }
  rows.figures = pyprof.TakeFigures();
  return rows;
}

Result<TablePage> QueryLaunches(const CostContext& context, CostMode mode, const TableQuery& query,
                                const CancelToken& cancel) {
  const Result<LaunchRows> rows = ListLaunches(context, mode, cancel);
  if (!rows.ok()) return rows.error();
  const std::unique_ptr<LazyTable> table = LaunchTable(context, *rows);
  const auto order = OrderRows(*table, query, cancel);
  if (!order.ok()) return order.error();
  TablePage page;
  const auto counts = VisitTable(*table, &*order, query, cancel, [&](const Table& piece) {
    page.table.columns = piece.columns;
    page.table.rows.insert(page.table.rows.end(), piece.rows.begin(), piece.rows.end());
    return true;
  });
  if (!counts.ok()) return counts.error();
  page.total_rows = counts->total_rows;
  page.unfiltered_rows = counts->unfiltered_rows;
  return page;
}

}  // namespace emberline
