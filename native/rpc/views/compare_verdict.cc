#include <algorithm>

#include "analysis/columns.h"
#include "base/text.h"
#include "compare/overview.h"
#include "compare/verdict.h"
#include "json/message_json.h"
#include "rpc/messages.h"
#include "rpc/params.h"
#include "rpc/views/common.h"
#include "rpc/views/compare_tables.h"

namespace emberline {
namespace {

constexpr size_t kMaxPath = 1600;  // bytes of a path that leads to a cause

// The model of a device, or what it is called where that was not recorded.
std::string DeviceName(const Device& device) {
  return device.name.empty() ? DeviceLabel(device) : device.name;
}

Json Optional(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

// One side for the reader.
Json SideJson(const ViewRequest& side) {
  const Model& model = *side.trace.model;
  Json devices = Json::array();
  for (const Device& device : model.devices) devices.push_back(DeviceName(device));
  return {{"path", side.trace.path.string()},
          {"steps", SelectedSteps(side)},
          {"devices", std::move(devices)}};
}

struct Overviews {
  Overview baseline, candidate;
  std::vector<ComparedFigure> figures;
};

Result<Overviews> OverviewsOf(const CompareRequest& request) {
  struct Made {
    Overview overview;
    std::shared_ptr<const MemoryData> memory;
  };
  auto made = OfBothSides<Made>(request, [](const ViewRequest& side) -> Result<Made> {
    const auto rules = RulesOf(side);
    if (!rules.ok()) return rules.error();
    auto overview = AnalyzeOverview(*side.trace.model, side.steps, *rules, side.cancel);
    if (!overview.ok()) return overview.error();
    const auto memory = MemoryOf(side);
    if (!memory.ok()) return memory.error();
    return Made{std::move(*overview), *memory};
  });
  if (!made.ok()) return made.error();
  Overviews both{std::move(made->baseline.overview), std::move(made->candidate.overview), {}};
  both.figures = CompareOverviews(
      {request.baseline.trace.model.get(), &both.baseline, made->baseline.memory.get()},
      {request.candidate.trace.model.get(), &both.candidate, made->candidate.memory.get()});
  return both;
}

Json FiguresJson(const std::vector<ComparedFigure>& figures) {
  Json rows = Json::array();
  for (const ComparedFigure& figure : figures) {
    const bool known = figure.baseline && figure.candidate;
    const std::optional<double> delta =
        known ? std::optional<double>(*figure.candidate - *figure.baseline) : std::nullopt;
    Json row = {{"key", figure.key},
                {"name", figure.name},
                {"definition", figure.definition},
                {"unit", UnitName(figure.unit)},
                {"status", known             ? "both"
                           : figure.baseline ? "gone"
                                             : "new"},
                {"baseline", Optional(figure.baseline)},
                {"candidate", Optional(figure.candidate)},
                {"delta", Optional(delta)}};
    row["deltaPercent"] = known ? Optional(PercentOf(*delta, *figure.baseline)) : Json();
    row["noise"] = Optional(figure.noise);
    row["beyondNoise"] = figure.beyond_noise ? Json(*figure.beyond_noise) : Json();
    if (figure.unit == Unit::kUs) {
      row["baselineUs"] = row["baseline"];
      row["candidateUs"] = row["candidate"];
      row["deltaUs"] = row["delta"];
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// The levels that lead to a cause, from the one that says most to a programmer.
constexpr const char* kLevels[] = {"functions", "modules", "operators", "kernels"};

// What changed, each with its line.
Json ChangesJson(const std::vector<Change>& changes) {
  Json list = Json::array();
  for (const Change& change : changes) {
    Json json = {{"name", change.name},
                 {"status", change.status},
                 {"baselineUs", change.baseline_us},
                 {"candidateUs", change.candidate_us},
                 {"deltaUs", change.delta_us},
                 {"beyondNoise", change.beyond_noise ? Json(*change.beyond_noise) : Json()}};
    if (!change.file.empty()) {
      json["file"] = Shortened(change.file, kMaxPath);
      json["line"] = change.line;
      json["side"] = change.side;
    }
    list.push_back(std::move(json));
  }
  return list;
}

// -1 where it was not recorded.
int64_t RankOf(const Model& model) {
  const auto& distributed = model.store().metadata().distributed;
  return distributed ? distributed->rank : -1;
}

// What makes two traces hard to compare.
Json NotesJson(const CompareRequest& request) {
  Json notes = Json::array();
  const auto note = [&](const Sentence& sentence, MessageArgs args = {}) {
    notes.push_back(Say(sentence, std::move(args)).text);
  };
  const Model &a = *request.baseline.trace.model, &b = *request.candidate.trace.model;
  const auto name = [](const Model& model) {
    if (model.devices.empty()) return Say(messages::kCpuOnlyDevices).text;
    const std::string first = DeviceName(model.devices[0]);
    if (model.devices.size() == 1) return first;
    return Say(messages::kSeveralDevices, {{"count", model.devices.size()}, {"first", first}}).text;
  };
  const int64_t rank_a = RankOf(a), rank_b = RankOf(b);
  const bool other_ranks = rank_a >= 0 && rank_b >= 0 && rank_a != rank_b;
  if (other_ranks) note(messages::kOtherRanks, {{"baseline", rank_a}, {"candidate", rank_b}});
  // Where nothing but a number tells devices apart, those of two ranks are not said to differ.
  const auto unnamed = [](const Model& model) {
    return model.devices.size() == 1 && model.devices[0].name.empty();
  };
  if (name(a) != name(b) && !(other_ranks && unnamed(a) && unnamed(b))) {
    note(messages::kOtherDevices, {{"baseline", name(a)}, {"candidate", name(b)}});
  }
  if (a.has_recorded_steps != b.has_recorded_steps) {
    note(messages::kStepsOnOneSide);
  }
  if (IsPerStep(request)) {
    note(messages::kPerStep, {{"baseline", static_cast<int>(SelectedSteps(request.baseline))},
                              {"candidate", static_cast<int>(SelectedSteps(request.candidate))}});
  }
  return notes;
}

// Steps that totals of a table are made of; its figures divided by this are those of one step.
double StepsInTable(const CompareRequest& request) {
  if (IsPerStep(request)) return 1;
  return std::max(1.0, SelectedSteps(request.candidate));
}

// The tables of the levels that have rows, and the one that says most.
struct ComparedLevels {
  std::vector<const char*> names;
  std::vector<std::shared_ptr<const Compared>> tables;
  std::vector<double> matched;
  size_t best = 0;
  std::optional<BatchSizes> batch;
};

Result<ComparedLevels> CompareLevels(const CompareRequest& request, Time time) {
  ComparedLevels levels;
  for (const char* by : kLevels) {
    if (time == Time::kHost && std::string_view(by) == "kernels") continue;
    auto compared = CompareBy(request, by, time);
    if (!compared.ok()) return compared.error();
    if ((*compared)->batch) levels.batch = (*compared)->batch;
    if ((*compared)->table.rows.empty()) continue;
    levels.names.push_back(by);
    levels.matched.push_back((*compared)->matched);
    levels.tables.push_back(std::move(*compared));
  }
  levels.best = LevelThatMatches(levels.matched);
  return levels;
}

// What the reader should know of the level.
void AddLevelNotes(const ComparedLevels& levels, Json* notes) {
  if (levels.batch) {
    notes->push_back(Say(messages::kOtherBatch, {{"baseline", levels.batch->baseline},
                                                 {"candidate", levels.batch->candidate}})
                         .text);
  }
  if (levels.tables.empty()) return;
  if (!MatchesWell(levels.matched[levels.best])) {
    notes->push_back(Say(messages::kLittleInCommon).text);
  } else if (levels.best > 0) {
    notes->push_back(Say(messages::kCoarserLevel, {{"level", levels.names[levels.best]}}).text);
  }
}

Json VerdictJson(const ComparedFigure& step, const Message& said) {
  const bool both = step.baseline && step.candidate;
  const double delta = both ? *step.candidate - *step.baseline : 0;
  const bool known = both && *step.baseline > 0;
  return {{"text", said.text},
          {"code", said.code},
          {"arguments", ArgumentsJson(said.arguments)},
          {"baselineUs", Optional(step.baseline)},
          {"candidateUs", Optional(step.candidate)},
          {"deltaUs", delta},
          {"deltaPercent", known ? Json(100 * delta / *step.baseline) : Json()},
          {"noisePercent", known && step.noise ? Json(100 * *step.noise / *step.baseline) : Json()},
          {"beyondNoise", step.beyond_noise ? Json(*step.beyond_noise) : Json()},
          {"test", Say(messages::kTestOfSteps).text}};
}

}  // namespace

Result<Json> CompareVerdict(const CompareRequest& request) {
  const auto both = OverviewsOf(request);
  if (!both.ok()) return both.error();
  const ComparedFigure& step = both->figures[0];
  Time time = IsDeviceBound(both->baseline, both->candidate) ? Time::kDevice : Time::kHost;
  if (request.params.contains("time")) {
    const auto asked = TimeOf(request);
    if (!asked.ok()) return asked.error();
    time = *asked;
  }
  const auto levels = CompareLevels(request, time);
  if (!levels.ok()) return levels.error();
  std::vector<Change> grew, shrank;
  std::string level;
  if (!levels->tables.empty()) {
    level = levels->names[levels->best];
    const Table& table = levels->tables[levels->best]->table;
    const double steps = StepsInTable(request);
    grew = ChangesIn(table, level == "functions", true, steps);
    shrank = ChangesIn(table, level == "functions", false, steps);
  }
  std::shared_ptr<const Replacements> replacements;
  if (step.baseline && step.candidate && *step.baseline != *step.candidate) {
    auto found = ReplacementsOf(request);
    if (!found.ok()) return found.error();
    replacements = std::move(*found);
  }
  const auto cause = CauseOf({.figures = both->figures,
                              .grew = grew,
                              .shrank = shrank,
                              .replacements = replacements.get(),
                              .device = time == Time::kDevice,
                              .per_step = IsPerStep(request),
                              .steps = std::max(1.0, SelectedSteps(request.candidate))});
  const bool has_steps = request.baseline.trace.model->has_recorded_steps &&
                         request.candidate.trace.model->has_recorded_steps;
  Json notes = NotesJson(request);
  AddLevelNotes(*levels, &notes);
  Json level_list = Json::array();
  for (size_t i = 0; i < levels->names.size(); ++i) {
    level_list.push_back({{"by", levels->names[i]}, {"matchedShare", levels->matched[i]}});
  }
  return Json{{"verdict", VerdictJson(step, VerdictText(step, has_steps, cause))},
              {"baseline", SideJson(request.baseline)},
              {"candidate", SideJson(request.candidate)},
              {"time", time == Time::kDevice ? "device" : "host"},
              {"per", IsPerStep(request) ? "step" : "selection"},
              {"level", level},
              {"levels", std::move(level_list)},
              {"grew", ChangesJson(grew)},
              {"shrank", ChangesJson(shrank)},
              {"figures", FiguresJson(both->figures)},
              {"notes", std::move(notes)}};
}

}  // namespace emberline
