#include "rpc/views/compare_level.h"

#include "analysis/module_steps.h"
#include "base/errors.h"
#include "compare/kernel_keys.h"
#include "compare/line_keys.h"
#include "compare/modules.h"
#include "compare/spread.h"
#include "ranks/communication.h"
#include "rpc/errors.h"
#include "rpc/params.h"
#include "rpc/views/compare_tables.h"
#include "rpc/views/source_params.h"
#include "rpc/views/tables.h"
#include "session/lines.h"

namespace emberline {
namespace {

// One side's table. `samples`: of each row what it took in each whole step; absent where nothing
// says that.
struct SideTable {
  Table table;
  std::optional<std::vector<Sample>> samples;
};
using Tables = Sides<SideTable>;

// The same table of both sides. `table` makes one side's.
template <typename Make>
Result<Tables> BothTables(const CompareRequest& request, bool per_step, Make&& table) {
  return OfBothSides<SideTable>(request, [&](const ViewRequest& side) -> Result<SideTable> {
    return table(InSteps(side, per_step));
  });
}

// Of each row, what is known of it by its key.
template <typename Key>
std::vector<Sample> SamplesOf(const Table& table, const Spread& spread, Key&& key) {
  std::vector<Sample> samples;
  samples.reserve(table.rows.size());
  for (const auto& row : table.rows) {
    const auto at = spread.find(key(row));
    samples.push_back(at == spread.end() ? Sample() : at->second);
  }
  return samples;
}

// By the flags of one block of the execution.
Result<Table> OperatorsTableIn(const ViewRequest& side, OperatorGrouping grouping,
                               const std::vector<bool>& block) {
  const Model& model = *side.trace.model;
  const auto rules = RulesOf(side);
  if (!rules.ok()) return rules.error();
  const auto data = AnalyzeOperators(model, side.steps, grouping, *rules, side.cancel, block);
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
Result<Tables> BlockTables(const CompareRequest& request, const std::string& by,
                           const std::string& path) {
  if (by != "operators" && by != "operatorShapes" && by != "kernels") {
    return MakeError(errors::kUnknownBlockTable, {{"table", by}});
  }
  const auto trees = TreesOf(request);
  if (!trees.ok()) return trees.error();
  const auto item = ItemAt(*trees->baseline, *trees->candidate, path);
  if (!item.ok()) return item.error();
  Tables tables;
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
    (candidate ? tables.candidate : tables.baseline).table = std::move(*table);
  }
  return tables;
}

// `table` with the spread of its rows, by their keys.
Result<SideTable> WithSpread(const Table& table, const Result<Spread>& spread) {
  if (!spread.ok()) return spread.error();
  return SideTable{table, SamplesOf(table, *spread, [&](const std::vector<Cell>& row) {
                     return RowKey(table, row);
                   })};
}

Result<SideTable> OperatorsTable(const ViewRequest& side, Time time, bool by_shapes) {
  const auto made =
      OperatorsOf(side, by_shapes ? OperatorGrouping::kNameAndShapes : OperatorGrouping::kName);
  if (!made.ok()) return made.error();
  const Model& model = *side.trace.model;
  const bool host = time == Time::kHost;
  const SpreadOf what = host ? SpreadOf::kOperatorHost : SpreadOf::kOperatorDevice;
  return WithSpread((*made)->table, by_shapes
                                        ? MeasureShapeSpread(model, side.steps, host, side.cancel)
                                        : MeasureSpread(model, side.steps, what, side.cancel));
}

Result<SideTable> KernelsTable(const ViewRequest& side) {
  const auto made = KernelsOf(side, KernelGrouping::kName);
  if (!made.ok()) return made.error();
  return WithSpread((*made)->table,
                    MeasureSpread(*side.trace.model, side.steps, SpreadOf::kKernels, side.cancel));
}

// Operators by what they allocated on one device.
Result<SideTable> MemoryTable(const ViewRequest& side) {
  const auto made = MemoryOf(side);
  if (!made.ok()) return made.error();
  const Model& model = *side.trace.model;
  Interval range{INT64_MIN, INT64_MAX};
  if (!side.steps.all) {
    range = {model.steps[side.steps.first].time.begin, model.steps[side.steps.last].time.end};
  }
  const int device = (*made)->Find(TextParam(side.params, "device"));
  Table table = MemoryStatisticsTable(**made, model, device, range);
  auto samples = SamplesOf(table, MeasureMemorySpread(model, **made, device, side.steps),
                           [&](const std::vector<Cell>& row) { return RowKey(table, row); });
  return SideTable{std::move(table), std::move(samples)};
}

Result<SideTable> LinesTableBy(const ViewRequest& side, Time time, LineGrouping grouping) {
  const auto data = LinesOf(side.trace, SpaceParam(side.params), side.cancel);
  if (!data.ok()) return data.error();
  const auto sums = LineSumsOf(side.trace, **data, side.steps, side.cancel);
  if (!sums.ok()) return sums.error();
  const auto spread = MeasureLineSpread(*side.trace.model, (*data)->attribution, side.steps,
                                        grouping, time == Time::kHost, side.cancel);
  if (!spread.ok()) return spread.error();
  Table table = LinesTable((*data)->attribution, **sums, grouping);
  auto samples = SamplesOf(table, *spread, [&](const std::vector<Cell>& row) {
    return LineRowKey(TextIn(table, row, "file"),
                      static_cast<int64_t>(NumberIn(table, row, "line")),
                      TextIn(table, row, "function"));
  });
  return SideTable{std::move(table), std::move(samples)};
}

Result<SideTable> CommunicationTable(const ViewRequest& side, Time time) {
  auto made = side.trace.results.Get<Communication>(
      "communication/" + StepsKey(side), side.cancel, [&]() -> Result<Communication> {
        const auto found = FindCollectives(*side.trace.model, side.cancel);
        if (!found.ok()) return found.error();
        return SumCommunication(*side.trace.model, *found, side.steps);
      });
  if (!made.ok()) return made.error();
  return SideTable{(*made)->table, time == Time::kDevice ? (*made)->device : (*made)->host};
}

// Both sides' tables and what tells their rows: of levels whose rows keep no name.
Result<Tables> ModuleTables(const CompareRequest& request, bool per_step, Time time,
                            TableComparison* comparison) {
  struct Made {
    ModuleTree tree;
    SideTable table;
  };
  auto made = OfBothSides<Made>(request, [&](const ViewRequest& whole) -> Result<Made> {
    const ViewRequest side = InSteps(whole, per_step);
    const auto memory = MemoryOf(side);
    if (!memory.ok()) return memory.error();
    const Model& model = *side.trace.model;
    ModuleStepTimes times;
    auto tree = AnalyzeModulesByStep(model, side.steps, memory->get(), side.cancel, &times);
    if (!tree.ok()) return tree.error();
    SideTable table{ModuleTable(*tree),
                    ModuleSamples(model, side.steps, *tree, times, time == Time::kHost)};
    return Made{std::move(*tree), std::move(table)};
  });
  if (!made.ok()) return made.error();
  std::tie(comparison->baseline_keys, comparison->candidate_keys) =
      MatchModules(made->baseline.tree, made->candidate.tree);
  return Tables{std::move(made->baseline.table), std::move(made->candidate.table)};
}

Result<Tables> LineTables(const CompareRequest& request, bool per_step, Time time,
                          LineGrouping grouping, TableComparison* comparison) {
  auto tables = BothTables(request, per_step, [&](const ViewRequest& side) {
    return LinesTableBy(side, time, grouping);
  });
  if (!tables.ok()) return tables;
  std::tie(comparison->baseline_keys, comparison->candidate_keys) =
      MatchLines(tables->baseline.table, tables->candidate.table);
  return tables;
}

Result<Tables> LevelTables(const CompareRequest& request, const std::string& by, bool per_step,
                           Time time, TableComparison* comparison) {
  const std::string block = TextParam(request.params, "block");
  if (!block.empty()) return BlockTables(request, by, block);
  if (by == "modules") return ModuleTables(request, per_step, time, comparison);
  if (const auto grouping = LineGroupingOf(by)) {
    return LineTables(request, per_step, time, *grouping, comparison);
  }
  return BothTables(request, per_step, [&](const ViewRequest& side) {
    if (by == "kernels") return KernelsTable(side);
    if (by == "memory") return MemoryTable(side);
    if (by == "communication") return CommunicationTable(side, time);
    return OperatorsTable(side, time, by == "operatorShapes");
  });
}

std::string MeasureOf(const std::string& by, Time time) {
  const bool device = time == Time::kDevice;
  if (by == "kernels") return "totalUs";
  if (by == "memory") return "selfAllocationSizeBytes";
  if (by == "communication") return device ? "deviceUs" : "hostUs";
  return device ? "deviceSelfUs" : "hostSelfUs";
}

}  // namespace

std::optional<LineGrouping> LineGroupingOf(const std::string& by) {
  if (by == "lines") return LineGrouping::kLine;
  if (by == "functions") return LineGrouping::kFunction;
  if (by == "classes") return LineGrouping::kClass;
  return std::nullopt;
}

Result<Level> LevelOf(const CompareRequest& request, const std::string& by, Time time) {
  // A block is one place in one step.
  const bool per_step = TextParam(request.params, "block").empty() && IsPerStep(request);
  Level level;
  TableComparison& comparison = level.comparison;
  comparison.measure = MeasureOf(by, time);
  auto tables = LevelTables(request, by, per_step, time, &comparison);
  if (!tables.ok()) return tables.error();
  auto& [baseline, candidate] = *tables;
  if (by == "kernels") {
    std::tie(comparison.baseline_keys, comparison.candidate_keys) =
        MatchKernels(baseline.table, candidate.table);
  }
  if (per_step) {
    comparison.baseline_scale = 1 / SelectedSteps(request.baseline);
    comparison.candidate_scale = 1 / SelectedSteps(request.candidate);
  }
  if (baseline.samples && candidate.samples) {
    const auto whole = [](const ViewRequest& side) {
      return WholeStepCount(*side.trace.model, side.steps);
    };
    comparison.knows_noise = true;
    comparison.baseline_samples = std::move(*baseline.samples);
    comparison.candidate_samples = std::move(*candidate.samples);
    comparison.baseline_steps = whole(request.baseline);
    comparison.candidate_steps = whole(request.candidate);
  }
  level.baseline = std::move(baseline.table);
  level.candidate = std::move(candidate.table);
  return level;
}

}  // namespace emberline
