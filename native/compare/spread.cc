#include "compare/spread.h"

#include <algorithm>
#include <map>

#include "analysis/columns.h"
#include "analysis/host_nesting.h"
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

// Sums by row and step. Rows are numbered by whoever sums.
class StepSums {
 public:
  void Add(uint32_t row, uint32_t step, Ns time) { sums_[uint64_t{row} << 32 | step] += time; }
  // `key` names a row.
  template <typename Key>
  Spread Make(Key&& key) const {
    std::map<uint32_t, std::vector<double>> values;
    for (const auto& [at, time] : sums_) {
      values[static_cast<uint32_t>(at >> 32)].push_back(Micros(time));
    }
    Spread spread;
    for (auto& [row, times] : values) {
      std::sort(times.begin(), times.end());  // the sums have no order, and adding them has one
      spread[key(row)] = SampleOf(times);
    }
    return spread;
  }

 private:
  std::unordered_map<uint64_t, Ns, NumberHash> sums_;
};

std::string KeyOf(const LineLocation& at, LineGrouping grouping) {
  switch (grouping) {
    case LineGrouping::kLine:
      return LineRowKey(at.file, at.line, at.function);
    case LineGrouping::kFunction:
      return LineRowKey(at.file, at.function_line, at.function);
    case LineGrouping::kClass:
      return LineRowKey(at.file, 0, at.class_name);
    case LineGrouping::kFile:
      return LineRowKey(at.file, 0, "");
  }
  return "";
}

}  // namespace

std::string LineRowKey(std::string_view file, int64_t line, std::string_view function) {
  return std::string(file) + '\n' + std::to_string(line) + '\n' + std::string(function);
}

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
  StepSums sums;
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (i % kCancelStride == 0 && cancel.cancelled()) {
      return MakeError(errors::kCancelled);
    }
    const Ns time = TimeOf(model, what, i);
    if (time == 0 || !IsWhole(model, steps, model.step[i])) continue;
    sums.Add(s.name_id(i), model.step[i], time);
  }
  return sums.Make([&](uint32_t name) { return std::string(s.strings().Get(name)); });
}

Result<Spread> MeasureLineSpread(const Model& model, const LineAttribution& lines,
                                 const StepSelection& steps, LineGrouping grouping, bool host,
                                 const CancelToken& cancel) {
  if (!model.has_recorded_steps) return Spread();
  const TraceStore& s = model.store();
  HostNesting nesting;
  if (host && !NestHostWork(s, cancel, &nesting)) return MakeError(errors::kCancelled);
  // Several locations may be one row.
  std::unordered_map<std::string, uint32_t> row_of_key;
  std::vector<std::string> keys;
  std::vector<uint32_t> row_of;
  for (const LineLocation& at : lines.locations) {
    std::string key = KeyOf(at, grouping);
    const auto [row, added] = row_of_key.try_emplace(key, static_cast<uint32_t>(keys.size()));
    if (added) keys.push_back(std::move(key));
    row_of.push_back(row->second);
  }
  StepSums sums;
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (i % kCancelStride == 0 && cancel.cancelled()) return MakeError(errors::kCancelled);
    if (!IsWhole(model, steps, model.step[i])) continue;
    uint32_t context = kNone;
    Ns time = 0;
    if (host) {
      if (i >= lines.user_frame.size() || !IsHostWork(s.kind(i))) continue;
      context = lines.blamed[i];
      time = nesting.exclusive[i];
    } else {
      if (!IsDeviceWork(s.kind(i))) continue;
      context = DevicePlaceOf(model, lines, i).blamed;
      time = s.duration(i);
    }
    if (context == kNone || time == 0) continue;
    sums.Add(row_of[lines.contexts[context].location], model.step[i], time);
  }
  return sums.Make([&](uint32_t row) { return keys[row]; });
}

}  // namespace emberline
