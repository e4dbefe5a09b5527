// Worked figures: what one call of an operator costs.
#include <catch2/catch.hpp>
#include <string>

#include "cost/op_cost.h"

using namespace emberline;

namespace {

struct Text {
  std::string dims, types, strides, values;
};

OpCost Cost(const char* name, const Text& text, DType list_type = DType::kUnknown) {
  return CostOf(name, Arguments({text.dims, text.types, text.strides, text.values}), list_type);
}

void Check(const OpCost& cost, int64_t flops, int64_t bytes) {
  INFO(cost.flops_formula << "; " << cost.bytes_formula);
  INFO((cost.flops.known() ? "" : cost.flops.why()->code));
  INFO((cost.bytes().known() ? "" : cost.bytes().why()->code));
  CHECK(cost.flops.known());
  CHECK(cost.flops.value() == flops);
  CHECK(cost.bytes().known());
  CHECK(cost.bytes().value() == bytes);
}

const std::string kBf16 = "\"c10::BFloat16\"", kHalf = "\"c10::Half\"", kFloat = "\"float\"";

// ["a", "a", "Scalar"...]
std::string Types(const std::string& tensor, int tensors, int values = 0) {
  std::string text = "[";
  for (int i = 0; i < tensors; ++i) text += (i > 0 ? ", " : "") + tensor;
  for (int i = 0; i < values; ++i) text += ", \"Scalar\"";
  return text + "]";
}

}  // namespace

TEST_CASE("records of an inference on H100", "[cost]") {
  Check(Cost("aten::addmm", {"[[768], [788, 3072], [3072, 768], [], []]", Types(kBf16, 3, 2),
                             "[[1], [3072, 1], [1, 3072], [], []]", R"(["", "", "", "1", "1"])"}),
        3718250496, 10771968);
  Check(Cost("aten::_flash_attention_forward",
             {"[[4, 197, 12, 64], [4, 197, 12, 64], [4, 197, 12, 64], [], [], [], [], [], []]",
              "[" + kBf16 + ", " + kBf16 + ", " + kBf16 +
                  R"(, "", "", "Scalar", "Scalar", "Scalar", "Scalar"])",
              "", R"(["", "", "", "", "", "197", "197", "0.", "False"])"}),
        476884992, 4879296);
  const std::string conv =
      R"(["", "", "", "[16, 16]", "[0, 0]", "[1, 1]", "False", "[0, 0]", "1"])";
  const std::string types = "[" + kBf16 + ", " + kBf16 +
                            R"(, "", "ScalarList", "ScalarList", "ScalarList", "Scalar",)"
                            R"( "ScalarList", "Scalar"])";
  Check(Cost("aten::convolution",
             {"[[4, 3, 224, 224], [768, 3, 16, 16], [], [], [], [], [], [], []]", types, "", conv}),
        924844032, 3588096);
  Check(Cost("aten::native_layer_norm",
             {"[[4, 197, 768], [], [768], [768], []]",
              "[" + kBf16 + R"(, "ScalarList", )" + kBf16 + ", " + kBf16 + R"(, "Scalar"])", "",
              R"(["", "[768]", "", "", "1e-05"])"}),
        4841472, 2430112);
  Check(Cost("aten::cat",
             {"[[[4, 1, 768], [4, 196, 768]], []]", R"(["TensorList", "Scalar"])",
              "[[[0, 768, 1], [150528, 1, 196]], []]", R"(["", "1"])"},
             DType::kBFloat16),
        0, 1205760 + 1210368);
  Check(Cost("aten::_softmax",
             {"[[3136, 12, 8, 8], [], []]", Types(kBf16, 1, 2), "", R"(["", "-1", "False"])"}),
        12042240, 9633792);
  Check(Cost("aten::mul", {"[[8, 12, 3137, 3137], []]", "[" + kBf16 + R"(, "double"])", "", ""}),
        944713824, 3778855296);
}

TEST_CASE("a training step on MI300X", "[cost]") {
  const OpCost conv = Cost(
      "aten::convolution_backward",
      {"[[10, 512, 7, 7], [10, 512, 7, 7], [512, 512, 3, 3], [], [], [], [], [], [], [], []]",
       "[" + kBf16 + ", " + kBf16 + ", " + kBf16 +
           R"(, "ScalarList", "ScalarList", "ScalarList", "ScalarList", "Scalar", "ScalarList",)"
           R"( "Scalar", "ScalarList"])",
       "",
       R"(["", "", "", "[0]", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1",)"
       R"( "[True, True, False]"])"});
  Check(conv, 4624220160, 11444224);
  REQUIRE(conv.parts.size() == 2);
  for (const PartCost& part : conv.parts) {
    CHECK(part.flops.value() == 2312110080);
    CHECK(part.bytes().value() == 5722112);
  }
  const Text gradient{"[[10, 1000], [1000, 512]]", Types(kBf16, 2), "", ""};
  Check(Cost("aten::mm", gradient), 10240000, 1054240);
  Check(Cost("aten::mm", {"[[1000, 10], [10, 512]]", Types(kBf16, 2), "[[1, 1000], [512, 1]]", ""}),
        10240000, 2 * (10000 + 5120 + 512000));
  Check(Cost("aten::native_batch_norm",
             {"[[10, 512, 7, 7], [512], [512], [512], [512], [], [], []]", Types(kBf16, 5, 3), "",
              R"(["", "", "", "", "", "True", "0.1", "1e-05"])"}),
        2007040, 1013760);
}

namespace {

OpCost Conv(const char* x, const char* w, const std::string& type, const char* stride,
            const char* padding, const char* dilation, const char* groups,
            bool transposed = false) {
  const std::string zero = std::string("[0]");
  return Cost(
      "aten::convolution",
      {std::string("[") + x + ", " + w + ", [], [], [], [], [], [], []]",
       "[" + type + ", " + type +
           R"(, "", "ScalarList", "ScalarList", "ScalarList", "Scalar", "ScalarList",)"
           R"( "Scalar"])",
       "",
       std::string(R"(["", "", "", ")") + stride + R"(", ")" + padding + R"(", ")" + dilation +
           R"(", ")" + (transposed ? "True" : "False") + R"(", "[0]", ")" + groups + R"("])"});
}

}  // namespace

TEST_CASE("convolutions of every kind", "[cost]") {
  Check(Conv("[8, 32, 112, 112]", "[32, 1, 3, 3]", kFloat, "[2, 2]", "[1, 1]", "[1, 1]", "32"),
        14450688, 16057472);
  Check(Conv("[32, 128, 56, 56]", "[128, 4, 3, 3]", kHalf, "[1]", "[1]", "[1]", "32"), 924844032,
        51389440);
  Check(Conv("[16, 80, 1000]", "[256, 80, 5]", kFloat, "[1]", "[4]", "[2]", "1"), 3276800000,
        21913600);
  Check(Conv("[2, 16, 8, 32, 32]", "[32, 16, 3, 3, 3]", kHalf, "[1]", "[1]", "[1]", "1"), 452984832,
        1600512);
  Check(Conv("[8, 64, 16, 16]", "[64, 32, 4, 4]", kFloat, "[2]", "[1]", "[1]", "1", true),
        134217728, 1703936);
  Check(Conv("[8, 64, 16, 16]", "[64, 16, 4, 4]", kFloat, "[2]", "[1]", "[1]", "2", true), 67108864,
        1638400);
  const OpCost grouped = Cost(
      "aten::convolution_backward",
      {"[[32, 128, 56, 56], [32, 128, 56, 56], [128, 4, 3, 3], [], [], [], [], [], [], [], []]",
       "[" + kHalf + ", " + kHalf + ", " + kHalf +
           R"(, "ScalarList", "ScalarList", "ScalarList", "ScalarList", "Scalar", "ScalarList",)"
           R"( "Scalar", "ScalarList"])",
       "",
       R"(["", "", "", "[0]", "[1]", "[1]", "[1]", "False", "[0]", "32", "[True, True, False]"])"});
  Check(grouped, 1849688064, 102778880);
}

TEST_CASE("matrix products of every kind", "[cost]") {
  Check(Cost("aten::bmm", {"[[64, 512, 512], [64, 512, 64]]", Types(kBf16, 2), "", ""}), 2147483648,
        41943040);
  Check(Cost("aten::mm", {"[[1, 2880], [2880, 25136]]", Types(kBf16, 2), "", ""}), 144783360,
        144839392 + 0);
  Check(Cost("aten::_scaled_mm",
             {"[[4096, 4096], [4096, 4096], [], [], [], [], []]",
              R"(["c10::Float8_e4m3fn", "c10::Float8_e4m3fn", "float", "float", "", "", "Scalar"])",
              "", R"(["", "", "", "", "", "", "15"])"}),
        137438953472, 67108864);
}

namespace {

OpCost Attention(bool causal) {
  return Cost("aten::_scaled_dot_product_flash_attention",
              {"[[2, 32, 4096, 128], [2, 8, 4096, 128], [2, 8, 4096, 128], [], [], [], []]",
               Types(kBf16, 3, 4), "",
               std::string(R"(["", "", "", "0.", ")") + (causal ? "True" : "False") +
                   R"(", "False", "0.1"])"});
}
OpCost AttentionBackward(bool causal) {
  return Cost("aten::_scaled_dot_product_flash_attention_backward",
              {"[[2, 32, 4096, 128], [2, 32, 4096, 128], [2, 8, 4096, 128], [2, 8, 4096, 128], "
               "[2, 32, 4096, 128], [2, 32, 4096], [], [], [], [], [], []]",
               "[" + kBf16 + ", " + kBf16 + ", " + kBf16 + ", " + kBf16 + ", " + kBf16 +
                   R"(, "float", "", "", "Scalar", "Scalar", "Scalar", "Scalar"])",
               "",
               std::string(R"(["", "", "", "", "", "", "", "", "4096", "4096", "0.", ")") +
                   (causal ? "True" : "False") + R"("])"});
}

}  // namespace

TEST_CASE("attention with fewer heads of keys than of queries", "[cost]") {
  Check(Attention(false), 549755813888, 168820736);
  Check(Attention(true), 274945015808, 168820736);
  Check(AttentionBackward(false), 1374389534720, 336592896);
  Check(AttentionBackward(true), 687362539520, 336592896);
}

TEST_CASE("the rest of the worked figures", "[cost]") {
  Check(Cost("aten::_softmax_backward_data", {"[[3136, 12, 8, 8], [3136, 12, 8, 8], [], []]",
                                              Types(kBf16, 2, 2), "", R"(["", "", "-1", "15"])"}),
        9633792, 14450688);
  const std::string window = R"(["", "[3, 3]", "[2, 2]", "[1, 1]", "[1, 1]", "False"])";
  Check(Cost("aten::max_pool2d_with_indices",
             {"[[10, 64, 112, 112], [], [], [], [], []]", Types(kBf16, 1, 5), "", window}),
        18063360, 36126720);
  Check(Cost("aten::max_pool2d_with_indices_backward",
             {"[[10, 64, 56, 56], [10, 64, 112, 112], [], [], [], [], [], [10, 64, 56, 56]]",
              "[" + kBf16 + ", " + kBf16 +
                  R"(, "ScalarList", "ScalarList", "ScalarList", "ScalarList", "Scalar",)"
                  R"( "long int"])",
              "", R"(["", "", "[3, 3]", "[2, 2]", "[1, 1]", "[1, 1]", "False", ""])"}),
        2007040, 36126720);
  Check(Cost("aten::embedding", {"[[25136, 2880], [888], [], [], []]",
                                 "[" + kBf16 + R"(, "long int", "Scalar", "Scalar", "Scalar"])", "",
                                 R"(["", "", "-1", "False", "False"])"}),
        0, 10236864);
  Check(Cost("aten::index_select",
             {"[[25136, 2880], [], [888]]", "[" + kBf16 + R"(, "Scalar", "long int"])", "",
              R"(["", "0", ""])"}),
        0, 10236864);
  Check(Cost("aten::embedding_dense_backward",
             {"[[888, 2880], [888], [], [], []]",
              "[" + kBf16 + R"(, "long int", "Scalar", "Scalar", "Scalar"])", "",
              R"(["", "", "25136", "-1", "False"])"}),
        2557440, 149905344);
  Check(Cost("aten::gather", {"[[25136, 2880], [], [888, 2880], []]",
                              "[" + kBf16 + R"(, "Scalar", "long int", "Scalar"])",
                              "[[2880, 1], [], [1, 0], []]", R"(["", "0", "", "False"])"}),
        0, 10236864);
  Check(Cost("aten::_fused_adam_",
             {"[[[1000000]], [[1000000]], [[1000000]], [[1000000]], [], [[]], [], [], [], [], [],"
              " [], []]",
              R"(["TensorList", "TensorList", "TensorList", "TensorList", "TensorList",)"
              R"( "TensorList", "Scalar", "Scalar", "Scalar", "Scalar", "Scalar", "Scalar",)"
              R"( "Scalar"])",
              "",
              R"(["", "", "", "", "", "", "0.001", "0.9", "0.999", "0.", "1e-08", "False",)"
              R"( "False"])"},
             DType::kFloat32),
        13000000, 28000000);
  const OpCost lstm = Cost(
      "aten::_cudnn_rnn",
      {"[[50, 64, 512], [[2048, 512], [2048, 512], [2048, 512], [2048, 512]], [], [], [2, 64, 512],"
       " [2, 64, 512], [], [], [], [], [], [], [], [], [], []]",
       "[" + kFloat +
           R"(, "TensorList", "Scalar", "", "float", "float", "Scalar", "Scalar",)"
           R"( "Scalar", "Scalar", "Scalar", "Scalar", "Scalar", "Scalar",)"
           R"( "ScalarList", ""])",
       "",
       R"(["", "", "4", "", "", "", "2", "512", "0", "2", "False", "0.", "True", "False", "[]",)"
       R"( ""])"});
  REQUIRE(lstm.flops.known());
  CHECK(lstm.flops.value() == 26843545600);
  Check(Cost("aten::mse_loss",
             {"[[10, 1000], [10, 1000], []]", Types(kBf16, 2, 1), "", R"(["", "", "1"])"}),
        30000, 40002);
  Check(Cost("aten::mse_loss_backward",
             {"[[], [10, 1000], [10, 1000], []]", Types(kBf16, 3, 1), "", R"(["", "", "", "1"])"}),
        30000, 60002);
  Check(Cost("aten::topk", {"[[1024, 4096], [], [], [], []]", Types(kFloat, 1, 4), "",
                            R"(["", "50", "-1", "True", "True"])"}),
        0, 17391616);
  Check(Cost("aten::sort",
             {"[[1024, 4096], [], []]", Types(kFloat, 1, 2), "", R"(["", "-1", "False"])"}),
        0, 67108864);
}

TEST_CASE("a range is as long as its bounds say, though the result was passed empty", "[cost]") {
  const auto range = [](const char* name, const char* dims, const char* types, const char* values) {
    return Cost(name, {dims, types, "", values});
  };
  const char* const kFour = R"(["Scalar", "Scalar", "Scalar", "long int"])";
  Check(range("aten::arange", "[[], [], [], [0]]", kFour, R"(["0", "14", "1", ""])"), 0, 14 * 8);
  Check(range("aten::arange", "[[], [], [], [0]]", kFour, R"(["2", "9", "2", ""])"), 0, 4 * 8);
  Check(range("aten::arange", "[[], [], [], [0]]", kFour, R"(["5", "0", "-1", ""])"), 0, 5 * 8);
  Check(range("aten::arange", "[[], [0]]", R"(["Scalar", "float"])", R"(["64", ""])"), 0, 64 * 4);
  Check(range("aten::linspace", "[[], [], [], [0]]", R"(["Scalar", "Scalar", "Scalar", "float"])",
              R"(["0.", "1.", "101", ""])"),
        0, 101 * 4);
  // Without the bounds an empty result says nothing, another one its length.
  CHECK_FALSE(range("aten::arange", "[[], [], [], [0]]", kFour, "").bytes().known());
  Check(range("aten::arange", "[[], [], [], [7]]", kFour, ""), 0, 7 * 8);
  CHECK_FALSE(range("aten::arange", "[[], [], [], [0]]", kFour, R"(["0", "14", "-1", ""])")
                  .bytes()
                  .known());
  CHECK_FALSE(
      range("aten::arange", "[[], [], [], [0]]", kFour, R"(["0", "14", "0", ""])").bytes().known());
}
