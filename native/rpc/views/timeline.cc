#include "analysis/timeline.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "analysis/kernels.h"
#include "analysis/stack_of.h"
#include "analysis/timeline_gaps.h"
#include "analysis/timeline_lanes.h"
#include "base/text.h"
#include "rpc/params.h"
#include "rpc/views/common.h"
#include "rpc/views/timeline_export.h"
#include "rpc/views/view.h"

namespace emberline {
namespace {

constexpr size_t kMaxName = 200;
constexpr size_t kMaxRows = 64;
// A reply stays below 256 KiB: a box takes about 40 bytes of JSON.
constexpr size_t kMaxBoxes = 5000;
constexpr size_t kMaxInstants = 1000;   // marks of one reply
constexpr size_t kFewestInstants = 50;  // marks that each row may have
constexpr size_t kMaxArrows = 500;
constexpr size_t kMaxSteps = 1000;  // marks on the ruler
constexpr int64_t kMaxPixels = 16384;
constexpr Ns kGapFloor = 1000;

std::string Cut(std::string_view text) { return Shortened(text, kMaxName); }

Error Wrong(std::string message) {
  return {ErrorKind::kInvalidArgument, std::move(message), "", {}};
}

// Kept with the trace. Errors of all: kCancelled.
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

Result<std::shared_ptr<const TimelineFlows>> FlowsOf(const LoadedTrace& trace,
                                                     const CancelToken& cancel) {
  return trace.results.Get<TimelineFlows>("timeline/flows", cancel,
                                          [&] { return BuildTimelineFlows(*trace.model); });
}

// Null for no slice.
Json SliceRef(const TraceStore& store, SliceIndex slice) {
  return slice == kNone ? Json() : SliceRefJson(store, slice, kMaxName);
}

Json SliceRefs(const TraceStore& store, const std::vector<SliceIndex>& slices) {
  Json refs = Json::array();
  for (const SliceIndex slice : slices) refs.push_back(SliceRef(store, slice));
  return refs;
}

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

Json ArgsJson(const TraceStore& store, const std::vector<std::pair<StringId, ArgValue>>& args) {
  Json list = Json::array();
  for (const auto& [key, value] : args) {
    list.push_back(
        {{"key", std::string(store.strings().Get(key))}, {"value", ArgText(store, value)}});
  }
  return list;
}

Result<Interval> WindowOf(const Json& params) {
  // Far beyond any trace, but small enough that differences cannot overflow.
  constexpr Ns kFar = INT64_MAX / 2;
  const Interval window{std::clamp(IntegerParam(params, "startNs", 0), -kFar, kFar),
                        std::clamp(IntegerParam(params, "endNs", 0), -kFar, kFar)};
  if (window.end <= window.begin) return Wrong("params.endNs must be greater than params.startNs.");
  return window;
}

// The rows that params.tracks names, or all of them.
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
      return Error{ErrorKind::kNotFound,
                   "There is no row " + DumpJson(id) + ".",
                   "timeline/tracks lists the rows.",
                   {}};
    }
    rows.push_back(&index.rows[found->second]);
  }
  return rows;
}

// --- timeline/window

// Names and kinds of a reply, each once.
class Legend {
 public:
  explicit Legend(const TraceStore& store) : store_(store) {}
  int Name(StringId id) {
    const auto [it, added] = names_.emplace(id, static_cast<int>(names_.size()));
    if (added) name_list_.push_back(Cut(store_.strings().Get(id)));
    return it->second;
  }
  int Kind(SliceKind kind) {
    int& index = kinds_[static_cast<size_t>(kind)];
    if (index < 0) {
      index = static_cast<int>(kind_list_.size());
      kind_list_.push_back(SliceKindName(kind));
    }
    return index;
  }
  Json TakeNames() { return std::move(name_list_); }
  Json TakeKinds() { return std::move(kind_list_); }

 private:
  const TraceStore& store_;
  std::unordered_map<StringId, int> names_;
  std::vector<int> kinds_ = std::vector<int>(kSliceKindCount, -1);
  Json name_list_ = Json::array();
  Json kind_list_ = Json::array();
};

// Boxes of the row of steps, whose slices lie on other tracks.
std::vector<TimelineBox> StepBoxes(const Model& model, Interval window, Ns resolution) {
  std::vector<TimelineBox> boxes;
  for (const Step& step : model.steps) {
    if (step.host.end <= window.begin || step.host.begin >= window.end) continue;
    if (!boxes.empty() && step.host.end - boxes.back().start < resolution) {
      boxes.back().end = step.host.end;
      ++boxes.back().count;
      continue;
    }
    boxes.push_back({step.host.begin, step.host.end, 0, step.slice, 1});
  }
  return boxes;
}

// A row with the lanes of its track; null for rows without slices of a track.
struct RowLanes {
  const TimelineRow* row = nullptr;
  std::shared_ptr<const TimelineTrackLanes> lanes;
};

Result<std::vector<RowLanes>> WithLanes(const ViewRequest& request,
                                        const std::vector<const TimelineRow*>& rows) {
  std::vector<RowLanes> out;
  for (const TimelineRow* row : rows) {
    RowLanes item{row, nullptr};
    if (row->track != kNone && row->kind != TimelineRowKind::kSteps) {
      auto lanes = LanesOf(request.trace, row->track, request.cancel);
      if (!lanes.ok()) return lanes.error();
      item.lanes = std::move(lanes.value());
    }
    out.push_back(std::move(item));
  }
  return out;
}

std::vector<TimelineBox> BoxesOf(const ViewRequest& request, const RowLanes& item, Interval window,
                                 Ns resolution) {
  if (item.row->kind == TimelineRowKind::kSteps) {
    return StepBoxes(*request.trace.model, window, resolution);
  }
  std::vector<TimelineBox> boxes;
  if (item.lanes == nullptr) return boxes;
  const std::vector<TimelineLane>& lanes = item.lanes->lanes();
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    lanes[lane].Query(*request.trace.store, window, resolution, static_cast<uint16_t>(lane),
                      &boxes);
  }
  return boxes;
}

uint64_t TouchingOf(const ViewRequest& request, const RowLanes& item, Interval window) {
  if (item.row->kind == TimelineRowKind::kSteps) {
    return StepBoxes(*request.trace.model, window, 0).size();
  }
  return item.lanes == nullptr ? 0 : item.lanes->CountTouching(*request.trace.store, window);
}

// The marks of a row's instants: one for each pixel that holds any. Pixels become coarser until
// there are at most `most` marks, so that none is left out. Marks of the recorder may lie before or
// after everything else; they stand at the ends of the trace, where they can be seen.
Json InstantsJson(const TraceStore& store, const TimelineRow& row, Interval window, Ns resolution,
                  size_t most, Legend* legend) {
  const Interval extent = store.extent();
  const auto at_ns = [&](uint32_t i) {
    return std::clamp(store.instants()[i].ts, extent.begin, extent.end);
  };
  const auto before = [&](uint32_t i, Ns ns) { return at_ns(i) < ns; };
  const auto first =
      std::lower_bound(row.instants.begin(), row.instants.end(), window.begin, before);
  const auto last = std::upper_bound(first, row.instants.end(), window.end,
                                     [&](Ns end, uint32_t i) { return end < at_ns(i); });
  std::vector<std::pair<std::vector<uint32_t>::const_iterator, int64_t>> marks;
  for (Ns pixel = std::max<Ns>(resolution, 1);; pixel *= 2) {
    marks.clear();
    for (auto at = first; at != last && marks.size() <= most;) {
      // The next mark begins a pixel later.
      const auto next = std::lower_bound(at, last, at_ns(*at) + pixel, before);
      marks.emplace_back(at, next - at);
      at = next;
    }
    if (marks.size() <= most || pixel > window.Length()) break;
  }
  Json list = Json::array();
  for (const auto& [at, count] : marks) {
    list.push_back({{"ns", at_ns(*at)},
                    {"name", legend->Name(store.instants()[*at].name)},
                    {"index", *at},
                    {"count", count}});
  }
  return list;
}

Json BoxesJson(const TraceStore& store, const TimelineRow& row,
               const std::vector<TimelineBox>& boxes, Legend* legend) {
  // As numbers first: arrays of the right size at once are several times faster than growing ones.
  const size_t n = boxes.size();
  std::vector<int64_t> start(n), length(n), slice(n);
  std::vector<uint32_t> lane(n), count(n);
  std::vector<int> name(n), kind(n);
  for (size_t i = 0; i < n; ++i) {
    const TimelineBox& box = boxes[i];
    const bool known = box.slice != kNone;
    start[i] = box.start;
    length[i] = box.end - box.start;
    lane[i] = box.lane;
    slice[i] = box.count == 1 && known ? static_cast<int64_t>(box.slice) : -1;
    count[i] = box.count;
    name[i] = legend->Name(known ? store.name_id(box.slice) : 0);
    kind[i] = legend->Kind(known ? store.kind(box.slice) : SliceKind::kUserAnnotation);
  }
  return {{"track", row.id}, {"start", start}, {"length", length}, {"lane", lane},
          {"slice", slice},  {"count", count}, {"name", name},     {"kind", kind}};
}

Json SeriesJson(const TimelineRow& row, const TimelineSeries& series, Interval window,
                int64_t pixels) {
  const TimelineSeries::Points points = series.Query(window, pixels);
  const bool mean = series.reduce() == TimelineSeries::Reduce::kMean;
  return {{"track", row.id},
          {"reduce", mean ? "mean" : "extremes"},
          {"ns", points.ns},
          {"value", points.value},
          {"low", points.low}};
}

}  // namespace

void PrepareTimeline(const LoadedTrace& trace, const CancelToken& cancel) {
  const auto index = IndexOf(trace, cancel);
  if (!index.ok()) return;
  for (const TimelineRow& row : index.value()->rows) {
    if (cancel.cancelled()) return;
    if (row.track != kNone && !row.folded) (void)LanesOf(trace, row.track, cancel);
  }
  // For the arrows of the first slice that is selected.
  if (cancel.cancelled()) return;
  (void)PairsOf(trace, cancel);
  (void)FlowsOf(trace, cancel);
}

Result<Json> TimelineTracks(const ViewRequest& request) {
  auto index = IndexOf(request);
  if (!index.ok()) return index.error();
  const TraceStore& store = *request.trace.store;
  Json tracks = Json::array();
  for (const TimelineRow& row : index.value()->rows) {
    Json max = nullptr;
    if (row.series >= 0) max = index.value()->series[static_cast<size_t>(row.series)].max_value();
    tracks.push_back({{"id", row.id},
                      {"kind", TimelineRowKindName(row.kind)},
                      {"group", Cut(row.group)},
                      {"name", Cut(row.name)},
                      {"detail", Cut(row.detail)},
                      {"device", row.device >= 0 ? Json(row.device) : Json()},
                      {"lanes", row.lanes},
                      {"slices", row.slices},
                      {"instants", row.instants.size()},
                      {"busyNs", row.busy},
                      {"folded", row.folded},
                      {"unit", row.unit},
                      {"maxValue", std::move(max)}});
  }
  Json steps = Json::array();
  const Model& model = *request.trace.model;
  for (size_t i = 0; model.has_recorded_steps && i < model.steps.size() && i < kMaxSteps; ++i) {
    const Step& step = model.steps[i];
    steps.push_back({{"name", step.name},
                     {"startNs", step.host.begin},
                     {"endNs", step.host.end},
                     {"partial", step.partial}});
  }
  return Json{{"startNs", store.extent().begin},
              {"endNs", store.extent().end},
              {"workStartNs", index.value()->work.begin},
              {"workEndNs", index.value()->work.end},
              {"tracks", std::move(tracks)},
              {"steps", std::move(steps)},
              {"totalSlices", store.slice_count()},
              {"unlistedRows", index.value()->unlisted_rows},
              {"unlistedSlices", index.value()->unlisted_slices}};
}

Result<Json> TimelineWindow(const ViewRequest& request) {
  auto index = IndexOf(request);
  if (!index.ok()) return index.error();
  Result<Interval> window = WindowOf(request.params);
  if (!window.ok()) return window.error();
  auto rows = RowsOf(*index.value(), request.params);
  if (!rows.ok()) return rows.error();
  if (request.params.contains("tracks") && rows->size() > kMaxRows) {
    return Wrong("params.tracks names more than " + std::to_string(kMaxRows) + " rows.");
  }
  if (rows->size() > kMaxRows) rows->resize(kMaxRows);
  const auto lanes = WithLanes(request, rows.value());
  if (!lanes.ok()) return lanes.error();
  const TraceStore& store = *request.trace.store;
  const int64_t pixels =
      std::clamp<int64_t>(IntegerParam(request.params, "pixels", 1000), 1, kMaxPixels);
  Ns resolution = std::max<Ns>(1, window->Length() / pixels);

  // Pixels become coarser until the reply is small enough; callers that want every pixel ask for
  // fewer rows at once.
  std::vector<std::vector<TimelineBox>> boxes(rows->size());
  for (size_t coarser = 1;; resolution *= static_cast<Ns>(coarser)) {
    size_t total = 0, least = 0;  // one box of each lane is left at any resolution
    for (size_t r = 0; r < rows->size(); ++r) {
      boxes[r] = BoxesOf(request, lanes.value()[r], window.value(), resolution);
      total += boxes[r].size();
      for (size_t b = 0; b < boxes[r].size(); ++b) {
        least += b == 0 || boxes[r][b].lane != boxes[r][b - 1].lane;
      }
    }
    if (request.cancel.cancelled()) {
      return Error{ErrorKind::kCancelled, "The request was cancelled.", "", {}};
    }
    if (total <= std::max(kMaxBoxes, least) || resolution > window->Length() / 2) break;
    // Half the pixels leave at least half as many boxes, so that the first step may be a large one.
    for (coarser = 2; total / (coarser * 2) >= kMaxBoxes;) coarser *= 2;
  }

  const auto with_instants = std::count_if(
      rows->begin(), rows->end(), [](const TimelineRow* row) { return !row->instants.empty(); });
  const size_t marks = std::max(
      kFewestInstants, kMaxInstants / std::max<size_t>(1, static_cast<size_t>(with_instants)));
  Legend legend(store);
  Json row_list = Json::array();
  Json series_list = Json::array();
  for (size_t r = 0; r < rows->size(); ++r) {
    const TimelineRow& row = *(*rows)[r];
    if (row.series >= 0) {
      // Series share the budget of points.
      const int64_t columns = std::min<int64_t>(
          pixels, static_cast<int64_t>(kMaxBoxes / std::max<size_t>(1, rows->size())) + 16);
      series_list.push_back(SeriesJson(row, index.value()->series[static_cast<size_t>(row.series)],
                                       window.value(), columns));
      continue;
    }
    Json json = BoxesJson(store, row, boxes[r], &legend);
    json["instants"] = InstantsJson(store, row, window.value(), resolution, marks, &legend);
    json["totalSlices"] = TouchingOf(request, lanes.value()[r], window.value());
    row_list.push_back(std::move(json));
  }
  return Json{{"names", legend.TakeNames()},
              {"kinds", legend.TakeKinds()},
              {"rows", std::move(row_list)},
              {"series", std::move(series_list)}};
}

Result<Json> TimelineDensity(const ViewRequest& request) {
  auto index = IndexOf(request);
  if (!index.ok()) return index.error();
  const int64_t buckets =
      std::clamp<int64_t>(IntegerParam(request.params, "buckets", 500), 1, 4096);
  const Interval extent = request.trace.store->extent();
  Json device = Json::array(), host = Json::array();
  for (int64_t b = 0; b < buckets; ++b) {
    const auto edge = [&](int64_t n) {
      return extent.begin + static_cast<Ns>(static_cast<double>(extent.Length()) *
                                            static_cast<double>(n) / static_cast<double>(buckets));
    };
    const Interval bucket{edge(b), edge(b + 1)};
    // Four digits are more than a minimap can show, but little work is not none.
    const auto share = [&](const TimelineSeries& series) {
      const double mean = std::clamp(series.Mean(bucket), 0.0, 1.0);
      return mean > 0 ? std::max(1e-4, std::round(mean * 1e4) / 1e4) : 0.0;
    };
    device.push_back(share(index.value()->device_busy));
    host.push_back(share(index.value()->host_busy));
  }
  return Json{{"device", std::move(device)}, {"host", std::move(host)}};
}

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
  std::vector<SliceIndex> backward;
  const auto made_pairs = PairsOf(request.trace, request.cancel);
  if (!made_pairs.ok()) return made_pairs.error();
  const std::shared_ptr<const ForwardBackward>& pairs = made_pairs.value();
  auto pair =
      std::lower_bound(pairs->begin(), pairs->end(), std::pair<SliceIndex, SliceIndex>(slice, 0));
  for (; pair != pairs->end() && pair->first == slice && backward.size() < 50; ++pair) {
    backward.push_back(pair->second);
  }
  // Of a graph's work: who recorded it. Calls of another trace have no place in this one.
  const SliceIndex captured = model.CapturedCall(slice);
  SliceIndex module = ModuleOf(model, slice);
  Json captured_op = nullptr, captured_module = nullptr;
  if (captured != kNone) {
    if (model.op[captured] != kNone) {
      captured_op = Shortened(store.name(model.op[captured]), kMaxName);
    }
    if (module != kNone) {
      captured_module = Shortened(ModuleName(store.name(module)).value_or(""), kMaxName);
    }
    if (module != kNone && module >= store.slice_count()) module = kNone;
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
    track_name = index.value()->rows[row->second].name;
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
      {"backward", SliceRefs(store, backward)},
      {"module", SliceRef(store, module)},
      {"capturedOp", std::move(captured_op)},
      {"capturedModule", std::move(captured_module)},
      {"annotation", SliceRef(store, model.annotation[slice])},
      {"queueDelayNs", std::move(delay)},
      {"copy", std::move(copy)}};
}

namespace {

// What an event that has a moment alone is, by how it was recorded.
const char* InstantKind(char scope) {
  switch (scope) {
    case 'N':
      return "objectCreated";
    case 'O':
      return "objectSnapshot";
    case 'D':
      return "objectDeleted";
    case 'v':
    case 'V':
      return "memoryDump";
    case 'P':
      return "sample";
    case 'c':
      return "clockSync";
    default:
      return "instant";
  }
}

}  // namespace

Result<Json> TimelineInstant(const ViewRequest& request) {
  auto index = IndexOf(request);
  if (!index.ok()) return index.error();
  const TraceStore& store = *request.trace.store;
  const int64_t at = IntegerParam(request.params, "index", -1);
  if (at < 0 || at >= static_cast<int64_t>(store.instants().size())) {
    return Error{ErrorKind::kNotFound, "There is no instant " + std::to_string(at) + ".", "", {}};
  }
  const Instant& instant = store.instants()[static_cast<size_t>(at)];
  Json row_id = nullptr, previous = nullptr, next = nullptr;
  for (const TimelineRow& row : index.value()->rows) {
    const auto found =
        std::lower_bound(row.instants.begin(), row.instants.end(), static_cast<uint32_t>(at));
    if (found == row.instants.end() || *found != static_cast<uint32_t>(at)) continue;
    row_id = row.id;
    if (found != row.instants.begin()) previous = *(found - 1);
    if (found + 1 != row.instants.end()) next = *(found + 1);
    break;
  }
  return Json{
      {"index", at},
      {"kind", InstantKind(instant.scope)},
      {"name", std::string(store.strings().Get(instant.name))},
      {"category", std::string(store.strings().Get(store.categories()[instant.category].raw))},
      {"ns", instant.ts},
      {"track", std::move(row_id)},
      {"previous", std::move(previous)},
      {"next", std::move(next)},
      {"args", ArgsJson(store, store.ArgsAt(instant.args))}};
}

Result<Json> TimelineNeighbour(const ViewRequest& request) {
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
  return Json{{"slice", SliceRef(store, NeighbourOf(store, **lanes, slice.value(), direction))}};
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
    if (!search.kind) return Wrong("params.kind must be one of " + known + ".");
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

namespace {

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
      return Error{ErrorKind::kCancelled, "The request was cancelled.", "", {}};
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
      return Error{
          ErrorKind::kNotFound, "There is no device " + std::to_string(wanted) + ".", "", {}};
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
  std::vector<const DeviceGap*> chosen;
  Ns idle = 0;
  std::vector<std::pair<uint64_t, Ns>> by_reason(kGapReasonCount);
  for (const DeviceGap& gap : *gaps) {
    if (gap.time.Length() < min_ns || gap.time.end <= range.begin || gap.time.begin >= range.end) {
      continue;
    }
    chosen.push_back(&gap);
    const Ns part = std::min(gap.time.end, range.end) - std::max(gap.time.begin, range.begin);
    idle += part;
    ++by_reason[static_cast<size_t>(gap.reason)].first;
    by_reason[static_cast<size_t>(gap.reason)].second += part;
  }
  const auto listed = static_cast<ptrdiff_t>(std::min(chosen.size(), static_cast<size_t>(limit)));
  std::partial_sort(chosen.begin(), chosen.begin() + listed, chosen.end(),
                    [](const DeviceGap* a, const DeviceGap* b) {
                      return a->time.Length() != b->time.Length()
                                 ? a->time.Length() > b->time.Length()
                                 : a->time.begin < b->time.begin;
                    });
  Json list = Json::array();
  for (size_t i = 0; i < static_cast<size_t>(listed); ++i) {
    const DeviceGap& gap = *chosen[i];
    // The line is where the host was, else where the late launch came from.
    const SliceIndex at = gap.host != kNone ? gap.host : gap.launch;
    std::optional<Frame> frame;
    if (at != kNone) frame = UserFrameOf(model, at);
    if (!frame && gap.launch != kNone) frame = UserFrameOf(model, gap.launch);
    list.push_back({{"startNs", gap.time.begin},
                    {"durationNs", gap.time.Length()},
                    {"reason", GapReasonName(gap.reason)},
                    {"text", GapText(model, gap)},
                    {"confidence", GapConfidenceName(gap.confidence)},
                    {"endedBy", SliceRef(store, gap.ended_by)},
                    {"host", SliceRef(store, gap.host)},
                    {"frame", frame ? FrameJson(*frame) : Json()}});
  }
  Json reasons = Json::array();
  for (int r = 0; r < kGapReasonCount; ++r) {
    const auto& [count, sum] = by_reason[static_cast<size_t>(r)];
    if (count == 0) continue;
    reasons.push_back(
        {{"reason", GapReasonName(static_cast<GapReason>(r))}, {"count", count}, {"sumNs", sum}});
  }
  return Json{{"device", device->ordinal},
              {"idleNs", idle},
              {"total", chosen.size()},
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
  Result<std::string> text = ExportTrace(*request.trace.model, slices.value(), window.value(),
                                         request.params.contains("tracks") ? &tracks : nullptr);
  if (!text.ok()) return text.error();
  return Json{{"text", std::move(text.value())}, {"events", slices->size()}};
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
