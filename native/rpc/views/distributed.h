// distributed/*: the ranks of a run, or a folder of digests, as one job.
#pragma once

#include "base/result.h"
#include "json/json.h"
#include "rpc/methods.h"

namespace emberline {

using DistributedFunction = Result<Json> (*)(const Json& params, const CallContext& context);

// The method of that name; null for any other.
DistributedFunction FindDistributedMethod(const std::string& method);

}  // namespace emberline
