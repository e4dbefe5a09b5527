#include "analysis/tensor_cores.h"
#include "drawn.h"

using namespace emberline;
using namespace emberline::drawn;

TEST_CASE("NVIDIA kernels on tensor cores (B42)", "[tensorCores]") {
  const TensorCoreRules rules(Vendor::kNvidia);
  for (const char* name :
       {"volta_fp16_s884cudnn_fp16_256x64_ldg8_relu_f2f_exp_interior_nhwc_tn_v1",
        "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn",
        "turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn",
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1",
        "nvjet_tst_128x256_64x4_2x1_v_bz_TNT", "void flash_fwd_kernel<Flash_fwd_kernel_traits<64>>",
        "void "
        "cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align8>",
        "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16",
        "cutlass3x_sm100_tensorop_s256x256x16gemm_bf16_bf16_f32_void_bf16"}) {
    INFO(name);
    CHECK(rules.Uses(name));
  }
  for (const char* name :
       {"volta_sgemm_128x64_nn", "volta_scudnn_128x64_relu_interior_nn_v1",
        "ampere_sgemm_32x32_sliced1x4_tn",
        "void gemv2T_kernel_val<int, int, float, float, float, float, 128>", "elementwise_kernel",
        "triton_poi_fused_fmha_add_3", "void splitKreduce_kernel<32, 16, int, float>",
        "cudnn::cnn::implicit_convolve_sgemm<float, float, 1024>"}) {
    INFO(name);
    CHECK_FALSE(rules.Uses(name));
  }
}

TEST_CASE("AMD kernels on matrix units (B42)", "[tensorCores]") {
  const TensorCoreRules rules(Vendor::kAmd);
  for (const char* name :
       {"Cijk_Alik_Bljk_BBS_BH_MT128x128x32_MI32x32x8x1_SN_K1", "attn_fwd",
        "void ck::kernel_gemm_xdl_cshuffle_v3<...>", "aiter::fmha_fwd_hd128_bf16"}) {
    INFO(name);
    CHECK(rules.Uses(name));
  }
  for (const char* name : {"Cijk_Ailk_Bljk_SB_MT16816x64x8_SE_K1", "naive_conv_fwd_nchw",
                           "miopenSp3AsmConv_v30_3_1_gfx94x_fp32_f2x3_stride1",
                           "elementwise_kernel", "volta_h884gemm_128x64_nn"}) {
    INFO(name);
    CHECK_FALSE(rules.Uses(name));
  }
}

TEST_CASE("the user's rules come first", "[tensorCores]") {
  TensorCoreRules rules(Vendor::kNvidia);
  REQUIRE(rules.Add("-nvjet_special").ok());
  REQUIRE(rules.Add("My_Kernel").ok());
  CHECK_FALSE(rules.Uses("nvjet_special_128"));
  CHECK(rules.Uses("nvjet_tst"));
  CHECK(rules.Uses("void my_kernel_v2(int)"));
  CHECK_FALSE(rules.Add("-").ok());
  CHECK_FALSE(rules.Add("").ok());
}

TEST_CASE("vendors by device, else by the calls", "[tensorCores]") {
  Drawing d;
  d.Slice("cuda_runtime", "hipLaunchKernel", "1", "10", 0, 5, "\"correlation\":1");
  CHECK(VendorOf(*Load(d)) == Vendor::kAmd);
  Drawing e(kV100);
  e.Op("aten::mm", 0, 5);
  CHECK(VendorOf(*Load(e)) == Vendor::kNvidia);
  Drawing none;
  none.Op("aten::mm", 0, 5);
  CHECK(VendorOf(*Load(none)) == Vendor::kUnknown);
}

TEST_CASE("eligible operators have today's names (B42) and pass it on to their callers",
          "[tensorCores]") {
  CHECK(IsTensorCoreEligibleName("aten::convolution_backward"));
  CHECK(IsTensorCoreEligibleName("aten::scaled_dot_product_attention"));
  CHECK(IsTensorCoreEligibleName("AddmmBackward0"));
  CHECK(IsTensorCoreEligibleName("aten::cudnn_convolution"));
  CHECK_FALSE(IsTensorCoreEligibleName("aten::add"));
  Drawing d(kV100);
  const int outer = d.Op("my::block", 0, 100);
  const int mm = d.Op("aten::mm", 10, 20);
  const int add = d.Op("aten::add", 40, 20);
  const int custom = d.Op("my::gemm", 70, 20);
  d.Launch(1, 75, 2);
  d.Kernel("volta_h884gemm_128x64_nn", 1, 200, 10);
  const Loaded m = Load(d);
  const TensorCoreKernels kernels(*m, TensorCoreRules(Vendor::kNvidia));
  const auto eligible = TensorCoreEligible(*m, kernels);
  CHECK(eligible[m.At(outer)]);
  CHECK(eligible[m.At(mm)]);
  CHECK(eligible[m.At(custom)]);
  CHECK_FALSE(eligible[m.At(add)]);
}
