// Small JSON documents for RPC and the command line (never traces: those go through
// ingest/).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace emberline {

using Json = nlohmann::ordered_json;

// Parses bounded input (depth at most 100). Errors: kInvalidArgument with the offset.
Result<Json> ParseJson(std::string_view text);

// Compact text; invalid UTF-8 inside strings is replaced by U+FFFD, so it never throws.
std::string DumpJson(const Json& value);

}  // namespace emberline
