// How much a measure varies from step to step, by row.
#pragma once

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

// How many steps that is.
double WholeStepCount(const Model& model, const StepSelection& steps);

}  // namespace emberline
