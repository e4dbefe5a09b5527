#include <algorithm>

#include "analysis/timeline.h"
#include "analysis/timeline_lanes.h"

namespace emberline {
namespace {

constexpr size_t kMaxLaunched = 50;
constexpr size_t kMaxBackward = 50;

// Calls `visit` for the slices that `slice` encloses by the chain of parents, in order. What begins
// inside and ends outside, and what lies in that, is no part of it.
template <typename F>
void ForEachInside(const TraceStore& store, SliceIndex slice, F&& visit) {
  const SliceIndex last = store.tracks()[store.track(slice)].last;
  const Ns end = store.end(slice);
  std::vector<bool> inside = {true};  // by the distance from `slice`; parents stand before children
  for (SliceIndex i = slice + 1; i < last && store.start(i) < end; ++i) {
    const SliceIndex parent = store.parent(i);
    inside.push_back(parent != kNone && parent >= slice && inside[parent - slice]);
    if (inside.back()) visit(i);
  }
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
    take(i);
  });
  around.self = std::max<Ns>(around.self, 0);
  return around;
}

Result<std::vector<SliceIndex>> SlicesTouching(const TraceStore& store, Interval window,
                                               const CancelToken& cancel) {
  std::vector<SliceIndex> slices;
  for (SliceIndex i = 0; i < store.slice_count(); ++i) {
    if (i % kCancelStride == 0 && cancel.cancelled()) {
      return Cancelled();
    }
    if (Touches({store.start(i), store.end(i)}, window)) slices.push_back(i);
  }
  return slices;
}

ForwardBackward BuildForwardBackward(const Model& model) {
  ForwardBackward pairs;
  for (SliceIndex i = 0; i < model.forward.size(); ++i) {
    if (model.forward[i] != kNone) pairs.emplace_back(model.forward[i], i);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

std::vector<SliceIndex> BackwardOf(const ForwardBackward& pairs, SliceIndex forward) {
  std::vector<SliceIndex> backward;
  auto pair =
      std::lower_bound(pairs.begin(), pairs.end(), std::pair<SliceIndex, SliceIndex>(forward, 0));
  for (; pair != pairs.end() && pair->first == forward && backward.size() < kMaxBackward; ++pair) {
    backward.push_back(pair->second);
  }
  return backward;
}

SliceIndex NeighborOf(const TraceStore& store, const TimelineTrackLanes& lanes, SliceIndex slice,
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
TimelineArrow ArrowOf(SliceIndex from, SliceIndex to, TimelineArrow::Kind kind) {
  TimelineArrow arrow;
  arrow.from = from;
  arrow.to = to;
  arrow.kind = kind;
  return arrow;
}

class ArrowList {
 public:
  explicit ArrowList(size_t limit) : limit_(limit) {}
  void Add(SliceIndex from, SliceIndex to, TimelineArrow::Kind kind) {
    Add(ArrowOf(from, to, kind));
  }
  void Add(const TimelineArrow& arrow) {
    ++list_.total;
    if (list_.arrows.size() < limit_) list_.arrows.push_back(arrow);
  }
  TimelineArrows Take() { return std::move(list_); }

 private:
  size_t limit_;
  TimelineArrows list_;
};

// Calls `visit(arrow)` for the recorded flows that the model does not hold already: of other
// categories, and those that it made nothing of.
template <typename F>
void ForEachOtherFlow(const Model& model, F&& visit) {
  const TraceStore& store = model.store();
  const FlowPoint* from = nullptr;  // last start or step of the id
  for (const FlowPoint& to : store.flows()) {
    if (from != nullptr && from->id != to.id) from = nullptr;
    const FlowPoint* begin = from;
    if (to.phase != FlowPhase::kEnd) from = &to;
    if (begin == nullptr || to.phase == FlowPhase::kStart) continue;
    if (begin->slice == kNone || to.slice == kNone) continue;
    // Of launches and of forward to backward the model knows more, where it knows them.
    const bool modeled = to.role != FlowRole::kOther;
    const uint64_t args = store.FlowArgs(*begin), args_at_end = store.FlowArgs(to);
    // The same link once more, in a category of an old recorder, says nothing new.
    const bool known =
        model.launch[to.slice] == begin->slice || model.forward[to.slice] == begin->slice;
    if (known && args == 0 && args_at_end == 0) continue;
    // A launch's flow ends at the work or at a call inside the launch; a forward op's at an op
    // below the node that the model links.
    if (modeled && (model.launch[to.slice] != kNone || IsLaunchApi(store.kind(to.slice)) ||
                    store.kind(to.slice) == SliceKind::kCpuOp)) {
      continue;
    }
    visit(TimelineArrow{begin->slice, to.slice, TimelineArrow::Kind::kOther, begin->ts, to.ts,
                        begin->category, begin->name, args, args_at_end});
  }
}

}  // namespace

TimelineArrows ArrowsOf(const Model& model, const ForwardBackward& pairs,
                        const TimelineFlowSet& flows, SliceIndex slice, size_t limit) {
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
    ForEachInside(store, slice, launches);
  }
  if (model.forward[slice] != kNone) {
    list.Add(model.forward[slice], slice, TimelineArrow::Kind::kForwardBackward);
  }
  const auto first =
      std::lower_bound(pairs.begin(), pairs.end(), std::pair<SliceIndex, SliceIndex>(slice, 0));
  for (auto it = first; it != pairs.end() && it->first == slice; ++it) {
    list.Add(slice, it->second, TimelineArrow::Kind::kForwardBackward);
  }
  auto end = std::lower_bound(flows.ends.begin(), flows.ends.end(),
                              std::pair<SliceIndex, uint32_t>(slice, 0));
  for (; end != flows.ends.end() && end->first == slice; ++end) {
    list.Add(flows.arrows[end->second]);
  }
  return list.Take();
}

TimelineArrows ArrowsIn(const Model& model, const ForwardBackward& pairs,
                        const TimelineFlowSet& flows, Interval window, size_t limit) {
  const TraceStore& store = model.store();
  const auto touches = [&](SliceIndex i) {
    return store.start(i) < window.end && store.end(i) > window.begin;
  };
  // `visit` takes every arrow of the window.
  const auto each = [&](const auto& visit) {
    for (const auto& [forward, backward] : pairs) {
      if (touches(forward) || touches(backward)) {
        visit(ArrowOf(forward, backward, TimelineArrow::Kind::kForwardBackward));
      }
    }
    for (const Track& track : store.tracks()) {
      if (track.kind != TrackKind::kDeviceStream) continue;
      for (SliceIndex i = track.first; i < track.last; ++i) {
        const SliceIndex launch = model.launch[i];
        if (launch == kNone || !(touches(i) || touches(launch))) continue;
        visit(ArrowOf(launch, i, TimelineArrow::Kind::kLaunch));
      }
    }
    for (const TimelineArrow& arrow : flows.arrows) {
      if (touches(arrow.from) || touches(arrow.to)) visit(arrow);
    }
  };
  // Beyond the limit an even sample: the first ones would all lie in one corner of the window.
  uint64_t total = 0, seen = 0;
  each([&](const TimelineArrow&) { ++total; });
  TimelineArrows arrows;
  arrows.total = total;
  each([&](const TimelineArrow& arrow) {
    const uint64_t at = seen++;
    if (total <= limit || at * limit / total != (at + 1) * limit / total)
      arrows.arrows.push_back(arrow);
  });
  return arrows;
}

TimelineFlowSet BuildTimelineFlows(const Model& model) {
  TimelineFlowSet flows;
  ForEachOtherFlow(model, [&](const TimelineArrow& arrow) { flows.arrows.push_back(arrow); });
  for (uint32_t i = 0; i < flows.arrows.size(); ++i) {
    const TimelineArrow& arrow = flows.arrows[i];
    flows.ends.emplace_back(arrow.from, i);
    if (arrow.to != arrow.from) flows.ends.emplace_back(arrow.to, i);
  }
  std::sort(flows.ends.begin(), flows.ends.end());
  return flows;
}

}  // namespace emberline
