// What commands share: what they print, the status they end with, params of the user's own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/options.h"
#include "base/cancel.h"
#include "base/result.h"
#include "json/json.h"
#include "rpc/methods.h"

namespace emberline {

// Says on stderr what went wrong, and gives `status`.
int Fail(const Error& error, int status);
// The status that a failed request ends with.
int StatusOf(const Error& error);
// Both together.
int Fail(const Error& error);

// Says on stderr what is wrong with one of several files; the others go on.
void Complain(const std::string& file, const std::string& why);

// Makes the folder that output goes to, with those around it. The error where that fails.
std::optional<Error> MakeFolder(const std::filesystem::path& folder);

// The status of a command whose output was `written`, as far as it went, and goes out now: an
// internal error where that fails, for the reason that errno has.
int Written(bool written);
// Writes to stdout; the status as above.
int Print(std::string_view text);
int PrintJson(const Json& document);

// The result of a method with a table, whose rows are all there that its limit asks for: a reply
// would end early where they are large.
Result<Json> CallTable(const std::string& method, const Json& params, CallContext context);

// How many rows a table has: what --limit asks for, else few where people read it, and -1, all of
// them, where programs do.
int64_t RowLimit(const Options& options);

// What --param gave joins `params`: as JSON where it is some, else as text.
void AddOwnParams(const Options& options, Json* params);

// Progress for people who wait at a terminal; empty elsewhere.
ProgressFn TerminalProgress();

}  // namespace emberline
