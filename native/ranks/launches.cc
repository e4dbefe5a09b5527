// Launches, queues and copies.
#include <algorithm>
#include <map>
#include <optional>

#include "analysis/intervals.h"
#include "base/saturating.h"
#include "model/graphs.h"
#include "ranks/digest_parts.h"

namespace emberline {
namespace {

// HTA's limits.
constexpr Ns kSlowCall = 50'000;
constexpr Ns kLongDelay = 100'000;
// Copies and sets are counted for at least this long, as HTA does.
constexpr Ns kShortestCopy = 1'000;

// Calls `each` for every work of the device that a call of its own launched.
template <typename Each>
void ForEachLaunch(const Model& model, const Device& device, Each&& each) {
  const TraceStore& s = model.store();
  for (const TrackIndex t : device.streams) {
    const Track& track = s.tracks()[t];
    std::optional<Ns> free;  // when the work before it had ended
    for (SliceIndex i = track.first; i < track.last; ++i) {
      if (!IsDeviceWork(s.kind(i))) continue;
      const SliceIndex call = model.launch[i];
      if (call != kNone) each(track, i, call, free);
      free = free ? std::max(*free, s.end(i)) : s.end(i);
    }
  }
}

// "Memcpy DtoH" as the recorder names copies, whatever the memory's kind.
std::string CopyKind(const TraceStore& s, SliceIndex i) {
  if (s.kind(i) == SliceKind::kMemset) return "Memset";
  const std::string_view name = s.name(i);
  return name.starts_with("Memcpy ") ? std::string(name.substr(0, 11)) : "Memcpy Unknown";
}

}  // namespace

void AddLaunches(const DigestWork& work, RankDigest* digest) {
  const TraceStore& s = work.model.store();
  const int64_t rank = digest->rank;
  for (const Device& device : DevicesOf(work.model)) {
    if (work.cancel.cancelled()) return;
    LaunchDigest found;
    found.device = device.ordinal;
    ForEachLaunch(work.model, device,
                  [&](const Track&, SliceIndex i, SliceIndex call, std::optional<Ns> free) {
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
                  });
    if (found.call.count > 0 || found.graph_work > 0) digest->launches.push_back(std::move(found));
  }
}

void AddQueues(const DigestWork& work, RankDigest* digest) {
  const TraceStore& s = work.model.store();
  struct Change {
    Ns at;
    int delta;
  };
  for (const Device& device : DevicesOf(work.model)) {
    std::map<int64_t, std::vector<Change>> streams;
    ForEachLaunch(work.model, device,
                  [&](const Track& track, SliceIndex i, SliceIndex call, std::optional<Ns>) {
                    // Clocks of host and device may disagree by a little.
                    const Ns begin = std::max(s.start(i), s.start(call));
                    streams[track.stream].push_back({s.start(call), 1});
                    streams[track.stream].push_back({begin, -1});
                  });
    for (auto& [stream, changes] : streams) {
      if (work.cancel.cancelled()) return;
      std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
        return a.at != b.at ? a.at < b.at : a.delta > b.delta;
      });
      QueueDigest queue;
      queue.device = device.ordinal;
      queue.stream = stream;
      int64_t length = 0;
      Ns since = changes.front().at;
      for (const Change& change : changes) {
        queue.time.Add(length, static_cast<uint64_t>(change.at - since));
        length += change.delta;
        since = change.at;
        queue.points.Add(length, digest->rank);
        queue.squares = SaturatingAdd(queue.squares, length * length);
      }
      digest->queues.push_back(std::move(queue));
    }
  }
}

void AddCopies(const DigestWork& work, RankDigest* digest) {
  const TraceStore& s = work.model.store();
  struct Kind {
    CopyDigest copies;
    std::vector<Interval> times;
    std::vector<std::pair<Ns, int64_t>> changes;  // kB/s
  };
  for (const Device& device : DevicesOf(work.model)) {
    std::map<std::string, Kind> kinds;
    for (const TrackIndex t : device.streams) {
      const Track& track = s.tracks()[t];
      for (SliceIndex i = track.first; i < track.last; ++i) {
        if (s.kind(i) != SliceKind::kMemcpy && s.kind(i) != SliceKind::kMemset) continue;
        Kind& kind = kinds[CopyKind(s, i)];
        ++kind.copies.count;
        kind.copies.time += s.duration(i);
        kind.times.push_back({s.start(i), s.end(i)});
        const auto bytes = s.ArgInt(i, ArgRole::kBytes);
        if (!bytes || *bytes < 0) continue;
        kind.copies.bytes = SaturatingAdd(std::max<int64_t>(kind.copies.bytes, 0), *bytes);
        const Ns length = std::max(s.duration(i), kShortestCopy);
        const double rate = static_cast<double>(*bytes) * 1e6 / static_cast<double>(length);
        const auto whole = static_cast<int64_t>(std::min(rate, 1e15));
        if (whole <= 0) continue;
        kind.changes.emplace_back(s.start(i), whole);
        kind.changes.emplace_back(s.start(i) + length, -whole);
      }
    }
    for (auto& [name, kind] : kinds) {
      if (work.cancel.cancelled()) return;
      std::stable_sort(kind.changes.begin(), kind.changes.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      int64_t rate = 0;
      for (const auto& [at, delta] : kind.changes) {
        rate += delta;
        if (rate <= 0) continue;
        ++kind.copies.points;
        kind.copies.rate_sum = SaturatingAdd(kind.copies.rate_sum, rate);
        kind.copies.rate_max = std::max(kind.copies.rate_max, rate);
      }
      kind.copies.device = device.ordinal;
      kind.copies.kind = name;
      kind.copies.busy = LengthOf(Unite(std::move(kind.times)));
      digest->copies.push_back(std::move(kind.copies));
    }
  }
}

}  // namespace emberline
