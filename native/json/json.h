// Small JSON documents for RPC and the command line (never traces: those go through
// ingest/).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/moving_map.h"

namespace emberline {

// Its objects keep the order in which members were added.
using Json = nlohmann::basic_json<MovingMap>;

// Parses bounded input (depth at most 100). Errors: kInvalidArgument with the offset.
Result<Json> ParseJson(std::string_view text);

// The text with U+FFFD in place of each \u escape that is half of a surrogate pair without the
// other half. JavaScript writes these for strings that hold half a character (a name cut at a
// length, a document being typed), and no parser takes them.
std::string WithoutLoneSurrogates(std::string_view text);

// Compact text; invalid UTF-8 inside strings is replaced by U+FFFD, so it never throws.
std::string DumpJson(const Json& value);

}  // namespace emberline
