// Instants, memory records, counters and flows, once the slices stand in their order.
#include <algorithm>

#include "store/builder.h"

namespace emberline {

void TraceBuilder::PlaceRest() {
  TraceStore& store = *store_;
  for (Instant& instant : store.instants_) {
    instant.ts -= zero_;
    if (instant.track != kNone) instant.track = provisional_[instant.track].final;
  }
  std::stable_sort(store.instants_.begin(), store.instants_.end(),
                   [](const Instant& a, const Instant& b) { return a.ts < b.ts; });
  store.instants_.shrink_to_fit();
  store.memory_.resize(memory_.size());
  for (size_t i = 0; i < memory_.size(); ++i) {
    store.memory_[i] = memory_[i];
    MemoryRecord& record = store.memory_[i];
    record.ts -= zero_;
    if (record.track != kNone) record.track = provisional_[record.track].final;
  }
  memory_.Free();
  const auto earlier = [](const MemoryRecord& a, const MemoryRecord& b) { return a.ts < b.ts; };
  if (!std::is_sorted(store.memory_.begin(), store.memory_.end(), earlier)) {
    std::stable_sort(store.memory_.begin(), store.memory_.end(), earlier);
  }
  for (CounterSample& sample : store.counters_) sample.ts -= zero_;
  const StringPool& pool = store.strings_;
  std::stable_sort(store.counters_.begin(), store.counters_.end(),
                   [&](const CounterSample& a, const CounterSample& b) {
                     if (a.name != b.name) return pool.Get(a.name) < pool.Get(b.name);
                     return a.ts < b.ts;
                   });
  store.counters_.shrink_to_fit();
}

// The slice that a flow touches: on the thread's host or device track, one that starts exactly at
// its time (recorders copy the time), else the innermost around it.
SliceIndex TraceBuilder::FindFlowSlice(const FlowPoint& flow, const ThreadInfo& thread,
                                       TrackIndex* track) const {
  // Flows that do not go from forward to backward belong to launches.
  const bool launch = flow.role != FlowRole::kForward;
  const TraceStore& store = *store_;
  SliceIndex best = kNone;
  int best_score = -1;
  *track = kNone;
  for (const TrackIndex p : thread.tracks) {
    if (p == kNone) continue;
    const TrackIndex t = provisional_[p].final;
    const Track& candidate = store.tracks_[t];
    if (*track == kNone) *track = t;
    const auto first = store.start_.begin() + candidate.first;
    const auto last = store.start_.begin() + candidate.last;
    const auto after = std::upper_bound(first, last, flow.ts);
    SliceIndex i = static_cast<SliceIndex>(after - store.start_.begin());
    // Among slices that start at the time, launch flows belong to calls and device work, forward
    // to backward flows to operators; the innermost one wins, which is met first.
    constexpr int kScanned = 64;
    bool exact = false;
    for (int k = 0; k < kScanned && i > candidate.first && store.start_[i - 1] == flow.ts; ++k) {
      --i;
      exact = true;
      const SliceKind kind = store.kind(i);
      int score = 2;
      if (launch ? IsLaunchApi(kind) || IsDeviceWork(kind) : kind == SliceKind::kCpuOp) score = 4;
      if (kind == SliceKind::kGpuUserAnnotation || kind == SliceKind::kPythonFunction) score = 1;
      if (score > best_score) {
        best_score = score;
        best = i;
        *track = t;
      }
    }
    if (exact || best_score >= 1 || after == first) continue;
    // Innermost around the time: the last one that started, or the first of its parents that lasts.
    SliceIndex around = static_cast<SliceIndex>(after - store.start_.begin()) - 1;
    for (int k = 0; k < kScanned && around != kNone && store.end(around) < flow.ts; ++k) {
      around = store.parent_[around];
    }
    if (around != kNone && store.end(around) >= flow.ts && best_score < 0) {
      best_score = 0;
      best = around;
      *track = t;
    }
  }
  return best;
}

bool TraceBuilder::PlaceFlows(const CancelToken& cancel) {
  TraceStore& store = *store_;
  const size_t n = flows_.size();
  store.flows_.resize(n);
  for (size_t i = 0; i < n; ++i) {
    if (i % kCancelStride == 0 && cancel.cancelled()) return false;
    FlowPoint flow = flows_[i];
    const ThreadInfo& thread = threads_[flow.track];
    flow.ts = std::clamp(flow.ts, least_, most_) - zero_;
    flow.slice = FindFlowSlice(flow, thread, &flow.track);
    store.flows_[i] = flow;
  }
  flows_.Free();
  for (const auto& [row, args] : flow_args_) {
    store.flow_args_.emplace_back(TraceStore::FlowKey(store.flows_[row]), args);
  }
  flow_args_ = {};
  std::sort(store.flow_args_.begin(), store.flow_args_.end());
  std::sort(store.flows_.begin(), store.flows_.end(), [](const FlowPoint& a, const FlowPoint& b) {
    if (a.id != b.id) return a.id < b.id;
    if (a.ts != b.ts) return a.ts < b.ts;
    if (a.phase != b.phase) return a.phase < b.phase;
    return a.slice < b.slice;
  });
  return true;
}

}  // namespace emberline
