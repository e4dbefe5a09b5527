// A part of a trace as a trace file of its own.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "model/model.h"
#include "ranks/critical_path.h"

namespace emberline {

// What is not recorded and goes along, as counters and marks.
struct TraceAdditions {
  struct Counter {
    std::string name, key;  // of the event and of its value
    int64_t id = -1;        // tells counters of one name apart; -1: nothing to tell
    TrackIndex track = kNone;
    std::vector<std::pair<Ns, double>> points;
  };
  std::vector<Counter> counters;
  std::vector<SliceIndex> critical;  // slices on the critical path, ascending
  std::vector<PathEdge> edges;
};

// Queue length of each stream, bandwidth of copies, and the critical path of the whole steps.
// Error: kCancelled.
Result<TraceAdditions> AdditionsOf(const Model& model, const CancelToken& cancel);

// Takes the text piece by piece; false ends the writing.
using TextSink = std::function<bool(std::string_view)>;

// As ExportTrace(), of any length. False where the sink wanted no more.
bool WriteTrace(const Model& model, const std::vector<SliceIndex>& slices, Interval range,
                const std::set<TrackIndex>* tracks, const TraceAdditions* additions,
                const TextSink& sink);

// The slices (ascending), the instants, memory records and counter samples of the range, and the
// names and order of their processes and threads as trace-event JSON: times as in the file they
// came from, every arg as recorded, flows with both their ends. `tracks`: leaves out the instants
// and memory records of others, and counters; null for all. `additions` may be null. False where
// the sink wanted no more. Errors: kInvalidArgument above half a million slices.
Result<bool> ExportTrace(const Model& model, const std::vector<SliceIndex>& slices, Interval range,
                         const std::set<TrackIndex>* tracks, const TraceAdditions* additions,
                         const TextSink& sink);

}  // namespace emberline
