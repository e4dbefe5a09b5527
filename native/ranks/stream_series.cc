#include "ranks/stream_series.h"

#include <algorithm>
#include <cmath>

#include "analysis/kernels.h"
#include "analysis/launch_queue.h"
#include "base/saturating.h"

namespace emberline {
namespace {

// Copies and sets are counted for at least this long, as HTA does.
constexpr Ns kShortestCopy = 1'000;

std::string CopyKind(const TraceStore& s, SliceIndex i) {
  if (s.kind(i) == SliceKind::kMemset) return "Memset";
  const std::string_view name = s.name(i);
  return name.starts_with("Memcpy ") ? std::string(name.substr(0, 11)) : "Memcpy Unknown";
}

// Differences in order of time become sums.
void AddUp(std::vector<SeriesPoint>* points) {
  int64_t sum = 0;
  for (SeriesPoint& point : *points) point.value = sum += point.value;
}

}  // namespace

std::map<int64_t, std::vector<SeriesPoint>> QueuesOf(const Model& model, const Device& device) {
  std::map<int64_t, std::vector<SeriesPoint>> streams;
  for (const TrackIndex t : device.streams) {
    for (const Interval& launch : WaitingLaunches(model, t)) {
      std::vector<SeriesPoint>& points = streams[model.store().tracks()[t].stream];
      points.push_back({launch.begin, 1});
      points.push_back({launch.end, -1});
    }
  }
  for (auto& [stream, points] : streams) {
    std::stable_sort(points.begin(), points.end(), [](const SeriesPoint& a, const SeriesPoint& b) {
      return a.at != b.at ? a.at < b.at : a.value > b.value;
    });
    AddUp(&points);
  }
  return streams;
}

std::map<std::string, CopySeries> CopiesOf(const Model& model, const Device& device) {
  const TraceStore& s = model.store();
  std::map<std::string, CopySeries> kinds;
  for (const TrackIndex t : device.streams) {
    const Track& track = s.tracks()[t];
    for (SliceIndex i = track.first; i < track.last; ++i) {
      if (s.kind(i) != SliceKind::kMemcpy && s.kind(i) != SliceKind::kMemset) continue;
      CopySeries& kind = kinds[CopyKind(s, i)];
      ++kind.count;
      kind.time += s.duration(i);
      kind.times.push_back({s.start(i), s.end(i)});
      const auto bytes = CopyBytes(model, i);
      if (!bytes || *bytes < 0) continue;
      const double ns = CopyNs(model, i, *bytes);
      kind.sized.push_back({s.start(i), s.start(i) + static_cast<Ns>(std::llround(ns))});
      kind.bytes = SaturatingAdd(std::max<int64_t>(kind.bytes, 0), *bytes);
      const Ns length = std::max(s.duration(i), kShortestCopy);
      const double rate =
          static_cast<double>(*bytes) * 1e6 / (ns > 0 ? ns : static_cast<double>(length));
      const auto whole = static_cast<int64_t>(std::min(rate, 1e15));
      if (whole <= 0) continue;
      kind.rates.push_back({s.start(i), whole});
      kind.rates.push_back({s.start(i) + length, -whole});
    }
  }
  for (auto& [name, kind] : kinds) {
    std::stable_sort(kind.rates.begin(), kind.rates.end(),
                     [](const SeriesPoint& a, const SeriesPoint& b) { return a.at < b.at; });
    AddUp(&kind.rates);
  }
  return kinds;
}

}  // namespace emberline
