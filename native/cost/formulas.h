// The formulas of each class of operators, one file per class. The positions of arguments are those
// of PyTorch's schemas.
#pragma once

#include <span>
#include <string_view>

#include "cost/op_cost.h"

namespace emberline {

struct NamedFormula {
  std::string_view name;
  OpFormula formula;
};

std::span<const NamedFormula> MatmulFormulas();
std::span<const NamedFormula> ServingFormulas();
std::span<const NamedFormula> ConvolutionFormulas();
std::span<const NamedFormula> AttentionFormulas();
std::span<const NamedFormula> NormalizationFormulas();
std::span<const NamedFormula> PointwiseFormulas();
std::span<const NamedFormula> ForeachFormulas();
std::span<const NamedFormula> ReductionFormulas();
std::span<const NamedFormula> PoolingFormulas();
std::span<const NamedFormula> LossFormulas();
std::span<const NamedFormula> OptimizerFormulas();
std::span<const NamedFormula> RecurrentFormulas();
std::span<const NamedFormula> MovementFormulas();

// For names with a part that changes from program to program ("triton_poi_fused_add_3"); null for
// others.
const OpFormula* CompiledFormula(std::string_view name);

// False where both are known and differ.
inline bool SameSize(Amount a, Amount b) {
  return !a.known() || !b.known() || a.value() == b.value();
}

// Values of a list that stands for each of `count` dimensions when it has one entry only. Nothing
// where it was not recorded or has another length.
std::optional<std::vector<int64_t>> PerDimension(const Arguments& arguments, size_t index,
                                                 size_t count);

}  // namespace emberline
