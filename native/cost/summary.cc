#include "cost/summary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "analysis/columns.h"
#include "analysis/links.h"
#include "analysis/operators.h"
#include "base/hash.h"
#include "base/saturating.h"
#include "cost/measured.h"

namespace emberline {
namespace {

// What a kernel of this duration would save at `target` of its roof, ns.
double SavedBy(Ns duration, const RoofBound& bound, double target) {
  return std::max(0.0, static_cast<double>(duration) - bound.seconds * 1e9 / target);
}

double ClampedTarget(double target) { return std::clamp(target, 0.01, 1.0); }

void Add(CostSums& sums, const KernelCost& kernel, Ns duration, const Measured& measured,
         double target) {
  ++sums.kernels;
  sums.time += duration;
  if (kernel.flops.known() || kernel.bytes().known()) sums.costed += duration;
  if (kernel.flops.known()) {
    sums.flops = SaturatingAdd(sums.flops, kernel.flops.value());
    sums.flops_time += duration;
  }
  if (kernel.bytes().known()) {
    sums.read_bytes = SaturatingAdd(sums.read_bytes, kernel.read_bytes.value());
    sums.written_bytes = SaturatingAdd(sums.written_bytes, kernel.written_bytes.value());
    sums.bytes_time += duration;
  }
  if (!measured.bound) return;
  const double bound = measured.bound->seconds * 1e9;
  sums.measured += duration;
  sums.bound += bound;
  if (measured.bound->memory) sums.memory_bound += static_cast<double>(duration);
  sums.saved += SavedBy(duration, *measured.bound, target);
}

class Summary {
 public:
  Summary(const CostContext& context, CostGrouping grouping, double target)
      : context_(context),
        store_(context.model.store()),
        grouping_(grouping),
        frames_(context.model),
        devices_(DevicesOfTracks(context)) {
    result_.target = target;
  }

  Result<CostSummary> Run(const CancelToken& cancel) {
    size_t seen = 0;
    for (const KernelCost& kernel : context_.costs.kernels) {
      if (++seen % 4096 == 0 && cancel.cancelled()) return Cancelled();
      if (!context_.steps.Contains(context_.model.step[kernel.kernel])) continue;
      AddKernel(kernel);
    }
    for (size_t r = 0; r < result_.rows.size(); ++r) FinishRow(r);
    std::stable_sort(result_.rows.begin(), result_.rows.end(),
                     [](const CostRow& a, const CostRow& b) { return a.sums.time > b.sums.time; });
    Utilization();
    return std::move(result_);
  }

 private:
  struct Extra {
    std::map<std::string_view, std::pair<Ns, double>> units;  // time and peak by limiting unit
    std::vector<uint32_t> calls;                              // each once at the end
    bool mixed = false, any = false;
    Ns longest = -1;
  };

  // What the kernel is listed under, and the row's texts when it is new.
  std::string KeyOf(const KernelCost& kernel, CostRow& row) {
    const SliceIndex op = context_.model.SourceOp(kernel.kernel);
    switch (grouping_) {
      case CostGrouping::kKernel:
        row.name = std::string(store_.name(kernel.kernel));
        return row.name;
      case CostGrouping::kModule:
        row.name = frames_.ModuleName(kernel.kernel);
        return row.name;
      case CostGrouping::kLine:
        if (!FindLine(kernel.kernel, row)) return "";
        return row.file + '\n' + std::to_string(row.line) + '\n' + row.name;
      case CostGrouping::kClass:
        row.name = OpClassName(kernel.cost == nullptr ? OpClass::kUnknown : kernel.cost->op_class);
        return row.name;
      case CostGrouping::kOperator:
      case CostGrouping::kShape:
        break;
    }
    const SliceIndex shown = kernel.owner != kNone ? kernel.owner : op;
    row.name = shown == kNone ? "" : std::string(store_.name(shown));
    if (grouping_ == CostGrouping::kShape && kernel.cost != nullptr) {
      row.params = kernel.cost->params;
    }
    return row.name + '\n' + row.params;
  }

  // The line that the kernel counts on; false where there is none.
  bool FindLine(SliceIndex kernel, CostRow& row) {
    if (context_.lines != nullptr) {
      const LineAttribution& at = *context_.lines;
      const uint32_t blamed = DevicePlaceOf(context_.model, at, kernel).blamed;
      if (blamed == kNone) return false;
      const LineLocation& location = at.locations[at.contexts[blamed].location];
      row.name = location.function;
      row.file = location.file;
      row.line = location.line;
      row.line_is_definition = location.confidence == LineConfidence::kFunction;
      return true;
    }
    const FrameFinder::Place place = frames_.UserPlace(kernel);
    if (!place) return false;
    row.name = place.frame->function;
    row.file = place.frame->file;
    row.line = place.line;
    row.line_is_definition = place.line_is_definition;
    return true;
  }

  // Kernels with the same are in one row, whose texts need not be made again.
  using Alike = std::pair<uint64_t, const void*>;
  Alike AlikeOf(const KernelCost& kernel) {
    switch (grouping_) {
      case CostGrouping::kKernel:
        return {store_.name_id(kernel.kernel), nullptr};
      case CostGrouping::kClass:
        return {0, kernel.cost};
      case CostGrouping::kOperator:
      case CostGrouping::kShape: {
        const SliceIndex op = context_.model.SourceOp(kernel.kernel);
        const SliceIndex shown = kernel.owner != kNone ? kernel.owner : op;
        const uint64_t name = shown == kNone ? UINT64_MAX : uint64_t{store_.name_id(shown)};
        return {name, grouping_ == CostGrouping::kShape ? kernel.cost : nullptr};
      }
      case CostGrouping::kModule:
        return {0, frames_.ModuleText(kernel.kernel).data()};
      case CostGrouping::kLine:
        break;
    }
    if (context_.lines != nullptr) {
      const LineAttribution& at = *context_.lines;
      const uint32_t blamed = DevicePlaceOf(context_.model, at, kernel.kernel).blamed;
      return {blamed == kNone ? UINT64_MAX : at.contexts[blamed].location, nullptr};
    }
    const FrameFinder::Place place = frames_.UserPlace(kernel.kernel);
    return {static_cast<uint64_t>(place.line), place.frame};
  }

  size_t RowOf(const KernelCost& kernel) {
    const Alike alike = AlikeOf(kernel);
    const auto known = rows_of_alike_.find(alike);
    if (known != rows_of_alike_.end()) return known->second;
    CostRow fresh;
    const auto [it, added] = index_.try_emplace(KeyOf(kernel, fresh), result_.rows.size());
    if (added) {
      result_.rows.push_back(std::move(fresh));
      extras_.emplace_back();
    }
    rows_of_alike_[alike] = it->second;
    return it->second;
  }

  void AddKernel(const KernelCost& kernel) {
    const size_t r = RowOf(kernel);
    CostRow& row = result_.rows[r];
    Extra& extra = extras_[r];
    const Ns duration = store_.duration(kernel.kernel);
    const Measured measured = MeasuredOf(context_, devices_, kernel);
    Add(row.sums, kernel, duration, measured, result_.target);
    Add(result_.total, kernel, duration, measured, result_.target);
    if (kernel.owner != kNone && (extra.calls.empty() || extra.calls.back() != kernel.call)) {
      extra.calls.push_back(kernel.call);
    }
    // What only moves bytes uses no unit, whatever type it moves.
    if (measured.roof.flops_per_s > 0 && kernel.flops.known() && kernel.flops.value() > 0) {
      auto& [time, peak] = extra.units[measured.roof.unit];
      time += duration;
      peak = measured.roof.flops_per_s;
    }
    const OpClass op_class = kernel.cost == nullptr ? OpClass::kUnknown : kernel.cost->op_class;
    if (!extra.any) row.op_class = op_class;
    extra.mixed = extra.mixed || (extra.any && row.op_class != op_class);
    extra.any = true;
    if (duration > extra.longest) {
      extra.longest = duration;
      row.example = kernel.kernel;
      row.cost = kernel.cost;
    }
    AddPass(kernel, measured);
  }

  void AddPass(const KernelCost& kernel, const Measured& measured) {
    if (!kernel.flops.known()) return;
    const int64_t flops = kernel.flops.value();
    const Pass pass = context_.model.pass[kernel.kernel];
    int64_t& sum = pass == Pass::kBackward    ? result_.backward_flops
                   : pass == Pass::kRecompute ? result_.recompute_flops
                                              : result_.forward_flops;
    sum = SaturatingAdd(sum, flops);
    if (kernel.cost == nullptr || !kernel.cost->matrix) return;
    if (measured.roof.flops_per_s > 0) {
      auto& [operations, peak] = matrix_units_[measured.roof.unit];
      operations += static_cast<double>(flops);
      peak[context_.model.store().track(kernel.kernel)] = measured.roof.flops_per_s;
    }
    const uint32_t step = context_.model.step[kernel.kernel];
    if (step == kNone) return;
    StepUtilization& of = steps_[step];
    of.hardware_flops = SaturatingAdd(of.hardware_flops, flops);
    if (pass != Pass::kRecompute) of.model_flops = SaturatingAdd(of.model_flops, flops);
  }

  void FinishRow(size_t r) {
    CostRow& row = result_.rows[r];
    Extra& extra = extras_[r];
    std::sort(extra.calls.begin(), extra.calls.end());
    row.calls = std::unique(extra.calls.begin(), extra.calls.end()) - extra.calls.begin();
    if (extra.mixed) row.op_class = OpClass::kUnknown;
    Ns most = -1;
    for (const auto& [unit, value] : extra.units) {
      if (value.first <= most) continue;
      most = value.first;
      row.unit = std::string(unit);
      row.peak_flops = value.second;
    }
  }

  // Model and hardware utilization against the unit that ran most of the operations.
  void Utilization() {
    double most = 0;
    const std::unordered_map<TrackIndex, double>* peaks = nullptr;
    for (const auto& [unit, value] : matrix_units_) {
      if (value.first <= most) continue;
      most = value.first;
      result_.unit = std::string(unit);
      peaks = &value.second;
    }
    if (peaks != nullptr) {
      std::map<int64_t, double> by_device;
      for (const auto& [track, peak] : *peaks) by_device[store_.tracks()[track].device] = peak;
      for (const auto& [device, peak] : by_device) result_.peak_flops += peak;
    }
    Ns time = 0;
    double model = 0, hardware = 0;
    for (auto& [step, of] : steps_) {
      of.step = step;
      of.duration = context_.model.steps[step].time.Length();
      const double possible = result_.peak_flops * static_cast<double>(of.duration) / 1e9;
      if (possible > 0) {
        of.mfu = static_cast<double>(of.model_flops) / possible;
        of.hfu = static_cast<double>(of.hardware_flops) / possible;
      }
      time += of.duration;
      model += static_cast<double>(of.model_flops);
      hardware += static_cast<double>(of.hardware_flops);
      result_.steps.push_back(of);
    }
    const double possible = result_.peak_flops * static_cast<double>(time) / 1e9;
    if (possible > 0) {
      result_.mfu = model / possible;
      result_.hfu = hardware / possible;
    }
  }

  const CostContext& context_;
  const TraceStore& store_;
  CostGrouping grouping_;
  FrameFinder frames_;
  std::vector<const DevicePeaks*> devices_;
  CostSummary result_;
  std::unordered_map<std::string, size_t> index_;
  struct AlikeHash {
    size_t operator()(const Alike& key) const {
      return static_cast<size_t>(HashPair(key.first, reinterpret_cast<uintptr_t>(key.second)));
    }
  };
  std::unordered_map<Alike, size_t, AlikeHash> rows_of_alike_;
  std::vector<Extra> extras_;
  std::map<std::string_view, std::pair<double, std::unordered_map<TrackIndex, double>>>
      matrix_units_;
  std::map<uint32_t, StepUtilization> steps_;
};

}  // namespace

Result<CostSummary> SummarizeCosts(const CostContext& context, CostGrouping grouping, double target,
                                   const CancelToken& cancel) {
  return Summary(context, grouping, ClampedTarget(target)).Run(cancel);
}

Result<std::vector<Ns>> SavingsOfKernels(const CostContext& context, double target,
                                         const CancelToken& cancel) {
  const TraceStore& store = context.model.store();
  const std::vector<const DevicePeaks*> devices = DevicesOfTracks(context);
  const double share = ClampedTarget(target);
  std::vector<Ns> saved(store.slice_count(), 0);
  size_t seen = 0;
  for (const KernelCost& kernel : context.costs.kernels) {
    if (++seen % 4096 == 0 && cancel.cancelled()) return Cancelled();
    const Measured measured = MeasuredOf(context, devices, kernel);
    if (!measured.bound) continue;
    saved[kernel.kernel] =
        std::llround(SavedBy(store.duration(kernel.kernel), *measured.bound, share));
  }
  return saved;
}

}  // namespace emberline
