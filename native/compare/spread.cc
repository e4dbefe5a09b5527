#include "compare/spread.h"

#include <algorithm>
#include <map>

#include "analysis/columns.h"
#include "analysis/host_nesting.h"
#include "analysis/operators.h"
#include "base/hash.h"

namespace emberline {
namespace {

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

// Under the names of rows.
template <typename Key>
Spread SpreadOfSums(const StepSums& sums, double unit, Key&& key) {
  Spread spread;
  sums.ForEach(unit, [&](uint32_t row, const Sample& sample) { spread[key(row)] = sample; });
  return spread;
}

}  // namespace

bool IsWholeStep(const Model& model, const StepSelection& steps, uint32_t step) {
  return model.has_recorded_steps && step != kNone && steps.Contains(step) &&
         !model.steps[step].partial;
}

void StepSums::Add(uint32_t row, uint32_t step, int64_t value) {
  if (IsWholeStep(model_, steps_, step)) sums_[uint64_t{row} << 32 | step] += value;
}

std::map<uint32_t, std::vector<double>> StepSums::ByRow(double unit) const {
  std::map<uint32_t, std::vector<double>> values;
  for (const auto& [at, sum] : sums_) {
    values[static_cast<uint32_t>(at >> 32)].push_back(static_cast<double>(sum) / unit);
  }
  // The sums have no order, and adding them has one.
  for (auto& [row, sums] : values) std::sort(sums.begin(), sums.end());
  return values;
}

std::vector<Sample> StepSums::Samples(size_t rows, double unit) const {
  std::vector<Sample> samples(rows);
  ForEach(unit, [&](uint32_t row, const Sample& sample) { samples[row] = sample; });
  return samples;
}

std::string LineRowKey(std::string_view file, int64_t line, std::string_view function) {
  return std::string(file) + '\n' + std::to_string(line) + '\n' + std::string(function);
}

double WholeStepCount(const Model& model, const StepSelection& steps) {
  if (!model.has_recorded_steps) return 0;
  double count = 0;
  for (uint32_t step = 0; step < model.steps.size(); ++step) {
    count += IsWholeStep(model, steps, step) ? 1 : 0;
  }
  return count;
}

Result<Spread> MeasureSpread(const Model& model, const StepSelection& steps, SpreadOf what,
                             const CancelToken& cancel) {
  Spread spread;
  if (!model.has_recorded_steps) return spread;
  const TraceStore& s = model.store();
  StepSums sums(model, steps);
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (i % kCancelStride == 0 && cancel.cancelled()) {
      return Cancelled();
    }
    const Ns time = TimeOf(model, what, i);
    if (time == 0) continue;
    sums.Add(s.name_id(i), model.step[i], time);
  }
  return SpreadOfSums(sums, kNsOfUs,
                      [&](uint32_t name) { return std::string(s.strings().Get(name)); });
}

Result<Spread> MeasureShapeSpread(const Model& model, const StepSelection& steps, bool host,
                                  const CancelToken& cancel) {
  if (!model.has_recorded_steps) return Spread();
  const TraceStore& s = model.store();
  const RecordedShapesOf shapes(s);
  const SpreadOf what = host ? SpreadOf::kOperatorHost : SpreadOf::kOperatorDevice;
  // Texts that differ in their blanks only are one row.
  std::unordered_map<uint64_t, uint32_t, NumberHash> row_of;
  std::unordered_map<std::string, uint32_t> row_of_key;
  std::vector<std::string> keys;
  StepSums sums(model, steps);
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (i % kCancelStride == 0 && cancel.cancelled()) return Cancelled();
    const Ns time = TimeOf(model, what, i);
    if (time == 0) continue;
    const StringId own = shapes.Of(i);
    const auto [at, added] = row_of.try_emplace(uint64_t{s.name_id(i)} << 32 | own, 0);
    if (added) {
      std::string key = std::string(s.name(i)) + '\n';
      if (own != 0) key += ShapesText(s.strings().Get(own));
      const auto [row, fresh] = row_of_key.try_emplace(key, static_cast<uint32_t>(keys.size()));
      if (fresh) keys.push_back(std::move(key));
      at->second = row->second;
    }
    sums.Add(at->second, model.step[i], time);
  }
  return SpreadOfSums(sums, kNsOfUs, [&](uint32_t row) { return keys[row]; });
}

Result<Spread> MeasureLineSpread(const Model& model, const LineAttribution& lines,
                                 const StepSelection& steps, LineGrouping grouping, bool host,
                                 const CancelToken& cancel) {
  if (!model.has_recorded_steps) return Spread();
  const TraceStore& s = model.store();
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
  StepSums sums(model, steps);
  const auto add = [&](SliceIndex i, uint32_t context, Ns time) {
    if (context == kNone || time == 0 || !IsWholeStep(model, steps, model.step[i])) return;
    sums.Add(row_of[lines.contexts[context].location], model.step[i], time);
  };
  if (host) {
    const size_t end = std::min<size_t>(s.slice_count(), lines.user_frame.size());
    const bool nested = ForEachHostWork(s, cancel, [&](SliceIndex i, Ns exclusive) {
      if (i < end) add(i, lines.blamed[i], exclusive);
    });
    if (!nested) return Cancelled();
  } else {
    for (SliceIndex i = 0; i < s.slice_count(); ++i) {
      if (i % kCancelStride == 0 && cancel.cancelled()) return Cancelled();
      if (IsDeviceWork(s.kind(i))) add(i, DevicePlaceOf(model, lines, i).blamed, s.duration(i));
    }
  }
  return SpreadOfSums(sums, kNsOfUs, [&](uint32_t row) { return keys[row]; });
}

Spread MeasureMemorySpread(const Model& model, const MemoryData& memory, int device,
                           const StepSelection& steps) {
  if (device < 0 || static_cast<size_t>(device) >= memory.devices.size()) return {};
  const TraceStore& s = model.store();
  StepSums sums(model, steps);
  for (const uint32_t record : memory.devices[static_cast<size_t>(device)].records) {
    const SliceIndex op = memory.owners[record].op;
    const int64_t bytes = s.memory()[record].bytes;
    if (op != kNone && bytes > 0) sums.Add(s.name_id(op), model.step[op], bytes);
  }
  return SpreadOfSums(sums, 1, [&](uint32_t name) { return std::string(s.strings().Get(name)); });
}

}  // namespace emberline
