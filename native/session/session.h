// The facade: open profiles, load traces, hand out frozen results. Usable without RPC.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "ingest/read_trace.h"
#include "model/model.h"
#include "session/memo.h"

namespace emberline {

// One loaded trace: everything an adapter of a view needs. Frozen, apart from `results`.
struct LoadedTrace {
  LoadedTrace() = default;  // of no session; for traces that tests draw
  explicit LoadedTrace(std::shared_ptr<Memo> memo) : results(std::move(memo)) {}

  std::filesystem::path path;
  std::shared_ptr<const TraceStore> store;
  std::shared_ptr<const Model> model;
  std::vector<StageTime> stages;
  double total_seconds = 0;
  // Results that are costly and asked for again: pyramids, line alignments, tables. Last, so that
  // they go before what they point to.
  MemoScope results;
};

// Which trace of a profile; empty strings mean the first.
struct TraceSelection {
  std::string run;
  std::string worker;
  std::string span;
};

struct Profile {
  std::string id;
  std::filesystem::path path;
  Discovery discovery;
};

class ImageCache;
struct FirstPart;

class Session {
 public:
  // Traces and their results are kept up to this many bytes; 0: half of the machine's memory, or
  // EMBERLINE_MEMORY_MB where that is set. `images`: where traces are kept on the disk; none when
  // null.
  explicit Session(size_t limit_bytes = 0, std::shared_ptr<ImageCache> images = nullptr);
  ~Session();
  // Discovers what PATH holds; loads nothing. The same path opened twice gives two ids. Errors:
  // those of DiscoverRuns.
  Result<Profile> Open(const std::filesystem::path& path, const CancelToken& cancel = {});
  Result<Profile> Find(const std::string& profile_id) const;
  // Cancels what runs for the profile, and lets go of the traces that no other profile holds.
  Result<bool> Close(const std::string& profile_id);
  std::vector<Profile> Profiles() const;
  // The loaded trace; loads it on first demand (concurrent callers share one load). The least
  // recently used traces and results are let go beyond the limit. A profile goes on with what it
  // has loaded when the file is deleted or written again, so that its views agree; `renew` looks at
  // the file, and reads it again where it is another one. Closing the profile meanwhile sets
  // `options.cancel`.
  Result<std::shared_ptr<const LoadedTrace>> Load(const std::string& profile_id,
                                                  const TraceSelection& selection,
                                                  const ReadOptions& options, bool renew = false);
  // Whether Load() has nothing to read.
  bool Keeps(const std::string& profile_id, const TraceSelection& selection) const;
  // Lets go of a loaded trace, unless another open profile shows it: the next Load() reads it
  // again.
  void LetGo(const std::string& profile_id, const TraceSelection& selection);
  // The beginning of a trace that is being loaded (session/first_picture.h), while the load reads;
  // whoever asked for it is told by `options.first_picture` when it is there. Errors: kNotFound,
  // also where there is none: not yet, not any more, or not of so small a trace.
  Result<std::shared_ptr<const FirstPart>> FirstPartOf(const std::string& profile_id,
                                                       const TraceSelection& selection) const;
  // Work for a profile: as long as the returned guard lives, closing the profile sets `cancel`. It
  // is set at once when the profile is not open.
  std::shared_ptr<void> BeginWork(const std::string& profile_id, const CancelToken& cancel);
  // The file that a selection names. Errors: kNotFound.
  Result<std::filesystem::path> PathOf(const std::string& profile_id,
                                       const TraceSelection& selection) const;
  // Bytes of the traces and results that are kept, and how many may be.
  size_t limit_bytes() const;
  size_t kept_bytes() const;
  // Results that belong to no single trace, such as those of a whole run.
  const MemoScope& results() const;
  // Where traces are kept on the disk; may be null.
  ImageCache* images() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace emberline
