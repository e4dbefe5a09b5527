// Launches, queues and copies.
#include <algorithm>
#include <unordered_set>

#include "analysis/intervals.h"
#include "base/saturating.h"
#include "ranks/digest_parts.h"
#include "ranks/launch_rows.h"
#include "ranks/stream_series.h"

namespace emberline {
void AddLaunches(const DigestWork& work, RankDigest* digest) {
  const int64_t rank = digest->rank;
  for (const Device& device : DevicesOf(work.model)) {
    if (work.cancel.cancelled()) return;
    LaunchDigest found;
    found.device = device.ordinal;
    std::unordered_set<SliceIndex> counted;  // launches of several works
    VisitLaunches(work.model, device, work.cancel, [&](const LaunchCall& launched, bool) {
      if (launched.several) {
        ++found.graph_work;
        // A graph that spans devices is a launch on each of them.
        if (counted.insert(launched.call).second) ++found.graph_launches;
        return;
      }
      const LaunchTimes times = TimesOf(work.model, launched);
      found.call.Add(times.call, rank);
      found.work.Add(times.work, rank);
      found.delay.Add(times.delay, rank);
      found.avoidable.Add(times.avoidable, rank);
      if (times.short_work) ++found.short_work;
      if (times.slow_call) ++found.slow_calls;
      if (times.long_delay) ++found.long_delays;
    });
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
