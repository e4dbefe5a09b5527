#include "app/output.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>

#include "app/commands.h"
#include "app/errors.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/named_file.h"
#include "json/write_json.h"

namespace emberline {
namespace {

// Parameters of requests that have an option of their own.
struct OptionName {
  std::string_view param, option;
};
constexpr OptionName kOptionNames[] = {
    {"by", "--by"},
    {"endNs", "--window"},
    {"filter", "--filter"},
    {"groupBy", "--group-by"},
    {"limit", "--limit"},
    {"pixels", "--pixels"},
    {"run", "--run"},
    {"sort", "--sort"},
    {"sourceRoots", "--source"},
    {"span", "--span"},
    {"startNs", "--window"},
    {"steps", "--steps"},
    {"time", "--time"},
    {"tracks", "--track"},
    {"worker", "--worker"},
};

// An error of a request in the words of the command line: "params.groupBy" is --group-by there, and
// what has no option of its own was given with --param.
std::string WithOptions(std::string_view message) {
  constexpr std::string_view kParams = "params.";
  std::string text;
  for (;;) {
    const size_t at = message.find(kParams);
    text += message.substr(0, at);
    if (at == std::string_view::npos) return text;
    message.remove_prefix(at + kParams.size());
    size_t end = 0;
    while (end < message.size() && std::isalnum(static_cast<unsigned char>(message[end])) != 0) {
      ++end;
    }
    const std::string_view param = message.substr(0, end);
    const auto* const named =
        std::find_if(std::begin(kOptionNames), std::end(kOptionNames),
                     [&](const OptionName& name) { return name.param == param; });
    text += named != std::end(kOptionNames) ? std::string(named->option)
                                            : "--param " + std::string(param);
    message.remove_prefix(end);
  }
}

}  // namespace

int Fail(const Error& error, int status) {
  const bool usage = error.kind == ErrorKind::kInvalidArgument;
  std::string text = "emberline: " + Escaped(usage ? WithOptions(error.message) : error.message);
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

void Complain(const std::string& file, const std::string& why) {
  const std::string text = WithWholePath(why, file).value_or(file + ": " + why);
  std::fputs(("emberline: " + Escaped(text) + "\n").c_str(), stderr);
}

std::optional<Error> MakeFolder(const std::filesystem::path& folder) {
  std::error_code fault, ignored;
  std::filesystem::create_directories(folder, fault);
  if (std::filesystem::is_directory(folder, ignored)) return std::nullopt;
  return MakeError(errors::kFolderNotMade,
                   {{"path", folder.string()}, {"reason", WhyNotWritten(fault.value())}});
}

int Written(bool written) {
  if (written && std::fflush(stdout) == 0) return kExitDone;
  return Fail(MakeError(errors::kOutputNotWritten, {{"reason", WhyNotWritten(errno)}}),
              kExitInternal);
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

int64_t RowLimit(const Options& options) {
  if (options.limit) return *options.limit;
  switch (options.format) {
    case OutputFormat::kTable:
      return 40;
    case OutputFormat::kMarkdown:
      return 15;
    case OutputFormat::kJson:
    case OutputFormat::kCsv:
      return -1;
  }
  return -1;
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
