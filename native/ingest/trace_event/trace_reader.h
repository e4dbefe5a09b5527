// The frame of a trace file: keys before and after the events, and the event list.
#pragma once

#include "ingest/importer.h"

namespace emberline {

// Reads a trace (.json, bare array, truncated, damaged) from `source`. Errors: kUnreadable (not a
// trace: says why, with the byte offset, and what to do), kCancelled.
Result<ReadResult> ReadTraceEvents(ByteSource& source, const TraceFile& file,
                                   const ReadOptions& options);

}  // namespace emberline
