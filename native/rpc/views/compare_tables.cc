#include "rpc/views/compare_tables.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "analysis/columns.h"
#include "analysis/modules.h"
#include "compare/kernel_keys.h"
#include "compare/line_keys.h"
#include "compare/modules.h"
#include "compare/spread.h"
#include "compare/tables.h"
#include "ranks/communication.h"
#include "rpc/errors.h"
#include "rpc/params.h"
#include "rpc/views/source_params.h"
#include "rpc/views/tables.h"
#include "session/lines.h"

namespace emberline {
namespace {

// One side's table, and what tells its rows.
struct SideTables {
  Table baseline, candidate;
  std::vector<std::string> baseline_keys, candidate_keys;
};

// The same table of both sides. `table` makes one side's.
template <typename Make>
Result<SideTables> BothTables(const CompareRequest& request, bool per_step, Make&& table) {
  auto tables = OfBothSides<Table>(request, [&](const ViewRequest& side) -> Result<Table> {
    return table(InSteps(side, per_step));
  });
  if (!tables.ok()) return tables.error();
  return SideTables{std::move(tables->baseline), std::move(tables->candidate), {}, {}};
}

// By the flags of one block of the execution.
Result<Table> OperatorsTableIn(const ViewRequest& side, OperatorGrouping grouping,
                               const std::vector<bool>& block) {
  const Model& model = *side.trace.model;
  const auto stacks = StacksOf(side);
  if (!stacks.ok()) return stacks.error();
  const auto rules = RulesOf(side);
  if (!rules.ok()) return rules.error();
  const auto data =
      AnalyzeOperators(model, side.steps, grouping, *rules, **stacks, side.cancel, block);
  if (!data.ok()) return data.error();
  return OperatorTable(model, *data, grouping);
}

Result<Table> KernelsTableIn(const ViewRequest& side, const std::vector<bool>& block) {
  const Model& model = *side.trace.model;
  const auto rules = RulesOf(side);
  if (!rules.ok()) return rules.error();
  const auto data =
      AnalyzeKernels(model, side.steps, KernelGrouping::kName, *rules, side.cancel, block);
  if (!data.ok()) return data.error();
  return KernelTable(model, *data, KernelGrouping::kName);
}

// The tables of one block of the aligned execution.
Result<SideTables> BlockTables(const CompareRequest& request, const std::string& by,
                               const std::string& path) {
  if (by != "operators" && by != "operatorShapes" && by != "kernels") {
    return MakeError(errors::kUnknownBlockTable, {{"table", by}});
  }
  const auto trees = TreesOf(request);
  if (!trees.ok()) return trees.error();
  const auto item = ItemAt(*trees->baseline, *trees->candidate, path);
  if (!item.ok()) return item.error();
  SideTables tables;
  for (const bool candidate : {false, true}) {
    const ViewRequest& side = candidate ? request.candidate : request.baseline;
    const StepTree& tree = candidate ? *trees->candidate : *trees->baseline;
    const std::vector<bool> block =
        SlicesInside(*side.trace.model, tree, candidate ? item->candidate : item->baseline);
    auto table = by == "kernels"
                     ? KernelsTableIn(side, block)
                     : OperatorsTableIn(side,
                                        by == "operators" ? OperatorGrouping::kName
                                                          : OperatorGrouping::kNameAndShapes,
                                        block);
    if (!table.ok()) return table.error();
    (candidate ? tables.candidate : tables.baseline) = std::move(*table);
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

Result<Table> CommunicationTableOf(const ViewRequest& side) {
  auto made = side.trace.results.Get<Table>(
      "communication/" + StepsKey(side), side.cancel, [&]() -> Result<Table> {
        const auto found = FindCollectives(*side.trace.model, side.cancel);
        if (!found.ok()) return found.error();
        return CommunicationTable(*side.trace.model, *found, side.steps);
      });
  if (!made.ok()) return made.error();
  return **made;
}

Result<SideTables> ModuleTables(const CompareRequest& request, bool per_step) {
  const auto trees =
      OfBothSides<ModuleTree>(request, [&](const ViewRequest& whole) -> Result<ModuleTree> {
        const ViewRequest side = InSteps(whole, per_step);
        const auto memory = MemoryOf(side);
        if (!memory.ok()) return memory.error();
        return AnalyzeModules(*side.trace.model, side.steps, memory->get(), side.cancel);
      });
  if (!trees.ok()) return trees.error();
  const auto& [baseline, candidate] = *trees;
  SideTables tables{ModuleTable(baseline), ModuleTable(candidate), {}, {}};
  std::tie(tables.baseline_keys, tables.candidate_keys) = MatchModules(baseline, candidate);
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

// Of the measure, the part in rows that both sides have.
double MatchedShare(const Table& table, const char* unit) {
  const std::string before = std::string("baseline") + unit,
                    after = std::string("candidate") + unit;
  const int status = table.ColumnIndex("status");
  if (status < 0) return 0;
  double all = 0, both = 0;
  for (const auto& row : table.rows) {
    const double sum = std::abs(NumberIn(table, row, before.c_str())) +
                       std::abs(NumberIn(table, row, after.c_str()));
    all += sum;
    if (std::get<std::string>(row[static_cast<size_t>(status)]) == "both") both += sum;
  }
  return all > 0 ? both / all : 0;
}

// What one level compares.
struct Level {
  SideTables tables;
  std::string measure;
  bool per_step = false;
  std::optional<SpreadOf> spread;     // of rows that are operators or kernels
  std::optional<LineGrouping> lines;  // of rows that are lines; neither: nothing is known of noise
};

// Of the levels that are lines.
std::optional<LineGrouping> GroupingOf(const std::string& by) {
  if (by == "lines") return LineGrouping::kLine;
  if (by == "functions") return LineGrouping::kFunction;
  if (by == "classes") return LineGrouping::kClass;
  return std::nullopt;
}

Result<SideTables> LevelTables(const CompareRequest& request, const std::string& by,
                               bool per_step) {
  const std::string block = TextParam(request.params, "block");
  if (!block.empty()) return BlockTables(request, by, block);
  if (by == "operators") return BothTables(request, per_step, &OperatorsTable);
  if (by == "operatorShapes") return BothTables(request, per_step, &OperatorShapesTable);
  if (by == "kernels") return BothTables(request, per_step, &KernelsTable);
  if (by == "memory") return BothTables(request, per_step, &MemoryTable);
  if (by == "communication") return BothTables(request, per_step, &CommunicationTableOf);
  if (by == "modules") return ModuleTables(request, per_step);
  return LineTables(request, per_step, *GroupingOf(by));
}

Result<Level> LevelOf(const CompareRequest& request, const std::string& by, Time time) {
  const bool in_block = !TextParam(request.params, "block").empty();
  const bool device = time == Time::kDevice;
  Level level;
  // A block is one place in one step.
  level.per_step = !in_block && IsPerStep(request);
  level.measure = device ? "deviceSelfUs" : "hostSelfUs";
  auto tables = LevelTables(request, by, level.per_step);
  if (!tables.ok()) return tables.error();
  level.tables = std::move(*tables);
  if (by == "operators") {
    level.spread = device ? SpreadOf::kOperatorDevice : SpreadOf::kOperatorHost;
  } else if (by == "kernels") {
    level.measure = "totalUs";
    level.spread = SpreadOf::kKernels;
    std::tie(level.tables.baseline_keys, level.tables.candidate_keys) =
        MatchKernels(level.tables.baseline, level.tables.candidate);
  } else if (by == "memory") {
    level.measure = "selfAllocationSizeBytes";
  } else if (by == "communication") {
    level.measure = device ? "deviceUs" : "hostUs";
  }
  level.lines = GroupingOf(by);
  if (in_block) level.spread.reset();
  return level;
}

// Of each row, what is known of it by its key.
template <typename Key>
std::vector<Sample> SamplesOf(const Table& table, const Spread& spread, Key&& key) {
  std::vector<Sample> samples;
  samples.reserve(table.rows.size());
  for (const auto& row : table.rows) {
    const auto at = spread.find(key(table, row));
    samples.push_back(at == spread.end() ? Sample() : at->second);
  }
  return samples;
}

// How much the measure of a level varies from step to step, on both sides. Errors: kCancelled.
Result<bool> AddSamples(const CompareRequest& request, const Level& level, Time time,
                        TableComparison* comparison) {
  const ViewRequest &baseline = request.baseline, &candidate = request.candidate;
  comparison->baseline_steps = WholeStepCount(*baseline.trace.model, baseline.steps);
  comparison->candidate_steps = WholeStepCount(*candidate.trace.model, candidate.steps);
  const auto spreads = OfBothSides<Spread>(request, [&](const ViewRequest& side) -> Result<Spread> {
    const Model& model = *side.trace.model;
    if (level.spread) return MeasureSpread(model, side.steps, *level.spread, request.cancel);
    const auto lines = LinesOf(side.trace, SpaceParam(side.params), side.cancel);
    if (!lines.ok()) return lines.error();
    return MeasureLineSpread(model, (*lines)->attribution, side.steps, *level.lines,
                             time == Time::kHost, request.cancel);
  });
  if (!spreads.ok()) return spreads.error();
  const auto key = [&](const Table& table, const std::vector<Cell>& row) {
    if (level.spread) return TextIn(table, row, "name");
    return LineRowKey(TextIn(table, row, "file"),
                      static_cast<int64_t>(NumberIn(table, row, "line")),
                      TextIn(table, row, "function"));
  };
  comparison->knows_noise = true;
  comparison->baseline_samples = SamplesOf(level.tables.baseline, spreads->baseline, key);
  comparison->candidate_samples = SamplesOf(level.tables.candidate, spreads->candidate, key);
  return true;
}

// The tables of one level, compared.
Result<Compared> CompareLevel(const CompareRequest& request, const std::string& by, Time time) {
  auto level = LevelOf(request, by, time);
  if (!level.ok()) return level.error();
  TableComparison options;
  options.measure = level->measure;
  options.baseline_keys = level->tables.baseline_keys;
  options.candidate_keys = level->tables.candidate_keys;
  if (level->per_step) {
    options.baseline_scale = 1 / SelectedSteps(request.baseline);
    options.candidate_scale = 1 / SelectedSteps(request.candidate);
  }
  std::shared_ptr<const Replacements> replacements;
  if (by == "operators" || by == "operatorShapes" || by == "kernels") {
    auto found = ReplacementsOf(request);
    if (!found.ok()) return found.error();
    replacements = std::move(*found);
    options.gone = by == "kernels" ? &replacements->kernels_gone : &replacements->gone;
    options.came = by == "kernels" ? &replacements->kernels_came : &replacements->came;
  }
  if (level->spread || level->lines) {
    const auto added = AddSamples(request, *level, time, &options);
    if (!added.ok()) return added.error();
  }
  Compared compared;
  compared.measure = options.measure;
  if (replacements != nullptr && by != "kernels") compared.batch = replacements->batch;
  compared.table = CompareTables(level->tables.baseline, level->tables.candidate, options);
  compared.matched = MatchedShare(compared.table, by == "memory" ? "Bytes" : "Us");
  return compared;
}

struct StepRow {
  std::string name;
  Ns time = 0;
};

Table StepsTable(const std::vector<StepRow>& rows, Time time) {
  TableBuilder<StepRow> table;
  table.Add(TextKey("step", "Step", "The step, by its names on both sides."),
            [](const StepRow& row) { return TextCell(row.name); });
  if (time == Time::kHost) {
    table.Add(Duration("hostUs", "Host time",
                       "Duration of the step, including the device work that it waited for."),
              &StepRow::time);
  } else {
    table.Add(Duration("deviceUs", "Device time",
                       "Sum of the durations of the device work that the step launched."),
              &StepRow::time);
  }
  table.Add(Count("calls", "Steps", "1 where the step was recorded."),
            [](const StepRow&) { return Cell(int64_t{1}); });
  return table.Make(rows);
}

// Steps of both sides, matched in order.
Result<Compared> CompareSteps(const CompareRequest& request, Time time) {
  const auto trees = TreesOf(request);
  if (!trees.ok()) return trees.error();
  const StepTree &left = *trees->baseline, &right = *trees->candidate;
  const auto name = [](const ViewRequest& side, const StepTree& tree,
                       const std::vector<uint32_t>& nodes) {
    return nodes.empty() ? std::string() : StepNodeName(*side.trace.model, tree, nodes.front());
  };
  const auto value = [time](const ViewRequest& side, const StepTree& tree, uint32_t node) {
    return time == Time::kHost ? tree.HostOf(*side.trace.model, node) : tree.DeviceOf(node);
  };
  TableComparison options;
  options.measure = time == Time::kHost ? "hostUs" : "deviceUs";
  std::vector<StepRow> before, after;
  std::unordered_map<std::string, size_t> times_named;
  for (const AlignedItem& item : AlignChildren(left, 0, right, 0)) {
    const std::string a = name(request.baseline, left, item.baseline);
    const std::string b = name(request.candidate, right, item.candidate);
    const std::string both = a.empty() ? b : b.empty() || a == b ? a : a + " | " + b;
    // A step that went may be called like one that came.
    const size_t earlier = times_named[both]++;
    const std::string key = earlier == 0 ? both : both + " (" + std::to_string(earlier + 1) + ")";
    if (!item.baseline.empty()) {
      before.push_back({both, value(request.baseline, left, item.baseline.front())});
      options.baseline_keys.push_back(key);
    }
    if (!item.candidate.empty()) {
      after.push_back({both, value(request.candidate, right, item.candidate.front())});
      options.candidate_keys.push_back(key);
    }
  }
  Compared compared;
  compared.measure = options.measure;
  compared.table = CompareTables(StepsTable(before, time), StepsTable(after, time), options);
  compared.matched = MatchedShare(compared.table, "Us");
  return compared;
}

}  // namespace

Result<std::shared_ptr<const Replacements>> ReplacementsOf(const CompareRequest& request) {
  return request.candidate.trace.results.Get<Replacements>(
      "replacements/" + SidesKey(request), request.cancel, [&]() -> Result<Replacements> {
        const auto trees = TreesOf(request);
        if (!trees.ok()) return trees.error();
        return FindReplacements(BaselineOf(request, *trees), CandidateOf(request, *trees),
                                request.cancel);
      });
}

size_t Compared::MemoryBytes() const { return HeapBytesOf(table, measure); }

Result<std::shared_ptr<const Compared>> CompareBy(const CompareRequest& request,
                                                  const std::string& by, Time time) {
  std::string key = "compared/" + SidesKey(request) + "/" + by +
                    (time == Time::kDevice ? "/device/" : "/host/") +
                    TextParam(request.params, "device") + "/" + TextParam(request.params, "block") +
                    "/" + SelectionKey(request.candidate);
  if (by == "lines" || by == "functions" || by == "classes") {
    // They depend on the sources and on what documents taught about them.
    const auto lines =
        OfBothSides<std::shared_ptr<const LineData>>(request, [](const ViewRequest& side) {
          return LinesOf(side.trace, SpaceParam(side.params), side.cancel);
        });
    if (!lines.ok()) return lines.error();
    key += "\n" + lines->baseline->key + "\n" + lines->candidate->key;
  }
  return request.candidate.trace.results.Get<Compared>(key, request.cancel, [&] {
    return by == "steps" ? CompareSteps(request, time) : CompareLevel(request, by, time);
  });
}

}  // namespace emberline
