// What could be done about costs: findings with their gain per step.
#pragma once

#include <vector>

#include "analysis/findings.h"
#include "cost/summary.h"

namespace emberline {

// Findings by gain, largest first: products whose sizes miss the matrix units, fp32 products where
// a faster type exists, kernels far below both roofs, chains of kernels that memory limits.
// `target`: the share of the roof that gains assume. Errors: kCancelled.
Result<std::vector<Finding>> CostFindings(const CostContext& context, double target,
                                          const CancelToken& cancel);

}  // namespace emberline
