#include "ranks/critical_path.h"

#include <algorithm>

#include "model/names.h"

namespace emberline {

const char* PathKindName(PathKind kind) {
  static constexpr const char* kNames[kPathKindCount] = {
      "host",          "hostUnknown", "dataLoading", "launch",         "computation",
      "communication", "copy",        "kernelGap",   "synchronization"};
  return kNames[static_cast<size_t>(kind)];
}

PathKind CriticalPathFinder::KindOf(SliceIndex work) const {
  if (!IsKernel(s_.kind(work))) return PathKind::kCopy;
  return m_.is_communication[work] ? PathKind::kCommunication : PathKind::kComputation;
}

PathKind CriticalPathFinder::KindOfHost(SliceIndex slice) const {
  const bool loads = ClassifyRange(s_.name(slice)) == RangeKind::kDataLoader;
  return loads ? PathKind::kDataLoading : PathKind::kHost;
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
  const std::vector<WorkGraph::HostPart>& parts = graph_.host();
  const std::vector<WorkGraph::Work>& works = graph_.works();
  auto part = std::lower_bound(
      parts.begin(), parts.end(), at,
      [](const WorkGraph::HostPart& one, Ns value) { return one.time.begin < value; });
  if (last != kNone && graph_.WorkOf(last) != kNone && s_.end(last) <= at) {
    work = graph_.WorkOf(last);
    add(works[work].time.end, PathKind::kSynchronization, last);
  }
  while (at > window.begin) {
    if (work != kNone) {
      const WorkGraph::Work& one = works[work];
      add(one.time.begin, KindOf(one.slice), one.slice);
      const SliceIndex launch = m_.launch[one.slice];
      const Ns launched = launch == kNone ? INT64_MIN : s_.start(launch);
      const Ns before = one.before == kNone ? INT64_MIN : works[one.before].time.end;
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
    while (part != parts.begin() && std::prev(part)->time.begin >= at) --part;
    if (part == parts.begin()) {
      add(window.begin, PathKind::kHostUnknown, kNone);
      break;
    }
    const WorkGraph::HostPart& host = *std::prev(part);
    if (host.time.end < at) add(host.time.end, PathKind::kHostUnknown, kNone);
    if (at <= window.begin) break;
    const uint32_t waited = graph_.WaitedFor(static_cast<size_t>(std::prev(part) - parts.begin()));
    const Interval work_time = waited == kNone ? Interval{} : works[waited].time;
    // Each turn goes back in time: work of no length must lie before.
    if (waited != kNone && work_time.end > host.time.begin && work_time.end <= at &&
        work_time.begin < at) {
      add(works[waited].time.end, PathKind::kSynchronization, host.slice);
      work = waited;
      continue;
    }
    add(host.time.begin, KindOfHost(host.slice), host.slice);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<PathEdge> EdgesOf(const std::vector<PathSegment>& path) {
  std::vector<PathEdge> edges;
  SliceIndex from = kNone;
  Ns left = 0;  // when the path left it
  PathKind between = PathKind::kHost;
  bool passes = false;  // something lies between
  for (const PathSegment& segment : path) {
    const bool runs = segment.kind != PathKind::kLaunch && segment.kind != PathKind::kKernelGap &&
                      segment.kind != PathKind::kHostUnknown && segment.slice != kNone;
    if (!runs) {
      between = segment.kind;
      passes = true;
      continue;
    }
    // A call that waited is reached when it comes back.
    const bool waited = segment.kind == PathKind::kSynchronization;
    const Ns reached = waited ? segment.time.end : segment.time.begin;
    if (from != kNone && from != segment.slice) {
      const bool told = waited || !passes;
      edges.push_back({{left, reached}, told ? segment.kind : between, from, segment.slice});
    }
    from = segment.slice;
    left = segment.time.end;
    passes = false;
  }
  return edges;
}

std::vector<PathStep> StepsOfPaths(const Model& model) {
  const TraceStore& s = model.store();
  std::vector<SliceIndex> last(model.steps.size(), kNone);
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    const uint32_t step = model.step[i];
    if (!IsDeviceWork(s.kind(i)) || step >= last.size()) continue;
    if (last[step] == kNone || s.end(i) > s.end(last[step])) last[step] = i;
  }
  std::vector<PathStep> steps;
  Ns end = INT64_MIN;
  for (size_t i = 0; i < model.steps.size(); ++i) {
    const Step& step = model.steps[i];
    if ((step.partial && model.steps.size() > 1) || step.time.begin < end) continue;
    end = step.time.end;
    const bool by_device = last[i] != kNone && s.end(last[i]) >= step.host.end;
    steps.push_back({step.time, step.host, by_device ? last[i] : kNone});
  }
  return steps;
}

Result<std::vector<PathSegment>> CriticalPaths(const CriticalPathFinder& finder,
                                               const std::vector<PathStep>& steps,
                                               const CancelToken& cancel) {
  std::vector<PathSegment> path;
  for (const PathStep& step : steps) {
    if (cancel.cancelled()) {
      return Cancelled();
    }
    const std::vector<PathSegment> part = finder.Find(step.time, step.last);
    path.insert(path.end(), part.begin(), part.end());
  }
  return path;
}

}  // namespace emberline
