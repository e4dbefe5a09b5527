// How much a measure varies from step to step, by row.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/lines.h"
#include "analysis/memory.h"
#include "base/cancel.h"
#include "base/hash.h"
#include "base/result.h"
#include "compare/tables.h"
#include "model/model.h"

namespace emberline {

// What was measured in each of the selected steps that were recorded whole, by rows that whoever
// sums numbers.
class StepSums {
 public:
  StepSums(const Model& model, const StepSelection& steps) : model_(model), steps_(steps) {}
  // What belongs to no such step is left out.
  void Add(uint32_t row, uint32_t step, int64_t value);
  // Of each row with anything, times in microseconds where `unit` is 1000; `each` takes the row and
  // its Sample. In the order of the rows.
  template <typename Each>
  void ForEach(double unit, Each&& each) const {
    for (const auto& [row, values] : ByRow(unit)) each(row, SampleOf(values));
  }
  // Of `rows` rows.
  std::vector<Sample> Samples(size_t rows, double unit) const;

 private:
  std::map<uint32_t, std::vector<double>> ByRow(double unit) const;

  const Model& model_;
  const StepSelection& steps_;
  std::unordered_map<uint64_t, int64_t, NumberHash> sums_;
};
// What StepSums divides by, so that times are in microseconds.
inline constexpr double kNsOfUs = 1000;

enum class SpreadOf : uint8_t { kOperatorHost, kOperatorDevice, kKernels };

// Per name of an operator or kernel, its time in each of the selected steps that were recorded
// whole, in microseconds. Empty where steps were not recorded. Linear in the slices. Errors:
// kCancelled.
Result<Spread> MeasureSpread(const Model& model, const StepSelection& steps, SpreadOf what,
                             const CancelToken& cancel);

// The same of operators told apart by their shapes: by name and shapes as OperatorTable has them,
// with a line's end between. `host` as below.
Result<Spread> MeasureShapeSpread(const Model& model, const StepSelection& steps, bool host,
                                  const CancelToken& cancel);

// The same of lines, functions, classes or files: their own host or device time, by LineRowKey.
// `host`: time of the host, else of the device. Linear in the slices. Errors: kCancelled.
Result<Spread> MeasureLineSpread(const Model& model, const LineAttribution& lines,
                                 const StepSelection& steps, LineGrouping grouping, bool host,
                                 const CancelToken& cancel);
// The same of operators by the bytes that they allocated themselves on a device; `device` is an
// index into `memory`, or -1. Linear in the records.
Spread MeasureMemorySpread(const Model& model, const MemoryData& memory, int device,
                           const StepSelection& steps);
// Says which row of LinesTable a place is.
std::string LineRowKey(std::string_view file, int64_t line, std::string_view function);

// Whether a step is one of them.
bool IsWholeStep(const Model& model, const StepSelection& steps, uint32_t step);
// How many steps that is.
double WholeStepCount(const Model& model, const StepSelection& steps);

}  // namespace emberline
