// The timeline: its rows in a sensible order, what to draw of them, and questions about slices and
// ranges. All functions are pure and may run on any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/intervals.h"
#include "analysis/timeline_series.h"
#include "base/cancel.h"
#include "base/message.h"
#include "base/result.h"
#include "model/model.h"

namespace emberline {

class TimelineTrackLanes;

enum class TimelineRowKind : uint8_t {
  kSteps,
  kThread,
  kStream,
  kOverhead,
  kSpan,
  kCounter,
  kDerived,
  kOther,
  kAsync
};
inline constexpr int kTimelineRowKindCount = static_cast<int>(TimelineRowKind::kAsync) + 1;
const char* TimelineRowKindName(TimelineRowKind kind);

// Ids of rows that are no track of the trace begin here.
inline constexpr int64_t kFirstDerivedRow = 1'000'000;

struct TimelineRow {
  int64_t id = 0;  // the track's index, or from kFirstDerivedRow on
  TimelineRowKind kind = TimelineRowKind::kOther;
  // A code and values where the catalog says it; a recorded name has none, and is the text.
  Message group;  // the process or device it belongs to
  Message name;
  Message detail;
  int64_t device = -1;
  uint32_t lanes = 0;
  uint64_t slices = 0;
  Ns busy = 0;  // union of its slices; of a device's row: of the device work alone
  bool folded = false;
  std::string unit;                // of a series
  TrackIndex track = kNone;        // of a row of slices
  int series = -1;                 // index into TimelineIndex::series
  std::vector<uint32_t> instants;  // indexes into the store's, by time
};

// Everything that is computed once per trace.
struct TimelineIndex {
  std::vector<TimelineRow> rows;  // in the suggested order
  // Rows that a hostile file has beyond what is listed, and the slices on them.
  uint64_t unlisted_rows = 0;
  uint64_t unlisted_slices = 0;
  std::map<int64_t, size_t> row_of;  // by id
  std::vector<TimelineSeries> series;
  Interval work;               // what the first picture shows
  TimelineSeries device_busy;  // 1 while any device works; for the minimap
  TimelineSeries host_busy;    // 1 while any launching thread has a slice
};

// Rows in the order: steps, per device its streams by load and its derived series, launching
// threads by launches, then the rest, folded. Every track with a slice or an instant has a row, up
// to 4,000 rows of each kind; the rest is counted.
// Errors: kCancelled.
Result<TimelineIndex> BuildTimelineIndex(const Model& model, const CancelToken& cancel);

// A recorded process or thread id as text.
std::string RecordedIdText(const TraceStore& store, const RecordedId& id);

// --- Single slices.
struct SliceSurroundings {
  Ns self = 0;  // duration less that of the slices directly inside
  uint64_t children = 0;
  std::vector<SliceIndex> launched;  // device work launched by it or from inside, at most 50
  uint64_t launched_total = 0;
};
SliceSurroundings SurroundingsOf(const Model& model, SliceIndex slice);

// Backward ops by their forward op: pairs (forward, backward), sorted.
using ForwardBackward = std::vector<std::pair<SliceIndex, SliceIndex>>;
ForwardBackward BuildForwardBackward(const Model& model);
// The backward ops of a forward op, at most 50.
std::vector<SliceIndex> BackwardOf(const ForwardBackward& pairs, SliceIndex forward);

enum class Direction { kNext, kPrevious, kIn, kOut };
// The neighbor in that direction: on the same lane, the first slice inside, or the one around;
// kNone at the end.
SliceIndex NeighborOf(const TraceStore& store, const TimelineTrackLanes& lanes, SliceIndex slice,
                      Direction direction);

// --- Search.
struct TimelineSearch {
  std::string text;  // part of the name in any case, or a regular expression
  bool regex = false;
  std::optional<SliceKind> kind;
  std::string category;  // as recorded
  std::string module;    // inside calls of modules whose name holds this, any case
  std::string name;      // the exact name
  std::string file;      // innermost user frame
  int64_t line = 0;      // 0: any line of the file
  uint64_t offset = 0;
  uint64_t limit = 100;
};
struct TimelineHits {
  uint64_t total = 0;
  Ns sum = 0;
  std::vector<std::pair<TrackIndex, uint64_t>> by_track;
  struct Name {
    StringId name = 0;
    uint64_t count = 0;
    Ns sum = 0;
  };
  std::vector<Name> by_name;  // longest together first, at most kMostNames
  uint64_t names = 0;         // how many there are
  static constexpr size_t kMostNames = 200;
  std::vector<SliceIndex> page;  // by start
};
// Linear in the slices. Errors: kInvalidArgument for a regular expression that does not parse,
// kCancelled.
Result<TimelineHits> SearchTimeline(const Model& model, const TimelineSearch& search,
                                    const CancelToken& cancel);

// --- Ranges.
// Slices of all tracks that touch the window, by index. Linear in all slices. Errors: kCancelled.
Result<std::vector<SliceIndex>> SlicesTouching(const TraceStore& store, Interval window,
                                               const CancelToken& cancel);
struct KindSum {
  SliceKind kind = SliceKind::kHostOther;
  uint64_t slices = 0;
  Ns sum = 0;    // inside the range
  Ns unite = 0;  // union over all tracks, inside the range
};
struct NameSum {
  StringId name = 0;
  SliceKind kind = SliceKind::kHostOther;
  uint64_t calls = 0;
  Ns sum = 0;
  Ns self = 0;  // without what ran inside
  SliceIndex longest = kNone;
  // What it ran in, with the self time that it had there; largest first, at most kMostCallers.
  std::vector<std::pair<StringId, Ns>> callers;
  static constexpr size_t kMostCallers = 3;
};
// Time in which some stream of a device works: kernels, copies and sets, not annotations.
struct DeviceBusy {
  int64_t device = -1;
  Ns busy = 0;
};
struct RangeSums {
  std::vector<KindSum> kinds;       // by sum, largest first
  std::vector<NameSum> names;       // by self time, largest first; as many as asked for
  std::vector<DeviceBusy> devices;  // those with work in the range, by ordinal
  uint64_t total = 0;
};
// Sums over `slices`, each clipped to the range; they must ascend by index. The span of the
// recording does not count.
RangeSums SumRange(const TraceStore& store, const std::vector<SliceIndex>& slices, Interval range,
                   size_t names);

// --- Arrows.
struct TimelineArrow {
  enum class Kind : uint8_t { kLaunch, kForwardBackward, kOther };
  SliceIndex from = kNone;
  SliceIndex to = kNone;
  Kind kind = Kind::kOther;
  // Of kOther, as recorded: times, category, name, and handles for TraceStore::ArgsAt.
  Ns from_ns = 0;
  Ns to_ns = 0;
  uint16_t category = 0;
  StringId name = 0;
  uint64_t args = 0;
  uint64_t args_at_end = 0;
};
// Arrows of one slice (for an operator, those of what is inside too), or with an end in the window.
// `total` counts all, `arrows` holds at most `limit`.
struct TimelineArrows {
  std::vector<TimelineArrow> arrows;
  uint64_t total = 0;
};
// The recorded flows that are neither launches nor from forward to backward as the model has them,
// in the order of the store, and which of them begin or end at a slice. Linear in all flows, so it
// is made once.
struct TimelineFlowSet {
  std::vector<TimelineArrow> arrows;
  std::vector<std::pair<SliceIndex, uint32_t>> ends;  // slice, index of the arrow; sorted
};
TimelineFlowSet BuildTimelineFlows(const Model& model);

TimelineArrows ArrowsOf(const Model& model, const ForwardBackward& pairs,
                        const TimelineFlowSet& flows, SliceIndex slice, size_t limit);
TimelineArrows ArrowsIn(const Model& model, const ForwardBackward& pairs,
                        const TimelineFlowSet& flows, Interval window, size_t limit);

}  // namespace emberline
