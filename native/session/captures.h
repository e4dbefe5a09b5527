// Captures of device graphs that were recorded into files of their own, beside the trace.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"
#include "ingest/read_trace.h"
#include "model/model.h"

namespace emberline {

// Looks for the recorders of the graphs that `model`'s trace runs in the folder "capture_traces"
// beside it, and returns a model that knows them: of the same store, to which their calls were
// added. Returns `model` itself when there is no such folder or nothing to look for. Nobody else
// may use the store yet. A capture file that cannot be read is named in the store's
// capture_sources(), and the rest goes on. Errors: kCancelled.
Result<std::shared_ptr<const Model>> AddCaptures(const std::filesystem::path& trace,
                                                 std::shared_ptr<const Model> model,
                                                 const ReadOptions& options);

// Changes when a file changes that AddCaptures() may read for the trace; "" without any.
std::string CaptureState(const std::filesystem::path& trace);

}  // namespace emberline
