#include <algorithm>
#include <optional>
#include <unordered_map>

#include "analysis/errors.h"
#include "analysis/links.h"
#include "analysis/modules.h"
#include "analysis/operator_calls.h"
#include "analysis/operators.h"
#include "base/errors.h"

namespace emberline {
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
  const OperatorCalls calls(model);
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
  NestedCalls nested(model.store());
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
  NestedCalls nested(model.store());
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
                    "Innermost nn.Module that made the calls; backward work counts for the module "
                    "of its forward call."),
            [](const Row& row) { return TextOrEmpty(row.first); });
  table.Add(Count("calls", "Calls", "Number of calls of the operator with this stack."),
            [](const Row& row) { return Cell(row.second.calls); });
  table.Add(
      HiddenIf(host_only, Duration("deviceSelfUs", "Device self",
                                   "Time of the device work that the calls launched themselves.")),
      time(&CallSums::device_self));
  table.Add(HiddenIf(host_only, Duration("deviceTotalUs", "Device total",
                                         "Time of the device work that the calls launched, "
                                         "including operators called inside them.")),
            time(&CallSums::device_total));
  table.Add(
      Duration("hostSelfUs", "Host self",
               "Host time of the calls, excluding operators called inside them and runtime calls."),
      time(&CallSums::host_self));
  table.Add(Duration("hostTotalUs", "Host total",
                     "Host time of the calls, including everything called inside them."),
            time(&CallSums::host_total));
  table.AddAll(LinkColumns("The heaviest call, to show in the timeline."),
               [&](const Row& row, std::vector<Cell>& cells) {
                 AddLinkCells(frames, row.second.example, cells);
               });
  return table.Make(rows);
}

}  // namespace emberline
