#include "analysis/timeline_device_series.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/kernels.h"
#include "analysis/launch_queue.h"

namespace emberline {
namespace {

using Changes = std::vector<std::pair<Ns, double>>;

bool IsCopy(SliceKind kind) { return kind == SliceKind::kMemcpy; }

}  // namespace

template <typename F>
void DeviceSeries::ForEach(F&& visit) const {
  for (const TrackIndex stream : device_.streams) {
    const Track& track = model_.store().tracks()[stream];
    for (SliceIndex i = track.first; i < track.last; ++i) {
      if (IsDeviceWork(model_.store().kind(i))) visit(i);
    }
  }
}

IntervalSet DeviceSeries::Busy(bool kernels_only) const {
  const TraceStore& store = model_.store();
  std::vector<Interval> intervals;
  ForEach([&](SliceIndex i) {
    if (kernels_only && !IsKernel(store.kind(i))) return;
    intervals.push_back({store.start(i), store.end(i)});
  });
  return Unite(std::move(intervals));
}

TimelineSeries DeviceSeries::SmEfficiency() const {
  const TraceStore& store = model_.store();
  if (!store.HasArg(ArgRole::kBlocksPerSm)) return {};
  Changes changes;
  ForEach([&](SliceIndex i) {
    if (store.kind(i) != SliceKind::kKernel || store.duration(i) <= 0) return;
    const std::optional<double> blocks = store.ArgNumber(i, ArgRole::kBlocksPerSm);
    if (!blocks || !(*blocks > 0)) return;
    // In millionths, so that sums return to exactly zero.
    const double capped = std::round(std::min(*blocks, 1e6) * 1e6);
    changes.emplace_back(store.start(i), capped);
    changes.emplace_back(store.end(i), -capped);
  });
  if (changes.empty()) return {};
  KeptVector<Ns> ns;
  KeptVector<double> value;
  SumChanges(std::move(changes), &ns, &value);
  for (double& v : value) v = std::min(v / 1e6, 1.0);
  return {TimelineSeries::Reduce::kMean, std::move(ns), std::move(value)};
}

TimelineSeries DeviceSeries::CopyBandwidth() const {
  const TraceStore& store = model_.store();
  Changes changes;
  ForEach([&](SliceIndex i) {
    if (!IsCopy(store.kind(i)) || store.duration(i) <= 0) return;
    const std::optional<int64_t> bytes = CopyBytes(model_, i);
    if (!bytes || *bytes <= 0) return;
    // Bytes per ns are GB/s.
    const double rate = static_cast<double>(*bytes) / CopyNs(model_, i, *bytes);
    changes.emplace_back(store.start(i), rate);
    changes.emplace_back(store.end(i), -rate);
  });
  if (changes.empty()) return {};
  KeptVector<Ns> ns;
  KeptVector<double> value;
  SumChanges(std::move(changes), &ns, &value);
  return {TimelineSeries::Reduce::kMean, std::move(ns), std::move(value)};
}

TimelineSeries DeviceSeries::QueueDepth(TrackIndex stream) const {
  Changes changes;
  for (const Interval& launch : WaitingLaunches(model_, stream)) {
    if (launch.begin == launch.end) continue;
    changes.emplace_back(launch.begin, 1);
    changes.emplace_back(launch.end, -1);
  }
  if (changes.empty()) return {};
  KeptVector<Ns> ns;
  KeptVector<double> value;
  SumChanges(std::move(changes), &ns, &value);
  return {TimelineSeries::Reduce::kExtremes, std::move(ns), std::move(value)};
}

TimelineSeries SeriesOfSet(const IntervalSet& set) {
  KeptVector<Ns> ns;
  KeptVector<double> value;
  ns.reserve(2 * set.size());
  value.reserve(2 * set.size());
  for (const Interval& interval : set) {
    ns.push_back(interval.begin);
    value.push_back(1);
    ns.push_back(interval.end);
    value.push_back(0);
  }
  return {TimelineSeries::Reduce::kMean, std::move(ns), std::move(value)};
}

}  // namespace emberline
