#include "analysis/operators.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "analysis/errors.h"
#include "analysis/listed_operators.h"
#include "base/hash.h"
#include "base/parallel.h"

namespace emberline {

RecordedShapesOf::RecordedShapesOf(const TraceStore& store) : store_(&store) {}

StringId RecordedShapesOf::Of(SliceIndex op) const {
  return store_->ArgTextId(op, ArgRole::kInputShapes);
}

Result<OperatorAnalysis> OperatorAnalysis::Make(const Model& model, const StepSelection& selection,
                                                const TensorCoreRules& rules,
                                                const CancelToken& cancel,
                                                const std::vector<bool>& within) {
  OperatorAnalysis made(model, selection);
  RunAll(
      model.store().all_slice_count() >= kManyRows, [&] { made.ListOperators(within, cancel); },
      [&] { made.AddUpKernels(rules); });
  if (cancel.cancelled()) return Cancelled();
  return made;
}

OperatorAnalysis::OperatorAnalysis(const Model& model, const StepSelection& selection)
    : model_(&model), selection_(selection), replayed_(TimesOfReplays(model, selection)) {}

void OperatorAnalysis::ListOperators(const std::vector<bool>& within, const CancelToken& cancel) {
  const TraceStore& s = model_->store();
  const uint32_t n = s.all_slice_count();
  const StackIds stacks(*model_);
  ListedOperators listed(*model_);
  counted_.assign(n, false);
  for (SliceIndex i = 0; i < n; ++i) {
    if (i % kCancelStride == 0 && cancel.cancelled()) return;
    if (!listed(i)) continue;
    const bool ran = i < s.slice_count() && selection_.Contains(model_->step[i]);
    if (!ran && !replayed_.Has(i)) continue;
    if (!within.empty() && !within[i]) continue;
    counted_[i] = true;
    const StackIds::Id stack = stacks.Of(i);
    ops_.push_back({i, ran, stack.own ? stack.id : 0});
  }
}

void OperatorAnalysis::AddUpKernels(const TensorCoreRules& rules) {
  const TraceStore& s = model_->store();
  const uint32_t n = s.all_slice_count();
  const TensorCoreKernels tensor_cores(*model_, rules);
  eligible_ = TensorCoreEligible(*model_, tensor_cores);
  calls_ = OperatorCalls(*model_);
  kernel_totals_.resize(n);
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (!IsKernel(s.kind(i))) continue;
    const SliceIndex op = model_->SourceOp(i);
    if (op == kNone) continue;
    if (op != model_->op[i] && !selection_.Contains(model_->step[i])) continue;
    kernels_.push_back({op, tensor_cores.UseOf(i), s.duration(i)});
    kernel_totals_[op].Add(kernels_.back());
  }
  for (SliceIndex i = n; i-- > 0;) {
    if (kernel_totals_[i].all == 0 || !model_->IsOp(i)) continue;
    const SliceIndex outer = model_->op[i];
    if (outer != kNone) kernel_totals_[outer].Add(kernel_totals_[i]);
  }
}

namespace {

struct RowStack {
  uint32_t row;
  uint64_t stack;
  bool operator==(const RowStack&) const = default;
};
struct RowStackHash {
  size_t operator()(const RowStack& k) const { return HashPair(k.stack, k.row); }
};

}  // namespace

Result<OperatorData> OperatorAnalysis::By(OperatorGrouping grouping,
                                          const CancelToken& cancel) const {
  const TraceStore& s = model_->store();
  OperatorData data;
  data.has_device_work = !model_->devices.empty();
  const RecordedShapesOf recorded_shapes(s);
  data.has_shapes = recorded_shapes.Any();
  const bool by_shapes = grouping == OperatorGrouping::kNameAndShapes && data.has_shapes;
  std::unordered_map<uint64_t, uint32_t> row_of;
  std::vector<uint32_t> row_of_call(s.all_slice_count(), kNone);
  std::unordered_set<RowStack, RowStackHash> seen_stacks;
  NestedCalls nested(s);
  std::vector<Ns> heaviest;
  for (size_t at = 0; at < ops_.size(); ++at) {
    if (at % kCancelStride == 0 && cancel.cancelled()) return Cancelled();
    const auto [i, ran, stack] = ops_[at];
    const SliceIndex call = calls_.Of(i);
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
    if (ran) {
      const Ns host_self = model_->host_self[i];
      // Runtime calls are time of the runtime, not of the operator (SEMANTICS.md).
      row.host_self += host_self - model_->host_api[i];
      data.host_time += host_self;
    }
    row.device_self += (ran ? model_->device_self[i] : 0) + replayed_.Self(i);
    row.eligible = row.eligible || eligible_[i];
    if (call != i) continue;
    const Ns device_total = (ran ? model_->device_total[i] : 0) + replayed_.Total(i);
    const Ns duration = s.duration(i);
    if (ran) ++row.calls;
    if (!nested(i, row_index)) {
      if (ran) row.host_total += duration;
      row.device_total += device_total;
      const KernelTimes& kernels = kernel_totals_[i];
      row.kernel_total += kernels.all;
      row.matrix_total += kernels.matrix;
      row.unknown_total += kernels.unknown;
    }
    const Ns weight = data.has_device_work ? device_total : duration;
    if (weight > heaviest[row_index]) {
      heaviest[row_index] = weight;
      row.example = ran ? i : replayed_.heaviest[i];
    }
    if (stack != 0 && seen_stacks.insert({row_index, stack}).second) ++row.stacks;
  }
  for (const KernelOf& kernel : kernels_) {
    if (!counted_[kernel.op]) continue;
    OperatorRow& row = data.rows[row_of_call[calls_.Of(kernel.op)]];
    row.kernel_self += kernel.duration;
    if (kernel.use == MatrixUse::kYes) row.matrix_self += kernel.duration;
    if (kernel.use == MatrixUse::kUnknown) row.unknown_self += kernel.duration;
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

Result<OperatorData> AnalyzeOperators(const Model& model, const StepSelection& selection,
                                      OperatorGrouping grouping, const TensorCoreRules& rules,
                                      const CancelToken& cancel, const std::vector<bool>& within) {
  const auto analysis = OperatorAnalysis::Make(model, selection, rules, cancel, within);
  if (!analysis.ok()) return analysis.error();
  return analysis->By(grouping, cancel);
}

}  // namespace emberline
