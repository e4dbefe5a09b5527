// A part of a trace as a trace file of its own.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"

namespace emberline {

// The slices (ascending), the instants of the range, and the names of their processes and threads
// as trace-event JSON: times as in the file they came from, every arg as recorded, flows from each
// launch to its work. Errors: kInvalidArgument above half a million slices.
Result<std::string> ExportTrace(const Model& model, const std::vector<SliceIndex>& slices,
                                Interval range);

}  // namespace emberline
