#include <algorithm>
#include <cmath>

#include "analysis/columns.h"
#include "base/text.h"
#include "compare/overview.h"
#include "json/message_json.h"
#include "rpc/messages.h"
#include "rpc/params.h"
#include "rpc/views/common.h"
#include "rpc/views/compare_tables.h"

namespace emberline {
namespace {

// Rows of what grew and of what shrank.
constexpr size_t kMaxCauses = 5;
constexpr size_t kMaxName = 400;
// A level says something when most of the time is in rows that both sides have.
constexpr double kMatchedShare = 0.5;
// Of the difference: what explains less of it is no cause.
constexpr double kCauseShare = 0.2;
// Two causes of which the smaller is this much of the larger explain the same.
constexpr double kSameShare = 0.9;
// What explains more of the difference than this explains something else.
constexpr double kWhole = 1.5;
// What shrank where the whole grew, or the other way round, by this much of what grew: work moved.
constexpr double kMovedShare = 0.5;

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

// What a row is called in a sentence: a function by its name, else the row's own.
std::string CauseName(const Table& table, const std::vector<Cell>& row, const std::string& level) {
  const std::string function = TextIn(table, row, "function");
  return level == "functions" && !function.empty() ? function : TextIn(table, row, "name");
}

// The rows that changed most in one direction, each with its line.
Json ChangesJson(const Compared& compared, const std::string& level, double sign, double steps) {
  Json changes = Json::array();
  const Table& table = compared.table;
  for (const auto& row : table.rows) {
    const double delta = NumberIn(table, row, "deltaUs");
    if (delta * sign <= 0) continue;
    Json change = {{"name", Shortened(CauseName(table, row, level), kMaxName)},
                   {"status", TextIn(table, row, "status")},
                   {"baselineUs", NumberIn(table, row, "baselineUs") / steps},
                   {"candidateUs", NumberIn(table, row, "candidateUs") / steps},
                   {"deltaUs", delta / steps}};
    const int noise = table.ColumnIndex("beyondNoise");
    const auto* beyond = noise < 0 ? nullptr : std::get_if<bool>(&row[static_cast<size_t>(noise)]);
    change["beyondNoise"] = beyond != nullptr ? Json(*beyond) : Json();
    for (const char* side : {"candidate", "baseline"}) {
      const std::string file = TextIn(table, row, (std::string(side) + "File").c_str());
      if (file.empty()) continue;
      change["file"] = Shortened(file, 4 * kMaxName);
      change["line"] =
          static_cast<int64_t>(NumberIn(table, row, (std::string(side) + "Line").c_str()));
      change["side"] = side;
      break;
    }
    changes.push_back(std::move(change));
    if (changes.size() >= kMaxCauses) break;
  }
  return changes;
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
  if (name(a) != name(b)) {
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

// Where no row explains the difference, the part of the step that does: waiting for data has no
// row. The rest that nothing is known of explains nothing.
std::optional<VerdictCause> PartThatChanged(const std::vector<ComparedFigure>& figures,
                                            double delta) {
  const ComparedFigure* most = nullptr;
  double change = 0;
  for (size_t i = 1; i < figures.size(); ++i) {
    const ComparedFigure& part = figures[i];
    if (part.unit != Unit::kUs || !part.baseline || !part.candidate || part.key == "other" ||
        part.beyond_noise == false) {
      continue;
    }
    const double grown = (*part.candidate - *part.baseline) * (delta > 0 ? 1 : -1);
    if (grown <= change) continue;
    change = grown;
    most = &part;
  }
  if (most == nullptr || change < kCauseShare * std::abs(delta)) return std::nullopt;
  return VerdictCause{most->name, *most->baseline, *most->candidate, false};
}

// The change of the structure that explains the difference better than `cause` does: a module that
// is new or gone, where it explains at least as much; what replaced what, where work only went from
// one row to another, so that no row tells its size.
std::optional<VerdictCause> StructuralCause(const CompareRequest& request,
                                            const Replacements& found, Time time, double delta,
                                            const std::optional<VerdictCause>& cause,
                                            bool work_moved) {
  // Of steps that only one side has, everything is gone.
  if (IsPerStep(request)) return std::nullopt;
  const double steps = std::max(1.0, SelectedSteps(request.candidate));
  const double told = cause ? std::abs(cause->candidate_us - cause->baseline_us) : 0;
  std::optional<VerdictCause> best;
  double most = kCauseShare * std::abs(delta);
  for (const StructuralChange& change : found.changes) {
    const bool device = time == Time::kDevice;
    const double before = Us(device ? change.device_before : change.host_before) / steps;
    const double after = Us(device ? change.device_after : change.host_after) / steps;
    const double grown = (after - before) * (delta > 0 ? 1 : -1);
    const bool replaced = change.status == CompareStatus::kReplaced;
    // No more than all of it, but for noise.
    if (grown < most || grown > kWhole * std::abs(delta)) continue;
    if (replaced ? !work_moved : grown < kSameShare * told) continue;
    most = grown;
    best = VerdictCause{change.gone.empty() ? change.came : change.gone, before, after, false,
                        replaced ? change.came : std::string()};
  }
  return best;
}

// Whether the step waits for the device: then the device's time tells what made it longer.
bool IsDeviceBound(const Overviews& both) {
  const auto bound = [](const Overview& overview) {
    const StepBreakdown& steps = overview.steps;
    double busy = 0;
    for (size_t role = 0; role <= static_cast<size_t>(Role::kCommunication); ++role) {
      busy += steps.average_ns[role];
    }
    return steps.average_total_ns > 0 && busy > 0.5 * steps.average_total_ns;
  };
  return bound(both.baseline) && bound(both.candidate);
}

}  // namespace

Result<Json> CompareVerdict(const CompareRequest& request) {
  auto both = OverviewsOf(request);
  if (!both.ok()) return both.error();
  const ComparedFigure& step = both->figures[0];
  Time time = IsDeviceBound(*both) ? Time::kDevice : Time::kHost;
  if (request.params.contains("time")) {
    const auto asked = TimeOf(request);
    if (!asked.ok()) return asked.error();
    time = *asked;
  }
  // The first level at which the two traces match well, and how well each does.
  Json levels = Json::array();
  std::shared_ptr<const Compared> best;
  std::string level;
  std::optional<BatchSizes> batch;
  for (const char* by : kLevels) {
    if (time == Time::kHost && std::string_view(by) == "kernels") continue;
    auto compared = CompareBy(request, by, time);
    if (!compared.ok()) return compared.error();
    const Compared& made = **compared;
    if (made.batch) batch = made.batch;
    if (made.table.rows.empty()) continue;
    levels.push_back({{"by", by}, {"matchedShare", made.matched}});
    const bool enough = made.matched >= kMatchedShare;
    if (!best || (best->matched < kMatchedShare && enough)) {
      best = std::move(*compared);
      level = by;
    }
  }
  const double steps = StepsInTable(request);
  const double delta = step.baseline && step.candidate ? *step.candidate - *step.baseline : 0;
  std::optional<VerdictCause> cause;
  Json grew = Json::array(), shrank = Json::array();
  if (best) {
    grew = ChangesJson(*best, level, 1, steps);
    shrank = ChangesJson(*best, level, -1, steps);
    // What may be chance is no cause.
    const Json& changes = delta > 0 ? grew : shrank;
    const auto first = std::find_if(changes.begin(), changes.end(), [](const Json& change) {
      return change["beyondNoise"] != false;
    });
    if (delta != 0 && first != changes.end() &&
        std::abs((*first)["deltaUs"].get<double>()) >= kCauseShare * std::abs(delta)) {
      cause = VerdictCause{(*first)["name"], (*first)["baselineUs"], (*first)["candidateUs"],
                           (*first)["status"] == "replaced"};
    }
  }
  if (delta != 0) {
    const auto first = [](const Json& changes) {
      const auto at = std::find_if(changes.begin(), changes.end(), [](const Json& change) {
        return change["beyondNoise"] != false;
      });
      return at == changes.end() ? 0.0 : std::abs((*at)["deltaUs"].get<double>());
    };
    const double with = first(delta > 0 ? grew : shrank),
                 against = first(delta > 0 ? shrank : grew);
    const auto found = ReplacementsOf(request);
    if (!found.ok()) return found.error();
    if (auto better =
            StructuralCause(request, **found, time, delta, cause, against >= kMovedShare * with)) {
      cause = std::move(better);
    }
  }
  if (!cause && delta != 0) cause = PartThatChanged(both->figures, delta);
  const bool has_steps = request.baseline.trace.model->has_recorded_steps &&
                         request.candidate.trace.model->has_recorded_steps;
  Json notes = NotesJson(request);
  if (batch) {
    notes.push_back(
        Say(messages::kOtherBatch, {{"baseline", batch->baseline}, {"candidate", batch->candidate}})
            .text);
  }
  if (best && best->matched < kMatchedShare) {
    notes.push_back(Say(messages::kLittleInCommon).text);
  } else if (best && level != levels[0]["by"]) {
    notes.push_back(Say(messages::kCoarserLevel, {{"level", level}}).text);
  }
  const bool known = step.baseline && step.candidate && *step.baseline > 0;
  const Message said = VerdictText(step, has_steps, cause);
  Json verdict = {
      {"text", said.text},
      {"code", said.code},
      {"arguments", ArgumentsJson(said.arguments)},
      {"baselineUs", Optional(step.baseline)},
      {"candidateUs", Optional(step.candidate)},
      {"deltaUs", delta},
      {"deltaPercent", known ? Json(100 * delta / *step.baseline) : Json()},
      {"noisePercent", known && step.noise ? Json(100 * *step.noise / *step.baseline) : Json()},
      {"beyondNoise", step.beyond_noise ? Json(*step.beyond_noise) : Json()},
      {"test", Say(messages::kTestOfSteps).text}};
  return Json{{"verdict", std::move(verdict)},
              {"baseline", SideJson(request.baseline)},
              {"candidate", SideJson(request.candidate)},
              {"time", time == Time::kDevice ? "device" : "host"},
              {"per", IsPerStep(request) ? "step" : "selection"},
              {"level", level},
              {"levels", std::move(levels)},
              {"grew", std::move(grew)},
              {"shrank", std::move(shrank)},
              {"figures", FiguresJson(both->figures)},
              {"notes", std::move(notes)}};
}

}  // namespace emberline
