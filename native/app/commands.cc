#include "app/commands.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "app/augment.h"
#include "app/diff.h"
#include "app/errors.h"
#include "app/images.h"
#include "app/messages.h"
#include "app/options.h"
#include "app/output.h"
#include "app/ranks.h"
#include "app/result_output.h"
#include "base/escape.h"
#include "base/user_packages.h"
#include "render/results.h"
#include "render/tables.h"
#include "rpc/log.h"
#include "rpc/methods.h"
#include "rpc/schema.h"
#include "rpc/server.h"
#include "rpc/views/profile.h"
#include "rpc/views/view.h"

namespace emberline {
namespace {

// The method behind a command; "" for "runs", which shows what opening found.
std::string MethodOf(const Options& options) {
  if (options.command == "check") return "profile/check";
  if (options.command == "timeline" && options.window) return "timeline/window";
  if (options.command == "export") return "timeline/export";
  if (options.command == "kernels" && options.each) return "view/kernelList";
  for (const Json& view : ProtocolDefinition()["views"]) {
    if (view["name"] == options.command) return view["method"];
  }
  const std::string method = "view/" + options.command;
  return IsMethod(method) ? method : "";
}

Json ParamsOf(const Options& options, const std::string& profile_id) {
  Json params = {{"profileId", profile_id}};
  const auto set = [&](const char* key, const std::string& value) {
    if (!value.empty()) params[key] = value;
  };
  set("run", options.run);
  set("worker", options.worker);
  set("span", options.span);
  if (options.command == "check") return params;
  set("steps", options.steps);
  set("groupBy", options.group_by);
  set("sort", options.sort);
  set("filter", options.filter);
  params["limit"] = options.each ? -1 : RowLimit(options);
  if (!options.sources.empty()) params["sourceRoots"] = options.sources;
  if (options.command == "timeline" || options.command == "export") {
    params.erase("limit");
    if (options.window) {
      params["startNs"] = options.window->first;
      params["endNs"] = options.window->second;
      if (options.command == "timeline") params["pixels"] = options.pixels.value_or(1000);
      if (!options.tracks.empty()) params["tracks"] = options.tracks;
    }
  }
  AddOwnParams(options, &params);
  return params;
}

int RunRuns(const Options& options, const Profile& profile) {
  Json rows = Json::array();
  for (const RunFiles& run : profile.discovery.runs) {
    for (const WorkerFiles& worker : run.workers) {
      for (const SpanFile& span : worker.spans) {
        rows.push_back({{"run", run.name},
                        {"worker", worker.name},
                        {"span", span.span},
                        {"sizeBytes", span.size_bytes},
                        {"path", Escaped(span.path.string())}});
      }
    }
  }
  if (options.format == OutputFormat::kJson) {
    Json skipped = Json::array();
    for (const Message& why : profile.discovery.skipped) skipped.push_back(why.text);
    const Json document = {{"schema", "emberline/runs/1"},
                           {"path", Escaped(profile.path.string())},
                           {"rows", std::move(rows)},
                           {"skipped", std::move(skipped)}};
    return PrintJson(document);
  }
  const Json table = TableOfObjects(rows);
  if (options.format == OutputFormat::kCsv) return Print(TableCsv(table));
  std::string text = TableText(table);
  for (const Message& why : profile.discovery.skipped) {
    text += Say(messages::kSkipped, {{"text", Escaped(why.text)}}).text + "\n";
  }
  return Print(text);
}

std::string TraceLine(const Json& trace) {
  std::string text = Escaped(trace["path"].get<std::string>()) + "\n";
  const std::string run = trace["run"], worker = trace["worker"], span = trace["span"];
  text += Say(messages::kTraceAbout, {{"run", Escaped(run)},
                                      {"worker", Escaped(worker)},
                                      {"spans", span.empty() ? "no" : "yes"},
                                      {"span", Escaped(span)},
                                      {"events", trace["events"].get<int64_t>(), Unit::kCount},
                                      {"duration", Humane(trace["durationNs"], "ns")}})
              .text;
  return text + "\n\n";
}

// What figures must not be read without.
std::string NoticeLines(const Json& problems) {
  std::string text;
  for (const Json& problem : problems) {
    if (problem["notice"] == true) {
      const std::string message = Escaped(problem["message"].get<std::string>());
      text += Say(messages::kNoticeLine, {{"text", message}}).text + "\n\n";
    }
  }
  return text;
}

// Each kind of problem once, as the overview's page has it. Its sentence comes last: a table would
// cut what is longer than its columns.
std::string ProblemLines(const Json& problems) {
  if (problems.empty()) return "";
  Json figures = Json::array();
  std::vector<std::string> ends = {"Problem", "-------"};
  int64_t leftovers = 0;
  for (const Json& problem : problems) {
    if (problem["leftover"] == true) {
      leftovers += problem["count"].get<int64_t>();
      continue;
    }
    figures.push_back({{"count", problem["count"]}, {"firstAtByte", problem["firstOffset"]}});
    ends.push_back(Escaped(problem["message"].get<std::string>()));
  }
  std::string text = "\nProblems\n";
  std::istringstream lines(TableText(TableOfObjects(figures)));
  std::string line;
  for (const std::string& end : ends) {
    std::getline(lines, line);
    text += line + "  " + end + "\n";
  }
  if (leftovers > 0) {
    text += "\n" + Say(messages::kLeftovers, {{"places", leftovers, Unit::kCount}}).text + "\n";
  }
  return text;
}

// A list of JSON in a file of the user's joins `params`. Errors: kUnreadable, kInvalidArgument.
Result<bool> AddFile(const std::string& path, const char* key, Json* params) {
  if (path.empty()) return true;
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) {
    return MakeError(errors::kUnreadableParams, {{"path", path}});
  }
  Result<Json> list = ParseJson(text);
  if (!list.ok() || !list->is_array()) {
    if (list.ok()) return MakeError(errors::kParamsNotAList, {{"path", path}});
    return MakeError(errors::kParamsNotJson, {{"path", path}, {"reason", list.error().message}});
  }
  (*params)[key] = std::move(list.value());
  return true;
}

int RunView(const Options& options, const std::string& method) {
  Session session(0, ImagesOf(options));
  CallContext context{session, {}, TerminalProgress()};
  Result<Json> opened = CallMethod("profile/open", {{"path", options.path}}, context);
  if (!opened.ok()) return Fail(opened.error());
  const std::string id = opened.value()["profileId"];
  if (method.empty()) {
    const Result<Profile> profile = session.Find(id);
    if (!profile.ok()) return Fail(profile.error());
    return RunRuns(options, *profile);
  }

  Json params = ParamsOf(options, id);
  for (const auto& [path, key] : {std::pair{&options.device_peaks, "devicePeaks"},
                                  std::pair{&options.cost_rules, "costRules"}}) {
    const Result<bool> added = AddFile(*path, key, &params);
    if (!added.ok()) return Fail(added.error());
  }
  Json selection = {{"profileId", id}};
  for (const char* key : {"run", "worker", "span"}) {
    if (params.contains(key)) selection[key] = params[key];
  }
  Result<Json> info = CallMethod("profile/load", selection, context);
  if (!info.ok()) return Fail(info.error());
  Json trace = std::move(info.value());
  Json problems = std::move(trace["problems"]);
  trace.erase("problems");
  Json head = {
      {"schema", "emberline/" + options.command + "/1"}, {"trace", trace}, {"problems", problems}};

  // A part of a trace is a document of its own, whatever the format.
  ResultOutput output(options.format, options.columns, options.limit, head, [&] {
    // These have no room for it.
    if (options.format != OutputFormat::kJson) std::fputs(NoticeLines(problems).c_str(), stderr);
  });
  const bool words = options.each && options.format == OutputFormat::kTable && !options.width;
  if (options.format == OutputFormat::kJson || options.format == OutputFormat::kCsv || words ||
      options.command == "export") {
    context.sink = &output.sink();
  }
  Result<Json> result = CallMethod(method, params, context);
  if (!result.ok()) {
    return Fail(result.error(), output.begun() ? kExitInternal : StatusOf(result.error()));
  }
  if (output.begun()) return Written(output.Finish(result.value()));
  // A page of these wide rows ends long before a limit that people name.
  if (options.each && options.limit && *options.limit >= 0) {
    Json::array_t& cut = (*result)["rows"].get_ref<Json::array_t&>();
    cut.resize(std::min(cut.size(), static_cast<size_t>(*options.limit)));
  }
  if (!options.columns.empty() && result->is_object() && result->contains("columns")) {
    const Result<bool> chosen = ChooseColumns(options.columns, &result.value());
    if (!chosen.ok()) return Fail(chosen.error(), kExitUsage);
    // What was asked for by name is shown even where it says nothing.
    if (options.format != OutputFormat::kJson) {
      for (Json& column : (*result)["columns"]) column["kept"] = true;
    }
  }

  if (options.format != OutputFormat::kJson) DropCodes(&result.value());
  switch (options.format) {
    case OutputFormat::kJson: {
      if (result->is_object()) {
        for (auto& [key, value] : result->get_ref<Json::object_t&>()) {
          head[key] = std::move(value);
        }
      } else {
        head["result"] = std::move(result.value());
      }
      return PrintJson(head);
    }
    case OutputFormat::kCsv: {
      const std::string csv = ResultCsv(options.command, result.value());
      if (csv.empty()) {
        return Fail(MakeError(errors::kResultHasNoTable), kExitUnreadable);
      }
      // A table has no room for it.
      std::fputs(NoticeLines(problems).c_str(), stderr);
      return Print(csv);
    }
    case OutputFormat::kMarkdown:
      std::fputs(NoticeLines(problems).c_str(), stderr);
      return Print(TableMarkdown(result.value()));
    case OutputFormat::kTable:
      break;
  }
  if (options.each) {
    // Other programs read it: nothing but the table.
    std::fputs(NoticeLines(problems).c_str(), stderr);
    const int64_t width = std::clamp<int64_t>(options.width.value_or(0), 0, 4096);
    return Print(TableWords(result.value(), static_cast<size_t>(width)));
  }
  Json shown = std::move(result.value());
  if (options.command == "check") shown.erase("problems");  // told below
  std::string text = ResultText(options.command, shown);
  text.erase(0, text.find_first_not_of('\n'));
  return Print(TraceLine(trace) + NoticeLines(problems) + text + ProblemLines(problems));
}

}  // namespace

namespace {

// Before any trace is read: what counts as the user's own code, by the option, else the
// environment.
void UseUserPackages(const Options& options) {
  const char* set = std::getenv("EMBERLINE_USER_PACKAGES");
  const std::string_view usual = set == nullptr ? std::string_view() : set;
  SetUserPackages(PackageNames(options.user_packages.empty() ? usual : options.user_packages));
}

}  // namespace

int RunCommandLine(const std::vector<std::string>& arguments, const std::string& version) {
  Result<Options> parsed = ParseOptions(arguments);
  if (!parsed.ok()) return Fail(parsed.error(), kExitUsage);
  const Options& options = parsed.value();
  if (!options.help.empty()) return Print(options.help);
  if (options.version) return Print("emberline " + version + "\n");
  if (options.command.empty()) {
    std::fputs(UsageText().c_str(), stderr);
    return kExitUsage;
  }
  UseUserPackages(options);
  if (options.command == "serve") {
    if (!options.path.empty()) {
      return Fail(MakeError(errors::kServeTakesNoPath), kExitUsage);
    }
    SetLogLevel(options.log_level == "error"   ? LogLevel::kError
                : options.log_level == "debug" ? LogLevel::kDebug
                                               : LogLevel::kInfo);
    return Serve(version, ImagesOf(options));
  }
  if (options.command == "diff") return RunDiff(options);
  if (options.command == "augment") return RunAugment(options);
  if (IsRanksCommand(options.command)) return RunRanksCommand(options);
  const std::string method = MethodOf(options);
  if (options.path.empty()) {
    return Fail(MakeError(errors::kPathRequired, {{"command", options.command}}), kExitUsage);
  }
  if (options.command == "export" && !options.window) {
    return Fail(MakeError(errors::kExportWindow), kExitUsage);
  }
  if (options.command == "timeline" && options.window && options.tracks.empty()) {
    return Fail(MakeError(errors::kTimelineTracks), kExitUsage);
  }
  return RunView(options, method);
}

}  // namespace emberline
