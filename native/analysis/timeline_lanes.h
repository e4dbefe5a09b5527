// Level-of-detail pyramids: what to draw of a track in any window, in time that follows the
// pixels, not the events.
#pragma once

#include <cstdint>
#include <vector>

#include "base/byte_size.h"
#include "store/trace_store.h"

namespace emberline {

// Whether a slice counts for a window: one that only ends where the window begins, or begins where
// it ends, does not, unless it has no length.
inline bool Touches(Interval slice, Interval window) {
  if (slice.end <= window.begin && slice.begin < window.begin) return false;
  return slice.begin < window.end || (slice.begin == window.end && slice.end == slice.begin);
}

// A box to draw: one slice, or several neighbors of a lane that are too small to tell apart.
struct TimelineBox {
  Ns start = 0;
  Ns end = 0;
  uint16_t lane = 0;
  SliceIndex slice = kNone;  // the slice, or the longest of several
  uint32_t count = 1;        // slices it stands for
};

// The slices of one lane in order of time; they do not overlap. Levels hold ever coarser groups:
// a group of level k is a run of neighbors shorter than Resolution(k) altogether, so a window of
// n pixels meets O(n) groups of the level that fits, however many slices lie below. A level is kept
// only where it halves the one below, so all of them together take less than 16 bytes a slice.
class TimelineLane {
 public:
  TimelineLane() = default;
  TimelineLane(const TraceStore& store, std::vector<SliceIndex> slices);

  // Appends the boxes that touch [begin, end], merged so that no two neighbors fit into
  // `resolution` ns. Slices of at least `resolution` always stand alone.
  void Query(const TraceStore& store, Interval window, Ns resolution, uint16_t lane,
             std::vector<TimelineBox>* out) const;
  // Positions [first, last) of the slices that touch the window.
  std::pair<uint32_t, uint32_t> Touching(const TraceStore& store, Interval window) const;

  const std::vector<SliceIndex>& slices() const { return slices_; }
  size_t MemoryBytes() const { return HeapBytesOf(slices_, levels_); }

 private:
  struct Group {
    uint32_t first = 0;  // position of its first slice; the next group's begins where it ends
    SliceIndex longest = kNone;
  };
  // What a group's slices say of it: windows that hold thousands of groups would otherwise read the
  // store three times for each, all over the memory.
  struct Extent {
    Ns start = 0;
    Ns end = 0;
    Ns longest = 0;  // duration of the longest slice
  };
  struct Level {
    Ns resolution = 0;
    std::vector<Group> groups;
    std::vector<Extent> extents;  // of coarse levels, where they are few; else empty
    size_t MemoryBytes() const { return HeapBytesOf(groups, extents); }
  };
  static void Build(const TraceStore& store, const std::vector<SliceIndex>& slices,
                    std::vector<Level>* levels);

  std::vector<SliceIndex> slices_;
  Interval extent_;            // from the first slice's start to the last one's end
  std::vector<Level> levels_;  // finest first
};

// All lanes of one track.
class TimelineTrackLanes {
 public:
  TimelineTrackLanes(const TraceStore& store, const Track& track);
  const std::vector<TimelineLane>& lanes() const { return lanes_; }
  size_t MemoryBytes() const { return HeapBytes(lanes_); }
  // Slices that touch the window.
  uint64_t CountTouching(const TraceStore& store, Interval window) const;
  // Every slice that touches the window, by start: ancestors that reach in from before, then the
  // rest. Work follows the number of results.
  std::vector<SliceIndex> Touching(const TraceStore& store, Interval window) const;

 private:
  std::vector<TimelineLane> lanes_;
};

}  // namespace emberline
