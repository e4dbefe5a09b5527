// Bytes to store.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "store/trace_store.h"

namespace emberline {

struct StageTime {
  std::string name;    // "read", "inflate", "tokenize", "build", ...
  double seconds = 0;  // stages overlap; their sum may exceed the whole
};

class ByteSource;
class Importer;

struct ReadOptions {
  CancelToken cancel;
  ProgressFn progress;
  // Who may read it; all of the program when null.
  const std::vector<const Importer*>* importers = nullptr;
  // Another thread helps from so many events on. Never changes what is read; tests lower it.
  uint64_t alone_events = 20'000;
  // How many threads read events ahead, once another thread helps; as the machine's cores allow
  // when unset. Never changes what is read; tests set it.
  std::optional<size_t> readers_ahead;
  // The most text that is read as one batch of events; as suits the processor when unset. Never
  // changes what is read; tests lower it.
  std::optional<size_t> batch_bytes;
  // Whether what is read may be kept on the disk for the next time (session/image_cache.h).
  bool keep_image = true;
  // Told when a first picture of a large trace can be asked for (Session::FirstPartOf); may be
  // called on any thread, and more than once. None is made when empty.
  std::function<void()> first_picture;
};

// A recording as messages call it, and where it lies; no path for text in memory.
struct TraceFile {
  std::string name;
  std::filesystem::path path;
};

struct ReadResult {
  std::shared_ptr<const TraceStore> store;
  std::vector<StageTime> stages;
  double total_seconds = 0;
};

// Reads a trace, plain or compressed, by the importer that recognizes it (ingest/importer.h).
// Errors: kNotFound, kUnreadable (not a trace: says why, with the byte offset, and what to do),
// kCancelled. Damage inside a trace is no error: it is in store->problems().
Result<ReadResult> ReadTrace(const std::filesystem::path& path, const ReadOptions& options);

// The same from text in memory; for tests that draw their trace.
Result<ReadResult> ReadTraceText(std::string_view text, const ReadOptions& options = {});

// The same from where its bytes come.
Result<ReadResult> ReadTraceFrom(ByteSource& source, const TraceFile& file,
                                 const ReadOptions& options);

// One capture span (a file) of a worker of a run (SEMANTICS.md, Files).
struct SpanFile {
  std::string span;  // "1", "2", ... by time; "" when the worker has one
  std::filesystem::path path;
  uint64_t size_bytes = 0;
};
struct WorkerFiles {
  std::string name;
  std::vector<SpanFile> spans;
};
// A file that is named like the traces around it, and cannot be one of them.
struct BrokenSpan {
  std::filesystem::path path;
  std::string why;
};
struct RunFiles {
  std::string name;
  std::filesystem::path folder;
  std::vector<WorkerFiles> workers;
  // Both are also in Discovery::skipped.
  std::vector<BrokenSpan> broken;
  std::vector<BrokenSpan> strangers;  // damaged files named in another way: may be traces or not
};
struct Discovery {
  std::vector<RunFiles> runs;
  std::vector<Message> skipped;  // files that look like something else, with the reason
};

// Finds runs below PATH: a trace file (one run, one worker), a run folder, or a log folder.
// Looks through at most 200,000 entries, and follows no link that leads out of the folder. Errors:
// kNotFound, kUnreadable (nothing there that looks like a trace), kCancelled.
// `importers`: as of ReadOptions.
Result<Discovery> DiscoverRuns(const std::filesystem::path& path, const CancelToken& cancel = {},
                               const std::vector<const Importer*>* importers = nullptr);

}  // namespace emberline
