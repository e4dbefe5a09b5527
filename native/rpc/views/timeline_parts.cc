#include "rpc/views/timeline_parts.h"

#include <algorithm>
#include <variant>

#include "base/text.h"
#include "rpc/errors.h"
#include "rpc/params.h"

namespace emberline {
namespace {

constexpr size_t kMaxSliceName = 200;

std::string ArgText(const TraceStore& store, const ArgValue& value) {
  if (const bool* b = std::get_if<bool>(&value.v)) return *b ? "true" : "false";
  if (const int64_t* i = std::get_if<int64_t>(&value.v)) return std::to_string(*i);
  if (const double* d = std::get_if<double>(&value.v)) return DumpJson(Json(*d));
  if (const auto* text = std::get_if<ArgValue::Text>(&value.v)) {
    return std::string(store.strings().Get(text->id));
  }
  if (const auto* json = std::get_if<ArgValue::Json>(&value.v)) {
    return std::string(store.strings().Get(json->id));
  }
  return "null";
}

}  // namespace

Result<std::shared_ptr<const TimelineIndex>> IndexOf(const LoadedTrace& trace,
                                                     const CancelToken& cancel) {
  return trace.results.Get<TimelineIndex>("timeline/index", cancel,
                                          [&] { return BuildTimelineIndex(*trace.model, cancel); });
}

Result<std::shared_ptr<const TimelineIndex>> IndexOf(const ViewRequest& request) {
  return IndexOf(request.trace, request.cancel);
}

Result<std::shared_ptr<const TimelineTrackLanes>> LanesOf(const LoadedTrace& trace,
                                                          TrackIndex track,
                                                          const CancelToken& cancel) {
  return trace.results.Get<TimelineTrackLanes>(
      "timeline/lanes/" + std::to_string(track), cancel,
      [&] { return TimelineTrackLanes(*trace.store, trace.store->tracks()[track]); });
}

Result<std::shared_ptr<const ForwardBackward>> PairsOf(const LoadedTrace& trace,
                                                       const CancelToken& cancel) {
  return trace.results.Get<ForwardBackward>("timeline/forwardBackward", cancel,
                                            [&] { return BuildForwardBackward(*trace.model); });
}

Result<std::shared_ptr<const TimelineFlowSet>> FlowsOf(const LoadedTrace& trace,
                                                       const CancelToken& cancel) {
  return trace.results.Get<TimelineFlowSet>("timeline/flows", cancel,
                                            [&] { return BuildTimelineFlows(*trace.model); });
}

Result<Interval> WindowOf(const Json& params) {
  // Far beyond any trace, but small enough that differences cannot overflow.
  constexpr Ns kFar = INT64_MAX / 2;
  const Interval window{std::clamp(IntegerParam(params, "startNs", 0), -kFar, kFar),
                        std::clamp(IntegerParam(params, "endNs", 0), -kFar, kFar)};
  if (window.end <= window.begin) return MakeError(errors::kEmptyWindow);
  return window;
}

Result<std::vector<const TimelineRow*>> RowsOf(const TimelineIndex& index, const Json& params) {
  std::vector<const TimelineRow*> rows;
  const auto tracks = params.find("tracks");
  if (tracks == params.end() || !tracks->is_array()) {
    for (const TimelineRow& row : index.rows) rows.push_back(&row);
    return rows;
  }
  for (const Json& id : *tracks) {
    const auto found = index.row_of.find(id.is_number() ? id.get<int64_t>() : -1);
    if (found == index.row_of.end()) {
      return MakeError(errors::kNoSuchRow, {{"row", DumpJson(id)}});
    }
    rows.push_back(&index.rows[found->second]);
  }
  return rows;
}

std::string Cut(std::string_view text) { return Shortened(text, kMaxSliceName); }

Json SliceRef(const TraceStore& store, SliceIndex slice) {
  return slice == kNone ? Json() : SliceRefJson(store, slice, kMaxSliceName);
}

Json SliceRefs(const TraceStore& store, const std::vector<SliceIndex>& slices) {
  Json refs = Json::array();
  for (const SliceIndex slice : slices) refs.push_back(SliceRef(store, slice));
  return refs;
}

Json ArgsJson(const TraceStore& store, const std::vector<std::pair<StringId, ArgValue>>& args) {
  Json list = Json::array();
  for (const auto& [key, value] : args) {
    list.push_back(
        {{"key", std::string(store.strings().Get(key))}, {"value", ArgText(store, value)}});
  }
  return list;
}

}  // namespace emberline
