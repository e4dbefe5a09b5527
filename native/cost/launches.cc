#include "cost/launches.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/errors.h"
#include "base/hash.h"
#include "cost/call_chain.h"
#include "cost/launch_columns.h"
#include "model/names.h"

namespace emberline {
namespace {

constexpr size_t kPiece = 2048;  // rows that are made at a time

Error Cancelled() { return MakeError(errors::kCancelled); }

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

Result<LaunchRows> ListLaunches(const CostContext& context, const CancelToken& cancel) {
  const Model& model = context.model;
  CallChain chain(model);
  std::unordered_map<uint64_t, uint32_t, NumberHash> next;
  LaunchRows rows;
  for (uint32_t i = 0; i < context.costs.kernels.size(); ++i) {
    if (i % kPiece == 0 && cancel.cancelled()) return Cancelled();
    const SliceIndex kernel = context.costs.kernels[i].kernel;
    if (!context.steps.Contains(model.step[kernel])) continue;
    uint32_t sub = 0;
    const SliceIndex op = model.SourceOp(kernel);
    if (op != kNone) {
      const bool backward = model.pass[kernel] == Pass::kBackward;
      const SliceIndex call = backward ? chain.Node(op) : chain.Outermost(op);
      // A replayed call counts anew with each launch of its graph.
      const bool replayed = model.CapturedCall(kernel) != kNone;
      const uint64_t launch = replayed ? model.launch[kernel] : kNone;
      sub = next[(uint64_t{call} << 32) | (launch & 0xffffffff)]++;
    }
    rows.kernels.push_back(i);
    rows.sub.push_back(sub);
  }
  return rows;
}

Result<std::vector<uint32_t>> OrderLaunches(const CostContext& context, const LaunchRows& rows,
                                            CostMode mode, const TableQuery& query,
                                            const CancelToken& cancel) {
  const LaunchCells cells(context, rows, mode);
  Table keys;  // of what is found: the cell that decides the order
  const Table columns = cells.Columns();
  // Names what is wrong with the query before anything is made.
  const Result<std::vector<bool>> wanted = ColumnsOfQuery(columns, query);
  if (!wanted.ok()) return wanted.error();
  TableQuery filter, order;
  filter.filter = query.filter;
  order.sort = query.sort;
  const Result<std::vector<bool>> sorts = ColumnsOfQuery(columns, order);
  if (!sorts.ok()) return sorts.error();
  const size_t sort =
      static_cast<size_t>(std::find(sorts->begin(), sorts->end(), true) - sorts->begin());
  const bool is_sorted = sort < sorts->size();
  if (is_sorted) keys.columns.push_back(columns.columns[sort]);
  std::vector<uint32_t> found;
  for (size_t from = 0; from < rows.kernels.size(); from += kPiece) {
    if (cancel.cancelled()) return Cancelled();
    Table piece = cells.Of(from, std::min(from + kPiece, rows.kernels.size()), nullptr, *wanted);
    const Result<std::vector<uint32_t>> selected = OrderRows(piece, filter);
    if (!selected.ok()) return selected.error();
    for (const uint32_t index : *selected) {
      found.push_back(static_cast<uint32_t>(from) + index);
      if (is_sorted) keys.rows.emplace_back().push_back(std::move(piece.rows[index][sort]));
    }
  }
  if (!is_sorted) return found;
  Result<std::vector<uint32_t>> sorted = OrderRows(keys, order);
  if (!sorted.ok()) return sorted.error();
  for (uint32_t& at : *sorted) at = found[at];
  return sorted;
}

Result<RowCounts> VisitLaunches(const CostContext& context, const LaunchRows& rows, CostMode mode,
                                const std::vector<uint32_t>* order, const TableQuery& query,
                                const CancelToken& cancel, const VisitRows& visit) {
  const LaunchCells cells(context, rows, mode);
  RowCounts counts;
  counts.unfiltered_rows = rows.kernels.size();
  counts.total_rows = order == nullptr ? counts.unfiltered_rows : order->size();
  const size_t begin = static_cast<size_t>(std::min<uint64_t>(query.offset, counts.total_rows));
  const size_t end =
      begin + static_cast<size_t>(std::min<uint64_t>(query.limit, counts.total_rows - begin));
  for (size_t from = begin; from == begin || from < end; from += kPiece) {
    if (cancel.cancelled()) return Cancelled();
    if (!visit(cells.Of(from, std::min(from + kPiece, end), order))) break;
  }
  return counts;
}

Result<TablePage> QueryLaunches(const CostContext& context, CostMode mode, const TableQuery& query,
                                const CancelToken& cancel) {
  const Result<LaunchRows> rows = ListLaunches(context, cancel);
  if (!rows.ok()) return rows.error();
  Result<std::vector<uint32_t>> order = std::vector<uint32_t>();
  const bool ordered = !query.sort.empty() || !query.filter.empty();
  if (ordered) order = OrderLaunches(context, *rows, mode, query, cancel);
  if (!order.ok()) return order.error();
  TablePage page;
  const auto counts = VisitLaunches(
      context, *rows, mode, ordered ? &*order : nullptr, query, cancel, [&](const Table& piece) {
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
