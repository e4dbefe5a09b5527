#include "analysis/kernels.h"
#include "analysis/operators.h"
#include "analysis/overview.h"
#include "analysis/tensor_cores.h"
#include "drawn.h"

using namespace emberline;
using namespace emberline::drawn;

// Names longer than a line stand outside the lists: two literals that follow each other in a list
// look like a comma forgotten between them.
constexpr const char* kWmmaKernel =
    "void "
    "cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align8>";
constexpr const char* kSm90Kernel =
    "void cutlass::device_kernel<at::cuda::detail::enable_3x_kernel_for_sm9x<"
    "cutlass::gemm::kernel::GemmUniversal<x>>>(x)";
constexpr const char* kSm100Kernel =
    "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int>, "
    "cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm100TmaUmma"
    "WarpSpecialized>>>";

TEST_CASE("the recorded type of core tells more than a name", "[tensorCores]") {
  TensorCoreRules rules(Vendor::kUnknown);
  for (const char* core : {"AI_VECTOR_CORE", "KERNEL_AIVEC", "AI_CPU", "KERNEL_AICPU", "DSA_SQE"}) {
    INFO(core);
    CHECK(rules.UseOf("aclnnMatMul_TransData", core) == MatrixUse::kNo);
  }
  for (const char* core : {"MIX_AIC", "KERNEL_MIX_AIC"}) {
    INFO(core);
    CHECK(rules.UseOf("anything", core) == MatrixUse::kYes);
  }
  // These may be either: the name decides.
  for (const char* core : {"AI_CORE", "KERNEL_AICORE", "MIX_AIV", ""}) {
    INFO(core);
    CHECK(rules.UseOf("anything", core) == MatrixUse::kUnknown);
    CHECK(rules.UseOf("aclnnMm_MatMulV2", core) == MatrixUse::kYes);
  }
  REQUIRE(rules.Add("-anything").ok());
  CHECK(rules.UseOf("anything", "MIX_AIC") == MatrixUse::kNo);
}

TEST_CASE("NVIDIA kernels on tensor cores (B42)", "[tensorCores]") {
  const TensorCoreRules rules(Vendor::kNvidia);
  for (const char* name :
       {"volta_fp16_s884cudnn_fp16_256x64_ldg8_relu_f2f_exp_interior_nhwc_tn_v1",
        "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn",
        "turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn",
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1",
        "nvjet_tst_128x256_64x4_2x1_v_bz_TNT", "void flash_fwd_kernel<Flash_fwd_kernel_traits<64>>",
        kWmmaKernel,
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

TEST_CASE("a library's name does not tell what one of its functions does", "[tensorCores]") {
  const TensorCoreRules nvidia(Vendor::kNvidia), unknown(Vendor::kUnknown);
  for (const TensorCoreRules* rules : {&nvidia, &unknown}) {
    for (const char* name :
         {"void deep_gemm::transpose_fp32<512u, 128u, 28u>(float const*)",
          "void deep_gemm::transpose_and_pack_fp32_into_ue8m0<512u, 128u, 28u>(float const*)",
          "void deep_gemm::pack_fp32_into_ue8m0<1u>(__nv_fp8_e4m3*)"}) {
      INFO(name);
      CHECK(rules->UseOf(name) == MatrixUse::kNo);
    }
    CHECK(rules->UseOf("void deep_gemm::get_mn_major_tma_aligned_scale(x)") != MatrixUse::kYes);
    for (const char* name :
         {"void deep_gemm::fp8_gemm_kernel<4096u>(deep_gemm::Layout)",
          "void deep_gemm::sm90_bf16_gemm_impl<1u>(int*)", "void deep_gemm::bf16_gemm_impl<1u>()",
          "void deep_gemm::sm90_fp8_m_grouped_gemm_masked_1d2d_impl<7168u>(float*)",
          "void deep_gemm::sm90_fp8_paged_mqa_logits<1u>(float*)"}) {
      INFO(name);
      CHECK(rules->UseOf(name) == MatrixUse::kYes);
    }
  }
}

TEST_CASE("kernels for GPUs without tensor cores for their type use none", "[tensorCores]") {
  const TensorCoreRules rules(Vendor::kNvidia);
  for (const char* name :
       {"fmha_cutlassF_f32_aligned_64x64_rf_sm50(PyTorchMemEffAttention::AttentionKernel<float>)",
        "fmha_cutlassF_f16_notaligned_64x64_rf_sm50(x)", "fmha_cutlassB_f32_aligned_64x64_k32_sm60",
        "fmha_cutlassF_f32_aligned_64x64_rf_sm75(x)"}) {
    INFO(name);
    CHECK(rules.UseOf(name) == MatrixUse::kNo);
  }
  for (const char* name :
       {"fmha_cutlassF_f16_aligned_64x64_rf_sm70(x)", "fmha_cutlassF_f16_aligned_64x64_rf_sm75(x)",
        "fmha_cutlassF_f32_aligned_64x64_rf_sm80(x)", "fmhaSm100aKernel_QkvE4m3OBfloat16HQk128",
        kSm90Kernel}) {
    INFO(name);
    CHECK(rules.UseOf(name) == MatrixUse::kYes);
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

TEST_CASE("kernels of today's servers and libraries are on matrix units", "[tensorCores]") {
  const TensorCoreRules nvidia(Vendor::kNvidia), amd(Vendor::kAmd), intel(Vendor::kIntel);
  for (const char* name :
       {"bmm_Bfloat16_E2m1E2m1_Fp32_t128x8x512_s6_et128x8_m128x8x64_cga1x1x1_16dp256b_sm100f",
        "bmm_E4m3_E4m3E4m3_Fp32_bA32_bB32_t128x16x128_s6_schedS_sm100a",
        "gemm_Bfloat16_E4m3E4m3_Fp32_t128x64x128_sm100a",
        "void deep_gemm::sm90_fp8_gemm_1d2d_impl<7168u, 2048u>(float*)",
        "void deep_gemm::sm100_fp8_gemm_1d1d_impl<128u>(__nv_fp8_e4m3*)", "_w8a8_block_fp8_matmul",
        "fused_moe_kernel", "_p_matmul_ogs_NNT_bf16xbf16xmxfp4_128x256", kSm100Kernel,
        "void cutlass::device_kernel<flash::FlashAttnFwdSm90<flash::CollectiveMainloopFwdSm90>>",
        "fmhaSm100fKernel_QkvE4m3OBfloat16H128PagedKvCausal",
        "void flashinfer::BatchPrefillWithPagedKVCacheKernel<0>",
        "void flash_fwd_splitkv_mla_kernel<Flash_fwd_kernel_traits_mla<576>>",
        "void marlin::Marlin<__nv_bfloat16, 256, 1, 8, 8, 4>",
        "void at::native::tinygemm_m16n8k16_chunk_kernel<at::native::ALayout_RM<3>>"}) {
    INFO(name);
    CHECK(nvidia.UseOf(name) == MatrixUse::kYes);
  }
  for (const char* name :
       {"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x256x64_MI16x16x1_SN_LDSB1",
        "void ck_tile::kentry<256, ck_tile::GemmKernel<ck_tile::GemmTile1DPartitioner>>",
        "aiter::bf16gemm_fp32bf16_tn_96x64_splitk_clean", "aiter::fmoe_bf16_pertokenFp8_g1u1",
        "paged_attention_ll4mi_QKV_mfma16_kernel", "aiter::mla_a16w16_qh16_m16x4_n16x1_coex0",
        "f4gemm_bf16_per1x32Fp4_BpreShuffle_256x256"}) {
    INFO(name);
    CHECK(amd.UseOf(name) == MatrixUse::kYes);
  }
  CHECK(intel.UseOf("gemm_kernel_dpas_16x32") == MatrixUse::kYes);
}

TEST_CASE("what surely does no products is no matrix kernel, and an unknown name is unknown",
          "[tensorCores]") {
  for (const Vendor vendor : {Vendor::kNvidia, Vendor::kAmd, Vendor::kIntel, Vendor::kUnknown}) {
    const TensorCoreRules rules(vendor);
    for (const char* name :
         {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>",
          "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>",
          "void (anonymous namespace)::softmax_warp_forward<float, float, float, 8, true, false>",
          "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 2>",
          "triton_poi_fused_addmm_relu_0", "triton_red_fused_native_layer_norm_1",
          "void vllm::rms_norm_kernel<c10::BFloat16>", "void splitKreduce_kernel<32, 16, int>",
          "void per_token_group_quant_8bit_kernel<c10::BFloat16>",
          "void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>",
          "void cudnn::cnn::wgrad_alg0_engine<float, 128, 6, 7, 3, 3, 5, false, 512>",
          "void explicit_convolve_sgemm<float, int, 1024, 5, 5, 3, 3, 3, 0, false>",
          "void flash::flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits>"}) {
      INFO(VendorName(vendor) << " " << name);
      CHECK(rules.UseOf(name) == MatrixUse::kNo);
    }
    for (const char* name :
         {"my_custom_kernel", "gemm_kernel", "_matmul_kernel", "triton_red_fused_bmm_2",
          "_fwd_grouped_kernel_stage1", "void causal_conv1d_fwd_kernel<Causal_conv1d_traits>",
          "void moe_wna16_kernel<half>", "void cutlass::device_kernel<Something>"}) {
      INFO(VendorName(vendor) << " " << name);
      CHECK(rules.UseOf(name) == MatrixUse::kUnknown);
    }
  }
  const TensorCoreRules nvidia(Vendor::kNvidia);
  // FP32 on the vector units, in a library whose other kernels use tensor cores.
  CHECK(nvidia.UseOf("sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_stage3_warpsize1x2x1_"
                     "ffma_aligna4_alignc4_execute_kernel__51_cublas") == MatrixUse::kNo);
  CHECK(nvidia.UseOf("void flashinfer::BatchDecodeWithPagedKVCacheKernel<0>") == MatrixUse::kNo);
}

TEST_CASE("the share of kernels whose names do not tell stands beside the share of those that do",
          "[tensorCores]") {
  Drawing d(R"("deviceProperties":[{"id":0,"name":"NVIDIA B200","computeMajor":10}])");
  d.Op("vllm::moe_forward", 0, 30);
  d.Launch(1, 5, 2);
  d.Launch(2, 10, 2);
  d.Op("mine::other", 40, 20);
  d.Launch(3, 45, 2);
  d.Op("aten::add", 70, 20);
  d.Launch(4, 75, 2);
  d.Launch(5, 80, 2);
  d.Kernel("bmm_E4m3_E4m3E4m3_Fp32_t128x16x128_sm100a", 1, 100, 60);
  d.Kernel("void deep_ep::internode_ll::dispatch<true>", 2, 200, 10);
  d.Kernel("some_kernel", 3, 300, 20);
  d.Kernel("void at::native::vectorized_elementwise_kernel<4>", 4, 400, 7);
  d.Kernel("void dpsk::ep::intranode::combine<__nv_bfloat16>", 5, 500, 3);
  const Loaded m = Load(d);
  const TensorCoreRules rules(Vendor::kNvidia);
  const auto kernels = AnalyzeKernels(*m, {}, KernelGrouping::kName, rules, {});
  REQUIRE(kernels.ok());
  CHECK(kernels->total == 100 * kUs);
  CHECK(kernels->tensor_core_total == 60 * kUs);
  CHECK(kernels->tensor_core_unknown_total == 20 * kUs);
  CHECK(kernels->communication_total == 13 * kUs);
  const auto overview = AnalyzeOverview(*m, {}, rules, {});
  REQUIRE(overview.ok());
  CHECK(overview->tensor_core_share == Approx(0.6));
  CHECK(overview->tensor_core_unknown_share == Approx(0.2));
  REQUIRE(overview->gpus.size() == 1);
  CHECK(overview->gpus[0].tensor_core_unknown_share == Approx(0.2));
  const auto ops = AnalyzeOperators(*m, {}, OperatorGrouping::kName, rules, {});
  REQUIRE(ops.ok());
  const Table table = OperatorTable(*m, *ops, OperatorGrouping::kName);
  const auto cell = [&](const std::string& name, const char* column) {
    for (const auto& row : table.rows) {
      if (std::get<std::string>(row[0]) == name) {
        return row[static_cast<size_t>(table.ColumnIndex(column))];
      }
    }
    return Cell(std::string("no row"));
  };
  CHECK(std::get<bool>(cell("vllm::moe_forward", "tensorCoreEligible")));
  CHECK(std::holds_alternative<std::monostate>(cell("mine::other", "tensorCoreEligible")));
  CHECK(std::get<double>(cell("mine::other", "tensorCoreUnknown")) == 1.0);
  CHECK_FALSE(std::get<bool>(cell("aten::add", "tensorCoreEligible")));
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
