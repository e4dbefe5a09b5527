#include "analysis/memory.h"

#include <algorithm>

#include "json/json.h"
#include "rpc/errors.h"
#include "rpc/messages.h"
#include "rpc/params.h"
#include "rpc/views/common.h"
#include "rpc/views/view.h"

namespace emberline {
namespace {

// Devices whose curves, allocations and statistics an export holds: each of them takes a pass over
// the trace. Machines have 16; the records of a hostile file may name any number.
constexpr size_t kMaxExportedDevices = 64;
// Places of each kind at the peak in a reply that does not ask for all.
constexpr size_t kMaxShownPlaces = 100, kMaxShownBytes = 48 << 10;

// The range of times asked for: startNs and endNs, else the selected steps, else everything.
Interval RangeOf(const ViewRequest& request) {
  const Interval all = request.trace.store->extent();
  Interval range = all;
  const auto& steps = request.trace.model->steps;
  if (!request.steps.all && request.steps.last < steps.size()) {
    range = {steps[request.steps.first].time.begin, steps[request.steps.last].time.end};
  }
  if (request.params.contains("startNs")) range.begin = request.params["startNs"].get<int64_t>();
  if (request.params.contains("endNs")) range.end = request.params["endNs"].get<int64_t>();
  if (range.end < range.begin) std::swap(range.begin, range.end);
  return range;
}

Result<int> DeviceOf(const ViewRequest& request, const MemoryData& data) {
  const std::string name = request.params.value("device", std::string());
  const int index = data.Find(name);
  if (index < 0 && !name.empty()) {
    std::string names;
    for (const MemoryDevice& d : data.devices) names += (names.empty() ? "" : ", ") + d.name;
    return MakeError(names.empty() ? errors::kNoAllocatorRecords : errors::kNoSuchMemoryDevice,
                     {{"device", name}, {"known", names}});
  }
  return index;
}

Json CurveJson(const MemoryCurve& curve) {
  Json json = Json::object();
  json["timesNs"] = curve.times;
  json["allocatedBytes"] = curve.allocated;
  json["reservedBytes"] = curve.reserved;
  json["records"] = curve.records;
  return json;
}

Json MemoryAbsences(const ViewRequest& request, const MemoryData& data) {
  Json list = Json::array();
  if (data.devices.empty()) {
    list.push_back(NoMemoryJson(*request.trace.store));
    return list;
  }
  for (const MemoryDevice& d : data.devices) {
    if (d.relative) {
      list.push_back(AbsenceJson(messages::kNoTotals));
      break;
    }
  }
  for (const MemoryDevice& d : data.devices) {
    if (!d.has_addresses) {
      list.push_back(AbsenceJson(messages::kNoAddresses));
      break;
    }
  }
  return list;
}

Result<Json> Memory(const ViewRequest& request) {
  const auto made = MemoryOf(request);
  if (!made.ok()) return made.error();
  const std::shared_ptr<const MemoryData>& data = made.value();
  auto device = DeviceOf(request, *data);
  if (!device.ok()) return device.error();
  const Interval range = RangeOf(request);
  const bool whole = request.params.value("limit", int64_t{0}) < 0;
  const uint32_t points = static_cast<uint32_t>(
      std::clamp<int64_t>(request.params.value("points", int64_t{2000}), 16, 4000));
  const Model& model = *request.trace.model;
  const auto& memory = request.trace.store->memory();

  Json result = Json::object();
  Json devices = Json::array();
  for (size_t i = 0; i < data->devices.size(); ++i) {
    const MemoryDevice& d = data->devices[i];
    Json item = Json::object();
    item["name"] = d.name;
    item["records"] = d.records.size();
    item["peakAllocatedBytes"] = d.peak_allocated;
    item["peakReservedBytes"] = d.has_reserved ? Json(d.peak_reserved) : Json(nullptr);
    item["peakNs"] = d.peak == kNone ? Json(nullptr) : Json(memory[d.records[d.peak]].ts);
    item["capacityBytes"] = d.capacity ? Json(*d.capacity) : Json(nullptr);
    item["relative"] = d.relative;
    if (whole && i < kMaxExportedDevices)
      item["curve"] = CurveJson(SampleMemory(*data, model, static_cast<int>(i), range, points));
    devices.push_back(std::move(item));
  }
  result["devices"] = std::move(devices);
  result["device"] = *device < 0 ? Json("") : Json(data->devices[*device].name);
  result["startNs"] = range.begin;
  result["endNs"] = range.end;
  result["curve"] = CurveJson(SampleMemory(*data, model, *device, range, points));
  result["peak"] = {
      {"byOperator", TableJson(MemoryPeakTable(*data, model, *device, PeakGrouping::kOperator))},
      {"byLine", TableJson(MemoryPeakTable(*data, model, *device, PeakGrouping::kLine))},
      {"byModule", TableJson(MemoryPeakTable(*data, model, *device, PeakGrouping::kModule))}};
  if (!whole) {
    // Peaks can have thousands of places; the page shows the largest.
    for (auto& [key, table] : result["peak"].items()) {
      Json& rows = table["rows"];
      size_t shown = 0, bytes = 0;
      for (; shown < rows.size() && shown < kMaxShownPlaces; ++shown) {
        bytes += DumpJson(rows[shown]).size();
        if (bytes > kMaxShownBytes && shown > 0) break;
      }
      rows.erase(rows.begin() + static_cast<ptrdiff_t>(shown), rows.end());
    }
  }
  result["absences"] = MemoryAbsences(request, *data);
  if (whole && data->devices.size() > kMaxExportedDevices) {
    result["absences"].push_back(
        AbsenceJson(messages::kManyMemoryDevices,
                    {{"devices", data->devices.size()}, {"shown", kMaxExportedDevices}}));
  }
  if (whole) {
    Json events = Json::array(), statistics = Json::array();
    const size_t exported = std::min(data->devices.size(), kMaxExportedDevices);
    for (int i = 0; i < static_cast<int>(exported); ++i) {
      const auto append = [&](Json& list, const Table& table) {
        const Json json = TableJson(table);
        for (const Json& row : json["rows"]) {
          Json entry = {{"device", data->devices[i].name}};
          entry.update(row);
          list.push_back(std::move(entry));
        }
      };
      append(events, MemoryEventsTable(*data, model, i, range));
      append(statistics, MemoryStatisticsTable(*data, model, i, range));
    }
    result["events"] = std::move(events);
    result["statistics"] = std::move(statistics);
  }
  return result;
}

std::string KeyOf(const char* name, int device, Interval range) {
  return std::string(name) + "/" + std::to_string(device) + "/" + std::to_string(range.begin) +
         "/" + std::to_string(range.end);
}

using MakeTable = Table (*)(const MemoryData&, const Model&, int, Interval);

Result<Json> Listed(const ViewRequest& request, const char* name, MakeTable make) {
  const auto data = MemoryOf(request);
  if (!data.ok()) return data.error();
  auto device = DeviceOf(request, **data);
  if (!device.ok()) return device.error();
  const Interval range = RangeOf(request);
  // Scrolling asks for page after page of one table.
  const std::string key = KeyOf(name, *device, range);
  const auto table = request.trace.results.Get<Table>(
      key, request.cancel, [&] { return make(**data, *request.trace.model, *device, range); });
  if (!table.ok()) return table.error();
  return TableResult(request, key, **table);
}

}  // namespace

Result<Json> MemoryView(const ViewRequest& request) {
  const Json& params = request.params;
  // Ranges that are dragged and exports are asked for once.
  if (params.contains("startNs") || params.contains("endNs") ||
      IntegerParam(params, "limit", 0) < 0) {
    return Memory(request);
  }
  const std::string key = "memoryView/" + StepsKey(request) + "/" + TextParam(params, "device") +
                          "/" + std::to_string(IntegerParam(params, "points", 0));
  const auto kept =
      request.trace.results.Get<KeptJson>(key, request.cancel, [&]() -> Result<KeptJson> {
        Result<Json> made = Memory(request);
        if (!made.ok()) return made.error();
        return KeptJson{std::move(*made)};
      });
  if (!kept.ok()) return kept.error();
  return (*kept)->json;
}
Result<Json> MemoryEventsView(const ViewRequest& request) {
  const auto data = MemoryOf(request);
  if (!data.ok()) return data.error();
  const auto device = DeviceOf(request, **data);
  if (!device.ok()) return device.error();
  const Interval range = RangeOf(request);
  const Model& model = *request.trace.model;
  const std::string key = KeyOf("memoryEvents", *device, range);
  const auto events = request.trace.results.Get<std::vector<uint32_t>>(
      key, request.cancel, [&] { return ListMemoryEvents(**data, model, *device, range); });
  if (!events.ok()) return events.error();
  return TableResult(request, key, *MemoryEvents(**data, model, *device, **events));
}
Result<Json> MemoryStatisticsView(const ViewRequest& request) {
  return Listed(request, "memoryStatistics", &MemoryStatisticsTable);
}

}  // namespace emberline
