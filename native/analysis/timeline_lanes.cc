#include "analysis/timeline_lanes.h"

#include <algorithm>

#include "base/cores.h"
#include "base/parallel.h"

namespace emberline {
namespace {

// The finest level above the slices themselves; finer windows hold few slices anyway.
constexpr Ns kFinestNs = 128;
constexpr Ns kCoarsestNs = Ns{1} << 61;  // doubling stays in range
constexpr size_t kSmallLane = 256;       // below this a pyramid does not pay
constexpr size_t kCoarse = 16;           // slices to a group where groups know their extent

}  // namespace

TimelineLane::TimelineLane(const TraceStore& store, std::vector<SliceIndex> slices)
    : slices_(std::move(slices)) {
  if (!slices_.empty()) extent_ = {store.start(slices_.front()), store.end(slices_.back())};
  Build(store, slices_, &levels_);
}

void TimelineLane::Build(const TraceStore& store, const std::vector<SliceIndex>& slices,
                         std::vector<Level>* levels) {
  if (slices.size() < kSmallLane) return;
  // A group with what it says, so that each round reads memory in its order.
  struct Run {
    Group group;
    Extent extent;
  };
  std::vector<Run> runs;
  runs.reserve(slices.size());
  // The least time that two neighbors take together: below it, nothing joins.
  Ns least = INT64_MAX;
  for (uint32_t p = 0; p < slices.size(); ++p) {
    const Ns start = store.start(slices[p]), duration = store.duration(slices[p]);
    if (p > 0) least = std::min(least, start + duration - runs.back().extent.start);
    runs.push_back({{p, slices[p]}, {start, start + duration, duration}});
  }
  const Ns extent = runs.back().extent.end - runs.front().extent.start;
  size_t kept = runs.size();
  for (Ns resolution = kFinestNs; resolution < extent && resolution < kCoarsestNs;
       resolution *= 2) {
    if (resolution <= least) continue;
    least = INT64_MAX;
    size_t last = 0;
    for (size_t r = 1; r < runs.size(); ++r) {
      const Run& next = runs[r];
      Run& run = runs[last];
      const Ns together = next.extent.end - run.extent.start;
      if (together < resolution) {
        run.extent.end = next.extent.end;
        if (next.extent.longest > run.extent.longest) {
          run.extent.longest = next.extent.longest;
          run.group.longest = next.group.longest;
        }
      } else {
        least = std::min(least, together);
        runs[++last] = next;
      }
    }
    runs.resize(last + 1);
    if (runs.size() * 2 <= kept) {
      kept = runs.size();
      Level& level = levels->emplace_back();
      level.resolution = resolution;
      level.groups.reserve(kept);
      for (const Run& run : runs) level.groups.push_back(run.group);
      if (kept * kCoarse <= slices.size()) {
        level.extents.reserve(kept);
        for (const Run& run : runs) level.extents.push_back(run.extent);
      }
    }
    if (runs.size() < 64) break;
  }
}

std::pair<uint32_t, uint32_t> TimelineLane::Touching(const TraceStore& store,
                                                     Interval window) const {
  // A window over everything, of which a deep trace has many lanes, reads no slice for this.
  if (window.begin <= extent_.begin && extent_.end <= window.end) {
    return {0, static_cast<uint32_t>(slices_.size())};
  }
  const auto before = [&](SliceIndex s, Ns begin) {
    return store.end(s) <= begin && store.start(s) < begin;
  };
  const auto after = [&](Ns end, SliceIndex s) {
    // A slice without length at the very end still belongs to the window.
    return store.start(s) > end || (store.start(s) == end && store.duration(s) > 0);
  };
  const auto first = std::lower_bound(slices_.begin(), slices_.end(), window.begin, before);
  const auto last = std::upper_bound(first, slices_.end(), window.end, after);
  return {static_cast<uint32_t>(first - slices_.begin()),
          static_cast<uint32_t>(last - slices_.begin())};
}

void TimelineLane::Query(const TraceStore& store, Interval window, Ns resolution, uint16_t lane,
                         std::vector<TimelineBox>* out) const {
  const auto [first, last] = Touching(store, window);
  if (first == last) return;
  const size_t begin_of_lane = out->size();
  Ns longest_ns = 0;  // of the last box
  const auto add = [&](Extent extent, uint32_t count, SliceIndex longest) {
    if (out->size() > begin_of_lane && extent.end - out->back().start < resolution) {
      TimelineBox& box = out->back();
      if (extent.longest > longest_ns) {
        box.slice = longest;
        longest_ns = extent.longest;
      }
      box.end = extent.end;
      box.count += count;
      return;
    }
    out->push_back({extent.start, extent.end, lane, longest, count});
    longest_ns = extent.longest;
  };
  const auto extent_of = [&](uint32_t from, uint32_t to, SliceIndex longest) {
    return Extent{store.start(slices_[from]), store.end(slices_[to - 1]), store.duration(longest)};
  };

  const Level* level = nullptr;
  for (const Level& candidate : levels_) {
    if (candidate.resolution <= resolution) level = &candidate;
  }
  if (level == nullptr) {
    for (uint32_t p = first; p < last; ++p) {
      const Ns start = store.start(slices_[p]), duration = store.duration(slices_[p]);
      add({start, start + duration, duration}, 1, slices_[p]);
    }
    return;
  }
  // The group that holds `first` may begin before it; its slices outside the window are not drawn.
  auto group = std::upper_bound(level->groups.begin(), level->groups.end(), first,
                                [](uint32_t p, const Group& g) { return p < g.first; });
  --group;
  for (; group != level->groups.end() && group->first < last; ++group) {
    const uint32_t next = group + 1 != level->groups.end() ? (group + 1)->first
                                                           : static_cast<uint32_t>(slices_.size());
    const uint32_t from = std::max(group->first, first);
    const uint32_t to = std::min(next, last);
    if (from == group->first && to == next) {
      const auto at = static_cast<size_t>(group - level->groups.begin());
      add(level->extents.empty() ? extent_of(from, to, group->longest) : level->extents[at],
          to - from, group->longest);
    } else {
      // A cut group is at most one pixel wide, but may hold many slices; any of those inside
      // names it.
      const bool inside = group->longest >= slices_[from] && group->longest <= slices_[to - 1];
      const SliceIndex longest = inside ? group->longest : slices_[from];
      add(extent_of(from, to, longest), to - from, longest);
    }
  }
}

TimelineTrackLanes::TimelineTrackLanes(const TraceStore& store, const Track& track) {
  if (track.first == track.last) return;
  std::vector<size_t> sizes(static_cast<size_t>(track.max_depth) + 1);
  for (SliceIndex i = track.first; i < track.last; ++i) {
    if (store.depth(i) >= sizes.size()) sizes.resize(static_cast<size_t>(store.depth(i)) + 1);
    ++sizes[store.depth(i)];
  }
  std::vector<std::vector<SliceIndex>> lanes(sizes.size());
  for (size_t depth = 0; depth < sizes.size(); ++depth) lanes[depth].reserve(sizes[depth]);
  for (SliceIndex i = track.first; i < track.last; ++i) lanes[store.depth(i)].push_back(i);
  lanes_.resize(lanes.size());
  const bool many = track.last - track.first >= kManyRows;
  RunEach(many ? std::min<size_t>(2, UsableCores()) : 1, lanes.size(),
          [&](size_t depth) { lanes_[depth] = TimelineLane(store, std::move(lanes[depth])); });
}

uint64_t TimelineTrackLanes::CountTouching(const TraceStore& store, Interval window) const {
  uint64_t count = 0;
  for (const TimelineLane& lane : lanes_) {
    const auto [first, last] = lane.Touching(store, window);
    count += last - first;
  }
  return count;
}

std::vector<SliceIndex> TimelineTrackLanes::Touching(const TraceStore& store,
                                                     Interval window) const {
  std::vector<SliceIndex> found;
  for (const TimelineLane& lane : lanes_) {
    const auto [first, last] = lane.Touching(store, window);
    found.insert(found.end(), lane.slices().begin() + first, lane.slices().begin() + last);
  }
  // Rows of a track are sorted by start, so the index is the order of time.
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace emberline
