// Launches, queues and copies.
#include <algorithm>
#include <optional>

#include "analysis/intervals.h"
#include "base/saturating.h"
#include "model/graphs.h"
#include "ranks/digest_parts.h"
#include "ranks/stream_series.h"

namespace emberline {
namespace {

// HTA's limits.
constexpr Ns kSlowCall = 50'000;
constexpr Ns kLongDelay = 100'000;

}  // namespace

void AddLaunches(const DigestWork& work, RankDigest* digest) {
  const TraceStore& s = work.model.store();
  const int64_t rank = digest->rank;
  for (const Device& device : DevicesOf(work.model)) {
    if (work.cancel.cancelled()) return;
    LaunchDigest found;
    found.device = device.ordinal;
    // `free`: when the work before it on its stream had ended, if there was one.
    const auto add = [&](SliceIndex i, SliceIndex call, std::optional<Ns> free) {
      const auto works = work.model.launched[call];
      if (works.size() > 1 || IsGraphLaunch(s.name(call))) {
        ++found.graph_work;
        if (!works.empty() && works.front() == i) ++found.graph_launches;
        return;
      }
      const Ns took = s.duration(call), ran = s.duration(i);
      const Ns delay = std::max<Ns>(0, s.start(i) - s.end(call));
      const Ns ready = std::max(free.value_or(s.end(call)), s.end(call));
      found.call.Add(took, rank);
      found.work.Add(ran, rank);
      found.delay.Add(delay, rank);
      found.avoidable.Add(std::max<Ns>(0, s.start(i) - ready), rank);
      if (ran < took && took <= kSlowCall) ++found.short_work;
      if (took > kSlowCall) ++found.slow_calls;
      if (delay > kLongDelay) ++found.long_delays;
    };
    for (const TrackIndex t : device.streams) {
      const Track& track = s.tracks()[t];
      std::optional<Ns> free;
      for (SliceIndex i = track.first; i < track.last; ++i) {
        if (!IsDeviceWork(s.kind(i))) continue;
        const SliceIndex call = work.model.launch[i];
        if (call != kNone) add(i, call, free);
        free = free ? std::max(*free, s.end(i)) : s.end(i);
      }
    }
    if (found.call.count > 0 || found.graph_work > 0) digest->launches.push_back(std::move(found));
  }
}

void AddQueues(const DigestWork& work, RankDigest* digest) {
  for (const Device& device : DevicesOf(work.model)) {
    if (work.cancel.cancelled()) return;
    for (const auto& [stream, points] : QueuesOf(work.model, device)) {
      QueueDigest queue;
      queue.device = device.ordinal;
      queue.stream = stream;
      int64_t length = 0;
      Ns since = points.front().at;
      for (const SeriesPoint& point : points) {
        queue.time.Add(length, static_cast<uint64_t>(point.at - since));
        if (length >= kFullQueue) queue.full += point.at - since;
        length = point.value;
        since = point.at;
        queue.points.Add(length, digest->rank);
      }
      digest->queues.push_back(std::move(queue));
    }
  }
}

void AddCopies(const DigestWork& work, RankDigest* digest) {
  for (const Device& device : DevicesOf(work.model)) {
    if (work.cancel.cancelled()) return;
    for (auto& [name, kind] : CopiesOf(work.model, device)) {
      CopyDigest copies;
      copies.device = device.ordinal;
      copies.kind = name;
      copies.count = kind.count;
      copies.bytes = kind.bytes;
      copies.time = kind.time;
      for (const SeriesPoint& point : kind.rates) {
        if (point.value <= 0) continue;
        ++copies.points;
        copies.rate_sum = SaturatingAdd(copies.rate_sum, point.value);
        copies.rate_max = std::max(copies.rate_max, point.value);
      }
      copies.busy = LengthOf(Unite(std::move(kind.times)));
      copies.sized_busy = LengthOf(Unite(std::move(kind.sized)));
      digest->copies.push_back(std::move(copies));
    }
  }
}

}  // namespace emberline
