// timeline/*: single slices and instants, their neighbors, and searching for them.
#include <algorithm>

#include "analysis/kernels.h"
#include "analysis/stack_of.h"
#include "analysis/timeline_window.h"
#include "rpc/errors.h"
#include "rpc/params.h"
#include "rpc/views/timeline_parts.h"

namespace emberline {

Result<Json> TimelineSlice(const ViewRequest& request) {
  Result<SliceIndex> found = SliceOf(request);
  if (!found.ok()) return found.error();
  auto index = IndexOf(request);
  if (!index.ok()) return index.error();
  const SliceIndex slice = found.value();
  const TraceStore& store = *request.trace.store;
  const Model& model = *request.trace.model;
  const SliceSurroundings around = SurroundingsOf(model, slice);

  Json stack = Json::array();
  for (const Frame& frame : StackOf(model, slice)) {
    if (stack.size() >= 200) break;
    stack.push_back(FrameJson(frame));
  }
  const auto pairs = PairsOf(request.trace, request.cancel);
  if (!pairs.ok()) return pairs.error();
  // Of a graph's work: who recorded it. Calls of another trace have no place in this one.
  const bool captured = model.CapturedCall(slice) != kNone;
  const SliceIndex recorder = captured ? model.op[model.CapturedCall(slice)] : kNone;
  SliceIndex module = ModuleOf(model, slice);
  Json captured_op = nullptr, captured_module = nullptr;
  if (recorder != kNone) captured_op = Cut(store.name(recorder));
  if (captured && module != kNone) {
    captured_module = Cut(ModuleName(store.name(module)).value_or(""));
    if (module >= store.slice_count()) module = kNone;
  }
  const SliceIndex launch = model.launch[slice];
  Json delay = nullptr;
  if (launch != kNone) delay = store.start(slice) - store.end(launch);
  Json step = nullptr;
  if (model.step[slice] != kNone && model.step[slice] < model.steps.size()) {
    step = model.steps[model.step[slice]].name;
  }
  Json args = Json::array();
  if (const AsyncSlice* async = store.AsyncOf(slice); async != nullptr) {
    args.push_back({{"key", "id"}, {"value", RecordedIdText(store, async->id)}});
    args.push_back({{"key", "tid"}, {"value", RecordedIdText(store, async->tid)}});
  }
  for (Json& arg : ArgsJson(store, store.Args(slice))) args.push_back(std::move(arg));
  Json copy = nullptr;
  if (store.kind(slice) == SliceKind::kMemcpy || store.kind(slice) == SliceKind::kMemset) {
    const CopyKey key = CopyKeyOf(store, slice);
    copy = {{"direction", key.direction}, {"source", key.source}, {"target", key.target}};
  }
  std::string track_name;
  if (const auto row = index.value()->row_of.find(store.track(slice));
      row != index.value()->row_of.end()) {
    track_name = index.value()->rows[row->second].name.text;
  }
  return Json{
      {"slice", slice},
      {"name", std::string(store.name(slice))},
      {"category", std::string(store.strings().Get(store.categories()[store.category(slice)].raw))},
      {"kind", SliceKindName(store.kind(slice))},
      {"track", store.track(slice)},
      {"trackName", track_name},
      {"lane", store.depth(slice)},
      {"startNs", store.start(slice)},
      {"durationNs", store.duration(slice)},
      {"selfNs", around.self},
      {"step", std::move(step)},
      {"eventIndex", store.event_index(slice)},
      {"args", std::move(args)},
      {"stack", std::move(stack)},
      {"parent", SliceRef(store, store.parent(slice))},
      {"children", around.children},
      {"op", SliceRef(store, model.op[slice])},
      {"launch", SliceRef(store, launch)},
      {"launched", SliceRefs(store, around.launched)},
      {"launchedTotal", around.launched_total},
      {"forward", SliceRef(store, model.forward[slice])},
      {"backward", SliceRefs(store, BackwardOf(**pairs, slice))},
      {"module", SliceRef(store, module)},
      {"capturedOp", std::move(captured_op)},
      {"capturedModule", std::move(captured_module)},
      {"annotation", SliceRef(store, model.annotation[slice])},
      {"queueDelayNs", std::move(delay)},
      {"copy", std::move(copy)}};
}

Result<Json> TimelineInstant(const ViewRequest& request) {
  auto index = IndexOf(request);
  if (!index.ok()) return index.error();
  const TraceStore& store = *request.trace.store;
  const int64_t at = IntegerParam(request.params, "index", -1);
  if (at < 0 || at >= static_cast<int64_t>(store.instants().size())) {
    return MakeError(errors::kNoSuchInstant, {{"instant", at}});
  }
  const Instant& instant = store.instants()[static_cast<size_t>(at)];
  const InstantPlace place = PlaceOfInstant(*index.value(), static_cast<uint32_t>(at));
  const auto index_or_null = [](uint32_t i) { return i == kNone ? Json() : Json(i); };
  return Json{
      {"index", at},
      {"kind", InstantKindName(instant.scope)},
      {"name", std::string(store.strings().Get(instant.name))},
      {"category", std::string(store.strings().Get(store.categories()[instant.category].raw))},
      {"ns", instant.ts},
      {"track", place.row == nullptr ? Json() : Json(place.row->id)},
      {"previous", index_or_null(place.previous)},
      {"next", index_or_null(place.next)},
      {"args", ArgsJson(store, store.ArgsAt(instant.args))}};
}

Result<Json> TimelineNeighbor(const ViewRequest& request) {
  Result<SliceIndex> slice = SliceOf(request);
  if (!slice.ok()) return slice.error();
  const TraceStore& store = *request.trace.store;
  const std::string name = TextParam(request.params, "direction");
  const Direction direction = name == "next"       ? Direction::kNext
                              : name == "previous" ? Direction::kPrevious
                              : name == "in"       ? Direction::kIn
                                                   : Direction::kOut;
  const auto lanes = LanesOf(request.trace, store.track(slice.value()), request.cancel);
  if (!lanes.ok()) return lanes.error();
  return Json{{"slice", SliceRef(store, NeighborOf(store, **lanes, slice.value(), direction))}};
}

Result<Json> TimelineSearchSlices(const ViewRequest& request) {
  const Json& params = request.params;
  TimelineSearch search;
  search.text = TextParam(params, "text");
  search.regex =
      params.contains("regex") && params["regex"].is_boolean() && params["regex"].get<bool>();
  search.category = TextParam(params, "category");
  search.module = TextParam(params, "module");
  search.name = TextParam(params, "name");
  search.offset = static_cast<uint64_t>(std::max<int64_t>(0, IntegerParam(params, "offset", 0)));
  search.limit =
      static_cast<uint64_t>(std::clamp<int64_t>(IntegerParam(params, "limit", 100), 0, 500));
  if (const std::string kind = TextParam(params, "kind"); !kind.empty()) {
    std::string known;
    for (int k = 0; k < kSliceKindCount; ++k) {
      const char* candidate = SliceKindName(static_cast<SliceKind>(k));
      if (kind == candidate) search.kind = static_cast<SliceKind>(k);
      known += (k > 0 ? ", " : "") + std::string(candidate);
    }
    if (!search.kind) return MakeError(errors::kUnknownKind, {{"known", known}});
  }
  if (const auto line = params.find("line"); line != params.end() && line->is_object()) {
    search.file = TextParam(*line, "file");
    search.line = IntegerParam(*line, "line", 0);
  }
  Result<TimelineHits> hits = SearchTimeline(*request.trace.model, search, request.cancel);
  if (!hits.ok()) return hits.error();
  Json by_name = Json::array();
  for (const TimelineHits::Name& one : hits->by_name) {
    by_name.push_back({{"name", Cut(request.trace.store->strings().Get(one.name))},
                       {"count", one.count},
                       {"sumNs", one.sum}});
  }
  Json by_track = Json::array();
  for (const auto& [track, count] : hits->by_track) {
    by_track.push_back({{"track", track}, {"count", count}});
  }
  return Json{{"total", hits->total},
              {"byTrack", std::move(by_track)},
              {"byName", std::move(by_name)},
              {"names", hits->names},
              {"results", SliceRefs(*request.trace.store, hits->page)},
              {"sumNs", hits->sum}};
}

}  // namespace emberline
