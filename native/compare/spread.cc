#include "compare/spread.h"

#include <algorithm>
#include <map>

#include "analysis/columns.h"
#include "base/errors.h"
#include "base/hash.h"

namespace emberline {
namespace {

bool IsWhole(const Model& model, const StepSelection& steps, uint32_t step) {
  return step != kNone && steps.Contains(step) && !model.steps[step].partial;
}

// Time of a slice, and 0 for what is not measured.
Ns TimeOf(const Model& model, SpreadOf what, SliceIndex i) {
  switch (what) {
    case SpreadOf::kOperatorHost:
      return model.IsOp(i) ? model.host_self[i] - model.host_api[i] : 0;
    case SpreadOf::kOperatorDevice:
      return model.IsOp(i) ? model.device_self[i] : 0;
    case SpreadOf::kKernels:
      return IsKernel(model.store().kind(i)) ? model.store().duration(i) : 0;
  }
  return 0;
}

}  // namespace

double WholeStepCount(const Model& model, const StepSelection& steps) {
  if (!model.has_recorded_steps) return 0;
  double count = 0;
  for (uint32_t step = 0; step < model.steps.size(); ++step) {
    count += IsWhole(model, steps, step) ? 1 : 0;
  }
  return count;
}

Result<Spread> MeasureSpread(const Model& model, const StepSelection& steps, SpreadOf what,
                             const CancelToken& cancel) {
  Spread spread;
  if (!model.has_recorded_steps) return spread;
  const TraceStore& s = model.store();
  std::unordered_map<uint64_t, Ns, NumberHash> sums;  // by name and step
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (i % kCancelStride == 0 && cancel.cancelled()) {
      return MakeError(errors::kCancelled);
    }
    const Ns time = TimeOf(model, what, i);
    if (time == 0 || !IsWhole(model, steps, model.step[i])) continue;
    sums[uint64_t{s.name_id(i)} << 32 | model.step[i]] += time;
  }
  std::map<StringId, std::vector<double>> values;
  for (const auto& [key, time] : sums) {
    values[static_cast<StringId>(key >> 32)].push_back(Micros(time));
  }
  for (auto& [name, times] : values) {
    std::sort(times.begin(), times.end());  // the table has no order, and sums of numbers have one
    spread[std::string(s.strings().Get(name))] = SampleOf(times);
  }
  return spread;
}

}  // namespace emberline
