// How much a measure varies from step to step, by row.
#pragma once

#include <string>
#include <string_view>

#include "analysis/lines.h"
#include "base/cancel.h"
#include "base/result.h"
#include "compare/tables.h"
#include "model/model.h"

namespace emberline {

enum class SpreadOf : uint8_t { kOperatorHost, kOperatorDevice, kKernels };

// Per name of an operator or kernel, its time in each of the selected steps that were recorded
// whole, in microseconds. Empty where steps were not recorded. Linear in the slices. Errors:
// kCancelled.
Result<Spread> MeasureSpread(const Model& model, const StepSelection& steps, SpreadOf what,
                             const CancelToken& cancel);

// The same of lines, functions, classes or files: their own host or device time, by LineRowKey.
// `host`: time of the host, else of the device. Linear in the slices. Errors: kCancelled.
Result<Spread> MeasureLineSpread(const Model& model, const LineAttribution& lines,
                                 const StepSelection& steps, LineGrouping grouping, bool host,
                                 const CancelToken& cancel);
// Says which row of LinesTable a place is.
std::string LineRowKey(std::string_view file, int64_t line, std::string_view function);

// How many steps that is.
double WholeStepCount(const Model& model, const StepSelection& steps);

}  // namespace emberline
