#include "rpc/views/compare.h"

#include <algorithm>
#include <cmath>
#include <future>

#include "analysis/columns.h"
#include "analysis/modules.h"
#include "compare/aligned_tree.h"
#include "compare/line_keys.h"
#include "compare/modules.h"
#include "compare/overview.h"
#include "compare/spread.h"
#include "compare/tables.h"
#include "rpc/params.h"
#include "rpc/views/source_params.h"
#include "rpc/views/tables.h"
#include "session/lines.h"

namespace emberline {
namespace {

// Nodes of a level in one reply, and rows of what grew and shrank.
constexpr size_t kMaxItems = 400;
constexpr size_t kItemBytes = 160 << 10;
constexpr size_t kMaxName = 400;
constexpr size_t kMaxCauses = 5;
// Names of one item that stands for several nodes.
constexpr size_t kMaxNames = 12;
// A level says something when most of the time is in rows that both sides have.
constexpr double kMatchedShare = 0.5;

enum class Time { kHost, kDevice };

Result<std::shared_ptr<const StepTree>> TreeOf(const ViewRequest& request) {
  return request.trace.results.Get<StepTree>("stepTree/" + StepsKey(request), request.cancel, [&] {
    return BuildStepTree(*request.trace.model, request.steps, request.cancel);
  });
}

// The trees of both sides, made side by side.
struct Trees {
  std::shared_ptr<const StepTree> baseline, candidate;
};
Result<Trees> TreesOf(const CompareRequest& request) {
  auto other = std::async(std::launch::async, [&] { return TreeOf(request.baseline); });
  auto candidate = TreeOf(request.candidate);
  auto baseline = other.get();
  if (!baseline.ok()) return baseline.error();
  if (!candidate.ok()) return candidate.error();
  return Trees{std::move(*baseline), std::move(*candidate)};
}

// The time that is compared: what was asked for, else the device's where both sides have it.
Result<Time> TimeOf(const CompareRequest& request) {
  const std::string text = TextParam(request.params, "time");
  if (text == "host") return Time::kHost;
  if (text == "device") return Time::kDevice;
  for (const ViewRequest* side : {&request.baseline, &request.candidate}) {
    const Result<bool> device = HasDeviceWork(*side);
    if (!device.ok()) return device.error();
    if (!*device) return Time::kHost;
  }
  return Time::kDevice;
}

double SelectedSteps(const ViewRequest& request) {
  const Model& model = *request.trace.model;
  if (!model.has_recorded_steps) return 0;
  double count = 0;
  for (uint32_t step = 0; step < model.steps.size(); ++step) {
    count += request.steps.Contains(step) ? 1 : 0;
  }
  return count;
}

// Figures of different numbers of steps are compared per step.
bool IsPerStep(const CompareRequest& request) {
  const double before = SelectedSteps(request.baseline), after = SelectedSteps(request.candidate);
  return before > 0 && after > 0 && before != after;
}

// Work outside of every step is no step's: it is left out where figures are per step.
ViewRequest InSteps(const ViewRequest& side, bool per_step) {
  ViewRequest request = side;
  if (per_step && request.steps.all) {
    request.steps = {false, 0, static_cast<uint32_t>(side.trace.model->steps.size() - 1)};
  }
  return request;
}

// One side's table, and what tells its rows.
struct SideTables {
  Table baseline, candidate;
  std::vector<std::string> baseline_keys, candidate_keys;
};

// The same table of both sides. `table` makes one side's.
template <typename Make>
Result<SideTables> BothTables(const CompareRequest& request, bool per_step, Make&& table) {
  SideTables tables;
  for (const bool candidate : {false, true}) {
    const ViewRequest side = InSteps(candidate ? request.candidate : request.baseline, per_step);
    Result<Table> made = table(side);
    if (!made.ok()) return made.error();
    (candidate ? tables.candidate : tables.baseline) = std::move(*made);
  }
  return tables;
}

Result<Table> OperatorsTable(const ViewRequest& side) {
  const auto made = OperatorsOf(side, OperatorGrouping::kName);
  if (!made.ok()) return made.error();
  return (*made)->table;
}

Result<Table> OperatorShapesTable(const ViewRequest& side) {
  const auto made = OperatorsOf(side, OperatorGrouping::kNameAndShapes);
  if (!made.ok()) return made.error();
  return (*made)->table;
}

Result<Table> KernelsTable(const ViewRequest& side) {
  const auto made = KernelsOf(side, KernelGrouping::kName);
  if (!made.ok()) return made.error();
  return (*made)->table;
}

// Operators by what they allocated on one device.
Result<Table> MemoryTable(const ViewRequest& side) {
  const auto made = MemoryOf(side);
  if (!made.ok()) return made.error();
  const Model& model = *side.trace.model;
  Interval range{INT64_MIN, INT64_MAX};
  if (!side.steps.all) {
    range = {model.steps[side.steps.first].time.begin, model.steps[side.steps.last].time.end};
  }
  return MemoryStatisticsTable(**made, model, (*made)->Find(TextParam(side.params, "device")),
                               range);
}

Result<Table> LinesTableBy(const ViewRequest& side, LineGrouping grouping) {
  const auto data = LinesOf(side.trace, SpaceParam(side.params), side.cancel);
  if (!data.ok()) return data.error();
  const auto sums = LineSumsOf(side.trace, **data, side.steps, side.cancel);
  if (!sums.ok()) return sums.error();
  return LinesTable((*data)->attribution, **sums, grouping);
}

Result<SideTables> ModuleTables(const CompareRequest& request, bool per_step) {
  ModuleTree trees[2];
  for (const bool candidate : {false, true}) {
    const ViewRequest side = InSteps(candidate ? request.candidate : request.baseline, per_step);
    const auto memory = MemoryOf(side);
    if (!memory.ok()) return memory.error();
    auto tree = AnalyzeModules(*side.trace.model, side.steps, memory->get(), side.cancel);
    if (!tree.ok()) return tree.error();
    trees[candidate ? 1 : 0] = std::move(*tree);
  }
  SideTables tables{ModuleTable(trees[0]), ModuleTable(trees[1]), {}, {}};
  std::tie(tables.baseline_keys, tables.candidate_keys) = MatchModules(trees[0], trees[1]);
  return tables;
}

Result<SideTables> LineTables(const CompareRequest& request, bool per_step, LineGrouping grouping) {
  auto tables = BothTables(request, per_step,
                           [&](const ViewRequest& side) { return LinesTableBy(side, grouping); });
  if (!tables.ok()) return tables;
  std::tie(tables->baseline_keys, tables->candidate_keys) =
      MatchLines(tables->baseline, tables->candidate);
  return tables;
}

struct Compared {
  Table table;
  std::string measure;
  double matched = 0;  // part of the time that is in rows of both sides
  // By operators: the sizes of the batches, where they differ.
  std::optional<BatchSizes> batch;
};

double MatchedShare(const Table& table, const std::string& unit) {
  const int status = table.ColumnIndex("status");
  const int before = table.ColumnIndex("baseline" + unit);
  const int after = table.ColumnIndex("candidate" + unit);
  if (status < 0 || before < 0 || after < 0) return 0;
  double all = 0, both = 0;
  for (const auto& row : table.rows) {
    double sum = 0;
    for (const int column : {before, after}) {
      const auto* value = std::get_if<double>(&row[static_cast<size_t>(column)]);
      if (value != nullptr) sum += std::abs(*value);
    }
    all += sum;
    if (std::get<std::string>(row[static_cast<size_t>(status)]) == "both") both += sum;
  }
  return all > 0 ? both / all : 0;
}

Result<Replacements> ReplacementsOf(const CompareRequest& request) {
  const auto trees = TreesOf(request);
  if (!trees.ok()) return trees.error();
  const StepTree &left = *trees->baseline, &right = *trees->candidate;
  return FindReplacements({request.baseline.trace.model.get(), &left},
                          {request.candidate.trace.model.get(), &right}, request.cancel);
}

// The tables of one level, compared.
Result<Compared> CompareBy(const CompareRequest& request, const std::string& by, Time time) {
  const bool per_step = IsPerStep(request);
  const bool device = time == Time::kDevice;
  TableComparison options;
  options.measure = device ? "deviceSelfUs" : "hostSelfUs";
  std::optional<SpreadOf> spread;
  Result<SideTables> tables = SideTables{};
  Replacements replacements;
  if (by == "operators" || by == "operatorShapes") {
    tables =
        BothTables(request, per_step, by == "operators" ? &OperatorsTable : &OperatorShapesTable);
    if (by == "operators") {
      spread = device ? SpreadOf::kOperatorDevice : SpreadOf::kOperatorHost;
    }
    auto found = ReplacementsOf(request);
    if (!found.ok()) return found.error();
    replacements = std::move(*found);
    options.replacements = &replacements;
  } else if (by == "kernels") {
    tables = BothTables(request, per_step, &KernelsTable);
    options.measure = "totalUs";
    spread = SpreadOf::kKernels;
  } else if (by == "memory") {
    tables = BothTables(request, per_step, &MemoryTable);
    options.measure = "selfAllocationSizeBytes";
  } else if (by == "modules") {
    tables = ModuleTables(request, per_step);
  } else {
    tables = LineTables(request, per_step,
                        by == "functions" ? LineGrouping::kFunction : LineGrouping::kLine);
  }
  if (!tables.ok()) return tables.error();
  options.baseline_keys = std::move(tables->baseline_keys);
  options.candidate_keys = std::move(tables->candidate_keys);
  if (per_step) {
    options.baseline_scale = 1 / SelectedSteps(request.baseline);
    options.candidate_scale = 1 / SelectedSteps(request.candidate);
  }
  Spread spreads[2];
  if (spread) {
    for (const bool candidate : {false, true}) {
      const ViewRequest& side = candidate ? request.candidate : request.baseline;
      auto made = MeasureSpread(*side.trace.model, side.steps, *spread, request.cancel);
      if (!made.ok()) return made.error();
      spreads[candidate ? 1 : 0] = std::move(*made);
      (candidate ? options.candidate_steps : options.baseline_steps) =
          WholeStepCount(*side.trace.model, side.steps);
    }
    options.baseline_spread = &spreads[0];
    options.candidate_spread = &spreads[1];
  }
  Compared compared;
  compared.measure = options.measure;
  compared.batch = replacements.batch;
  compared.table = CompareTables(tables->baseline, tables->candidate, options);
  compared.matched = MatchedShare(compared.table, by == "memory" ? "Bytes" : "Us");
  return compared;
}

// Steps of both sides in order.
Result<Compared> CompareSteps(const CompareRequest& request, Time time) {
  const auto trees = TreesOf(request);
  if (!trees.ok()) return trees.error();
  const StepTree &left = *trees->baseline, &right = *trees->candidate;
  struct Row {
    std::string name;
    CompareStatus status;
    const StepNode* before;
    const StepNode* after;
  };
  std::vector<Row> rows;
  for (const AlignedItem& item : AlignChildren(left, 0, right, 0)) {
    Row row{"", item.status, nullptr, nullptr};
    if (!item.baseline.empty()) {
      row.before = &left.nodes[item.baseline[0]];
      row.name = StepNodeName(*request.baseline.trace.model, left, item.baseline[0]);
    }
    if (!item.candidate.empty()) {
      row.after = &right.nodes[item.candidate[0]];
      const std::string name =
          StepNodeName(*request.candidate.trace.model, right, item.candidate[0]);
      if (row.name.empty()) {
        row.name = name;
      } else if (row.name != name) {
        row.name += " | " + name;
      }
    }
    rows.push_back(std::move(row));
  }
  const Ns StepNode::*member = time == Time::kHost ? &StepNode::host : &StepNode::device;
  const auto value = [member](const StepNode* node) {
    return node == nullptr ? 0.0 : Micros(node->*member);
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    return std::abs(value(a.after) - value(a.before)) > std::abs(value(b.after) - value(b.before));
  });
  const char* what = time == Time::kHost
                         ? "Length of the step, with the device work that it waited for."
                         : "Durations of the device work that the step launched, added up.";
  TableBuilder<Row> table;
  table.Add(HiddenIf(true, TextKey("key", "Key", "Says which row it is.")),
            [](const Row& row) { return TextCell(row.name); });
  table.Add(TextFact("name", "Step", "The step, by its names on both sides."),
            [](const Row& row) { return TextCell(row.name); });
  table.Add(TextFact("status", "Status", "both, new or gone."),
            [](const Row& row) { return Cell(std::string(CompareStatusName(row.status))); });
  table.Add(Duration("baselineUs", "Baseline", what),
            [value](const Row& row) { return Cell(value(row.before)); });
  table.Add(Duration("candidateUs", "Candidate", what),
            [value](const Row& row) { return Cell(value(row.after)); });
  table.Add(Duration("deltaUs", "Delta", "Candidate less baseline."), [value](const Row& row) {
    return Cell(std::round((value(row.after) - value(row.before)) * 1000) / 1000);
  });
  table.Add(Quotient("deltaPercent", "Delta %", "In percent of the baseline."),
            [value](const Row& row) -> Cell {
              const double before = value(row.before);
              if (before == 0) return Cell();
              return 100 * (value(row.after) - before) / before;
            });
  table.Add(Count("baselineCalls", "Baseline steps", "1 where the step is there."),
            [](const Row& row) { return Cell(int64_t{row.before != nullptr}); });
  table.Add(Count("candidateCalls", "Candidate steps", "1 where the step is there."),
            [](const Row& row) { return Cell(int64_t{row.after != nullptr}); });
  return Compared{table.Make(rows), time == Time::kHost ? "hostUs" : "deviceUs", 1, {}};
}

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
  Overviews both;
  std::shared_ptr<const MemoryData> memory[2];
  for (const bool candidate : {false, true}) {
    const ViewRequest& side = candidate ? request.candidate : request.baseline;
    const auto rules = RulesOf(side);
    if (!rules.ok()) return rules.error();
    auto made = AnalyzeOverview(*side.trace.model, side.steps, *rules, side.cancel);
    if (!made.ok()) return made.error();
    (candidate ? both.candidate : both.baseline) = std::move(*made);
    const auto data = MemoryOf(side);
    if (!data.ok()) return data.error();
    memory[candidate ? 1 : 0] = *data;
  }
  both.figures =
      CompareOverviews({request.baseline.trace.model.get(), &both.baseline, memory[0].get()},
                       {request.candidate.trace.model.get(), &both.candidate, memory[1].get()});
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

double NumberIn(const Table& table, const std::vector<Cell>& row, const char* key) {
  const int column = table.ColumnIndex(key);
  if (column < 0) return 0;
  const Cell& cell = row[static_cast<size_t>(column)];
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  if (const auto* count = std::get_if<int64_t>(&cell)) return static_cast<double>(*count);
  return 0;
}

std::string TextIn(const Table& table, const std::vector<Cell>& row, const char* key) {
  const int column = table.ColumnIndex(key);
  const auto* text =
      column < 0 ? nullptr : std::get_if<std::string>(&row[static_cast<size_t>(column)]);
  return text != nullptr ? *text : std::string();
}

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
  const Model &a = *request.baseline.trace.model, &b = *request.candidate.trace.model;
  const auto name = [](const Model& model) {
    if (model.devices.empty()) return std::string("the CPU only");
    const std::string first = DeviceName(model.devices[0]);
    return model.devices.size() == 1
               ? first
               : std::to_string(model.devices.size()) + " devices (" + first + ")";
  };
  if (name(a) != name(b)) {
    notes.push_back("The traces were recorded on different devices: " + name(a) + " and " +
                    name(b) + ".");
  }
  if (a.has_recorded_steps != b.has_recorded_steps) {
    notes.push_back(
        "Only one of the traces has recorded steps, so that the whole traces are compared.");
  }
  if (IsPerStep(request)) {
    notes.push_back("Figures are per step: the baseline has " +
                    std::to_string(static_cast<int>(SelectedSteps(request.baseline))) +
                    " steps, the candidate " +
                    std::to_string(static_cast<int>(SelectedSteps(request.candidate))) + ".");
  }
  return notes;
}

// Steps that totals of a table are made of; its figures divided by this are those of one step.
double StepsInTable(const CompareRequest& request) {
  if (IsPerStep(request)) return 1;
  return std::max(1.0, SelectedSteps(request.candidate));
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
  std::optional<Compared> best;
  std::string level;
  std::optional<BatchSizes> batch;
  for (const char* by : kLevels) {
    if (time == Time::kHost && std::string_view(by) == "kernels") continue;
    auto compared = CompareBy(request, by, time);
    if (!compared.ok()) return compared.error();
    if (compared->batch) batch = compared->batch;
    if (compared->table.rows.empty()) continue;
    levels.push_back({{"by", by}, {"matchedShare", compared->matched}});
    const bool enough = compared->matched >= kMatchedShare;
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
    const Json& first = delta > 0 ? grew : shrank;
    if (delta != 0 && !first.empty()) {
      // A cause is what explains a good part of the difference.
      if (std::abs(first[0]["deltaUs"].get<double>()) >= 0.2 * std::abs(delta)) {
        cause = VerdictCause{first[0]["name"], first[0]["baselineUs"], first[0]["candidateUs"]};
      }
    }
  }
  const bool has_steps = request.baseline.trace.model->has_recorded_steps &&
                         request.candidate.trace.model->has_recorded_steps;
  Json notes = NotesJson(request);
  if (batch) {
    notes.push_back("The batches differ: " + std::to_string(batch->baseline) + " and " +
                    std::to_string(batch->candidate) + " are the first dimension of most inputs.");
  }
  if (best && best->matched < kMatchedShare) {
    notes.push_back(
        "The traces have little in common: at no level is half of the time in what "
        "both have.");
  } else if (best && level != levels[0]["by"]) {
    notes.push_back("The traces are matched by " + level + ": finer levels have little in common.");
  }
  const bool known = step.baseline && step.candidate && *step.baseline > 0;
  Json verdict = {
      {"text", VerdictText(step, has_steps, cause)},
      {"baselineUs", Optional(step.baseline)},
      {"candidateUs", Optional(step.candidate)},
      {"deltaUs", delta},
      {"deltaPercent", known ? Json(100 * delta / *step.baseline) : Json()},
      {"noisePercent", known && step.noise ? Json(100 * *step.noise / *step.baseline) : Json()},
      {"beyondNoise", step.beyond_noise ? Json(*step.beyond_noise) : Json()},
      {"test", "Welch's t-test on the lengths of the steps, 95 %"}};
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

Result<Json> CompareTable(const CompareRequest& request) {
  const auto time = TimeOf(request);
  if (!time.ok()) return time.error();
  const std::string by = TextParam(request.params, "by");
  auto compared = by == "steps" ? CompareSteps(request, *time) : CompareBy(request, by, *time);
  if (!compared.ok()) return compared.error();
  Result<Json> result = TableResult(compared->table, request.params);
  if (!result.ok()) return result;
  (*result)["measure"] = compared->measure;
  (*result)["time"] = *time == Time::kDevice ? "device" : "host";
  (*result)["per"] = IsPerStep(request) ? "step" : "selection";
  (*result)["matchedShare"] = compared->matched;
  return result;
}

std::string NamesOf(const ViewRequest& side, const StepTree& tree,
                    const std::vector<uint32_t>& nodes) {
  std::string text;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (i == kMaxNames) return text + " + " + std::to_string(nodes.size() - i) + " more";
    text += (i > 0 ? " + " : "") + Shortened(StepNodeName(*side.trace.model, tree, nodes[i]), 200);
  }
  return text;
}

Json NodesJson(const ViewRequest& side, const StepTree& tree, const std::vector<uint32_t>& nodes) {
  if (nodes.empty()) return nullptr;
  Ns host = 0, device = 0;
  for (const uint32_t node : nodes) {
    host += tree.nodes[node].host;
    device += tree.nodes[node].device;
  }
  const SliceIndex slice = tree.nodes[nodes[0]].slice;
  return {{"name", NamesOf(side, tree, nodes)},
          {"hostUs", Us(host)},
          {"deviceUs", Us(device)},
          {"nodes", nodes.size()},
          {"slice", slice == kNone ? Json() : Json(slice)}};
}

// Time of a matched node that lies in none of its children.
Json BetweenJson(const StepTree& tree, uint32_t node) {
  Ns host = tree.nodes[node].host, device = tree.nodes[node].device;
  for (const uint32_t child : tree.ChildrenOf(node)) {
    if (!tree.nodes[child].concurrent) host -= tree.nodes[child].host;
    device -= tree.nodes[child].device;
  }
  return {{"hostUs", Us(std::max<Ns>(0, host))}, {"deviceUs", Us(std::max<Ns>(0, device))}};
}

Json ItemJson(const CompareRequest& request, const StepTree& left, const StepTree& right,
              const AlignedItem& item) {
  const StepNode& shown =
      item.candidate.empty() ? left.nodes[item.baseline[0]] : right.nodes[item.candidate[0]];
  const bool inside = IsPair(item) && (left.nodes[item.baseline[0]].end > item.baseline[0] + 1 ||
                                       right.nodes[item.candidate[0]].end > item.candidate[0] + 1);
  static constexpr const char* kPasses[] = {"forward", "backward", "recompute"};
  return {{"kind", StepNodeKindName(shown.kind)},
          {"pass", kPasses[static_cast<size_t>(shown.pass)]},
          {"status", CompareStatusName(item.status)},
          {"moved", item.moved},
          {"concurrent", shown.concurrent},
          {"baseline", NodesJson(request.baseline, left, item.baseline)},
          {"candidate", NodesJson(request.candidate, right, item.candidate)},
          {"hasChildren", inside}};
}

Result<Json> CompareTree(const CompareRequest& request) {
  const auto trees = TreesOf(request);
  if (!trees.ok()) return trees.error();
  const StepTree &left = *trees->baseline, &right = *trees->candidate;
  const auto item = ItemAt(left, right, TextParam(request.params, "path"));
  if (!item.ok()) return item.error();
  Json result = {{"item", ItemJson(request, left, right, *item)},
                 {"children", Json::array()},
                 {"totalChildren", 0},
                 {"between", Json()}};
  if (!IsPair(*item)) return result;
  const auto offset =
      static_cast<size_t>(std::max<int64_t>(0, IntegerParam(request.params, "offset", 0)));
  const std::vector<AlignedItem> children =
      AlignChildren(left, item->baseline[0], right, item->candidate[0]);
  result["totalChildren"] = children.size();
  size_t bytes = 0;
  for (size_t i = offset; i < children.size() && i < offset + kMaxItems; ++i) {
    Json child = ItemJson(request, left, right, children[i]);
    child["position"] = i;
    bytes += DumpJson(child).size();
    if (bytes > kItemBytes && i > offset) break;
    result["children"].push_back(std::move(child));
  }
  result["between"] = {{"baseline", BetweenJson(left, item->baseline[0])},
                       {"candidate", BetweenJson(right, item->candidate[0])}};
  return result;
}

}  // namespace

const std::vector<CompareMethod>& CompareMethods() {
  static const std::vector<CompareMethod> methods = {
      {"compare/verdict", &CompareVerdict},
      {"compare/table", &CompareTable},
      {"compare/tree", &CompareTree},
  };
  return methods;
}

}  // namespace emberline
