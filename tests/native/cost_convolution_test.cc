// Convolutions of recorders that lost the numbers they were called with.
#include "cost/attribution.h"
#include "drawn.h"

using namespace emberline;
using namespace emberline::drawn;

namespace {

std::string Args(const char* dims, const char* types) {
  return std::string("\"Input Dims\":") + dims + ",\"Input type\":" + types;
}

// Forward on thread 10, backward on thread 20, without concrete inputs.
Loaded Draw(const char* x_of_backward) {
  Drawing d;
  d.Op("aten::cudnn_convolution", 0, 50,
       Args("[[2,3,8,8],[4,3,3,3],[],[],[],[],[],[]]", R"(["float","float","","","","","",""])"));
  d.Launch(1, 10, 1);
  d.Kernel("implicit_convolve_sgemm", 1, 60, 30);
  d.Op("CudnnConvolutionBackward", 200, 90, "", "20");
  d.Op(
      "aten::cudnn_convolution_backward", 205, 80,
      Args(
          (std::string("[") + x_of_backward + ",[2,4,4,4],[4,3,3,3],[],[],[],[],[],[],[]]").c_str(),
          R"(["float","float","float","","","","","","",""])"),
      "20");
  d.Op("aten::cudnn_convolution_backward_weight", 210, 60,
       Args("[[],[2,4,4,4],[2,3,8,8],[],[],[],[],[],[]]",
            R"(["","float","float","","","","","",""])"),
       "20");
  d.Launch(2, 220, 1, "", "cuda_runtime", "20");
  d.Kernel("wgrad_alg0_engine", 2, 300, 30);
  d.Flow("s", 1, 0, "10");
  d.Flow("f", 1, 200, "20");
  return Load(d);
}

constexpr int64_t kFlops = 2 * (2 * 4 * 4 * 4) * (3 * 3 * 3);

}  // namespace

TEST_CASE("sizes that a convolution was not recorded with are those of its backward", "[cost]") {
  const Loaded m = Draw("[2,3,8,8]");
  const auto costs = AttributeCosts(*m, nullptr, {});
  REQUIRE(costs.ok());
  REQUIRE((*costs)->kernels.size() == 2);
  for (const KernelCost& kernel : (*costs)->kernels) {
    REQUIRE(kernel.flops.known());
    CHECK(kernel.flops.value() == kFlops);
    CHECK(kernel.bytes().known());
    CHECK(kernel.cost->op_class == OpClass::kConvolution);
    CHECK(kernel.cost->flops_formula.find("backward") != std::string::npos);
  }
}

TEST_CASE("a backward of another convolution tells nothing", "[cost]") {
  for (const char* x : {"[2,3,16,16]", "[2,3,8]", "[-2,3,8,8]", "[]"}) {
    INFO(x);
    const Loaded m = Draw(x);
    const auto costs = AttributeCosts(*m, nullptr, {});
    REQUIRE(costs.ok());
    REQUIRE((*costs)->kernels.size() == 2);
    for (const KernelCost& kernel : (*costs)->kernels) CHECK_FALSE(kernel.flops.known());
  }
}
