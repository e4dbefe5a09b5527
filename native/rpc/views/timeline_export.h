// A part of a trace as a trace file of its own.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"

namespace emberline {

// The slices (ascending), the instants, memory records and counter samples of the range, and the
// names and order of their processes and threads as trace-event JSON: times as in the file they
// came from, every arg as recorded, flows with both their ends. `tracks`: leaves out the instants
// and memory records of others, and counters; null for all. Errors: kInvalidArgument above half a
// million slices.
Result<std::string> ExportTrace(const Model& model, const std::vector<SliceIndex>& slices,
                                Interval range, const std::set<TrackIndex>* tracks);

}  // namespace emberline
