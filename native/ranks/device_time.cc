// Where the time of each device went, per step and over the trace.
#include <algorithm>
#include <map>

#include "analysis/intervals.h"
#include "ranks/digest_parts.h"

namespace emberline {
namespace {

using Sets = std::array<IntervalSet, 3>;  // computation, communication, memory

// The time of every combination of the three kinds, as sets that do not overlap. [0] stays empty.
std::array<IntervalSet, 8> Combine(const Sets& kinds) {
  struct Edge {
    Ns at;
    size_t bit;
  };
  std::vector<Edge> edges;
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    for (const Interval& part : kinds[kind]) {
      edges.push_back({part.begin, size_t{1} << kind});
      edges.push_back({part.end, size_t{1} << kind});
    }
  }
  // A kind's set neither overlaps nor touches itself: each of its edges turns its bit over.
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.at < b.at; });
  std::array<IntervalSet, 8> combined;
  size_t running = 0;
  Ns since = 0;
  for (const Edge& edge : edges) {
    if (running != 0 && edge.at > since) combined[running].push_back({since, edge.at});
    running ^= edge.bit;
    since = edge.at;
  }
  return combined;
}

DeviceTime TimeOf(int64_t device, int64_t step, Ns length, const std::array<Ns, 8>& parts) {
  DeviceTime time;
  time.device = device;
  time.step = step;
  time.length = length;
  time.combinations = parts;
  for (size_t i = 1; i < parts.size(); ++i) {
    time.busy += parts[i];
    const bool computes = (i & kComputation) != 0, talks = (i & kCommunicationBit) != 0;
    if (computes) (talks ? time.overlap : time.computation) += parts[i];
    if (talks && !computes) time.communication += parts[i];
  }
  time.combinations[0] = length - time.busy;
  return time;
}

void AddTimes(int64_t device, const Sets& kinds, const Model& model, RankDigest* digest) {
  const std::array<IntervalSet, 8> combined = Combine(kinds);
  std::array<Ns, 8> parts{};
  Interval span{0, 0};
  bool any = false;
  std::vector<IntervalLengths> lengths;
  for (size_t i = 0; i < combined.size(); ++i) {
    parts[i] = LengthOf(combined[i]);
    lengths.emplace_back(combined[i]);
    if (combined[i].empty()) continue;
    span.begin = any ? std::min(span.begin, combined[i].front().begin) : combined[i].front().begin;
    span.end = any ? std::max(span.end, combined[i].back().end) : combined[i].back().end;
    any = true;
  }
  if (!any) return;
  digest->times.push_back(TimeOf(device, -1, span.Length(), parts));
  for (size_t step = 0; step < model.steps.size(); ++step) {
    const Interval time = model.steps[step].time;
    for (size_t i = 1; i < parts.size(); ++i) parts[i] = lengths[i].Within(time);
    digest->times.push_back(TimeOf(device, static_cast<int64_t>(step), time.Length(), parts));
  }
}

// Without device work, operators compute and the calls of host libraries communicate. A call inside
// an operator is no computation of that thread.
Sets HostSets(const DigestWork& work) {
  const TraceStore& s = work.model.store();
  std::map<TrackIndex, std::vector<Interval>> calls;
  std::vector<Interval> all_calls, computing;
  for (const Collective& c : work.collectives.calls) {
    const Interval time{s.start(c.slice), s.end(c.slice)};
    calls[s.track(c.slice)].push_back(time);
    all_calls.push_back(time);
  }
  for (TrackIndex t = 0; t < s.tracks().size(); ++t) {
    const Track& track = s.tracks()[t];
    if (track.kind != TrackKind::kHostThread) continue;
    std::vector<Interval> ops;
    for (SliceIndex i = track.first; i < track.last; ++i) {
      if (work.model.IsOp(i) && work.model.op[i] == kNone) ops.push_back({s.start(i), s.end(i)});
    }
    IntervalSet own = Unite(std::move(ops));
    const auto here = calls.find(t);
    if (here != calls.end()) own = Subtract(own, Unite(here->second));
    computing.insert(computing.end(), own.begin(), own.end());
  }
  return {Unite(std::move(computing)), Unite(std::move(all_calls)), {}};
}

}  // namespace

void AddDeviceTimes(const DigestWork& work, RankDigest* digest) {
  const TraceStore& s = work.model.store();
  for (const Device& device : DevicesOf(work.model)) {
    std::array<std::vector<Interval>, 3> found;
    for (const TrackIndex t : device.streams) {
      if (work.cancel.cancelled()) return;
      const Track& track = s.tracks()[t];
      for (SliceIndex i = track.first; i < track.last; ++i) {
        if (!IsDeviceWork(s.kind(i))) continue;
        const size_t kind = !IsKernel(s.kind(i)) ? 2 : work.model.is_communication[i] ? 1 : 0;
        found[kind].push_back({s.start(i), s.end(i)});
      }
    }
    Sets kinds;
    for (size_t kind = 0; kind < kinds.size(); ++kind) kinds[kind] = Unite(std::move(found[kind]));
    AddTimes(device.ordinal, kinds, work.model, digest);
  }
  if (digest->times.empty()) AddTimes(-1, HostSets(work), work.model, digest);
}

}  // namespace emberline
