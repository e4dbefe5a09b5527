// Instants, memory records, counters and flows, once the slices stand in their order.
#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/release.h"
#include "store/builder.h"

namespace emberline {
namespace {

// The first of [first, last) whose start is after `ts`, looked for from `hint` on, in steps that
// double: recorders write flows nearly in the order of time.
SliceIndex FirstAfter(const PackedColumn<Ns>& start, SliceIndex first, SliceIndex last,
                      SliceIndex hint, Ns ts) {
  SliceIndex low = first, high = last;  // the answer is within
  SliceIndex step = 1;
  if (hint < last && start[hint] <= ts) {
    low = hint + 1;
    while (step < last - low && start[low + step] <= ts) {
      low += step + 1;
      step *= 2;
    }
    high = std::min(last, low + std::min(step, last - low));
  } else {
    high = hint;
    while (step < high - first && start[high - step] > ts) {
      high -= step;
      step *= 2;
    }
    low = high - std::min(step, high - first);
  }
  while (low < high) {
    const SliceIndex middle = low + (high - low) / 2;
    if (start[middle] <= ts) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

bool FlowBefore(const FlowPoint& a, const FlowPoint& b) {
  if (a.id != b.id) return a.id < b.id;
  if (a.ts != b.ts) return a.ts < b.ts;
  if (a.phase != b.phase) return a.phase < b.phase;
  return a.slice < b.slice;
}

}  // namespace

void TraceBuilder::PlaceRest() {
  TraceStore& store = *store_;
  for (Instant& instant : store.instants_) {
    instant.ts -= zero_;
    if (instant.track != kNone) instant.track = provisional_[instant.track].final;
  }
  std::stable_sort(store.instants_.begin(), store.instants_.end(),
                   [](const Instant& a, const Instant& b) { return a.ts < b.ts; });
  store.instants_.shrink_to_fit();
  PlaceMemory();
  for (CounterSample& sample : store.counters_) sample.ts -= zero_;
  const StringPool& pool = store.strings_;
  std::stable_sort(store.counters_.begin(), store.counters_.end(),
                   [&](const CounterSample& a, const CounterSample& b) {
                     if (a.name != b.name) return pool.Get(a.name) < pool.Get(b.name);
                     return a.ts < b.ts;
                   });
  store.counters_.shrink_to_fit();
}

// Moves memory records into the store, by time.
void TraceBuilder::PlaceMemory() {
  constexpr size_t kTs = MemoryTable::NumberOf<&MemoryRecord::ts>();
  constexpr size_t kTrack = MemoryTable::NumberOf<&MemoryRecord::track>();
  const size_t n = memory_.size();
  bool in_order = true;
  for (size_t i = 1; i < n && in_order; ++i) {
    in_order = memory_.At<kTs>(i - 1) <= memory_.At<kTs>(i);
  }
  ScratchVector<uint32_t> order;  // empty where the file has them in order
  if (!in_order) {
    order.resize(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return memory_.At<kTs>(a) < memory_.At<kTs>(b);
    });
  }
  store_->memory_.Pack(n, [&](auto column, size_t row) {
    auto value = memory_.At<column>(in_order ? row : order[row]);
    if constexpr (column == kTs) value -= zero_;
    if constexpr (column == kTrack) {
      if (value != kNone) value = provisional_[value].final;
    }
    return value;
  });
  memory_.Free();
}

// The slice that a flow touches: on the thread's host or device track, one that starts exactly at
// its time (recorders copy the time), else the innermost around it.
SliceIndex TraceBuilder::FindFlowSlice(const FlowPoint& flow, const ThreadInfo& thread,
                                       std::vector<SliceIndex>* hints, TrackIndex* track) const {
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
    SliceIndex& hint = (*hints)[t];
    hint = FirstAfter(store.start_, candidate.first, candidate.last,
                      std::max(hint, candidate.first), flow.ts);
    const SliceIndex after = hint;
    SliceIndex i = after;
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
    if (exact || best_score >= 1 || after == candidate.first) continue;
    // Innermost around the time: the last one that started, or the first of its parents that lasts.
    SliceIndex around = after - 1;
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

// Calls `visit(row, flows)` for stretches of the flows of [first, last), in the order of the file,
// with their times in the store, their tracks and slices; `row` is the first.
template <typename Visit>
void TraceBuilder::EachPlacedFlows(size_t first, size_t last, const CancelToken& cancel,
                                   Visit&& visit) const {
  std::vector<SliceIndex> hints(store_->tracks_.size());
  FlowRows::EachBlock(first, last, [&](size_t from, size_t to) {
    if (cancel.cancelled()) return;
    FlowRows::Block block = flows_.Read(from, to);
    const auto flows = std::span(block).first(to - from);
    for (FlowPoint& flow : flows) {
      const ThreadInfo& thread = threads_[flow.track];
      flow.ts = std::clamp(flow.ts, least_, most_) - zero_;
      flow.slice = FindFlowSlice(flow, thread, &hints, &flow.track);
    }
    visit(from, std::span<const FlowPoint>(flows));
  });
}

// Moves flows into the store, by id. Ids are hashes: by their first bits they fall into many small
// groups that are sorted one by one, within the processor's caches.
bool TraceBuilder::PlaceFlows(const CancelToken& cancel) {
  FlatColumn<FlowPoint>& sorted = store_->flows_;
  const uint32_t n = static_cast<uint32_t>(flows_.size());
  constexpr int kMostBits = 20;
  const int bits = std::clamp(static_cast<int>(std::bit_width(n)) - 3, 1, kMostBits);
  const size_t groups = size_t{1} << bits;
  const auto group_of = [bits](uint64_t id) { return id >> (64 - bits); };
  const size_t parts = PartsOf(n);
  // Of each part and group: how many flows, then where the next one goes; at last, where those of
  // the part end.
  std::vector<std::vector<uint32_t>> places(parts);
  RunAll(
      parts > 1,
      [&] {
        RunParts(parts, n, [&](size_t part, size_t first, size_t last) {
          places[part].resize(groups);
          for (size_t i = first; i < last; ++i) ++places[part][group_of(flows_[i].id)];
        });
      },
      [&] { sorted.resize(n); });
  uint32_t placed = 0;
  for (size_t g = 0; g < groups; ++g) {
    for (std::vector<uint32_t>& of_part : places) placed += std::exchange(of_part[g], placed);
  }
  std::vector<std::vector<TraceStore::FlowArg>> args(parts);
  RunParts(parts, n, [&](size_t part, size_t first, size_t last) {
    auto arg = std::lower_bound(flow_args_.begin(), flow_args_.end(), first,
                                [](const auto& a, size_t row) { return a.first < row; });
    EachPlacedFlows(first, last, cancel, [&](size_t from, std::span<const FlowPoint> flows) {
      // In a loop of its own, the waits for memory overlap.
      for (const FlowPoint& flow : flows) sorted[places[part][group_of(flow.id)]++] = flow;
      for (; arg != flow_args_.end() && arg->first < from + flows.size(); ++arg) {
        args[part].push_back({TraceStore::FlowKey(flows[arg->first - from]), arg->second});
      }
    });
  });
  flows_.Free();
  Release(flow_args_);
  if (cancel.cancelled()) return false;
  for (const auto& of_part : args) {
    for (const TraceStore::FlowArg& arg : of_part) store_->flow_args_.push_back(arg);
  }
  std::sort(store_->flow_args_.begin(), store_->flow_args_.end());
  const std::vector<uint32_t>& ends = places.back();
  RunParts(parts, groups, [&](size_t, size_t first, size_t last) {
    for (size_t g = first; g < last; ++g) {
      if (g % kCancelStride == 0 && cancel.cancelled()) return;
      std::sort(sorted.begin() + (g == 0 ? 0 : ends[g - 1]), sorted.begin() + ends[g], FlowBefore);
    }
  });
  return !cancel.cancelled();
}

}  // namespace emberline
