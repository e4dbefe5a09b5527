// Which host slices are time of their own, and how they lie inside each other. Stacks and lines
// take it from here, so that both sum to one total.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/cancel.h"
#include "store/trace_store.h"

namespace emberline {

// Python frames, operators, runtime and driver calls. Annotations lie across and are no work.
inline bool IsHostWork(SliceKind kind) {
  return kind == SliceKind::kPythonFunction || kind == SliceKind::kCpuOp || IsLaunchApi(kind);
}

// Whole microseconds of old recorders let a child end a little after its parent.
inline constexpr Ns kJitter = 2000;

// The host work of one thread that is open while its slices are passed in the store's order.
class OpenHostWork {
 public:
  // Open slices that are looked through for the one that encloses another: a hostile file may nest
  // deeper.
  static constexpr size_t kMaxLooked = 256;

  struct Slice {
    SliceIndex index;
    Ns end;
    Ns exclusive;  // duration without the host work inside it that was passed, never negative
  };

  // Ends what had ended when a slice began: each is given to `ended`. Returns the innermost that
  // the slice lies in, whose time it then is not; kNone where there is none.
  template <typename Ended>
  SliceIndex Around(Ns start, Ns duration, Ended&& ended) {
    while (!open_.empty() && open_.back().end <= start &&
           !(duration == 0 && open_.back().end == start)) {
      End(ended);
    }
    const Ns end = start + duration;
    for (size_t k = open_.size(), look = kMaxLooked; k-- > 0 && look-- > 0;) {
      if (open_[k].end + kJitter < end) continue;
      open_[k].exclusive -= duration;
      return open_[k].index;
    }
    return kNone;
  }
  // The slice that Around() was asked about is open from now on.
  void Open(SliceIndex i, Ns start, Ns duration) {
    open_.push_back({i, start + duration, duration});
  }
  // Ends all: behind the last slice of a thread.
  template <typename Ended>
  void EndAll(Ended&& ended) {
    while (!open_.empty()) End(ended);
  }
  // The innermost last.
  const std::vector<Slice>& open() const { return open_; }

 private:
  template <typename Ended>
  void End(Ended&& ended) {
    Slice& last = open_.back();
    last.exclusive = std::max<Ns>(last.exclusive, 0);
    ended(std::as_const(last));
    open_.pop_back();
  }

  std::vector<Slice> open_;
};

// Passes the host work of all host threads: calls around(slice, the one that it lies in) for each
// in the store's order, and ended(OpenHostWork::Slice) once its exclusive time is known. False when
// cancelled.
template <typename Around, typename Ended>
bool PassHostWork(const TraceStore& store, const CancelToken& cancel, Around&& around,
                  Ended&& ended) {
  OpenHostWork work;
  for (const Track& track : store.tracks()) {
    if (track.kind != TrackKind::kHostThread) continue;
    for (SliceIndex i = track.first; i < track.last; ++i) {
      if (i % kCancelStride == 0 && cancel.cancelled()) return false;
      if (!IsHostWork(store.kind(i))) continue;
      const Ns start = store.start(i), duration = store.duration(i);
      around(i, work.Around(start, duration, ended));
      work.Open(i, start, duration);
    }
    work.EndAll(ended);
  }
  return true;
}

// Calls each(slice, exclusive time) for the host work of all host threads, inner slices before
// outer ones. False when cancelled.
template <typename Each>
bool ForEachHostWork(const TraceStore& store, const CancelToken& cancel, Each&& each) {
  return PassHostWork(
      store, cancel, [](SliceIndex, SliceIndex) {},
      [&](const OpenHostWork::Slice& slice) { each(slice.index, slice.exclusive); });
}

struct HostNesting {
  // Per slice; kNone and 0 for what is no host work.
  std::vector<SliceIndex> parent;  // innermost host work around it on its thread
  std::vector<Ns> exclusive;       // duration without the host work inside it, never negative
};

// All host threads of a trace. False when cancelled.
bool NestHostWork(const TraceStore& store, const CancelToken& cancel, HostNesting* nesting);

}  // namespace emberline
