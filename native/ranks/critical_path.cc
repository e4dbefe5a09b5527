#include "ranks/critical_path.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "base/hash.h"
#include "base/text.h"
#include "model/names.h"
#include "ranks/digest_parts.h"
#include "ranks/host_segments.h"

namespace emberline {
namespace {

constexpr size_t kMaxThreads = 8;
constexpr size_t kMaxName = 200;
constexpr size_t kKept = 40;  // rows of a digest

}  // namespace

const char* PathKindName(PathKind kind) {
  static constexpr const char* kNames[kPathKindCount] = {
      "host",          "hostUnknown", "dataLoading", "launch",         "computation",
      "communication", "copy",        "kernelGap",   "synchronisation"};
  return kNames[static_cast<size_t>(kind)];
}

CriticalPathFinder::CriticalPathFinder(const Model& model, const CancelToken& cancel)
    : m_(model), s_(model.store()) {
  CollectHost(cancel);
  CollectWorks();
}

void CriticalPathFinder::CollectHost(const CancelToken& cancel) {
  const TrackIndex main = MainThread(m_);
  std::map<TrackIndex, size_t> launches;
  for (SliceIndex i = 0; i < s_.slice_count(); ++i) {
    if (IsDeviceWork(s_.kind(i)) && m_.launch[i] != kNone) ++launches[s_.track(m_.launch[i])];
  }
  std::vector<std::pair<size_t, TrackIndex>> order;
  for (const auto& [track, count] : launches) order.emplace_back(count, track);
  std::sort(order.rbegin(), order.rend());
  std::vector<HostSegment> host;
  if (order.size() > kMaxThreads) order.resize(kMaxThreads);
  for (const auto& [count, track] : order) {
    if (track == main) continue;
    host = Overlay(host, SegmentsOf(m_, track, cancel));
  }
  if (main != kNone) host = Overlay(host, SegmentsOf(m_, main, cancel));
  for (const HostSegment& part : host) host_.push_back({part.time, part.slice});
}

void CriticalPathFinder::CollectWorks() {
  work_of_.assign(s_.slice_count(), kNone);
  for (const Device& device : m_.devices) {
    for (const TrackIndex t : device.streams) {
      for (SliceIndex i = s_.tracks()[t].first; i < s_.tracks()[t].last; ++i) {
        if (IsDeviceWork(s_.kind(i))) works_.push_back({{s_.start(i), s_.end(i)}, i, kNone});
      }
    }
  }
  std::sort(works_.begin(), works_.end(), [](const Work& a, const Work& b) {
    return std::tie(a.time.end, a.time.begin, a.slice) <
           std::tie(b.time.end, b.time.begin, b.slice);
  });
  for (uint32_t w = 0; w < works_.size(); ++w) work_of_[works_[w].slice] = w;
  // Waits for events of other streams: from the call that recorded the event to the last work that
  // its stream had been given before.
  std::unordered_map<int64_t, SliceIndex> records;
  struct Wait {
    Ns at;
    uint32_t work;
  };
  std::map<std::pair<int64_t, int64_t>, std::vector<Wait>> waits;  // by device and stream
  std::map<std::pair<int64_t, int64_t>, std::vector<std::pair<Ns, uint32_t>>> given;  // by launch
  for (SliceIndex i = 0; i < s_.slice_count(); ++i) {
    if (IsLaunchApi(s_.kind(i)) && s_.name(i).find("EventRecord") != std::string_view::npos) {
      if (const auto id = s_.ArgInt(i, ArgRole::kCorrelation)) records.emplace(*id, i);
    }
  }
  for (uint32_t w = 0; w < works_.size(); ++w) {
    const Track& track = s_.tracks()[s_.track(works_[w].slice)];
    const SliceIndex launch = m_.launch[works_[w].slice];
    if (launch != kNone) given[{track.device, track.stream}].emplace_back(s_.start(launch), w);
  }
  for (auto& [stream, list] : given) std::sort(list.begin(), list.end());
  for (SliceIndex i = 0; i < s_.slice_count(); ++i) {
    if (s_.kind(i) != SliceKind::kSync || s_.name(i) != "Stream Wait Event") continue;
    const auto id = s_.ArgInt(i, ArgRole::kWaitedRecord);
    const auto from = s_.ArgInt(i, ArgRole::kWaitedStream),
               stream = s_.ArgInt(i, ArgRole::kWaitingStream);
    if (!id || !from || !stream || records.count(*id) == 0) continue;
    const int64_t device = s_.ArgInt(i, ArgRole::kWaitingDevice).value_or(0);
    const auto source = given.find({device, *from});
    if (source == given.end()) continue;
    const Ns recorded = s_.start(records[*id]);
    auto at = std::lower_bound(source->second.begin(), source->second.end(),
                               std::pair(recorded, uint32_t{0}));
    if (at == source->second.begin()) continue;
    const SliceIndex launch = m_.launch[i];
    waits[{device, *stream}].push_back(
        {launch != kNone ? s_.start(launch) : s_.start(i), std::prev(at)->second});
  }
  for (auto& [stream, list] : waits) {
    std::sort(list.begin(), list.end(), [](const Wait& a, const Wait& b) { return a.at < b.at; });
  }
  // What each work comes after: the work before it on its stream, or what it waited for.
  for (const Device& device : m_.devices) {
    for (const TrackIndex t : device.streams) {
      const Track& track = s_.tracks()[t];
      uint32_t before = kNone;
      const std::vector<Wait>& list = waits[{track.device, track.stream}];
      size_t next = 0;
      uint32_t waited = kNone;
      for (SliceIndex i = track.first; i < track.last; ++i) {
        if (!IsDeviceWork(s_.kind(i))) continue;
        const uint32_t w = work_of_[i];
        const SliceIndex launch = m_.launch[i];
        for (; launch != kNone && next < list.size() && list[next].at <= s_.start(launch); ++next) {
          if (waited == kNone || list[next].work > waited) waited = list[next].work;
        }
        for (const uint32_t candidate : {before, waited}) {
          if (candidate == kNone || works_[candidate].time.end > s_.start(i)) continue;
          // Works are in the order of their ends.
          if (works_[w].before == kNone || candidate > works_[w].before) {
            works_[w].before = candidate;
          }
        }
        if (before == kNone || w > before) before = w;
      }
    }
  }
}

PathKind CriticalPathFinder::KindOf(SliceIndex work) const {
  if (!IsKernel(s_.kind(work))) return PathKind::kCopy;
  return m_.is_communication[work] ? PathKind::kCommunication : PathKind::kComputation;
}

// The work for whose end a part of the host waited; kNone where it did not wait.
uint32_t CriticalPathFinder::WaitedFor(size_t part) const {
  const HostPart& host = host_[part];
  if (!IsLaunchApi(s_.kind(host.slice))) return kNone;
  const Ns begin = s_.start(host.slice), end = s_.end(host.slice);
  uint32_t last = kNone;
  if (IsSynchronisingCall(s_.name(host.slice))) {
    const auto at =
        std::upper_bound(works_.begin(), works_.end(), end,
                         [](Ns value, const Work& work) { return value < work.time.end; });
    if (at != works_.begin()) last = static_cast<uint32_t>(at - works_.begin()) - 1;
  } else {
    // A copy that its call waits for.
    for (const SliceIndex work : m_.launched[host.slice]) {
      if (work_of_[work] == kNone || s_.end(work) > end) continue;
      if (s_.kind(work) == SliceKind::kMemcpy) last = work_of_[work];
    }
  }
  return last != kNone && works_[last].time.end > begin ? last : kNone;
}

std::vector<PathSegment> CriticalPathFinder::Find(Interval window, SliceIndex last) const {
  std::vector<PathSegment> path;
  Ns at = window.end;
  uint32_t work = kNone;  // where the path is; kNone: on the host
  const auto add = [&](Ns begin, PathKind kind, SliceIndex slice) {
    begin = std::max(begin, window.begin);
    if (begin < at) path.push_back({{begin, at}, kind, slice});
    at = std::min(at, begin);
  };
  auto part = std::lower_bound(host_.begin(), host_.end(), at, [](const HostPart& one, Ns value) {
    return one.time.begin < value;
  });
  if (last != kNone && work_of_[last] != kNone && s_.end(last) <= at) {
    work = work_of_[last];
    add(works_[work].time.end, PathKind::kSynchronisation, last);
  }
  while (at > window.begin) {
    if (work != kNone) {
      const Work& one = works_[work];
      add(one.time.begin, KindOf(one.slice), one.slice);
      const SliceIndex launch = m_.launch[one.slice];
      const Ns launched = launch == kNone ? INT64_MIN : s_.start(launch);
      const Ns before = one.before == kNone ? INT64_MIN : works_[one.before].time.end;
      if (one.before != kNone && before >= launched) {
        add(before, PathKind::kKernelGap, one.slice);
        work = one.before;
      } else if (launch != kNone && launched <= at) {
        add(launched, PathKind::kLaunch, one.slice);
        work = kNone;
      } else {
        work = kNone;
      }
      continue;
    }
    while (part != host_.begin() && std::prev(part)->time.begin >= at) --part;
    if (part == host_.begin()) {
      add(window.begin, PathKind::kHostUnknown, kNone);
      break;
    }
    const HostPart& host = *std::prev(part);
    if (host.time.end < at) add(host.time.end, PathKind::kHostUnknown, kNone);
    if (at <= window.begin) break;
    const uint32_t waited = WaitedFor(static_cast<size_t>(std::prev(part) - host_.begin()));
    const Interval work_time = waited == kNone ? Interval{} : works_[waited].time;
    // Each turn goes back in time: work of no length must lie before.
    if (waited != kNone && work_time.end > host.time.begin && work_time.end <= at &&
        work_time.begin < at) {
      add(works_[waited].time.end, PathKind::kSynchronisation, host.slice);
      work = waited;
      continue;
    }
    const bool loads = ClassifyRange(s_.name(host.slice)) == RangeKind::kDataLoader;
    add(host.time.begin, loads ? PathKind::kDataLoading : PathKind::kHost, host.slice);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<PathDigest> SumCriticalPaths(const Model& model, FrameFinder& frames,
                                         const CancelToken& cancel) {
  const TraceStore& s = model.store();
  const CriticalPathFinder finder(model, cancel);
  struct Sum {
    Ns time = 0;
    uint64_t count = 0;
  };
  std::map<std::pair<PathKind, SliceIndex>, Sum> slices;
  Ns whole = 0, end = INT64_MIN;
  std::vector<SliceIndex> last(model.steps.size(), kNone);
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    const uint32_t step = model.step[i];
    if (!IsDeviceWork(s.kind(i)) || step >= last.size()) continue;
    if (last[step] == kNone || s.end(i) > s.end(last[step])) last[step] = i;
  }
  for (const Step& step : model.steps) {
    if (cancel.cancelled()) return {};
    if (step.partial && model.steps.size() > 1) continue;
    // Steps of several profilers lie across each other: their time counts once.
    if (step.time.begin < end) continue;
    end = step.time.end;
    whole += step.time.Length();
    const auto index = static_cast<size_t>(&step - model.steps.data());
    const SliceIndex ends =
        last[index] != kNone && s.end(last[index]) >= step.host.end ? last[index] : kNone;
    for (const PathSegment& segment : finder.Find(step.time, ends)) {
      Sum& sum = slices[{segment.kind, segment.slice}];
      sum.time += segment.time.Length();
      ++sum.count;
    }
  }
  std::map<std::tuple<std::string, std::string, std::string>, Sum> names;
  for (const auto& [key, sum] : slices) {
    const auto& [kind, slice] = key;
    std::string name, place;
    if (slice != kNone) {
      SliceIndex named = slice;
      const bool device = IsDeviceWork(s.kind(slice));
      if (device && model.SourceOp(slice) != kNone) named = model.SourceOp(slice);
      if (!device && IsLaunchApi(s.kind(slice)) && !IsSynchronisingCall(s.name(slice)) &&
          model.op[slice] != kNone) {
        named = model.op[slice];
      }
      name = s.kind(named) == SliceKind::kPythonFunction ? ParseFrameName(s.name(named)).function
                                                         : std::string(s.name(named));
      place = PlaceOf(frames, slice);
    }
    Sum& total = names[{PathKindName(kind), Shortened(name, kMaxName), place}];
    total.time += sum.time;
    total.count += sum.count;
  }
  std::vector<PathDigest> rows;
  for (const auto& [key, sum] : names) {
    rows.push_back(
        {std::get<0>(key), std::get<1>(key), std::get<2>(key), sum.count, sum.time, whole});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const PathDigest& a, const PathDigest& b) { return a.time > b.time; });
  // What is left of each kind becomes one row, so that the rows add up to the steps.
  std::map<std::string, PathDigest> rest;
  while (rows.size() > kKept) {
    PathDigest& sum = rest[rows.back().kind];
    sum.kind = rows.back().kind;
    sum.name = "(others)";
    sum.count += rows.back().count;
    sum.time += rows.back().time;
    sum.whole = whole;
    rows.pop_back();
  }
  for (auto& [kind, row] : rest) rows.push_back(std::move(row));
  return rows;
}

}  // namespace emberline
