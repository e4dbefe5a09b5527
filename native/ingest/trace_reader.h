// The frame of a trace file: keys before and after the events, and the event list.
#pragma once

#include <memory>
#include <string>

#include "ingest/byte_source.h"
#include "ingest/read_trace.h"

namespace emberline {

// Reads a trace from `source`. `what`: how messages call it, for example its path. Errors:
// kUnreadable, kCancelled.
Result<ReadResult> ReadTraceFrom(ByteSource& source, const std::string& what,
                                 const ReadOptions& options);

}  // namespace emberline
