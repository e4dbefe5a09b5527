// What the names of fused operators and kernels say.
#include <catch2/catch.hpp>
#include <string>
#include <unordered_set>

#include "compare/fused_names.h"

using namespace emberline;

namespace {

std::unordered_set<std::string> Held(const std::string& fused,
                                     const std::unordered_set<std::string>& operators) {
  std::unordered_set<std::string> held;
  const bool any = AddHeld(fused, operators, &held);
  CHECK(any == !held.empty());
  return held;
}

}  // namespace

TEST_CASE("fused names: words of operators") {
  CHECK(OperatorWords("aten::native_layer_norm") == "layer_norm");
  CHECK(OperatorWords("aten::layer_norm") == "layer_norm");
  CHECK(OperatorWords("aten::mul_") == "mul");
  CHECK(OperatorWords("aten::_to_copy") == "to_copy");
  CHECK(OperatorWords("my::LayerNorm") == "layer_norm");
  CHECK(OperatorWords("aten::native") == "native");
  CHECK(OperatorWords("aten::").empty());
  CHECK(OperatorWords("").empty());
}

TEST_CASE("fused names: what they hold") {
  using Set = std::unordered_set<std::string>;
  const Set operators = {"layer_norm", "add", "mm", "gelu"};
  CHECK(Held("triton_per_fused_addmm_native_layer_norm_3", operators) == Set{"layer_norm"});
  CHECK(Held("triton_poi_fused_add_gelu_0", operators) == Set{"add", "gelu"});
  CHECK(Held("void FusedLayerNormKernel<float>(int)", operators) == Set{"layer_norm"});
  // Only whole words count, and only of names that say what they are.
  CHECK(Held("fused_addmm", operators).empty());
  CHECK(Held("layer_norm_kernel", operators).empty());
  CHECK(Held("", operators).empty());
}
