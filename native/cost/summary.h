// Costs added up: by operator, kernel, module, line or kind, against the roofs of the device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cost/launches.h"

namespace emberline {

enum class CostGrouping : uint8_t { kOperator, kShape, kKernel, kModule, kLine, kClass };

// A sum over kernels. Times in ns.
struct CostSums {
  int64_t kernels = 0;
  Ns time = 0;
  Ns costed = 0;    // of kernels whose operations or bytes are known
  Ns measured = 0;  // of those, on devices whose peaks are known: what `bound` is compared with
  int64_t flops = 0, read_bytes = 0, written_bytes = 0;  // of what is known
  Ns flops_time = 0, bytes_time = 0;  // of kernels whose operations, or bytes, are known
  double bound = 0;                   // ns that the device needs at least for `measured`
  double memory_bound = 0;            // of `measured`: ns of kernels that memory limits
  double saved = 0;                   // ns less, if every kernel reached the chosen share
};

struct CostRow {
  std::string name;    // operator, kernel, module, function of a line, or kind
  std::string params;  // by shape
  std::string file;    // of a line
  int64_t line = 0;
  bool line_is_definition = false;       // only the function is known; the line is its first
  OpClass op_class = OpClass::kUnknown;  // where all kernels have one; else kUnknown
  int64_t calls = 0;                     // different calls of costed operators
  CostSums sums;
  std::string unit;              // whose peak limits most of its time
  double peak_flops = 0;         // of that unit, per second
  SliceIndex example = kNone;    // its longest kernel
  const OpCost* cost = nullptr;  // of the example
};

struct StepUtilization {
  uint32_t step = 0;
  Ns duration = 0;
  int64_t model_flops = 0;     // of matrix operators, without what ran again
  int64_t hardware_flops = 0;  // with it
  std::optional<double> mfu, hfu;
};

struct CostSummary {
  std::vector<CostRow> rows;  // by time
  CostSums total;
  int64_t forward_flops = 0, backward_flops = 0, recompute_flops = 0;
  std::vector<StepUtilization> steps;
  std::optional<double> mfu, hfu;  // of the selected steps together
  std::string unit;                // the peak that both refer to: of the unit with most operations
  double peak_flops = 0;           // per second, over all devices
  double target = 0;               // the chosen share of the roof
};

// `target`: share of the roof, 0 to 1, that `saved` asks for. Errors: kCancelled.
Result<CostSummary> SummarizeCosts(const CostContext& context, CostGrouping grouping, double target,
                                   const CancelToken& cancel);
Table CostTable(const CostContext& context, const CostSummary& summary, CostGrouping grouping);

// Time that each kernel would save at `target` (0 to 1) of its roof: one figure per slice, ns; 0 of
// kernels above it, of those without a roof, and of all other slices. Errors: kCancelled.
Result<std::vector<Ns>> SavingsOfKernels(const CostContext& context, double target,
                                         const CancelToken& cancel);

}  // namespace emberline
