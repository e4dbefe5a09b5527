// A trace as a digest.
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "ranks/digest.h"
#include "session/session.h"

namespace emberline {

// The digest of a loaded trace of worker `worker`; without a file, it has no id. Linear in the
// slices, apart from sorting. Errors: kCancelled, and those of FileId().
Result<JobDigest> MakeDigest(const LoadedTrace& trace, const std::string& worker,
                             const CancelToken& cancel = {});

// The name of the machine in a worker's name, "node3_1234" and "node3/rank1" -> "node3"; the whole
// name otherwise.
std::string NodeOf(const std::string& worker);

// The rank that a file's or worker's name tells ("rank-34.Jul_15", "rank3_trace"); -1 without one.
int64_t RankOfName(std::string_view name);

}  // namespace emberline
