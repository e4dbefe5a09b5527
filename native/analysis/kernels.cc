#include "analysis/kernels.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "analysis/errors.h"
#include "analysis/intervals.h"
#include "analysis/links.h"
#include "analysis/modules.h"
#include "analysis/operators.h"
#include "base/errors.h"
#include "base/hash.h"
#include "base/saturating.h"

namespace emberline {
namespace {

// Adds slice `i` to its row; the longest one is the row's example.
template <typename Row>
void CountCall(Row& row, SliceIndex i, Ns duration) {
  ++row.calls;
  row.total += duration;
  row.min = std::min(row.min, duration);
  if (duration > row.max) {
    row.max = duration;
    row.example = i;
  }
}

bool IsCopyOrSet(SliceKind kind) {
  return kind == SliceKind::kMemcpy || kind == SliceKind::kMemset;
}

// "(1, 2, 3)" reads the same whatever blanks the recorder wrote.
Cell ListOrEmpty(const StringPool& strings, StringId id) {
  return id == 0 ? Cell() : Cell(ShapesText(strings.Get(id)));
}

struct Key {
  StringId name = 0, op = 0, grid = 0, block = 0;
  int64_t registers = -1, shared = -1;  // -1 missing
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  size_t operator()(const Key& k) const {
    uint64_t h = 0;
    for (uint64_t v : {uint64_t{k.name}, uint64_t{k.op}, uint64_t{k.grid}, uint64_t{k.block},
                       static_cast<uint64_t>(k.registers), static_cast<uint64_t>(k.shared)}) {
      h = HashPair(v, h);
    }
    return static_cast<size_t>(h);
  }
};

struct Mean {
  double sum = 0, weight = 0, plain = 0;
  int64_t count = 0;
  void Add(double value, Ns duration) {
    sum += value * static_cast<double>(duration);
    weight += static_cast<double>(duration);
    plain += value;
    ++count;
  }
  std::optional<double> Value() const {
    if (count == 0) return std::nullopt;
    // Kernels shorter than the clock's grain all weigh nothing; then each counts alike.
    return weight > 0 ? sum / weight : plain / static_cast<double>(count);
  }
};

std::string_view OpName(const Model& model, SliceIndex i) {
  const SliceIndex op = model.SourceOp(i);
  return op == kNone ? std::string_view() : model.store().name(op);
}

// "DEVICE_TO_HOST" of MTIA's dma_request, in the words of the other recorders.
std::string DmaDirection(std::string_view recorded) {
  const size_t at = recorded.find("_TO_");
  if (at == std::string_view::npos || at == 0 || at + 4 >= recorded.size()) {
    return std::string(recorded);
  }
  return std::string{recorded[0]} + "to" + recorded[at + 4];
}

}  // namespace

// Where a copy goes: from the name "Memcpy HtoD (Pageable -> Device)", else the recorded kind.
CopyKey CopyKeyOf(const TraceStore& s, SliceIndex i) {
  CopyKey d;
  const std::string_view name = s.name(i);
  if (s.kind(i) == SliceKind::kMemset) {
    d.direction = "Set";
    const size_t open = name.find('('), close = name.rfind(')');
    if (open != std::string_view::npos && close != std::string_view::npos && close > open) {
      d.target = std::string(name.substr(open + 1, close - open - 1));
    }
    return d;
  }
  std::string_view rest = name;
  constexpr std::string_view kWord = "Memcpy ";
  if (rest.starts_with(kWord)) {
    rest.remove_prefix(kWord.size());
    d.direction = std::string(rest.substr(0, rest.find(' ')));
  }
  const size_t open = rest.find('('), arrow = rest.find(" -> "), close = rest.rfind(')');
  if (open != std::string_view::npos && arrow != std::string_view::npos &&
      close != std::string_view::npos && open < arrow && arrow < close) {
    d.source = std::string(rest.substr(open + 1, arrow - open - 1));
    d.target = std::string(rest.substr(arrow + 4, close - arrow - 4));
  }
  const std::string_view recorded = s.ArgText(i, ArgRole::kCopyDirection);
  if (d.direction.empty()) d.direction = DmaDirection(recorded);
  if (d.direction.empty()) d.direction = std::string(recorded);
  if (d.direction.empty()) d.direction = std::string(name);
  return d;
}

std::optional<int64_t> CopyBytes(const Model& model, SliceIndex copy) {
  const TraceStore& s = model.store();
  if (const auto bytes = s.ArgInt(copy, ArgRole::kBytes)) return bytes;
  // ROCm before 2024-11 has the size on the launching call only.
  if (model.launch[copy] != kNone) return s.ArgInt(model.launch[copy], ArgRole::kBytes);
  return std::nullopt;
}

double CopyNs(const Model& model, SliceIndex copy, int64_t bytes) {
  constexpr Ns kMicrosecond = 1000;
  // Recorded rates and the times that follow from them are rounded.
  constexpr double kRounding = 1e-6;
  const TraceStore& s = model.store();
  const auto recorded = static_cast<double>(s.duration(copy));
  if (s.duration(copy) % kMicrosecond != 0 || bytes <= 0) return recorded;
  const std::optional<double> rate = s.ArgNumber(copy, ArgRole::kCopyRate);
  if (!rate || !(*rate > 0)) return recorded;
  const double exact = static_cast<double>(bytes) / *rate;  // a GB/s is a byte per nanosecond
  return exact > recorded * (1 - kRounding) && exact < recorded + kMicrosecond
             ? std::max(exact, recorded)
             : recorded;
}

Result<KernelData> AnalyzeKernels(const Model& model, const StepSelection& selection,
                                  KernelGrouping grouping, const TensorCoreRules& rules,
                                  const CancelToken& cancel, const std::vector<bool>& within) {
  const TraceStore& s = model.store();
  const TensorCoreKernels tensor_cores(model, rules);
  const auto is_shown = [&](SliceIndex i) {
    if (!IsKernel(s.kind(i)) || !selection.Contains(model.step[i])) return false;
    return within.empty() || (model.launch[i] != kNone && within[model.launch[i]]);
  };
  const bool by_properties = grouping == KernelGrouping::kProperties;
  KernelData data;
  std::unordered_map<Key, uint32_t, KeyHash> row_of;
  std::vector<Mean> blocks, occupancy;
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (i % kCancelStride == 0 && cancel.cancelled()) return Cancelled();
    if (!is_shown(i)) continue;
    Key key;
    key.name = s.name_id(i);
    if (by_properties) {
      if (const SliceIndex op = model.SourceOp(i); op != kNone) key.op = s.name_id(op);
      // ROCm records the launch geometry on the call.
      key.grid = s.ArgTextId(i, ArgRole::kGrid);
      key.block = s.ArgTextId(i, ArgRole::kBlock);
      if (key.grid == 0 && model.launch[i] != kNone) {
        key.grid = s.ArgTextId(model.launch[i], ArgRole::kGrid);
        key.block = s.ArgTextId(model.launch[i], ArgRole::kBlock);
      }
      key.registers = s.ArgInt(i, ArgRole::kRegisters).value_or(-1);
      key.shared = s.ArgInt(i, ArgRole::kSharedMemory).value_or(-1);
    }
    const auto [it, added] = row_of.try_emplace(key, static_cast<uint32_t>(data.rows.size()));
    const Ns duration = s.duration(i);
    if (added) {
      KernelRow row;
      row.name = key.name;
      row.op = key.op;
      row.grid = key.grid;
      row.block = key.block;
      if (key.registers >= 0) row.registers = key.registers;
      if (key.shared >= 0) row.shared_bytes = key.shared;
      row.min = duration;
      row.max = -1;
      row.tensor_cores = tensor_cores.UseOf(i);
      data.rows.push_back(row);
      blocks.emplace_back();
      occupancy.emplace_back();
    }
    KernelRow& row = data.rows[it->second];
    CountCall(row, i, duration);
    row.communication = row.communication || model.is_communication[i];
    if (!row.op_eligible) row.op_eligible = rules.Eligible(OpName(model, i));
    if (s.HasArg(ArgRole::kBlocksPerSm)) {
      const auto value = s.ArgNumber(i, ArgRole::kBlocksPerSm);
      if (value && std::isfinite(*value) && *value >= 0) blocks[it->second].Add(*value, duration);
    }
    if (s.HasArg(ArgRole::kOccupancy)) {
      const auto value = s.ArgNumber(i, ArgRole::kOccupancy);
      if (value && std::isfinite(*value) && *value >= 0)
        occupancy[it->second].Add(*value / 100.0, duration);
    }
    ++data.launches;
    if (model.step[i] == kNone) ++data.launches_outside_steps;
    data.total += duration;
    if (row.tensor_cores == MatrixUse::kYes) data.tensor_core_total += duration;
    if (row.tensor_cores == MatrixUse::kUnknown) data.tensor_core_unknown_total += duration;
    if (model.is_communication[i]) data.communication_total += duration;
  }
  for (const Device& device : model.devices) {
    std::vector<Interval> running;
    for (TrackIndex t : device.streams) {
      for (SliceIndex i = s.tracks()[t].first; i < s.tracks()[t].last; ++i) {
        if (is_shown(i)) running.push_back({s.start(i), s.end(i)});
      }
    }
    data.busy += LengthOf(Unite(std::move(running)));
  }
  for (size_t r = 0; r < data.rows.size(); ++r) {
    data.rows[r].blocks_per_sm = blocks[r].Value();
    data.rows[r].occupancy = occupancy[r].Value();
    data.has_blocks_per_sm = data.has_blocks_per_sm || data.rows[r].blocks_per_sm.has_value();
    data.has_occupancy = data.has_occupancy || data.rows[r].occupancy.has_value();
  }
  const StringPool& strings = s.strings();
  std::stable_sort(data.rows.begin(), data.rows.end(), [&](const KernelRow& a, const KernelRow& b) {
    if (a.total != b.total) return a.total > b.total;
    if (a.name != b.name) return strings.Get(a.name) < strings.Get(b.name);
    return false;
  });
  return data;
}

namespace {

// How long the calls of a row took. `Row` has the members calls, total, min and max.
template <typename Row>
void AddCallTimes(TableBuilder<Row>& table, const char* shortest, const char* longest) {
  table.Add(
      Duration("meanUs", "Mean", "Average time per call: total divided by calls.", Merge::kNone),
      [](const Row& row) { return Micros(row.total) / static_cast<double>(row.calls); });
  table.Add(Duration("minUs", "Min", shortest, Merge::kMin), &Row::min);
  table.Add(Duration("maxUs", "Max", longest, Merge::kMax), &Row::max);
}

}  // namespace

Table KernelTable(const Model& model, const KernelData& data, KernelGrouping grouping) {
  using Row = KernelRow;
  const StringPool& strings = model.store().strings();
  const bool by_properties = grouping == KernelGrouping::kProperties;
  FrameFinder frames(model);
  TableBuilder<Row> table;
  table.Add(TextKey("name", "Kernel", "Kernel name, as recorded."),
            [&](const Row& row) { return TextCell(strings.Get(row.name)); });
  if (by_properties) {
    table.Add(TextKey("operator", "Operator",
                      "Innermost operator that was running when the kernel was launched; empty if "
                      "there was none."),
              [&](const Row& row) { return TextOrEmpty(strings.Get(row.op)); });
    table.Add(TextKey("grid", "Grid", "Thread blocks of the grid in x, y, and z."),
              [&](const Row& row) { return ListOrEmpty(strings, row.grid); });
    table.Add(TextKey("block", "Block", "Threads per block in x, y, and z."),
              [&](const Row& row) { return ListOrEmpty(strings, row.block); });
    Column registers = IntegerKey("registers", "Registers", "Registers per thread.");
    registers.unit = Unit::kCount;
    table.Add(std::move(registers), &Row::registers);
    Column shared =
        IntegerKey("sharedBytes", "Shared memory", "Shared memory per block, static plus dynamic.");
    shared.unit = Unit::kBytes;
    table.Add(std::move(shared), &Row::shared_bytes);
    table.Add(
        FlagFact(
            "operatorTensorCoreEligible", "Operator eligible",
            "Whether the operator is of a kind that can run on matrix units (tensor cores, MFMA)."),
        &Row::op_eligible);
  }
  table.Add(Count("calls", "Calls",
                  "Number of launches in the selected steps; for the whole trace, launches outside "
                  "of any step count, too."),
            &Row::calls);
  table.Add(
      Duration("totalUs", "Total",
               "Sum of the kernels' durations; kernels that run concurrently each count in full."),
      &Row::total);
  AddCallTimes(table, "Shortest launch.", "Longest launch.");
  table.Add(Share("share", "Share", "Total as a share of the time of all kernels."),
            [&](const Row& row) {
              return ShareCell(static_cast<double>(row.total), static_cast<double>(data.total));
            });
  table.Add(FlagFact("usesTensorCores", "Tensor cores",
                     "Whether the kernel uses matrix units (tensor cores, MFMA), judged by its "
                     "name; empty if the name does not tell."),
            [](const Row& row) {
              return row.tensor_cores == MatrixUse::kUnknown
                         ? Cell()
                         : Cell(row.tensor_cores == MatrixUse::kYes);
            });
  table.Add(
      FlagFact(
          "communication", "Communication",
          "Whether the kernel moves data between devices or ranks (NCCL, RCCL, and the like)."),
      &Row::communication);
  table.Add(HiddenIf(!data.has_blocks_per_sm,
                     Quotient("meanBlocksPerSm", "Blocks per SM",
                              "Thread blocks per streaming multiprocessor (SM), averaged over "
                              "launches and weighted by duration. Below 1, the kernel does not "
                              "fill the device. Launches without a recorded value are left out.")),
            &Row::blocks_per_sm);
  table.Add(HiddenIf(!data.has_occupancy,
                     Share("meanEstOccupancy", "Est. occupancy",
                           "Estimated achieved occupancy: active warps as a share of the most that "
                           "an SM can hold, averaged over launches and weighted by duration. "
                           "Launches without a recorded value are left out.")),
            &Row::occupancy);
  AddLinks(table, frames, "The longest launch, to show in the timeline.", &Row::example);
  return table.Make(data.rows);
}

Table CopiesTable(const Model& model, const StepSelection& selection) {
  const TraceStore& s = model.store();
  struct Row {
    CopyKey direction;
    int64_t calls = 0;
    std::optional<int64_t> bytes;
    int64_t timed_bytes = 0;  // of the calls that have both
    double timed_ns = 0;
    Ns total = 0, min = 0, max = -1;
    SliceIndex example = kNone;
  };
  std::vector<Row> rows;
  std::unordered_map<std::string, size_t> row_of;
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (!IsCopyOrSet(s.kind(i)) || !selection.Contains(model.step[i])) continue;
    CopyKey direction = CopyKeyOf(s, i);
    const std::string key = direction.direction + '\n' + direction.source + '\n' + direction.target;
    const auto [it, added] = row_of.try_emplace(key, rows.size());
    if (added) {
      rows.emplace_back();
      rows.back().direction = std::move(direction);
      rows.back().min = s.duration(i);
    }
    Row& row = rows[it->second];
    const Ns duration = s.duration(i);
    CountCall(row, i, duration);
    if (const auto bytes = CopyBytes(model, i); bytes && *bytes >= 0) {
      row.bytes = SaturatingAdd(row.bytes.value_or(0), *bytes);
      if (const double ns = CopyNs(model, i, *bytes); ns > 0) {
        row.timed_bytes = SaturatingAdd(row.timed_bytes, *bytes);
        row.timed_ns += ns;
      }
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.total > b.total; });
  FrameFinder frames(model);
  TableBuilder<Row> table;
  table.Add(TextKey("direction", "Direction",
                    "Direction of the copy: HtoD is host to device, DtoH is device to host, DtoD "
                    "is within or between devices; Set is a memset."),
            [](const Row& row) { return TextOrEmpty(row.direction.direction); });
  table.Add(TextKey("source", "From",
                    "Kind of memory copied from. Copies from pageable memory go through a driver "
                    "staging buffer and block the host; pinned memory avoids both."),
            [](const Row& row) { return TextOrEmpty(row.direction.source); });
  table.Add(TextKey("target", "To", "Kind of memory copied to."),
            [](const Row& row) { return TextOrEmpty(row.direction.target); });
  table.Add(Count("calls", "Calls",
                  "Number of memcpy or memset operations in the selected steps; for the whole "
                  "trace, operations outside of any step count, too."),
            &Row::calls);
  table.Add(ByteCount("bytes", "Size", "Bytes copied or set, where recorded."), &Row::bytes);
  table.Add(Duration("totalUs", "Total", "Sum of the durations."), &Row::total);
  AddCallTimes(table, "Shortest one.", "Longest one.");
  table.Add(Quotient("bandwidthGbPerS", "Bandwidth",
                     "Bytes divided by duration; 1 GB is 10^9 bytes. A duration in whole "
                     "microseconds is made exact by the recorded rate, where that fits it.",
                     Unit::kGbPerS),
            [](const Row& row) {
              return row.timed_ns > 0 ? Cell(static_cast<double>(row.timed_bytes) / row.timed_ns)
                                      : Cell();
            });
  AddLinks(table, frames, "The longest one, to show in the timeline.", &Row::example);
  return table.Make(rows);
}

namespace {

// Launches of the device work that `wanted` takes; `nothing` when there is none.
template <typename Wanted>
Result<KernelLaunches> LaunchesOf(const Model& model, const StepSelection& selection,
                                  const StackIds& stacks, const CancelToken& cancel,
                                  Wanted&& wanted, const Error& nothing) {
  const TraceStore& s = model.store();
  struct Group {
    std::vector<Cell> head;
    int64_t calls = 0;
    Ns total = 0;
    SliceIndex example = kNone;
    Ns longest = -1;
  };
  struct Groups {
    std::vector<Group> list;
    std::unordered_map<std::string, size_t> index;
    void Add(std::string name, std::vector<Cell> head, SliceIndex i, Ns duration) {
      const auto [it, added] = index.try_emplace(std::move(name), list.size());
      if (added) {
        list.emplace_back();
        list.back().head = std::move(head);
      }
      Group& group = list[it->second];
      ++group.calls;
      group.total += duration;
      if (duration > group.longest) {
        group.longest = duration;
        group.example = i;
      }
    }
  };
  Groups operators, modules, lines;
  std::vector<SliceIndex> slices;
  // Many launches share a stack; it is read once.
  std::unordered_map<uint64_t, std::optional<Frame>> frames;
  FrameFinder finder(model);
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (i % kCancelStride == 0 && cancel.cancelled()) return Cancelled();
    if (!selection.Contains(model.step[i]) || !wanted(i)) continue;
    const std::string_view op = OpName(model, i);
    const Ns duration = s.duration(i);
    slices.push_back(i);
    operators.Add(std::string(op), {op.empty() ? Cell() : Cell(std::string(op))}, i, duration);
    std::string module_name = finder.ModuleName(i);
    Cell module_cell = module_name.empty() ? Cell() : Cell(module_name);
    modules.Add(std::move(module_name), {std::move(module_cell)}, i, duration);
    const StackIds::Id stack = stacks.Of(i);
    auto [it, added] = frames.try_emplace(stack.id);
    if (added && stack.id != 0) it->second = finder.UserFrame(i);
    if (it->second) {
      const Frame& frame = *it->second;
      lines.Add(frame.file + '\n' + std::to_string(frame.line) + '\n' + frame.function,
                {Cell(frame.file), Cell(frame.line), Cell(frame.function),
                 Cell(frame.line_is_definition)},
                i, duration);
    } else {
      lines.Add("", {Cell(), Cell(), Cell(), Cell()}, i, duration);
    }
  }
  if (slices.empty()) return nothing;
  const auto table_of = [](Groups& groups, std::vector<Column> head) {
    std::stable_sort(groups.list.begin(), groups.list.end(),
                     [](const Group& a, const Group& b) { return a.total > b.total; });
    TableBuilder<Group> table;
    table.AddAll(std::move(head), [](const Group& group, std::vector<Cell>& cells) {
      cells.insert(cells.end(), group.head.begin(), group.head.end());
    });
    table.Add(Count("calls", "Calls", "Number of launches."), &Group::calls);
    table.Add(Duration("totalUs", "Total", "Sum of the durations."), &Group::total);
    table.Add(
        Link("slice", "Slice", "The longest launch, to show in the timeline.", CellType::kInteger),
        [](const Group& group) { return Cell(static_cast<int64_t>(group.example)); });
    return table.Make(groups.list);
  };
  KernelLaunches result;
  result.operators = table_of(
      operators,
      {TextKey("operator", "Operator",
               "Innermost operator that was running at the launch; empty if there was none.")});
  result.modules =
      table_of(modules, {TextKey("module", "Module",
                                 "Innermost nn.Module whose call made the launch; backward work "
                                 "counts for the module of its forward call.")});
  result.lines =
      table_of(lines, {TextKey("file", "File", "File of the innermost frame of user code."),
                       IntegerKey("line", "Line", "Line of that frame, as recorded."),
                       TextKey("function", "Function", "Function of that frame."),
                       Link("lineIsDefinition", "Line is definition",
                            "Whether the line is the function's first line, because the calling "
                            "line was not recorded.",
                            CellType::kBool)});
  std::stable_sort(slices.begin(), slices.end(),
                   [&](SliceIndex a, SliceIndex b) { return s.duration(a) > s.duration(b); });
  if (slices.size() > 100) slices.resize(100);
  result.slices = std::move(slices);
  return result;
}

}  // namespace

Result<KernelLaunches> LaunchesOfKernel(const Model& model, const StepSelection& selection,
                                        const KernelKey& key, const StackIds& stacks,
                                        const CancelToken& cancel) {
  const TraceStore& s = model.store();
  const StringId name = s.strings().Find(key.name);
  const auto wanted = [&](SliceIndex i) {
    if (s.name_id(i) != name || !IsKernel(s.kind(i))) return false;
    if (key.op && *key.op != OpName(model, i)) return false;
    const auto geometry = [&](ArgRole arg) {
      StringId id = s.ArgTextId(i, arg);
      if (id == 0 && model.launch[i] != kNone) id = s.ArgTextId(model.launch[i], arg);
      return ShapesText(s.strings().Get(id));
    };
    return (!key.grid || geometry(ArgRole::kGrid) == ShapesText(*key.grid)) &&
           (!key.block || geometry(ArgRole::kBlock) == ShapesText(*key.block));
  };
  return LaunchesOf(model, selection, stacks, cancel, wanted,
                    MakeError(errors::kKernelDidNotRun, {{"kernel", key.name}}));
}

Result<KernelLaunches> LaunchesOfCopy(const Model& model, const StepSelection& selection,
                                      const CopyKey& key, const StackIds& stacks,
                                      const CancelToken& cancel) {
  const TraceStore& s = model.store();
  const auto wanted = [&](SliceIndex i) {
    return IsCopyOrSet(s.kind(i)) && CopyKeyOf(s, i) == key;
  };
  return LaunchesOf(model, selection, stacks, cancel, wanted, MakeError(errors::kCopyDidNotRun));
}

}  // namespace emberline
