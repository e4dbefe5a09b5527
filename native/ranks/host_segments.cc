#include "ranks/host_segments.h"

#include <algorithm>

#include "model/names.h"

namespace emberline {
namespace {

// What explains nothing by itself.
bool IsFrame(const Model& model, SliceIndex i) {
  const SliceKind kind = model.store().kind(i);
  if (kind == SliceKind::kUserAnnotation || kind == SliceKind::kCpuOp) {
    return ClassifyRange(model.store().name(i)) == RangeKind::kStep;
  }
  return kind != SliceKind::kPythonFunction && !IsLaunchApi(kind);
}

class Sweep {
 public:
  explicit Sweep(const Model& model) : m_(model), s_(model.store()) {}

  void Open(SliceIndex i) {
    CloseUntil(s_.start(i));
    Emit(s_.start(i));
    const bool loads = !open_.empty() && open_.back().loader != kNone;
    const SliceKind kind = s_.kind(i);
    const bool loader = (kind == SliceKind::kUserAnnotation || kind == SliceKind::kCpuOp) &&
                        ClassifyRange(s_.name(i)) == RangeKind::kDataLoader;
    open_.push_back({i, loads ? open_.back().loader : loader ? i : kNone});
  }
  std::vector<HostSegment> Finish() {
    CloseUntil(INT64_MAX);
    return std::move(segments_);
  }

 private:
  struct Opened {
    SliceIndex slice;
    SliceIndex loader;  // the data loader's range around it, or itself
  };
  void CloseUntil(Ns at) {
    while (!open_.empty() && s_.end(open_.back().slice) <= at) {
      Emit(s_.end(open_.back().slice));
      open_.pop_back();
    }
  }
  // Ends the segment that lasts since `since_`.
  void Emit(Ns at) {
    if (!open_.empty() && at > since_) {
      const Opened& top = open_.back();
      const SliceIndex slice = top.loader != kNone ? top.loader : top.slice;
      if (!segments_.empty() && segments_.back().slice == slice &&
          segments_.back().time.end == since_) {
        segments_.back().time.end = at;
      } else {
        segments_.push_back({{since_, at}, slice});
      }
    }
    since_ = std::max(since_, at);
  }

  const Model& m_;
  const TraceStore& s_;
  std::vector<Opened> open_;
  std::vector<HostSegment> segments_;
  Ns since_ = INT64_MIN;
};

}  // namespace

std::vector<HostSegment> SegmentsOf(const Model& model, TrackIndex track,
                                    const CancelToken& cancel) {
  Sweep sweep(model);
  const Track& lane = model.store().tracks()[track];
  for (SliceIndex i = lane.first; i < lane.last; ++i) {
    if (i % kCancelStride == 0 && cancel.cancelled()) break;
    if (!IsFrame(model, i)) sweep.Open(i);
  }
  return sweep.Finish();
}

std::vector<HostSegment> Overlay(const std::vector<HostSegment>& first,
                                 const std::vector<HostSegment>& second) {
  std::vector<HostSegment> both;
  auto at = second.begin();
  Ns since = INT64_MIN;
  const auto fill = [&](Ns until) {
    for (; at != second.end(); ++at) {
      const Interval part{std::max(at->time.begin, since), std::min(at->time.end, until)};
      if (part.Length() > 0) both.push_back({part, at->slice});
      if (at->time.end > until) break;
    }
  };
  for (const HostSegment& one : first) {
    fill(one.time.begin);
    both.push_back(one);
    since = one.time.end;
  }
  fill(INT64_MAX);
  return both;
}

TrackIndex MainThread(const Model& model) {
  const TraceStore& s = model.store();
  for (const Step& step : model.steps) {
    if (step.slice != kNone) return s.track(step.slice);
  }
  TrackIndex best = kNone;
  for (TrackIndex t = 0; t < s.tracks().size(); ++t) {
    const Track& track = s.tracks()[t];
    if (track.kind != TrackKind::kHostThread) continue;
    if (best == kNone ||
        track.last - track.first > s.tracks()[best].last - s.tracks()[best].first) {
      best = t;
    }
  }
  return best;
}

}  // namespace emberline
