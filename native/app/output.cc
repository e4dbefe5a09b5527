#include "app/output.h"

#include <unistd.h>

#include <cstdio>

#include "app/commands.h"
#include "app/errors.h"
#include "base/escape.h"
#include "json/write_json.h"

namespace emberline {

int Fail(const Error& error, int status) {
  std::string text = "emberline: " + Escaped(error.message);
  if (error.offset) text += " (at byte " + std::to_string(*error.offset) + ")";
  text += "\n";
  if (!error.hint.empty()) text += Escaped(error.hint) + "\n";
  std::fputs(text.c_str(), stderr);
  return status;
}

int StatusOf(const Error& error) {
  switch (error.kind) {
    case ErrorKind::kInvalidArgument:
      return kExitUsage;
    case ErrorKind::kNotFound:
    case ErrorKind::kUnreadable:
    case ErrorKind::kUnsupported:
      return kExitUnreadable;
    case ErrorKind::kCancelled:
    case ErrorKind::kInternal:
      return kExitInternal;
  }
  return kExitInternal;
}

int Fail(const Error& error) { return Fail(error, StatusOf(error)); }

int Written(bool written) {
  return written && std::fflush(stdout) == 0
             ? kExitDone
             : Fail(MakeError(errors::kOutputNotWritten), kExitInternal);
}

int Print(std::string_view text) {
  return Written(std::fwrite(text.data(), 1, text.size(), stdout) == text.size());
}

int PrintJson(const Json& document) {
  const auto write = [](std::string_view piece) {
    const std::string text = EscapedJson(std::string(piece));
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  };
  return Written(WriteJson(document, write) && std::fputc('\n', stdout) != EOF);
}

Result<Json> CallTable(const std::string& method, const Json& params, CallContext context) {
  Json rows = Json::array();
  const ResultSink sink{[](const Json&) { return Result<bool>(true); },
                        [&](const Json& row) {
                          rows.push_back(row);
                          return true;
                        },
                        {}};
  context.sink = &sink;
  Result<Json> result = CallMethod(method, params, context);
  if (result.ok()) (*result)["rows"] = std::move(rows);
  return result;
}

ProgressFn TerminalProgress() {
  if (!isatty(STDERR_FILENO)) return {};
  return [](std::string_view stage, double fraction) {
    if (fraction >= 1) {
      std::fputs("\r\x1b[K", stderr);
    } else {
      std::fprintf(stderr, "\r\x1b[K%.*s %3.0f %%", static_cast<int>(stage.size()), stage.data(),
                   fraction * 100);
    }
  };
}

void AddOwnParams(const Options& options, Json* params) {
  for (const auto& [key, text] : options.params) {
    Result<Json> value = ParseJson(text);
    (*params)[key] = value.ok() ? value.value() : Json(text);
  }
}

}  // namespace emberline
