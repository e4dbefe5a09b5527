#include "app/diff.h"

#include <cmath>
#include <cstdio>

#include "app/commands.h"
#include "app/errors.h"
#include "app/images.h"
#include "app/messages.h"
#include "app/output.h"
#include "base/escape.h"
#include "base/number_text.h"
#include "render/tables.h"
#include "rpc/methods.h"

namespace emberline {
namespace {

Json SelectionOf(const Options& options, const TraceOptions& own, const std::string& profile) {
  Json selection = {{"profileId", profile}};
  const auto set = [&](const char* key, const std::string& ours, const std::string& both) {
    const std::string& value = ours.empty() ? both : ours;
    if (!value.empty()) selection[key] = value;
  };
  set("run", own.run, options.run);
  set("worker", own.worker, options.worker);
  set("span", own.span, options.span);
  set("steps", own.steps, options.steps);
  return selection;
}

Json ParamsOf(const Options& options, const std::string (&profiles)[2]) {
  Json params = {{"baseline", SelectionOf(options, options.baseline, profiles[0])},
                 {"candidate", SelectionOf(options, options.candidate, profiles[1])}};
  if (!options.time.empty()) params["time"] = options.time;
  if (!options.sources.empty()) params["sourceRoots"] = options.sources;
  AddOwnParams(options, &params);
  return params;
}

Json TableParams(const Options& options, Json params) {
  params["by"] = options.by;
  if (!options.sort.empty()) params["sort"] = options.sort;
  if (!options.filter.empty()) params["filter"] = options.filter;
  params["limit"] = RowLimit(options);
  return params;
}

// The columns that people compare by, under short titles.
Json ShownTable(const Json& table) {
  static const std::pair<const char*, const char*> kShown[] = {{"name", nullptr},
                                                               {"line", nullptr},
                                                               {"function", nullptr},
                                                               {"sizeBytes", nullptr},
                                                               {"status", nullptr},
                                                               {"baselineUs", "Baseline"},
                                                               {"candidateUs", "Candidate"},
                                                               {"baselineBytes", "Baseline"},
                                                               {"candidateBytes", "Candidate"},
                                                               {"deltaUs", "Delta"},
                                                               {"deltaBytes", "Delta"},
                                                               {"deltaPercent", "Delta %"},
                                                               {"beyondNoise", "Beyond noise"},
                                                               {"baselineCalls", "Calls before"},
                                                               {"candidateCalls", "Calls after"}};
  Json shown = {
      {"columns", Json::array()}, {"rows", table["rows"]}, {"totalRows", table["totalRows"]}};
  bool timed = false;
  for (const Json& column : table["columns"]) timed = timed || column["key"] == "baselineUs";
  for (const auto& [key, title] : kShown) {
    // Beside times, bytes are said to be bytes.
    const bool second = timed && std::string_view(key).ends_with("Bytes");
    for (const Json& column : table["columns"]) {
      if (column["key"] != key || column["hidden"] == true) continue;
      Json taken = column;
      if (title != nullptr && !second) taken["title"] = title;
      taken["signed"] = std::string_view(key).starts_with("delta");
      taken["kept"] = true;  // what is 0 on one side says that
      shown["columns"].push_back(std::move(taken));
    }
  }
  return shown;
}

// Figures of the overview differ in their units, so their cells are texts.
Json FigureTable(const Json& figures) {
  Json table = {{"columns", Json::array()}, {"rows", Json::array()}, {"totalRows", figures.size()}};
  for (const auto& [key, title] :
       {std::pair{"name", "Figure"}, std::pair{"baseline", "Baseline"},
        std::pair{"candidate", "Candidate"}, std::pair{"delta", "Delta"},
        std::pair{"deltaPercent", "Delta %"}, std::pair{"noise", "Noise"}}) {
    table["columns"].push_back({{"key", key},
                                {"title", title},
                                {"type", std::string_view(key) == "name" ? "text" : "number"},
                                {"unit", ""}});
  }
  for (const Json& figure : figures) {
    const std::string unit = figure["unit"];
    Json row = {{"name", figure["name"]}};
    for (const char* key : {"baseline", "candidate"}) {
      if (!figure[key].is_null()) row[key] = Humane(figure[key], unit);
    }
    if (!figure["delta"].is_null()) row["delta"] = HumaneSigned(figure["delta"], unit);
    if (!figure["noise"].is_null()) row["noise"] = "\u00b1" + Humane(figure["noise"], unit);
    const Json& percent = figure["deltaPercent"];
    if (!percent.is_null()) row["deltaPercent"] = HumaneSigned(percent, "percent");
    if (figure["beyondNoise"] == false) row["noise"] = row.value("noise", "") + " (within)";
    table["rows"].push_back(std::move(row));
  }
  return table;
}

// Whether the gate is kept; a message where it is not. Errors: kInvalidArgument for a metric that
// is unknown, or not known of both traces.
Result<std::string> ApplyGate(const Gate& gate, const Json& figures) {
  std::string keys;
  for (const Json& figure : figures) {
    const std::string key = figure["key"];
    keys += (keys.empty() ? "" : ", ") + key;
    if (key != gate.metric) continue;
    // Else a recording that failed would pass.
    if (figure["delta"].is_null()) return MakeError(errors::kGateUnknown, {{"metric", key}});
    if (figure["deltaPercent"].is_null()) {
      return figure["delta"].get<double>() > 0 ? Say(errors::kGateWasZero, {{"metric", key}}).text
                                               : std::string();
    }
    double percent = figure["deltaPercent"];
    // What noise may have done does not count.
    const bool noisy = !figure["noise"].is_null();
    if (noisy && figure["baseline"].get<double>() != 0) {
      percent -= 100 * figure["noise"].get<double>() / std::abs(figure["baseline"].get<double>());
    }
    if (percent <= gate.percent) return std::string();
    return Say(errors::kGateGrew, {{"metric", key},
                                   {"grown", percent, Unit::kPercent},
                                   {"noise", noisy ? "known" : "unknown"},
                                   {"allowed", ShortText(gate.percent)}})
        .text;
  }
  return MakeError(errors::kNoSuchMetric, {{"metric", gate.metric}, {"known", keys}});
}

std::string NoteLines(const Json& notes) {
  std::string text;
  for (const Json& note : notes) text += "Note: " + Escaped(note.get<std::string>()) + "\n";
  return text;
}

std::string ChangeLines(const Json& verdict, const char* key, const char* title) {
  const Json& changes = verdict[key];
  if (changes.empty()) return "";
  const auto stepped = [&](const char* side) { return verdict[side]["steps"].get<double>() > 0; };
  const bool per_step = stepped("baseline") && stepped("candidate");
  std::string text = std::string("\n") + title + (per_step ? ", per step\n" : "\n");
  for (const Json& change : changes) {
    text += "  " + HumaneSigned(change["deltaUs"], "us") + "  " +
            Escaped(change["name"].get<std::string>()) + " (" + Humane(change["baselineUs"], "us") +
            " to " + Humane(change["candidateUs"], "us") +
            (change["beyondNoise"] == false ? ", within noise)" : ")");
    if (change.contains("file")) {
      text += "  " + Escaped(change["file"].get<std::string>());
      const auto line = change["line"].get<int64_t>();
      if (line > 0) text += ":" + std::to_string(line);
    }
    text += "\n";
  }
  return text;
}

int PrintDiff(const Options& options, Json verdict, const Json& table) {
  const Json shown = table.is_null() ? FigureTable(verdict["figures"]) : ShownTable(table);
  const std::string sentence = verdict["verdict"]["text"];
  switch (options.format) {
    case OutputFormat::kJson: {
      Json document = {{"schema", "emberline/diff/1"}, {"by", options.by}};
      Json rows = table.is_null() ? verdict["figures"] : table["rows"];
      for (auto& [key, value] : verdict.items()) document[key] = std::move(value);
      if (!table.is_null()) {
        for (const auto& [key, value] : table.items()) document[key] = value;
      }
      document["rows"] = std::move(rows);
      return PrintJson(document);
    }
    case OutputFormat::kCsv:
      std::fputs((Escaped(sentence) + "\n" + NoteLines(verdict["notes"])).c_str(), stderr);
      return Print(TableCsv(table.is_null() ? TableOfObjects(verdict["figures"]) : table));
    case OutputFormat::kMarkdown: {
      std::string text = "**" + MarkdownText(sentence) + "**\n\n";
      for (const Json& note : verdict["notes"]) text += MarkdownText(note) + "\n\n";
      return Print(text + TableMarkdown(shown));
    }
    case OutputFormat::kTable:
      break;
  }
  std::string text = Escaped(sentence) + "\n" + NoteLines(verdict["notes"]);
  if (table.is_null()) {
    text += ChangeLines(verdict, "grew", "Grew") + ChangeLines(verdict, "shrank", "Shrank");
  }
  return Print(text + "\n" + TableText(shown));
}

}  // namespace

int RunDiff(const Options& given) {
  Options options = given;
  if (options.by.empty()) options.by = "overview";
  if (options.path.empty() || options.second_path.empty()) {
    return Fail(MakeError(errors::kDiffTraces), kExitUsage);
  }
  Session session(0, ImagesOf(options));
  const CallContext context{session, {}, TerminalProgress()};
  std::string profiles[2];
  for (const bool candidate : {false, true}) {
    const std::string& path = candidate ? options.second_path : options.path;
    Result<Json> opened = CallMethod("profile/open", {{"path", path}}, context);
    if (!opened.ok()) return Fail(opened.error());
    profiles[candidate ? 1 : 0] = opened.value()["profileId"];
  }
  const Json params = ParamsOf(options, profiles);
  Result<Json> verdict = CallMethod("compare/verdict", params, context);
  if (!verdict.ok()) return Fail(verdict.error());
  Json table;
  if (options.by != "overview") {
    Result<Json> made = CallTable("compare/table", TableParams(options, params), context);
    if (!made.ok()) return Fail(made.error());
    table = std::move(*made);
    if (table["totalRows"] == 0 && options.filter.empty()) {
      verdict.value()["notes"].push_back(
          Say(messages::kNothingCompared, {{"by", options.by}}).text);
    }
  }
  std::string broken;
  if (options.gate) {
    Result<std::string> checked = ApplyGate(*options.gate, verdict.value()["figures"]);
    if (!checked.ok()) return Fail(checked.error());
    broken = std::move(*checked);
  }
  const int status = PrintDiff(options, std::move(*verdict), table);
  if (status != kExitDone || broken.empty()) return status;
  std::fputs(("emberline: " + Escaped(broken) + ".\n").c_str(), stderr);
  return kExitGateFailed;
}

}  // namespace emberline
