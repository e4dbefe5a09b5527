// What to draw of several rows of the timeline in one window. All functions are pure and may run on
// any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/timeline.h"
#include "analysis/timeline_lanes.h"
#include "base/cancel.h"
#include "base/result.h"
#include "model/model.h"

namespace emberline {

// A row with the lanes of its track; null for rows without slices of a track.
struct TimelineRowLanes {
  const TimelineRow* row = nullptr;
  std::shared_ptr<const TimelineTrackLanes> lanes;
};

// Slices of a row that touch the window.
uint64_t CountTouching(const Model& model, const TimelineRowLanes& item, Interval window);

struct TimelineBoxes {
  std::vector<std::vector<TimelineBox>> rows;  // parallel to the rows asked for
  Ns resolution = 1;                           // ns of one pixel
};
// Pixels become coarser until there are at most `most` boxes in all; callers that want every pixel
// ask for fewer rows at once. Errors: kCancelled.
Result<TimelineBoxes> DrawRows(const Model& model, const std::vector<TimelineRowLanes>& rows,
                               Interval window, int64_t pixels, size_t most,
                               const CancelToken& cancel);

// Instants of a row that one mark stands for.
struct TimelineMark {
  Ns ns = 0;             // of the first
  uint32_t instant = 0;  // the first, an index into the store's
  uint64_t count = 0;
};
// The marks of a row's instants: one for each pixel that holds any. Pixels become coarser until
// there are at most `most` marks, so that none is left out. Marks of the recorder may lie before or
// after everything else; they stand at the ends of the trace, where they can be seen.
std::vector<TimelineMark> DrawInstants(const TraceStore& store, const TimelineRow& row,
                                       Interval window, Ns resolution, size_t most);

// Of each of so many equal parts of the window, the mean of a series between 0 and 1. Four digits
// are more than a minimap can show, but little is not none.
std::vector<double> SharesOf(const TimelineSeries& series, Interval window, int64_t parts);

// What an event that has a moment alone is, by how it was recorded.
const char* InstantKindName(char scope);

// Where an instant stands among those of its row.
struct InstantPlace {
  const TimelineRow* row = nullptr;  // null where no row lists it
  uint32_t previous = kNone, next = kNone;
};
InstantPlace PlaceOfInstant(const TimelineIndex& index, uint32_t instant);

}  // namespace emberline
