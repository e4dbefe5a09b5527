// What the methods about costs stand on, made of their parameters.
#pragma once

#include <memory>
#include <vector>

#include "cost/attribution.h"
#include "cost/devices.h"
#include "cost/launches.h"
#include "rpc/views/view.h"

namespace emberline {

// Kept together because each refers to the one before.
struct CostInputs {
  std::shared_ptr<const CostAttribution> costs;
  std::vector<DevicePeaks> own;
  std::shared_ptr<const TensorCoreKernels> tensor_cores;
};

// The costs of the trace's kernels, which are kept with it, and the user's peaks and rules. Errors:
// kInvalidArgument for peaks and rules that cannot be used, kCancelled.
Result<CostInputs> InputsOf(const ViewRequest& request);
// Refers to both, which must outlive it.
CostContext ContextOf(const ViewRequest& request, const CostInputs& inputs);

// Tells what `costs` and `own` were made of, for results that are kept.
std::string CostKey(const Json& params);

// The share of the roof that savings are counted up to: params.target, else 0.6.
double TargetOf(const Json& params);

}  // namespace emberline
