// Slices in their order, and how they lie inside each other.
#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "base/parallel.h"
#include "base/release.h"
#include "base/sort_runs.h"
#include "store/builder.h"

namespace emberline {
namespace {

// Overlaps that do not nest are searched and spread over this many levels at most, so that a
// hostile file cannot make layout quadratic.
constexpr size_t kMaxCrossing = 256;

// Packs a column of `rows` in the order of `order`.
template <size_t kColumn, typename Rows, typename T>
void PackInOrder(const Rows& rows, const ScratchVector<uint32_t>& order, PackedColumn<T>* column) {
  column->Pack(order.size(), [&](size_t row) { return rows.template At<kColumn>(order[row]); });
}
// The same of `times`, less `zero`, which are released.
void PackInOrder(ScratchVector<Ns>* times, const ScratchVector<uint32_t>& order, Ns zero,
                 PackedColumn<Ns>* column) {
  column->Pack(order.size(), [&](size_t row) { return (*times)[order[row]] - zero; });
  Release(*times);
}

}  // namespace

// Slices come to stand in the order of (track, start, longest first, file): here by track.
ScratchVector<uint32_t> TraceBuilder::SortByTrack() {
  TraceStore& store = *store_;
  const uint32_t n = slice_count();
  const size_t track_count = store.tracks_.size();
  const size_t parts = PartsOf(n);
  // Of each part and track: how many slices, then where the next one comes to stand.
  std::vector<std::vector<uint32_t>> places(parts, std::vector<uint32_t>(track_count, 0));
  RunParts(parts, n, [&](size_t part, size_t first, size_t last) {
    std::vector<uint32_t>& counts = places[part];
    Slices::EachBlock(first, last, [&](size_t from, size_t to) {
      const auto tracks = slices_.Read<kTrack>(from, to);
      for (size_t k = 0; k < to - from; ++k) ++counts[provisional_[tracks[k]].final];
    });
  });
  uint32_t placed = 0;
  for (size_t t = 0; t < track_count; ++t) {
    store.tracks_[t].first = placed;
    for (std::vector<uint32_t>& of_part : places) placed += std::exchange(of_part[t], placed);
    store.tracks_[t].last = placed;
  }
  ScratchVector<uint32_t> order(n);
  RunParts(parts, n, [&](size_t part, size_t first, size_t last) {
    std::vector<uint32_t>& next = places[part];
    Slices::EachBlock(first, last, [&](size_t from, size_t to) {
      const auto tracks = slices_.Read<kTrack>(from, to);
      for (size_t k = 0; k < to - from; ++k) {
        order[next[provisional_[tracks[k]].final]++] = static_cast<uint32_t>(from + k);
      }
    });
  });
  return order;
}

// Sorts what stands on a track by time; each track by itself.
bool TraceBuilder::SortByTime(ScratchVector<uint32_t>* order, const CancelToken& cancel) {
  const auto before = [this](uint32_t a, uint32_t b) {
    if (starts_[a] != starts_[b]) return starts_[a] < starts_[b];
    return durations_[a] > durations_[b];
  };
  const std::vector<Track>& tracks = store_->tracks_;
  RunEach(PartsOf(order->size()), tracks.size(), [&](size_t t) {
    if (cancel.cancelled()) return;
    SortRuns(std::span(*order).subspan(tracks[t].first, tracks[t].last - tracks[t].first), before);
  });
  return !cancel.cancelled();
}

// Moves every column into the store, and finds how slices nest as soon as their times are there.
bool TraceBuilder::PlaceSlices(const ScratchVector<uint32_t>& order, const CancelToken& cancel) {
  TraceStore& store = *store_;
  SettleDeviceWork(order);
  store.parent_.assign(order.size(), kNone);
  store.depth_.assign(order.size(), 0);
  const bool many = order.size() >= kManyRows;
  const bool many_cores = UsableCores() > 2;
  bool nested = false;
  RunAll(
      many,
      [&] {
        // On two cores, the other one has enough to do.
        RunAll(
            many && many_cores, [&] { PackInOrder(&starts_, order, zero_, &store.start_); },
            [&] { PackInOrder(&durations_, order, 0, &store.duration_); });
        nested = Nest(false, many_cores ? PartsOf(order.size()) : 1, cancel);
      },
      [&] { PackInOrder<kEventIndex>(slices_, order, &store.event_index_); },
      [&] { PackInOrder<kArgs>(slices_, order, &store.args_); },
      [&] { PackInOrder<kName>(slices_, order, &store.name_); }, [&] { PackTracks(); },
      [&] { PackInOrder<kCategory>(slices_, order, &store.category_); });
  slices_.Free();
  if (!nested || !Nest(true, PartsOf(order.size()), cancel)) return false;
  RunAll(
      many, [&] { store.parent_.Pack(); }, [&] { store.depth_.Pack(); });
  return true;
}

// Slices of a track are neighbors.
void TraceBuilder::PackTracks() {
  TrackIndex track = 0;
  store_->track_.Pack(slice_count(), [&, &tracks = store_->tracks_](size_t row) {
    while (row >= tracks[track].last) ++track;
    return track;
  });
}

// Categories without a known meaning are device work where they lie on a device.
void TraceBuilder::SettleDeviceWork(const ScratchVector<uint32_t>& order) {
  TraceStore& store = *store_;
  std::vector<uint16_t> on_device(store.categories_.size(), 0xffff);
  for (const Track& track : store.tracks_) {
    if (track.kind != TrackKind::kDeviceStream) continue;
    for (uint32_t i = track.first; i < track.last; ++i) {
      const uint16_t category = slices_.At<kCategory>(order[i]);
      if (store.categories_[category].kind != SliceKind::kHostOther) continue;
      uint16_t& other = on_device[category];
      if (other == 0xffff) {
        other = Category(store.categories_[category].raw, SliceKind::kDeviceOther);
      }
      slices_.Set<kCategory>(order[i], other);
    }
  }
}

// Recorders may give device rows numbers of their own (MTIA's are multiples of the stream's): the
// first work of a row says whose stream it is.
void TraceBuilder::SettleStreams() {
  const TraceStore& store = *store_;
  for (Track& track : store_->tracks_) {
    if (track.kind != TrackKind::kDeviceStream || track.layer != 0) continue;
    for (SliceIndex i = track.first; i < track.last; ++i) {
      if (!IsDeviceWork(store.kind(i))) continue;
      const auto stream = store.ArgInt(i, ArgRole::kWaitingStream);
      if (stream && *stream >= 0) track.stream = *stream;
      break;
    }
  }
}

// Parents and depths. Active slices are kept in order of their start; the one on top is nearly
// always the parent, deeper ones matter only where ranges cross.
//
// Of two slices that cross, the longer one stands next to their parent: a profiler step begins
// inside the frames that start it and outlives them, and below these it would leave as many lanes
// empty for as long as it lasts. So the frames, and all that ran in them, move down by one.
void TraceBuilder::NestTrack(Track* track, const CancelToken& cancel) {
  TraceStore& store = *store_;
  const Ns slack = fractional_times_ ? 0 : 1000;
  struct Active {
    SliceIndex slice;
    Ns end;
  };
  std::vector<Active> active;
  std::vector<Ns> lane_end;
  // Asynchronous slices nest within their id; those of other ids only run at the same time.
  const bool by_id = track->kind == TrackKind::kAsync;
  // Until then some slice stands deeper than its parent alone would put it. What begins later
  // has all lanes below its own for itself, until something crosses it.
  Ns crossing_end = std::numeric_limits<Ns>::min();
  const auto same_id = [&](SliceIndex a, SliceIndex b) {
    return !by_id || store.AsyncOf(a)->id == store.AsyncOf(b)->id;
  };
  for (SliceIndex i = track->first; i < track->last; ++i) {
    if (i % kCancelStride == 0 && cancel.cancelled()) return;
    const Ns start = store.start(i);
    const Ns end = start + store.duration(i);
    while (!active.empty() && active.back().end <= start) active.pop_back();
    SliceIndex parent = kNone;
    Ns parent_end = 0;
    size_t above = 0;  // position of the first active slice that the parent does not hold
    size_t seen = 0;
    for (size_t k = active.size(); k-- > 0 && seen < kMaxCrossing; ++seen) {
      const auto [outer, outer_end] = active[k];
      if (outer_end > start && end <= outer_end + slack && same_id(outer, i)) {
        parent = outer;
        parent_end = outer_end;
        above = k + 1;
        break;
      }
    }
    const size_t next = parent == kNone ? 0 : store.depth_[parent] + size_t{1};
    const size_t last_lane = next + kMaxCrossing;
    size_t lane = next;
    while (lane < lane_end.size() && lane_end[lane] > start && lane < last_lane) ++lane;
    if (lane > next && !by_id && above < active.size()) {
      const auto [shorter, shorter_end] = active[above];
      if (store.depth_[shorter] == next && store.parent_[shorter] == parent &&
          store.duration(shorter) < store.duration(i) && store.start(shorter) >= crossing_end &&
          lane_end.size() < std::numeric_limits<uint16_t>::max()) {
        // Nothing has crossed it before, so all that began since ran inside it.
        uint16_t deepest = 0;
        for (SliceIndex inside = shorter; inside < i; ++inside) {
          deepest = std::max(deepest, ++store.depth_[inside]);
        }
        track->max_depth = std::max(track->max_depth, deepest);
        if (lane_end.size() <= deepest) lane_end.resize(deepest + size_t{1});
        std::move_backward(lane_end.begin() + static_cast<ptrdiff_t>(next),
                           lane_end.begin() + deepest, lane_end.begin() + deepest + 1);
        lane_end[next] = std::numeric_limits<Ns>::min();
        crossing_end = shorter_end + slack;
        lane = next;
      }
    }
    if (lane > next || (parent != kNone && end > parent_end)) {
      crossing_end = std::max(crossing_end, end);
    }
    lane = std::min<size_t>(lane, std::numeric_limits<uint16_t>::max());
    // Points take room too: two of them at one time must not hide each other.
    const Ns occupied = std::max(end, start + 1);
    if (lane >= lane_end.size()) lane_end.resize(lane + 1, std::numeric_limits<Ns>::min());
    lane_end[lane] = std::max(lane_end[lane], occupied);
    store.parent_[i] = parent;
    store.depth_[i] = static_cast<uint16_t>(lane);
    track->max_depth = std::max(track->max_depth, store.depth_[i]);
    if (end > start) active.push_back({i, end});
  }
}

bool TraceBuilder::Nest(bool async, size_t threads, const CancelToken& cancel) {
  std::vector<Track>& tracks = store_->tracks_;
  RunEach(threads, tracks.size(), [&](size_t t) {
    if (cancel.cancelled()) return;
    if ((tracks[t].kind == TrackKind::kAsync) == async) NestTrack(&tracks[t], cancel);
  });
  return !cancel.cancelled();
}

}  // namespace emberline
