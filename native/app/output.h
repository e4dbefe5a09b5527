// What commands print, and the status they end with.
#pragma once

#include <string>
#include <string_view>

#include "base/cancel.h"
#include "base/result.h"
#include "json/json.h"

namespace emberline {

// Says on stderr what went wrong, and gives `status`.
int Fail(const Error& error, int status);
// The status that a failed request ends with.
int StatusOf(const Error& error);
// Both together.
int Fail(const Error& error);

// Writes to stdout; the status is an internal error where that fails.
int Print(std::string_view text);
int PrintJson(const Json& document);

// Progress for people who wait at a terminal; empty elsewhere.
ProgressFn TerminalProgress();

}  // namespace emberline
