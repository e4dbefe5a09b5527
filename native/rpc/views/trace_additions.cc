// Counters and marks that go into an exported trace beside what was recorded.
#include <algorithm>

#include "ranks/stream_series.h"
#include "rpc/views/timeline_export.h"

namespace emberline {
namespace {

TrackIndex TrackOf(const TraceStore& store, const Device& device, int64_t stream) {
  for (const TrackIndex t : device.streams) {
    if (store.tracks()[t].stream == stream) return t;
  }
  return device.streams.empty() ? kNone : device.streams.front();
}

void AddCounters(const Model& model, const Device& device, TraceAdditions* additions) {
  const TraceStore& store = model.store();
  for (const auto& [stream, points] : QueuesOf(model, device)) {
    TraceAdditions::Counter counter{
        "Queue Length", "Queue Length", stream, TrackOf(store, device, stream), {}};
    for (const SeriesPoint& point : points) {
      counter.points.emplace_back(point.at, static_cast<double>(point.value));
    }
    additions->counters.push_back(std::move(counter));
  }
  for (const auto& [name, copies] : CopiesOf(model, device)) {
    if (device.streams.empty()) continue;
    TraceAdditions::Counter counter{name, "Memcpy BW", -1, device.streams.front(), {}};
    for (const SeriesPoint& point : copies.rates) {
      counter.points.emplace_back(point.at, static_cast<double>(point.value) / 1e6);
    }
    additions->counters.push_back(std::move(counter));
  }
}

}  // namespace

Result<TraceAdditions> AdditionsOf(const Model& model, const CancelToken& cancel) {
  TraceAdditions additions;
  for (const Device& device : model.devices) AddCounters(model, device, &additions);
  const CriticalPathFinder finder(model, cancel);
  const auto path = CriticalPaths(finder, StepsOfPaths(model), cancel);
  if (!path.ok()) return path.error();
  for (const PathSegment& segment : *path) {
    const bool runs = segment.kind != PathKind::kLaunch && segment.kind != PathKind::kKernelGap;
    if (runs && segment.slice != kNone) additions.critical.push_back(segment.slice);
  }
  std::sort(additions.critical.begin(), additions.critical.end());
  additions.critical.erase(std::unique(additions.critical.begin(), additions.critical.end()),
                           additions.critical.end());
  additions.edges = EdgesOf(*path);
  return additions;
}

}  // namespace emberline
