// profile/*: what a path holds, what a trace is, how healthy it is.
#pragma once

#include <string>

#include "base/result.h"
#include "json/json.h"
#include "rpc/methods.h"

namespace emberline {

using ProfileFunction = Result<Json> (*)(const Json& params, const CallContext& context);

// The function of "profile/open" and the like; null for other methods.
ProfileFunction FindProfileMethod(const std::string& method);

// TraceInfo (rpc/protocol/profile.json) of a loaded trace. Errors: kCancelled.
Result<Json> TraceInfoJson(const LoadedTrace& trace, const Profile& profile,
                           const TraceSelection& selection, const CancelToken& cancel);

// How many workers the selected run has.
size_t WorkersOf(const Profile& profile, const TraceSelection& selection);

// The problems found while reading, as a JSON array.
Json ProblemsJson(const TraceStore& store);

}  // namespace emberline
