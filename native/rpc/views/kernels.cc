// view/kernels, view/kernelLaunches, view/copies.
#include "analysis/kernels.h"

#include <algorithm>

#include "rpc/views/common.h"
#include "rpc/views/view.h"

namespace emberline {
namespace {

constexpr int64_t kDefaultTopN = 10;
constexpr int64_t kMaxTopN = 200;
// What the ring chart, and each small table about one kernel, may take of a reply.
constexpr size_t kRingBytes = 40 << 10;
constexpr size_t kMaxLaunchRows = 200;
constexpr size_t kLaunchBytes = 48 << 10;

struct Grouped {
  KernelData data;
  Table table;
};

Result<KernelGrouping> GroupingOf(const ViewRequest& request) {
  const std::string text = request.params.value("groupBy", std::string());
  if (text.empty() || text == "name" || text == "kernel") return KernelGrouping::kName;
  if (text == "properties") return KernelGrouping::kProperties;
  return Error{ErrorKind::kInvalidArgument, "Kernels cannot be grouped by \"" + text + "\".",
               "Groupings: name, properties.", std::nullopt};
}

Result<std::shared_ptr<const Grouped>> TableOf(const ViewRequest& request,
                                               KernelGrouping grouping) {
  Result<TensorCoreRules> rules = RulesOf(request);
  if (!rules.ok()) return rules.error();
  const std::string key =
      std::string(grouping == KernelGrouping::kName ? "kernels/" : "kernelProperties/") +
      SelectionKey(request);
  // Not cancelled half-way: the result is kept for the next request.
  return request.trace.Cached<Grouped>(key, [&] {
    const Model& model = *request.trace.model;
    Grouped grouped;
    auto data = AnalyzeKernels(model, request.steps, grouping, *rules, {});
    if (data.ok()) grouped.data = std::move(*data);
    grouped.table = KernelTable(model, grouped.data, grouping);
    return grouped;
  });
}

Table Shortened(Table table) {
  size_t rows = 0, bytes = 0;
  for (; rows < table.rows.size() && rows < kMaxLaunchRows; ++rows) {
    for (const Cell& cell : table.rows[rows]) {
      const auto* text = std::get_if<std::string>(&cell);
      bytes += 30 + (text != nullptr ? text->size() : 0);
    }
    if (bytes > kLaunchBytes && rows > 0) break;
  }
  table.rows.resize(rows);
  return table;
}

}  // namespace

Result<Json> KernelsView(const ViewRequest& request) {
  const Result<KernelGrouping> grouping = GroupingOf(request);
  if (!grouping.ok()) return grouping.error();
  auto grouped = TableOf(request, *grouping);
  if (!grouped.ok()) return grouped.error();
  auto by_name =
      *grouping == KernelGrouping::kName ? grouped : TableOf(request, KernelGrouping::kName);
  if (!by_name.ok()) return by_name.error();
  Result<Json> result = TableResult((*grouped)->table, request.params);
  if (!result.ok()) return result;
  const KernelData& data = (*by_name)->data;
  const int64_t top = std::clamp<int64_t>(request.params.value("topN", kDefaultTopN), 1, kMaxTopN);
  Json ring = Json::array();
  size_t bytes = 0;
  for (const KernelRow& row : data.rows) {
    if (static_cast<int64_t>(ring.size()) >= top) break;
    if (row.total <= 0) continue;
    const std::string_view name = request.trace.store->strings().Get(row.name);
    bytes += name.size() + name.size() / 16 + 40;
    if (bytes > kRingBytes && !ring.empty()) break;
    ring.push_back({{"name", name}, {"us", Us(row.total)}});
  }
  (*result)["ring"] = std::move(ring);
  (*result)["launches"] = data.launches;
  (*result)["totalUs"] = Us(data.total);
  (*result)["busyUs"] = Us(data.busy);
  (*result)["tensorCoreUs"] = Us(data.tensor_core_total);
  (*result)["communicationUs"] = Us(data.communication_total);
  (*result)["vendor"] = VendorName(VendorOf(*request.trace.model));
  (*result)["hasBlocksPerSm"] = data.has_blocks_per_sm;
  (*result)["hasOccupancy"] = data.has_occupancy;
  (*result)["absences"] = Json::array();
  if (data.launches == 0) {
    (*result)["absences"].push_back(
        {{"what", "The trace holds no kernels in the selected steps."},
         {"argument", "activities"},
         {"snippet", "profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])"}});
  }
  return result;
}

Result<Json> KernelLaunchesView(const ViewRequest& request) {
  const Model& model = *request.trace.model;
  KernelKey key;
  key.name = request.params.value("name", std::string());
  auto optional = [&](const char* name) -> std::optional<std::string> {
    const auto it = request.params.find(name);
    if (it == request.params.end() || !it->is_string()) return std::nullopt;
    return it->get<std::string>();
  };
  key.op = optional("operator");
  key.grid = optional("grid");
  key.block = optional("block");
  auto launches = LaunchesOfKernel(model, request.steps, key, *StacksOf(request), request.cancel);
  if (!launches.ok()) return launches.error();
  Json result = {{"operators", TableJson(Shortened(std::move(launches->operators)))},
                 {"modules", TableJson(Shortened(std::move(launches->modules)))},
                 {"lines", TableJson(Shortened(std::move(launches->lines)))},
                 {"slices", Json::array()}};
  for (SliceIndex slice : launches->slices) {
    result["slices"].push_back(SliceRefJson(model.store(), slice));
  }
  return result;
}

Result<Json> CopiesView(const ViewRequest& request) {
  const auto table = request.trace.Cached<Table>("copies/" + SelectionKey(request), [&] {
    return CopiesTable(*request.trace.model, request.steps);
  });
  Result<Json> result = TableResult(*table, request.params);
  if (!result.ok()) return result;
  (*result)["absences"] = Json::array();
  // Where the device was recorded, there simply were none.
  if (table->rows.empty() && !HasDeviceWork(request)) {
    (*result)["absences"].push_back(
        {{"what", "The trace holds no work of a device."},
         {"argument", "activities"},
         {"snippet", "profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])"}});
  }
  return result;
}

}  // namespace emberline
