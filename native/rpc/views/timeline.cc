// timeline/*: the rows of the timeline and what to draw of them.
#include "analysis/timeline.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/timeline_window.h"
#include "json/message_json.h"
#include "rpc/errors.h"
#include "rpc/params.h"
#include "rpc/views/timeline_parts.h"

namespace emberline {
namespace {

constexpr size_t kMaxRows = 64;
// A reply stays below 256 KiB: a box takes about 40 bytes of JSON.
constexpr size_t kMaxBoxes = 5000;
constexpr size_t kMaxInstants = 1000;   // marks of one reply
constexpr size_t kFewestInstants = 50;  // marks that each row may have
constexpr size_t kMaxSteps = 1000;      // marks on the ruler
constexpr int64_t kMaxPixels = 16384;

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

Result<std::vector<TimelineRowLanes>> WithLanes(const ViewRequest& request,
                                                const std::vector<const TimelineRow*>& rows) {
  std::vector<TimelineRowLanes> out;
  for (const TimelineRow* row : rows) {
    TimelineRowLanes item{row, nullptr};
    if (row->track != kNone && row->kind != TimelineRowKind::kSteps) {
      auto lanes = LanesOf(request.trace, row->track, request.cancel);
      if (!lanes.ok()) return lanes.error();
      item.lanes = std::move(lanes.value());
    }
    out.push_back(std::move(item));
  }
  return out;
}

Json MarksJson(const TraceStore& store, const std::vector<TimelineMark>& marks, Legend* legend) {
  Json list = Json::array();
  for (const TimelineMark& mark : marks) {
    list.push_back({{"ns", mark.ns},
                    {"name", legend->Name(store.instants()[mark.instant].name)},
                    {"index", mark.instant},
                    {"count", mark.count}});
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

// Codes and values of what a row is called, where it is not called by a recorded name.
Json SaidJson(const TimelineRow& row) {
  Json said = Json::object();
  const auto add = [&](const char* member, const Message& message) {
    if (message.code.empty()) return;
    said[member] = {{"code", message.code}, {"arguments", ArgumentsJson(message.arguments)}};
  };
  add("group", row.group);
  add("name", row.name);
  add("detail", row.detail);
  return said;
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
                      {"group", Cut(row.group.text)},
                      {"name", Cut(row.name.text)},
                      {"detail", Cut(row.detail.text)},
                      {"said", SaidJson(row)},
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
    return MakeError(errors::kTooManyRows, {{"limit", kMaxRows}});
  }
  if (rows->size() > kMaxRows) rows->resize(kMaxRows);
  const auto lanes = WithLanes(request, rows.value());
  if (!lanes.ok()) return lanes.error();
  const TraceStore& store = *request.trace.store;
  const int64_t pixels =
      std::clamp<int64_t>(IntegerParam(request.params, "pixels", 1000), 1, kMaxPixels);
  const auto boxes = DrawRows(*request.trace.model, lanes.value(), window.value(), pixels,
                              kMaxBoxes, request.cancel);
  if (!boxes.ok()) return boxes.error();

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
    Json json = BoxesJson(store, row, boxes->rows[r], &legend);
    json["instants"] = MarksJson(
        store, DrawInstants(store, row, window.value(), boxes->resolution, marks), &legend);
    json["totalSlices"] = CountTouching(*request.trace.model, lanes.value()[r], window.value());
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
  return Json{{"device", SharesOf(index.value()->device_busy, extent, buckets)},
              {"host", SharesOf(index.value()->host_busy, extent, buckets)}};
}

}  // namespace emberline
