// Calls whose shapes cannot be those of a call that ran: nothing is counted for them. And calls
// whose other arguments decide what is counted.
#include <catch2/catch.hpp>
#include <string>

#include "cost/op_cost.h"

using namespace emberline;

namespace {

struct Call {
  const char *name, *dims, *types, *values;
};

OpCost Cost(const Call& call, DType list_type = DType::kUnknown) {
  return CostOf(call.name, Arguments({call.dims, call.types, "", call.values}), list_type);
}

constexpr const char* kConvolution =
    R"(["float","float","","ScalarList","ScalarList","ScalarList","Scalar","ScalarList","Scalar"])";
constexpr const char* kBackward =
    R"(["float","float","float","","ScalarList","ScalarList","ScalarList","Scalar","ScalarList",)"
    R"("Scalar","ScalarList"])";
constexpr const char* kFlash = R"(["float","float","float","Scalar","Scalar","Scalar",""])";
constexpr const char* kSquare = R"(["","","","[1, 1]","[0, 0]","[1, 1]","False","[0, 0]","1"])";
constexpr const char* kFourGroups = R"(["","","","[1, 1]","[0, 0]","[1, 1]","False","[0, 0]","4"])";
constexpr const char* kTransposed = R"(["","","","[1, 1]","[0, 0]","[1, 1]","True","[0, 0]","1"])";
constexpr const char* kGradients =
    R"(["","","","[0]","[1, 1]","[0, 0]","[1, 1]","False","[0, 0]","1","[True, True, False]"])";

}  // namespace

TEST_CASE("shapes that do not fit each other are never counted", "[cost]") {
  const Call calls[] = {
      // Channels of the weight, groups that divide nothing, a gradient of another size.
      {"aten::convolution", "[[4,6,33,33],[10,5,3,3],[],[],[],[],[],[],[]]", kConvolution, kSquare},
      {"aten::convolution", "[[4,8,33,33],[10,2,3,3],[],[],[],[],[],[],[]]", kConvolution,
       kFourGroups},
      {"aten::convolution", "[[4,6,33,33],[10,6,3,3],[],[],[],[],[],[],[]]", kConvolution,
       kTransposed},
      {"aten::convolution_backward",
       "[[4,10,30,31],[4,6,33,33],[10,6,3,3],[],[],[],[],[],[],[],[]]", kBackward, kGradients},
      {"aten::convolution_backward",
       "[[4,12,31,31],[4,6,33,33],[10,6,3,3],[],[],[],[],[],[],[],[]]", kBackward, kGradients},
      // An addend that is not broadcast to the result.
      {"aten::addmm", "[[255],[128,512],[512,256],[],[]]",
       R"(["float","float","float","Scalar","Scalar"])", R"(["","","","1","1"])"},
      {"aten::baddbmm", "[[3,5,7],[16,128,64],[16,64,32],[],[]]",
       R"(["float","float","float","Scalar","Scalar"])", R"(["","","","1","1"])"},
      // Three heads of keys for eight of queries; keys and values of different heads.
      {"aten::_scaled_dot_product_flash_attention",
       "[[2,8,64,32],[2,3,64,32],[2,3,64,32],[],[],[],[]]", kFlash,
       R"(["","","","0.","False","False",""])"},
      {"aten::_scaled_dot_product_flash_attention",
       "[[2,8,64,32],[2,8,64,32],[2,2,64,32],[],[],[],[]]", kFlash,
       R"(["","","","0.","False","False",""])"},
      {"aten::_softmax_backward_data", "[[4,8],[4,9],[],[]]",
       R"(["float","float","Scalar","Scalar"])", R"(["","","1","6"])"},
      {"aten::mse_loss", "[[4,8],[4,9],[]]", R"(["float","float","Scalar"])", R"(["","","1"])"},
      {"aten::topk", "[[4,8],[],[],[],[]]", R"(["float","Scalar","Scalar","Scalar","Scalar"])",
       R"(["","100","-1","True","True"])"},
      {"aten::glu", "[[64,255],[]]", R"(["float","Scalar"])", R"(["","-1"])"},
      {"aten::gather", "[[1000,64],[],[8],[]]", R"(["float","Scalar","long int","Scalar"])",
       R"(["","1","","False"])"},
      {"aten::native_group_norm", "[[2,64,256],[64],[64],[],[],[],[],[]]",
       R"(["float","float","float","Scalar","Scalar","Scalar","Scalar","Scalar"])",
       R"(["","","","2","64","256","7","1e-05"])"},
      {"aten::_foreach_add_", "[[[10],[5]],[[10]],[]]", R"(["TensorList","TensorList","Scalar"])",
       R"(["","","1"])"},
  };
  for (const Call& call : calls) {
    const OpCost cost = Cost(call, DType::kFloat32);
    INFO(call.name << " " << call.dims << ": " << cost.flops_formula);
    REQUIRE_FALSE(cost.flops.known());
    CHECK(cost.flops.why()->code == reasons::kShapesDoNotFit.code);
    CHECK_FALSE(cost.bytes().known());
  }
  // The normalized shape decides the bytes alone.
  const OpCost norm =
      Cost({"aten::native_layer_norm", "[[4,197,768],[],[],[],[]]",
            R"(["float","ScalarList","","","Scalar"])", R"(["","[700]","","",""])"});
  CHECK(norm.flops.value() == 6 * 4 * 197 * 768);
  CHECK_FALSE(norm.bytes().known());
}

TEST_CASE("the same shapes, fitting, are counted", "[cost]") {
  CHECK(Cost({"aten::convolution", "[[4,8,33,33],[12,2,3,3],[],[],[],[],[],[],[]]", kConvolution,
              kFourGroups})
            .flops.value() == int64_t{2} * 4 * 12 * 31 * 31 * 2 * 9);
  CHECK(
      Cost({"aten::convolution_backward",
            "[[4,10,31,31],[4,6,33,33],[10,6,3,3],[],[],[],[],[],[],[],[]]", kBackward, kGradients})
          .flops.value() == int64_t{4} * 4 * 10 * 31 * 31 * 6 * 9);
  CHECK(Cost({"aten::addmm", "[[128,1],[128,512],[512,256],[],[]]",
              R"(["float","float","float","Scalar","Scalar"])", R"(["","","","1","1"])"})
            .bytes()
            .value() == 4 * (128 + 128 * 512 + 512 * 256 + 128 * 256));
}

TEST_CASE("dimensions that a tensor lacks, or that are named twice, are never counted", "[cost]") {
  const Call calls[] = {
      {"aten::sum", "[[4,8],[],[],[]]", R"(["float","ScalarList","Scalar",""])",
       R"(["","[1, -1]","False",""])"},
      {"aten::mean", "[[4,8],[],[],[]]", R"(["float","ScalarList","Scalar",""])",
       R"(["","[2]","False",""])"},
      {"aten::_softmax", "[[4,8],[],[]]", R"(["float","Scalar","Scalar"])", R"(["","2","False"])"},
      {"aten::cumsum", "[[4,8],[],[]]", R"(["float","Scalar",""])", R"(["","-3",""])"},
  };
  for (const Call& call : calls) {
    INFO(call.name << " " << call.values);
    const OpCost cost = Cost(call);
    REQUIRE_FALSE(cost.flops.known());
    CHECK(cost.flops.why()->code == reasons::kReducedDimensionMissing.code);
    CHECK_FALSE(cost.bytes().known());
  }
}

TEST_CASE("a type is no dimension of a sum", "[cost]") {
  // sum(x, dtype): 3 is int, not the last of four dimensions; 7 is double.
  const auto written = [](const char* type) {
    const std::string values = std::string(R"(["",")") + type + "\"]";
    return Cost({"aten::sum", "[[2,3,4,5],[]]", R"(["float","Scalar"])", values.c_str()})
        .written_bytes.value();
  };
  CHECK(written("3") == 4);
  CHECK(written("7") == 8);
}

TEST_CASE("a list is added with a factor, as a tensor is", "[cost]") {
  const char* types = R"(["TensorList","TensorList","Scalar"])";
  for (const auto& [alpha, weight] : {std::pair{"1", 1}, {"1.", 1}, {"-0.1", 2}}) {
    INFO(alpha);
    const std::string values = std::string(R"(["","",")") + alpha + "\"]";
    const OpCost cost =
        Cost({"aten::_foreach_add_", "[[[10],[5]],[[10],[5]],[]]", types, values.c_str()},
             DType::kFloat32);
    CHECK(cost.flops.value() == weight * 15);
    CHECK(cost.bytes().value() == 3 * 4 * 15);
  }
  // A number that is added has no factor.
  CHECK(Cost({"aten::_foreach_add_", "[[[10],[5]],[]]", R"(["TensorList","Scalar"])",
              R"(["","1e-08"])"},
             DType::kFloat32)
            .flops.value() == 15);
}

TEST_CASE("attention without a log-sum-exp does not write one", "[cost]") {
  const auto bytes = [](const char* kept) {
    const std::string values = std::string(R"(["","","","",")") + kept + R"(","0.","False",""])";
    return Cost({"aten::_scaled_dot_product_efficient_attention",
                 "[[2,8,256,64],[2,8,512,64],[2,8,512,64],[],[],[],[],[]]",
                 R"(["float","float","float","","Scalar","Scalar","Scalar",""])", values.c_str()})
        .bytes()
        .value();
  };
  const int64_t moved = 4 * 2 * 8 * 64 * (2 * 256 + 2 * 512);
  CHECK(bytes("True") == moved + 4 * 2 * 8 * 256);
  CHECK(bytes("False") == moved);
}

TEST_CASE("cuDNN's attention is causal where its own argument says so", "[cost]") {
  // _cudnn_attention_forward(q, k, v, bias, cu_q, cu_k, max_q, max_k, keeps statistics, dropout,
  // causal, debug).
  const auto flops = [](const char* causal) {
    const std::string values =
        std::string(R"(["","","","","","","128","128","True","0.",")") + causal + R"(","False"])";
    return Cost({"aten::_cudnn_attention_forward",
                 "[[2,8,128,64],[2,8,128,64],[2,8,128,64],[],[],[],[],[],[],[],[],[]]",
                 R"(["c10::Half","c10::Half","c10::Half","","","","Scalar","Scalar","Scalar",)"
                 R"("Scalar","Scalar","Scalar"])",
                 values.c_str()})
        .flops.value();
  };
  CHECK(flops("False") == int64_t{2} * 2 * 8 * 128 * 128 * 128);
  CHECK(flops("True") == int64_t{2} * 2 * 8 * (128 * 129 / 2) * 128);
}

TEST_CASE("scales of a grouped product are read", "[cost]") {
  CHECK(
      Cost({"aten::_scaled_grouped_mm", "[[4096,1024],[8,1024,512],[4096],[8,512],[8],[],[],[],[]]",
            R"(["c10::Float8_e4m3fn","c10::Float8_e4m3fn","float","float","int","","","Scalar",)"
            R"("Scalar"])",
            R"(["","","","","","","","15","True"])"})
          .bytes()
          .value() == 4096 * 1024 + 8 * 1024 * 512 + 2 * 4096 * 512 + 4 * 4096 + 4 * 8 * 512);
}
