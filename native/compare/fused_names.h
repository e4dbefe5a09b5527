// Whoever fuses operators names the result after them: "triton_per_fused_add_native_layer_norm_3",
// "FusedLayerNorm", "fused_addmm_gelu".
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

namespace emberline {

// The words of an operator's name, as they would stand in such a name: "layer_norm" of
// "aten::native_layer_norm", "mul" of "aten::mul_". "" where nothing is left.
std::string OperatorWords(std::string_view name);

// Of `operators` (OperatorWords), those that the name of a fused operator or kernel holds, added to
// `held`. False where it holds none, or is no such name. Linear in the name.
bool AddHeld(std::string_view fused, const std::unordered_set<std::string>& operators,
             std::unordered_set<std::string>* held);

}  // namespace emberline
