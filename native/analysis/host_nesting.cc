#include "analysis/host_nesting.h"

#include <algorithm>

namespace emberline {
namespace {

// Whole microseconds of old recorders let a child end a little after its parent.
constexpr Ns kJitter = 2000;
// Open slices that are looked through for the one that encloses another: a hostile file may nest
// deeper.
constexpr size_t kMaxOpenLooked = 256;

}  // namespace

HostNester::HostNester(const TraceStore& store, HostNesting* nesting, bool with_times)
    : store_(store), nesting_(*nesting), with_times_(with_times) {
  nesting_.parent.assign(store.all_slice_count(), kNone);
  nesting_.exclusive.assign(with_times ? store.all_slice_count() : 0, 0);
}

void HostNester::Close(SliceIndex i) {
  const Ns start = store_.start(i), duration = store_.duration(i), end = store_.end(i);
  while (!open_.empty() && ends_.back() <= start && !(duration == 0 && ends_.back() == start)) {
    open_.pop_back();
    ends_.pop_back();
  }
  for (size_t k = open_.size(), look = kMaxOpenLooked; k-- > 0 && look-- > 0;) {
    if (ends_[k] + kJitter < end) continue;
    nesting_.parent[i] = open_[k];
    break;
  }
  if (!with_times_) return;
  nesting_.exclusive[i] += duration;
  if (nesting_.parent[i] != kNone) nesting_.exclusive[nesting_.parent[i]] -= duration;
}

void HostNester::Finish() {
  for (Ns& time : nesting_.exclusive) time = std::max<Ns>(time, 0);
}

bool NestHostWork(const TraceStore& store, const CancelToken& cancel, HostNesting* nesting) {
  HostNester nester(store, nesting);
  for (const Track& track : store.tracks()) {
    if (track.kind != TrackKind::kHostThread) continue;
    nester.BeginTrack();
    for (SliceIndex i = track.first; i < track.last; ++i) {
      if ((i & 0xFFFF) == 0 && cancel.cancelled()) return false;
      if (!IsHostWork(store.kind(i))) continue;
      nester.Close(i);
      nester.Open(i);
    }
  }
  nester.Finish();
  return true;
}

}  // namespace emberline
