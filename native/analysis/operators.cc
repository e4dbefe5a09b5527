#include "analysis/operators.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "analysis/errors.h"
#include "analysis/links.h"
#include "analysis/listed_operators.h"
#include "analysis/modules.h"
#include "base/errors.h"
#include "base/release.h"
#include "model/names.h"

namespace emberline {
namespace {

Error Cancelled() { return MakeError(errors::kCancelled); }

// An op that is the only child of an op of the same name is the same call seen twice (a dispatch
// through several keys): it becomes part of the outer one, with its own launches (B14).
class Calls {
 public:
  explicit Calls(const Model& model)
      : model_(&model), only_child_(model.store().all_slice_count(), kNone) {
    const TraceStore& s = model.store();
    const uint32_t n = s.all_slice_count();
    std::vector<bool> several(n, false);
    for (SliceIndex i = 0; i < n; ++i) {
      if (!model.IsOp(i) || model.op[i] == kNone) continue;
      const SliceIndex p = model.op[i];
      if (only_child_[p] != kNone) several[p] = true;
      only_child_[p] = i;
    }
    for (SliceIndex i = 0; i < n; ++i) {
      if (several[i]) only_child_[i] = kNone;
    }
    // From here on: the outermost op of the chain that an op belongs to, itself mostly.
    call_.assign(n, kNone);
    for (SliceIndex i = 0; i < n; ++i) {
      if (!model.IsOp(i)) continue;
      const SliceIndex p = model.op[i];
      const bool same = p != kNone && only_child_[p] == i && s.name_id(p) == s.name_id(i);
      call_[i] = same ? call_[p] : i;
    }
    Release(only_child_);
  }
  // The call that op `i` is part of; `i` itself when it is a call of its own.
  SliceIndex Of(SliceIndex i) const { return call_[i]; }

 private:
  const Model* model_;
  std::vector<SliceIndex> only_child_;
  std::vector<SliceIndex> call_;
};

// Whether a call lies in another call of its row, whose total holds it already. To be asked in the
// order of the slices.
class Nested {
 public:
  explicit Nested(const TraceStore& store) : store_(&store) {}
  bool operator()(SliceIndex call, size_t row) {
    while (!open_.empty() && !Holds(open_.back().call, call)) {
      --depth_[open_.back().row];
      open_.pop_back();
    }
    if (row >= depth_.size()) depth_.resize(row + 1, 0);
    open_.push_back({call, row});
    return depth_[row]++ > 0;
  }

 private:
  struct Open {
    SliceIndex call;
    size_t row;
  };
  bool Holds(SliceIndex outer, SliceIndex inner) const {
    return store_->track(outer) == store_->track(inner) &&
           store_->start(inner) < store_->end(outer) && store_->end(inner) <= store_->end(outer);
  }

  const TraceStore* store_;
  std::vector<Open> open_;       // the last one's thread; each lies in the one before
  std::vector<uint32_t> depth_;  // by row: how many of its calls are open
};

}  // namespace

RecordedShapesOf::RecordedShapesOf(const TraceStore& store) : store_(&store) {}

StringId RecordedShapesOf::Of(SliceIndex op) const {
  return store_->ArgTextId(op, ArgRole::kInputShapes);
}

namespace {

// Device time that graphs ran in the selected steps, by the op that recorded it at capture. The op
// itself may have run in another step, or in another trace.
struct ReplayedTimes {
  std::vector<Ns> self, total;       // per slice; empty when no graph's recorder is known
  std::vector<SliceIndex> heaviest;  // work of the op's own or of ops inside, for links
  bool Has(SliceIndex op) const { return !total.empty() && total[op] > 0; }
  Ns Self(SliceIndex op) const { return self.empty() ? 0 : self[op]; }
  Ns Total(SliceIndex op) const { return total.empty() ? 0 : total[op]; }
};

ReplayedTimes TimesOfReplays(const Model& model, const StepSelection& selection) {
  const TraceStore& s = model.store();
  ReplayedTimes times;
  if (model.captured.empty()) return times;
  const uint32_t n = s.all_slice_count();
  times.self.assign(n, 0);
  times.total.assign(n, 0);
  times.heaviest.assign(n, kNone);
  const auto lead = [&](SliceIndex op, SliceIndex work) {
    SliceIndex& best = times.heaviest[op];
    if (best == kNone || s.duration(work) > s.duration(best)) best = work;
  };
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (model.captured[i] == kNone || !selection.Contains(model.step[i])) continue;
    const SliceIndex op = model.op[model.captured[i]];
    if (op == kNone) continue;
    times.self[op] += s.duration(i);
    lead(op, i);
  }
  for (SliceIndex i = n; i-- > 0;) {
    if (!model.IsOp(i)) continue;
    times.total[i] += times.self[i];
    const SliceIndex outer = model.op[i];
    if (outer == kNone || times.total[i] == 0) continue;
    times.total[outer] += times.total[i];
    lead(outer, times.heaviest[i]);
  }
  return times;
}

}  // namespace

Result<OperatorData> AnalyzeOperators(const Model& model, const StepSelection& selection,
                                      OperatorGrouping grouping, const TensorCoreRules& rules,
                                      const StackIds& stacks, const CancelToken& cancel,
                                      const std::vector<bool>& within) {
  const TraceStore& s = model.store();
  const uint32_t n = s.all_slice_count();
  const TensorCoreKernels tensor_cores(model, rules);
  const std::vector<bool> eligible = TensorCoreEligible(model, tensor_cores);
  const Calls calls(model);
  ListedOperators listed(model);
  OperatorData data;
  data.has_device_work = !model.devices.empty();

  // Kernel time per op: its own, and once the rows have that, with descendants.
  struct KernelTimes {
    Ns all = 0, matrix = 0, unknown = 0;
  };
  std::vector<KernelTimes> kernels(n);
  const ReplayedTimes replayed = TimesOfReplays(model, selection);
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    const SliceIndex op = model.SourceOp(i);
    if (op == kNone) continue;
    if (!IsKernel(s.kind(i))) continue;
    if (op != model.op[i] && !selection.Contains(model.step[i])) continue;
    kernels[op].all += s.duration(i);
    const MatrixUse use = tensor_cores.UseOf(i);
    if (use == MatrixUse::kYes) kernels[op].matrix += s.duration(i);
    if (use == MatrixUse::kUnknown) kernels[op].unknown += s.duration(i);
  }

  const RecordedShapesOf recorded_shapes(s);
  data.has_shapes = recorded_shapes.Any();
  const bool by_shapes = grouping == OperatorGrouping::kNameAndShapes && data.has_shapes;
  std::unordered_map<uint64_t, uint32_t> row_of;
  std::vector<uint32_t> row_of_call(n, kNone);
  std::vector<bool> outermost(n, false);  // calls whose descendants count for their row
  struct RowStack {
    uint32_t row;
    uint64_t stack;
    bool operator==(const RowStack&) const = default;
  };
  struct RowStackHash {
    size_t operator()(const RowStack& k) const {
      return static_cast<size_t>((k.stack ^ k.row * 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull);
    }
  };
  std::unordered_set<RowStack, RowStackHash> seen_stacks;
  Nested nested(s);
  std::vector<Ns> heaviest;
  for (SliceIndex i = 0; i < n; ++i) {
    if (i % kCancelStride == 0 && cancel.cancelled()) return Cancelled();
    if (!listed(i)) continue;
    const bool ran = i < s.slice_count() && selection.Contains(model.step[i]);
    if (!ran && !replayed.Has(i)) continue;
    if (!within.empty() && !within[i]) continue;
    const SliceIndex call = calls.Of(i);
    uint32_t row_index = row_of_call[call];
    if (row_index == kNone) {
      // The call itself comes before its inner repetitions; it may lie outside the selected steps
      // only when they do.
      const StringId shapes = by_shapes ? recorded_shapes.Of(call) : 0;
      const uint64_t key = static_cast<uint64_t>(s.name_id(call)) << 32 | shapes;
      const auto [it, added] = row_of.try_emplace(key, static_cast<uint32_t>(data.rows.size()));
      if (added) {
        OperatorRow row;
        row.name = s.name_id(call);
        row.shapes = shapes;
        data.rows.push_back(row);
        heaviest.push_back(-1);
      }
      row_index = row_of_call[call] = it->second;
    }
    OperatorRow& row = data.rows[row_index];
    // Runtime calls are time of the runtime, not of the operator (SEMANTICS.md).
    if (ran) row.host_self += model.host_self[i] - model.host_api[i];
    if (ran) data.host_time += model.host_self[i];
    row.device_self += (ran ? model.device_self[i] : 0) + replayed.Self(i);
    row.kernel_self += kernels[i].all;
    row.matrix_self += kernels[i].matrix;
    row.unknown_self += kernels[i].unknown;
    row.eligible = row.eligible || eligible[i];
    if (call != i) continue;
    const Ns device_total = (ran ? model.device_total[i] : 0) + replayed.Total(i);
    if (ran) ++row.calls;
    if (!nested(i, row_index)) {
      if (ran) row.host_total += s.duration(i);
      row.device_total += device_total;
      outermost[i] = true;
    }
    const Ns weight = data.has_device_work ? device_total : s.duration(i);
    if (weight > heaviest[row_index]) {
      heaviest[row_index] = weight;
      row.example = ran ? i : replayed.heaviest[i];
    }
    const StackIds::Id stack = stacks.Of(i);
    if (stack.own && seen_stacks.insert({row_index, stack.id}).second) ++row.stacks;
  }
  for (SliceIndex i = n; i-- > 0;) {
    if (!model.IsOp(i)) continue;
    if (outermost[i]) {
      OperatorRow& row = data.rows[row_of_call[i]];
      row.kernel_total += kernels[i].all;
      row.matrix_total += kernels[i].matrix;
      row.unknown_total += kernels[i].unknown;
    }
    if (model.op[i] == kNone) continue;
    KernelTimes& outer = kernels[model.op[i]];
    outer.all += kernels[i].all;
    outer.matrix += kernels[i].matrix;
    outer.unknown += kernels[i].unknown;
  }
  // Ties stay in order of appearance.
  std::stable_sort(data.rows.begin(), data.rows.end(),
                   [&](const OperatorRow& a, const OperatorRow& b) {
                     if (data.has_device_work && a.device_self != b.device_self)
                       return a.device_self > b.device_self;
                     return a.host_self > b.host_self;
                   });
  return data;
}

namespace {

// The parts of the calls of one row: visit(part, call), where a call of the same name directly
// inside is a part of the outer one.
template <typename Visit>
std::optional<Error> VisitCalls(const Model& model, const StepSelection& selection,
                                const std::string& name, const std::string& shapes,
                                const ReplayedTimes& replayed, const CancelToken& cancel,
                                Visit&& visit) {
  const TraceStore& s = model.store();
  const StringId wanted = s.strings().Find(name);
  const Calls calls(model);
  const RecordedShapesOf recorded_shapes(s);
  bool any = false;
  for (SliceIndex i = 0; i < s.all_slice_count() && wanted != kNone; ++i) {
    if (i % kCancelStride == 0 && cancel.cancelled()) return Cancelled();
    if (s.name_id(i) != wanted || !model.IsOp(i)) continue;
    const bool ran = i < s.slice_count() && selection.Contains(model.step[i]);
    if (!ran && !replayed.Has(i)) continue;
    const SliceIndex call = calls.Of(i);
    if (!shapes.empty() && ShapesText(s.strings().Get(recorded_shapes.Of(call))) != shapes) {
      continue;
    }
    any = true;
    visit(i, call, ran);
  }
  if (any) return std::nullopt;
  return MakeError(errors::kOperatorDidNotRun, {{"operator", name}});
}

// Sums over calls, and the one of them that weighs most.
struct CallSums {
  int64_t calls = 0;
  Ns device_self = 0, device_total = 0, host_self = 0, host_total = 0;
  SliceIndex example = kNone;
  Ns heaviest = -1;

  // `ran`: the call ran in the selected steps, and did not only record a graph; `nested`: it lies
  // in another one of these sums.
  void Add(const Model& model, const ReplayedTimes& replayed, SliceIndex call, bool ran,
           bool nested) {
    const Ns duration = ran ? model.store().duration(call) : 0;
    const Ns device = (ran ? model.device_total[call] : 0) + replayed.Total(call);
    if (ran) ++calls;
    if (!nested) {
      device_total += device;
      host_total += duration;
    }
    const Ns weight = model.devices.empty() ? duration : device;
    if (weight > heaviest) {
      heaviest = weight;
      example = ran ? call : replayed.heaviest[call];
    }
  }
  // What a call, or a repetition of it directly inside, does itself.
  void AddSelf(const Model& model, const ReplayedTimes& replayed, SliceIndex part, bool ran) {
    device_self += replayed.Self(part);
    if (!ran) return;
    device_self += model.device_self[part];
    // Runtime calls are time of the runtime, not of the operator (SEMANTICS.md).
    host_self += model.host_self[part] - model.host_api[part];
  }
  bool Outweighs(const CallSums& other) const {
    if (device_total != other.device_total) return device_total > other.device_total;
    return host_total > other.host_total;
  }
};

}  // namespace

Result<std::vector<OperatorStack>> StacksOfOperator(
    const Model& model, const StepSelection& selection, const std::string& name,
    const std::string& shapes, const StackIds& stacks, const CancelToken& cancel) {
  std::vector<OperatorStack> result;
  std::vector<CallSums> sums;
  std::unordered_map<uint64_t, size_t> index;
  Nested nested(model.store());
  const ReplayedTimes replayed = TimesOfReplays(model, selection);
  const auto failed =
      VisitCalls(model, selection, name, shapes, replayed, cancel,
                 [&](SliceIndex part, SliceIndex call, bool ran) {
                   const StackIds::Id stack = stacks.Of(call);
                   if (stack.id == 0) return;
                   // A lent stack stays apart from an equal one of its own: it is another direction
                   // of the work.
                   const uint64_t key = stack.id * 2 + (stack.from_forward ? 1 : 0);
                   const auto [it, added] = index.try_emplace(key, result.size());
                   if (added) {
                     result.emplace_back();
                     result.back().frames = StackOf(model, call);
                     result.back().from_forward = stack.from_forward;
                     result.back().example = ran ? call : replayed.heaviest[part];
                     sums.emplace_back();
                   }
                   sums[it->second].AddSelf(model, replayed, part, ran);
                   if (part == call)
                     sums[it->second].Add(model, replayed, call, ran, nested(call, it->second));
                 });
  if (failed) return *failed;
  std::vector<size_t> order(result.size());
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    OperatorStack& entry = result[i];
    entry.calls = sums[i].calls;
    entry.device_self = sums[i].device_self;
    entry.device_total = sums[i].device_total;
    entry.host_self = sums[i].host_self;
    entry.host_total = sums[i].host_total;
    if (sums[i].example != kNone) entry.example = sums[i].example;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sums[a].Outweighs(sums[b]); });
  std::vector<OperatorStack> sorted;
  sorted.reserve(order.size());
  for (size_t i : order) sorted.push_back(std::move(result[i]));
  return sorted;
}

Result<Table> ModulesOfOperator(const Model& model, const StepSelection& selection,
                                const std::string& name, const std::string& shapes,
                                const CancelToken& cancel) {
  std::vector<std::pair<std::string, CallSums>> rows;
  std::unordered_map<std::string, size_t> index;
  Nested nested(model.store());
  FrameFinder frames(model);
  const ReplayedTimes replayed = TimesOfReplays(model, selection);
  const auto failed = VisitCalls(model, selection, name, shapes, replayed, cancel,
                                 [&](SliceIndex part, SliceIndex call, bool ran) {
                                   std::string module = frames.ModuleName(call);
                                   const auto [it, added] = index.try_emplace(module, rows.size());
                                   if (added) rows.emplace_back(std::move(module), CallSums());
                                   rows[it->second].second.AddSelf(model, replayed, part, ran);
                                   if (part == call)
                                     rows[it->second].second.Add(model, replayed, call, ran,
                                                                 nested(call, it->second));
                                 });
  if (failed) return *failed;
  // One row without a name tells nothing.
  if (rows.size() == 1 && rows[0].first.empty()) rows.clear();
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.Outweighs(b.second); });
  using Row = std::pair<std::string, CallSums>;
  const bool host_only = model.devices.empty();
  const auto time = [](Ns CallSums::*member) {
    return [member](const Row& row) { return TimeCell(row.second.*member); };
  };
  TableBuilder<Row> table;
  table.Add(TextKey("module", "Module",
                    "Innermost module around the calls; backward work counts for its forward "
                    "module."),
            [](const Row& row) { return TextOrEmpty(row.first); });
  table.Add(Count("calls", "Calls", "Calls of the operator there."),
            [](const Row& row) { return Cell(row.second.calls); });
  table.Add(HiddenIf(host_only, Duration("deviceSelfUs", "Device self",
                                         "Device work that the calls themselves launched.")),
            time(&CallSums::device_self));
  table.Add(
      HiddenIf(host_only, Duration("deviceTotalUs", "Device total",
                                   "Device work of the calls, including operators called inside.")),
      time(&CallSums::device_total));
  table.Add(Duration("hostSelfUs", "Host self",
                     "Host time without operators called inside and runtime calls."),
            time(&CallSums::host_self));
  table.Add(Duration("hostTotalUs", "Host total", "Host time of the calls."),
            time(&CallSums::host_total));
  table.AddAll(LinkColumns("The heaviest call, for the timeline."),
               [&](const Row& row, std::vector<Cell>& cells) {
                 AddLinkCells(frames, row.second.example, cells);
               });
  return table.Make(rows);
}

}  // namespace emberline
