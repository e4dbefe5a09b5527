// timeline/*: sums and idle time of a range, arrows, exports, and what the file says of itself.
#include <algorithm>
#include <set>

#include "analysis/gap_sums.h"
#include "base/errors.h"
#include "base/text.h"
#include "json/json.h"
#include "json/message_json.h"
#include "rpc/errors.h"
#include "rpc/params.h"
#include "rpc/views/timeline_export.h"
#include "rpc/views/timeline_parts.h"

namespace emberline {
namespace {

constexpr size_t kMaxArrows = 500;
constexpr size_t kMaxExportBytes = 64 << 20;  // of one reply
constexpr size_t kMaxGapBytes = 160 << 10;    // of the gaps that one reply lists
constexpr Ns kGapFloor = 1000;

// Slices of the chosen rows that touch the window, or of the whole trace, by index. Rows of series
// hold none, and the row of steps repeats slices of others.
Result<std::vector<SliceIndex>> SlicesIn(const ViewRequest& request, Interval window) {
  if (!request.params.contains("tracks")) {
    return SlicesTouching(*request.trace.store, window, request.cancel);
  }
  const auto index = IndexOf(request);
  if (!index.ok()) return index.error();
  auto rows = RowsOf(*index.value(), request.params);
  if (!rows.ok()) return rows.error();
  std::vector<SliceIndex> slices;
  for (const TimelineRow* row : rows.value()) {
    if (row->track == kNone) continue;
    if (request.cancel.cancelled()) {
      return Cancelled();
    }
    const auto lanes = LanesOf(request.trace, row->track, request.cancel);
    if (!lanes.ok()) return lanes.error();
    const auto found = (*lanes)->Touching(*request.trace.store, window);
    slices.insert(slices.end(), found.begin(), found.end());
  }
  std::sort(slices.begin(), slices.end());
  slices.erase(std::unique(slices.begin(), slices.end()), slices.end());
  return slices;
}

}  // namespace

Result<Json> TimelineRange(const ViewRequest& request) {
  Result<Interval> window = WindowOf(request.params);
  if (!window.ok()) return window.error();
  auto slices = SlicesIn(request, window.value());
  if (!slices.ok()) return slices.error();
  const TraceStore& store = *request.trace.store;
  const auto names =
      static_cast<size_t>(std::clamp<int64_t>(IntegerParam(request.params, "limit", 20), 0, 500));
  const RangeSums sums = SumRange(store, slices.value(), window.value(), names);
  Json kinds = Json::array();
  for (const KindSum& kind : sums.kinds) {
    kinds.push_back({{"kind", SliceKindName(kind.kind)},
                     {"slices", kind.slices},
                     {"sumNs", kind.sum},
                     {"unionNs", kind.unite}});
  }
  Json top = Json::array();
  for (const NameSum& name : sums.names) {
    Json callers = Json::array();
    for (const auto& [caller, self] : name.callers) {
      callers.push_back({{"name", Cut(store.strings().Get(caller))}, {"selfNs", self}});
    }
    top.push_back({{"name", Cut(store.strings().Get(name.name))},
                   {"kind", SliceKindName(name.kind)},
                   {"calls", name.calls},
                   {"sumNs", name.sum},
                   {"selfNs", name.self},
                   {"callers", std::move(callers)},
                   {"longest", SliceRef(store, name.longest)}});
  }
  Json devices = Json::array();
  for (const DeviceBusy& device : sums.devices) {
    devices.push_back({{"device", device.device}, {"busyNs", device.busy}});
  }
  return Json{{"kinds", std::move(kinds)},
              {"names", std::move(top)},
              {"devices", std::move(devices)},
              {"totalSlices", sums.total}};
}

Result<Json> TimelineGaps(const ViewRequest& request) {
  const Model& model = *request.trace.model;
  const TraceStore& store = *request.trace.store;
  const int64_t limit = std::clamp<int64_t>(IntegerParam(request.params, "limit", 200), 0, 1000);
  const Device* device = model.devices.empty() ? nullptr : &model.devices[0];
  if (request.params.contains("device")) {
    const int64_t wanted = IntegerParam(request.params, "device", 0);
    device = nullptr;
    for (const Device& candidate : model.devices) {
      if (candidate.ordinal == wanted) device = &candidate;
    }
    if (device == nullptr) {
      return MakeError(errors::kNoSuchDevice, {{"device", wanted}});
    }
  }
  if (device == nullptr) {
    return Json{{"device", nullptr},
                {"idleNs", 0},
                {"total", 0},
                {"gaps", Json::array()},
                {"byReason", Json::array()}};
  }
  // Gaps below the usual floor are rarely asked for, so they are not kept.
  const Ns min_ns = std::max<int64_t>(1, IntegerParam(request.params, "minNs", kGapFloor));
  const Ns floor = std::min(min_ns, kGapFloor);
  const std::string key =
      "timeline/gaps/" + std::to_string(device->ordinal) + "/" + std::to_string(floor);
  const auto find = [&] { return FindGaps(model, *device, floor, request.cancel); };
  std::shared_ptr<const std::vector<DeviceGap>> gaps;
  if (floor == kGapFloor) {
    auto kept = request.trace.results.Get<std::vector<DeviceGap>>(key, request.cancel, find);
    if (!kept.ok()) return kept.error();
    gaps = std::move(kept.value());
  } else {
    auto found = find();
    if (!found.ok()) return found.error();
    gaps = std::make_shared<const std::vector<DeviceGap>>(std::move(found.value()));
  }
  const Interval range{IntegerParam(request.params, "startNs", INT64_MIN),
                       IntegerParam(request.params, "endNs", INT64_MAX)};
  const GapSums sums = SumGaps(*gaps, range, min_ns, static_cast<size_t>(limit));
  Json list = Json::array();
  size_t bytes = 0;
  for (const DeviceGap* gap : sums.longest) {
    const std::optional<Frame> frame = FrameOfGap(model, *gap);
    const Message text = GapText(model, *gap);
    Json item = {{"startNs", gap->time.begin},
                 {"durationNs", gap->time.Length()},
                 {"reason", GapReasonName(gap->reason)},
                 {"text", text.text},
                 {"code", text.code},
                 {"arguments", ArgumentsJson(text.arguments)},
                 {"confidence", GapConfidenceName(gap->confidence)},
                 {"endedBy", SliceRef(store, gap->ended_by)},
                 {"host", SliceRef(store, gap->host)},
                 {"frame", frame ? FrameJson(*frame) : Json()}};
    bytes += DumpJson(item).size();
    if (bytes > kMaxGapBytes && !list.empty()) break;
    list.push_back(std::move(item));
  }
  Json reasons = Json::array();
  for (int r = 0; r < kGapReasonCount; ++r) {
    const GapSums::Reason& reason = sums.reasons[static_cast<size_t>(r)];
    if (reason.count == 0) continue;
    reasons.push_back({{"reason", GapReasonName(static_cast<GapReason>(r))},
                       {"count", reason.count},
                       {"sumNs", reason.sum}});
  }
  // What costs most comes first.
  std::stable_sort(reasons.begin(), reasons.end(), [](const Json& a, const Json& b) {
    return a["sumNs"].get<int64_t>() > b["sumNs"].get<int64_t>();
  });
  return Json{{"device", device->ordinal},
              {"idleNs", sums.idle},
              {"total", sums.total},
              {"gaps", std::move(list)},
              {"byReason", std::move(reasons)}};
}

Result<Json> TimelineFlows(const ViewRequest& request) {
  const TraceStore& store = *request.trace.store;
  const Model& model = *request.trace.model;
  const auto pairs = PairsOf(request.trace, request.cancel);
  if (!pairs.ok()) return pairs.error();
  const auto flows = FlowsOf(request.trace, request.cancel);
  if (!flows.ok()) return flows.error();
  TimelineArrows arrows;
  if (request.params.contains("slice")) {
    Result<SliceIndex> slice = SliceOf(request);
    if (!slice.ok()) return slice.error();
    arrows = ArrowsOf(model, **pairs, **flows, slice.value(), kMaxArrows);
  } else {
    Interval window = store.extent();
    if (request.params.contains("startNs") || request.params.contains("endNs")) {
      Result<Interval> given = WindowOf(request.params);
      if (!given.ok()) return given.error();
      window = given.value();
    }
    arrows = ArrowsIn(model, **pairs, **flows, window, kMaxArrows);
  }
  Json list = Json::array();
  for (const TimelineArrow& arrow : arrows.arrows) {
    const char* kind = arrow.kind == TimelineArrow::Kind::kLaunch            ? "launch"
                       : arrow.kind == TimelineArrow::Kind::kForwardBackward ? "forwardBackward"
                                                                             : "other";
    auto args = store.ArgsAt(arrow.args);
    for (const auto& item : store.ArgsAt(arrow.args_at_end)) {
      const auto same = [&](const auto& known) { return known.first == item.first; };
      if (std::none_of(args.begin(), args.end(), same)) args.push_back(item);
    }
    list.push_back({{"from", SliceRef(store, arrow.from)},
                    {"to", SliceRef(store, arrow.to)},
                    {"kind", kind},
                    {"name", Cut(store.strings().Get(arrow.name))},
                    {"args", ArgsJson(store, args)}});
  }
  return Json{{"arrows", std::move(list)}, {"total", arrows.total}};
}

Result<Json> TimelineExport(const ViewRequest& request) {
  Result<Interval> window = WindowOf(request.params);
  if (!window.ok()) return window.error();
  auto slices = SlicesIn(request, window.value());
  if (!slices.ok()) return slices.error();
  std::set<TrackIndex> tracks;
  if (request.params.contains("tracks")) {
    const auto index = IndexOf(request);
    if (!index.ok()) return index.error();
    auto rows = RowsOf(*index.value(), request.params);
    if (!rows.ok()) return rows.error();
    for (const TimelineRow* row : rows.value()) tracks.insert(row->track);
    tracks.erase(kNone);
  }
  TraceAdditions additions;
  const bool augmented = request.params.value("augmented", false);
  if (augmented) {
    auto made = AdditionsOf(*request.trace.model, request.cancel);
    if (!made.ok()) return made.error();
    additions = std::move(*made);
  }
  std::string text;
  const TextSink keep = [&](std::string_view piece) {
    text += piece;
    return text.size() <= kMaxExportBytes;
  };
  const bool whole = request.sink == nullptr;
  const Result<bool> written =
      ExportTrace(*request.trace.model, slices.value(), window.value(),
                  request.params.contains("tracks") ? &tracks : nullptr,
                  augmented ? &additions : nullptr, whole ? keep : request.sink->text);
  if (!written.ok()) return written.error();
  if (whole && !*written) {
    return MakeError(errors::kExportTooManyBytes);
  }
  return Json{{"text", std::move(text)}, {"events", slices->size()}};
}

Result<Json> TimelineMetadata(const ViewRequest& request) {
  const TraceMetadata& metadata = request.trace.store->metadata();
  Json entries = Json::array();
  const auto add = [&](const std::string& key, const std::string& value) {
    if (value.empty()) return;
    entries.push_back({{"key", key}, {"value", std::string(Beginning(value, 8192))}});
  };
  if (metadata.schema_version != 0) add("schemaVersion", std::to_string(metadata.schema_version));
  add("traceName", metadata.trace_name);
  add("trace_id", metadata.trace_id);
  add("displayTimeUnit", metadata.display_time_unit);
  if (metadata.base_time_ns) add("baseTimeNanoseconds", std::to_string(*metadata.base_time_ns));
  for (const auto& [flag, on] : metadata.profiler_flags) add(flag, on ? "true" : "false");
  if (metadata.distributed) add("distributedInfo", metadata.distributed->raw);
  for (const DeviceProperties& device : metadata.devices) {
    for (const auto& [key, value] : device.all) {
      add("device " + std::to_string(device.id) + ": " + key, value);
    }
  }
  for (const auto& [key, value] : metadata.others) add(key, value);
  return Json{{"entries", std::move(entries)}};
}

}  // namespace emberline
