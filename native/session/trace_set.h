// Several traces at once: two to compare, or all ranks of a job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "session/session.h"

namespace emberline {

// Which trace of which open profile.
struct TraceRef {
  std::string profile_id;
  TraceSelection selection;
};

struct SetLimits {
  unsigned threads = 0;     // traces read at the same time; 0: as many as there are cores
  size_t memory_bytes = 0;  // for those that are being read, by an estimate from the sizes of their
                            // files; 0: half of the session's limit. One is always read, however
                            // large it is.
  bool visit_side_by_side = false;  // visits run at the same time, one on each thread that loads
  bool renew = false;               // files that were written again are read again
  size_t kept_traces = SIZE_MAX;    // of how many, the first ones, the session keeps what it loads;
                                  // others are let go after their visits, unless it had them before
};

// What became of one trace of a set.
struct SetMember {
  TraceRef ref;
  Result<std::shared_ptr<const LoadedTrace>> trace;
};

// Loads the traces of `refs` side by side and calls `visit` with the index and the outcome of each
// as soon as it is there: one after the other unless the limits say otherwise, in the order in
// which they finish, on one of the threads that load. A trace that the visitor does not keep may be
// let go, so that a set need not fit into memory. A trace that cannot be read is visited with its
// error, and the others go on. Progress is that of the whole set. What a load or a visit throws
// ends the set and is thrown to the caller. Errors: kCancelled.
Result<bool> ForEachTrace(Session& session, const std::vector<TraceRef>& refs,
                          const ReadOptions& options,
                          const std::function<void(size_t, SetMember)>& visit,
                          const SetLimits& limits = {});

// The same, keeping all: one member for each of `refs`, in their order. Errors: kCancelled.
Result<std::vector<SetMember>> LoadAll(Session& session, const std::vector<TraceRef>& refs,
                                       const ReadOptions& options, const SetLimits& limits = {});

// Every worker of a run, by its first capture span.
std::vector<TraceRef> WorkersOfRun(const Profile& profile, const std::string& run);

// Files of a run (of the first, where `run` is empty) that are named like its traces and are none.
std::vector<BrokenSpan> BrokenOfRun(const Profile& profile, const std::string& run);

// Files beside them that are damaged and have other names: they may be traces or not.
std::vector<BrokenSpan> StrangersOfRun(const Profile& profile, const std::string& run);

// Every capture span of every worker of every run.
std::vector<TraceRef> AllTraces(const Profile& profile);

}  // namespace emberline
