// What the names of kernels tell of their part in a call.
#pragma once

#include <optional>
#include <string_view>

#include "cost/op_cost.h"

namespace emberline {

// Which gradient of a convolution a kernel computes, where its library says so.
std::optional<Part> ConvolutionPartOf(std::string_view name);

// Kernels that only prepare for others: layouts, sums of parts, fills.
bool IsHelperKernel(std::string_view name);

}  // namespace emberline
