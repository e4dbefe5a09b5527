#include <algorithm>

#include "analysis/timeline.h"
#include "analysis/timeline_lanes.h"

namespace emberline {
namespace {

constexpr size_t kMaxLaunched = 50;

// Calls `visit` for the slices of the same track that begin inside `slice`, in order.
template <typename F>
void ForEachInside(const TraceStore& store, SliceIndex slice, F&& visit) {
  const SliceIndex last = store.tracks()[store.track(slice)].last;
  const Ns end = store.end(slice);
  for (SliceIndex i = slice + 1; i < last && store.start(i) < end; ++i) visit(i);
}

// True when `slice` encloses `inner` by the chain of parents.
bool Encloses(const TraceStore& store, SliceIndex slice, SliceIndex inner) {
  SliceIndex at = inner;
  while (at != kNone && at > slice) at = store.parent(at);
  return at == slice;
}

}  // namespace

SliceSurroundings SurroundingsOf(const Model& model, SliceIndex slice) {
  const TraceStore& store = model.store();
  SliceSurroundings around;
  around.self = store.duration(slice);
  const auto take = [&](SliceIndex i) {
    for (const uint32_t device : model.launched[i]) {
      if (around.launched.size() < kMaxLaunched) around.launched.push_back(device);
      ++around.launched_total;
    }
  };
  take(slice);
  ForEachInside(store, slice, [&](SliceIndex i) {
    if (store.parent(i) == slice) {
      ++around.children;
      around.self -= store.duration(i);
    }
    if (!model.launched[i].empty() && Encloses(store, slice, i)) take(i);
  });
  around.self = std::max<Ns>(around.self, 0);
  return around;
}

ForwardBackward BuildForwardBackward(const Model& model) {
  ForwardBackward pairs;
  for (SliceIndex i = 0; i < model.forward.size(); ++i) {
    if (model.forward[i] != kNone) pairs.emplace_back(model.forward[i], i);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

SliceIndex NeighbourOf(const TraceStore& store, const TimelineTrackLanes& lanes, SliceIndex slice,
                       Direction direction) {
  if (direction == Direction::kOut) return store.parent(slice);
  if (direction == Direction::kIn) {
    const SliceIndex last = store.tracks()[store.track(slice)].last;
    for (SliceIndex i = slice + 1; i < last && store.start(i) <= store.end(slice); ++i) {
      if (store.parent(i) == slice) return i;
    }
    return kNone;
  }
  const size_t lane = store.depth(slice);
  if (lane >= lanes.lanes().size()) return kNone;
  const std::vector<SliceIndex>& on_lane = lanes.lanes()[lane].slices();
  const auto at = std::lower_bound(on_lane.begin(), on_lane.end(), slice);
  if (at == on_lane.end() || *at != slice) return kNone;
  if (direction == Direction::kNext) return at + 1 == on_lane.end() ? kNone : *(at + 1);
  return at == on_lane.begin() ? kNone : *(at - 1);
}

namespace {

// Collects arrows and counts those beyond the limit.
class ArrowList {
 public:
  explicit ArrowList(size_t limit) : limit_(limit) {}
  void Add(SliceIndex from, SliceIndex to, TimelineArrow::Kind kind) {
    ++list_.total;
    if (list_.arrows.size() < limit_) list_.arrows.push_back({from, to, kind});
  }
  TimelineArrows Take() { return std::move(list_); }

 private:
  size_t limit_;
  TimelineArrows list_;
};

// Flows that the model knows better: launches by correlation, backward ops by forward.
bool IsModelled(std::string_view name) {
  return name == "ac2g" || name == "fwdbwd" || name == "fwd_bwd" || name == "async_cpu_to_gpu" ||
         name == "async_gpu" || name == "forward_backward";
}

// Calls `visit(from, to)` for the recorded flows beside those.
template <typename F>
void ForEachOtherFlow(const TraceStore& store, F&& visit) {
  const std::vector<FlowPoint>& flows = store.flows();
  for (size_t i = 0; i + 1 < flows.size(); ++i) {
    const FlowPoint& from = flows[i];
    const FlowPoint& to = flows[i + 1];
    if (from.id != to.id || from.phase == FlowPhase::kEnd || to.phase == FlowPhase::kStart)
      continue;
    if (from.slice == kNone || to.slice == kNone || from.name != to.name) continue;
    const std::string_view category = store.strings().Get(store.categories()[from.category].raw);
    if (IsModelled(category) || IsModelled(store.strings().Get(from.name))) continue;
    visit(from.slice, to.slice);
  }
}

}  // namespace

TimelineArrows ArrowsOf(const Model& model, const ForwardBackward& pairs, SliceIndex slice,
                        size_t limit) {
  const TraceStore& store = model.store();
  ArrowList list(limit);
  if (model.launch[slice] != kNone) {
    list.Add(model.launch[slice], slice, TimelineArrow::Kind::kLaunch);
  }
  const auto launches = [&](SliceIndex i) {
    for (const uint32_t device : model.launched[i]) {
      list.Add(i, device, TimelineArrow::Kind::kLaunch);
    }
  };
  launches(slice);
  if (store.kind(slice) == SliceKind::kCpuOp || store.kind(slice) == SliceKind::kUserAnnotation ||
      store.kind(slice) == SliceKind::kPythonFunction) {
    ForEachInside(store, slice, [&](SliceIndex i) {
      if (!model.launched[i].empty() && Encloses(store, slice, i)) launches(i);
    });
  }
  if (model.forward[slice] != kNone) {
    list.Add(model.forward[slice], slice, TimelineArrow::Kind::kForwardBackward);
  }
  const auto first =
      std::lower_bound(pairs.begin(), pairs.end(), std::pair<SliceIndex, SliceIndex>(slice, 0));
  for (auto it = first; it != pairs.end() && it->first == slice; ++it) {
    list.Add(slice, it->second, TimelineArrow::Kind::kForwardBackward);
  }
  ForEachOtherFlow(store, [&](SliceIndex from, SliceIndex to) {
    if (from == slice || to == slice) list.Add(from, to, TimelineArrow::Kind::kOther);
  });
  return list.Take();
}

TimelineArrows ArrowsIn(const Model& model, const ForwardBackward& pairs, Interval window,
                        size_t limit) {
  const TraceStore& store = model.store();
  const auto touches = [&](SliceIndex i) {
    return store.start(i) < window.end && store.end(i) > window.begin;
  };
  ArrowList list(limit);
  for (const auto& [forward, backward] : pairs) {
    if (touches(forward) || touches(backward)) {
      list.Add(forward, backward, TimelineArrow::Kind::kForwardBackward);
    }
  }
  for (const Track& track : store.tracks()) {
    if (track.kind != TrackKind::kDeviceStream) continue;
    for (SliceIndex i = track.first; i < track.last; ++i) {
      const SliceIndex launch = model.launch[i];
      if (launch == kNone || !(touches(i) || touches(launch))) continue;
      list.Add(launch, i, TimelineArrow::Kind::kLaunch);
    }
  }
  ForEachOtherFlow(store, [&](SliceIndex from, SliceIndex to) {
    if (touches(from) || touches(to)) list.Add(from, to, TimelineArrow::Kind::kOther);
  });
  return list.Take();
}

}  // namespace emberline
