// view/kernels, view/kernelLaunches, view/copies, view/copyLaunches.
#include "analysis/kernels.h"

#include <algorithm>

#include "rpc/errors.h"
#include "rpc/messages.h"
#include "rpc/views/common.h"
#include "rpc/views/tables.h"
#include "rpc/views/view.h"

namespace emberline {
namespace {

// What the ring chart may take of a reply.
constexpr size_t kKernelRingBytes = 40 << 10;

Result<KernelGrouping> KernelGroupingOf(const ViewRequest& request) {
  const std::string text = request.params.value("groupBy", std::string());
  if (text.empty() || text == "name" || text == "kernel") return KernelGrouping::kName;
  if (text == "properties") return KernelGrouping::kProperties;
  return MakeError(errors::kUnknownKernelGrouping, {{"grouping", text}});
}

}  // namespace

Result<std::shared_ptr<const KernelTabled>> KernelsOf(const ViewRequest& request,
                                                      KernelGrouping grouping) {
  const char* name = grouping == KernelGrouping::kName ? "kernels" : "kernelProperties";
  return TabledOf<KernelData>(
      request, name, [&](const TensorCoreRules& rules) -> Result<Tabled<KernelData>> {
        auto data =
            AnalyzeKernels(*request.trace.model, request.steps, grouping, rules, request.cancel);
        if (!data.ok()) return data.error();
        Table table = KernelTable(*request.trace.model, *data, grouping);
        return Tabled<KernelData>{std::move(*data), std::move(table)};
      });
}

namespace {

Result<Json> LaunchesJson(const Model& model, Result<KernelLaunches> launches) {
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

}  // namespace

Result<Json> KernelsView(const ViewRequest& request) {
  const Result<KernelGrouping> grouping = KernelGroupingOf(request);
  if (!grouping.ok()) return grouping.error();
  auto grouped = KernelsOf(request, *grouping);
  if (!grouped.ok()) return grouped.error();
  auto by_name =
      *grouping == KernelGrouping::kName ? grouped : KernelsOf(request, KernelGrouping::kName);
  if (!by_name.ok()) return by_name.error();
  Result<Json> result = TableResult(request, (*grouped)->key, (*grouped)->table);
  if (!result.ok()) return result;
  const KernelData& data = (*by_name)->data;
  std::vector<std::pair<StringId, Ns>> parts;
  for (const KernelRow& row : data.rows) parts.emplace_back(row.name, row.total);
  (*result)["ring"] = RingJson(request, std::move(parts), kKernelRingBytes);
  (*result)["launches"] = data.launches;
  (*result)["launchesOutsideSteps"] = data.launches_outside_steps;
  (*result)["totalUs"] = Us(data.total);
  (*result)["busyUs"] = Us(data.busy);
  (*result)["tensorCoreUs"] = Us(data.tensor_core_total);
  (*result)["tensorCoreUnknownUs"] = Us(data.tensor_core_unknown_total);
  (*result)["communicationUs"] = Us(data.communication_total);
  (*result)["vendor"] = VendorName(VendorOf(*request.trace.model));
  (*result)["hasBlocksPerSm"] = data.has_blocks_per_sm;
  (*result)["hasOccupancy"] = data.has_occupancy;
  (*result)["absences"] = Json::array();
  if (data.launches == 0) {
    (*result)["absences"].push_back(NoKernelsJson(request));
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
  const auto stacks = StacksOf(request);
  if (!stacks.ok()) return stacks.error();
  return LaunchesJson(model, LaunchesOfKernel(model, request.steps, key, **stacks, request.cancel));
}

Result<Json> CopiesView(const ViewRequest& request) {
  const std::string key = "copies/" + SelectionKey(request);
  const auto table = request.trace.results.Get<Table>(
      key, request.cancel, [&] { return CopiesTable(*request.trace.model, request.steps); });
  if (!table.ok()) return table.error();
  Result<Json> result = TableResult(request, key, **table);
  if (!result.ok()) return result;
  const Result<bool> device = HasDeviceWork(request);
  if (!device.ok()) return device.error();
  (*result)["absences"] = Json::array();
  // Where the device was recorded, there simply were none.
  if ((*table)->rows.empty() && !device.value()) {
    (*result)["absences"].push_back(AbsenceJson(messages::kNoWorkOfDevice));
  }
  return result;
}

Result<Json> CopyLaunchesView(const ViewRequest& request) {
  const auto text = [&](const char* name) { return request.params.value(name, std::string()); };
  const CopyKey key{text("direction"), text("source"), text("target")};
  const Model& model = *request.trace.model;
  const auto stacks = StacksOf(request);
  if (!stacks.ok()) return stacks.error();
  return LaunchesJson(model, LaunchesOfCopy(model, request.steps, key, **stacks, request.cancel));
}

}  // namespace emberline
