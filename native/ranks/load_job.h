// Jobs from folders of traces and from folders of digests.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/table.h"
#include "ranks/job.h"
#include "session/trace_set.h"

namespace emberline {

struct JobSource {
  std::string profile_id;         // an open profile ...
  std::string run, span;          // ... and which of its runs and capture spans; "" the first
  std::filesystem::path digests;  // or a folder of digests, or one digest; then no profile
  size_t max_ranks = 0;           // only the first of them, for a first picture; 0: all
};

struct LoadedJob {
  Job job;
  std::vector<BrokenFile> broken;
  std::string state;  // of the traces' files, as they were read; "" of digests
  size_t files = 0;   // there are
  size_t loaded = 0;  // of these, put together
  size_t MemoryBytes() const { return job.MemoryBytes() + job.digest->MemoryBytes(); }
};

// True for a digest, and for a folder that holds some.
bool HoldsDigests(const std::filesystem::path& path);

// Puts the ranks together, side by side within `limits`, and keeps the result with the session.
// The digest of each trace is kept on the disk, too: in the folder that EMBERLINE_DIGEST_CACHE
// names, else among the session's images; a trace is read only where it is not there.
// Files that cannot be read are named in the job's notes. A job of traces stays as it was read,
// whatever becomes of its files, until it is loaded with `renew`: the tables of a page belong
// together. Errors: kNotFound, kUnreadable when no file can be read, kCancelled.
Result<std::shared_ptr<const LoadedJob>> LoadJob(Session& session, const JobSource& source,
                                                 const ReadOptions& options,
                                                 const SetLimits& limits = {}, bool renew = false);

// The kernel sequences of the outermost operators whose name holds `name`, of every rank of a job:
// as Holistic Trace Analysis asks for them. Reads the traces again, side by side: digests hold the
// innermost operators. Errors: kInvalidArgument for digests, kUnreadable where a trace is not any
// more what the job was made of, kCancelled.
Result<Table> SequencesByOperator(Session& session, const JobSource& source, const Job& job,
                                  const std::string& name, const ReadOptions& options);

// The trace of a rank, for tables of single events, which no digest holds.
struct RankTrace {
  int64_t rank = -1;
  std::shared_ptr<const LoadedTrace> trace;
};
// That of rank `rank`, or of the first rank of the job where it is below 0. Loads it where it is
// not loaded. Errors: kInvalidArgument for digests, kNotFound for a rank that the job does not
// have, kUnreadable where its trace is not any more what the job was made of, kCancelled, and those
// of loading.
Result<RankTrace> TraceOfRank(Session& session, const JobSource& source, const Job& job,
                              int64_t rank, const ReadOptions& options);

// All digests of a folder, or one, as one. Files that are none or are broken go into `broken`.
// Errors: kNotFound without any, kCancelled.
Result<JobDigest> ReadDigests(const std::filesystem::path& path, std::vector<BrokenFile>* broken,
                              size_t* files, const CancelToken& cancel = {});

}  // namespace emberline
