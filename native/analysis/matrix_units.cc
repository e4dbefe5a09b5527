#include "analysis/matrix_units.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/ascii.h"
#include "base/text.h"

namespace emberline {
namespace {

template <size_t N>
bool NamesAny(std::string_view text, const std::string_view (&parts)[N]) {
  for (const std::string_view part : parts) {
    if (Contains(text, part)) return true;
  }
  return false;
}

// `shape` with one of `letters` right before it: "s884", "h1688".
bool HasShape(std::string_view name, std::string_view shape, std::string_view letters) {
  for (size_t at = name.find(shape); at != std::string_view::npos; at = name.find(shape, at + 1)) {
    if (at > 0 && letters.find(name[at - 1]) != std::string_view::npos) return true;
  }
  return false;
}

// Shapes of NVIDIA's matrix instructions after a letter for their types.
bool HasMmaShape(std::string_view name) {
  return HasShape(name, "884", "hsidc") || HasShape(name, "1688", "hsic") ||
         Contains(name, "i8816") || HasShape(name, "16816", "hsidcg_") ||
         HasShape(name, "16832", "hsidcg_") || HasShape(name, "16864", "hsidcg_") ||
         HasShape(name, "161616", "hsidcg_");
}

// Tensile: "Cijk_..._MI16x16x16x1_..." names the matrix instruction; "MI0x0" would be none.
bool HasMatrixInstruction(std::string_view name) {
  for (size_t at = name.find("_mi"); at != std::string_view::npos; at = name.find("_mi", at + 1)) {
    size_t i = at + 3;
    const size_t digits = i;
    while (i < name.size() && IsDigit(name[i])) ++i;
    if (i == digits || name[digits] == '0' || i >= name.size() || name[i] != 'x') continue;
    if (i + 1 < name.size() && IsDigit(name[i + 1])) return true;
  }
  return false;
}

// The newest compute capability that a name tells ("sm90", "sm_80", "Sm100Fmha", "sm9x"), times
// ten; 0 when it tells none.
int ArchitectureOf(std::string_view name) {
  constexpr int kKnown[] = {30, 35, 37, 50, 52, 53, 60,  61,  62,  70,  72,  75,
                            80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121};
  int newest = 0;
  for (size_t at = name.find("sm"); at != std::string_view::npos; at = name.find("sm", at + 1)) {
    size_t i = at + 2;
    if (i < name.size() && name[i] == '_') ++i;
    const size_t digits = i;
    int number = 0;
    while (i < name.size() && IsDigit(name[i]) && number < 1000)
      number = number * 10 + name[i++] - '0';
    // A whole generation: "sm9x".
    if (i == digits + 1 && i < name.size() && name[i] == 'x') number *= 10;
    if (std::find(std::begin(kKnown), std::end(kKnown), number) != std::end(kKnown)) {
      newest = std::max(newest, number);
    }
  }
  return newest;
}

constexpr int kFirstWithTensorCores = 70;
constexpr int kFirstWithTf32 = 80;

bool IsWordCharacter(char c) { return IsDigit(c) || (c >= 'a' && c <= 'z'); }

// Whether `word` stands in the name with neither letters nor digits beside it.
bool HasWord(std::string_view name, std::string_view word) {
  for (size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !IsWordCharacter(name[at - 1])) &&
        (end == name.size() || !IsWordCharacter(name[end]))) {
      return true;
    }
  }
  return false;
}

// Whether the name says that it was built for GPUs whose tensor cores, if any, do not multiply its
// type: "fmha_cutlassF_f32_aligned_64x64_rf_sm75".
bool IsBuiltWithoutTensorCores(std::string_view name) {
  const int architecture = ArchitectureOf(name);
  if (architecture == 0 || architecture >= kFirstWithTf32) return false;
  if (architecture < kFirstWithTensorCores) return true;
  return HasWord(name, "f32") && !HasWord(name, "f16") && !HasWord(name, "tf32");
}

// A library of products whose name says nothing about one of its functions; behind it stands the
// function's name. Empty when the name is not of such a library.
std::string_view InProductLibrary(std::string_view name) {
  for (const std::string_view library : {"deep_gemm", "deepgemm"}) {
    const size_t at = name.find(library);
    if (at != std::string_view::npos) return name.substr(at + library.size());
  }
  return {};
}

// Pointwise and reduction kernels of Inductor: the names of the fused operators stand in theirs.
enum class Fused : uint8_t { kNo, kPointwise, kReduction };
Fused InductorKind(std::string_view name) {
  if (Contains(name, "triton_poi_")) return Fused::kPointwise;
  if (Contains(name, "triton_red_") || Contains(name, "triton_per_")) return Fused::kReduction;
  return Fused::kNo;
}

// Words of matrix products, convolutions and attention: a name with one of these and nothing else
// that tells stays unknown.
bool IsProduct(std::string_view name) {
  constexpr std::string_view kWords[] = {
      "gemm",  "matmul", "bmm",   "_mm_",  "::mm", "addmm", "scaled_mm", "grouped_mm", "convol",
      "conv1", "conv2",  "conv3", "conv_", "attn", "mla_",  "_mla",      "attention",  "moe",
      "sdpa",  "mlp",    "_dot_", "lstm",  "gru_", "rnn",   "einsum"};
  return NamesAny(name, kWords);
}

// Parts of products, and products of other units, whose names look like the real thing.
bool IsHelper(std::string_view name) {
  constexpr std::string_view kParts[] = {
      // Vector units.
      "gemv", "dot_kernel", "scudnn", "plicit_convolve_sgemm", "dgrad_engine", "_alg0_engine",
      "_alg1_engine", "cudnn::ops::", "_simt_", "opclasssimt", "universalfma", "_ffma", "gemmsn_",
      "gemmk1", "gemm_kernel2x2", "grouped_direct_kernel", "conv_depthwise", "depthwise_conv",
      "batchdecodewith", "paged_attention_v1", "paged_attention_v2", "_cell_forward",
      "_cell_backward",
      // Before and after the product.
      "splitkreduce", "splitk_reduce", "splitkv_combine", "fwdcombine", "fwd_combine",
      "ll4mi_reduce", "flash_bwd_dot_do_o", "flash_bwd_convert", "flash_bwd_clear", "bwdpreprocess",
      "bwdpostprocess", "bwd_preprocess", "bwd_postprocess", "fmha_bwd_dot_do_o", "fmhabwddotdoo",
      "fmha_bwd_convert", "fmhabwdconvert", "nchwtonhwc", "nhwctonchw", "computeoffsets",
      "offsetskernel", "im2col", "col2im", "im2d2col", "col2im2d", "reduce_1block",
      "batched_transpose", "compute_gemm_pointers", "flip_filter", "generatewinogradtiles",
      "moe_align", "moe_sum", "moe_permute", "moe_unpermute", "topkgating", "topk_gating"};
  return NamesAny(name, kParts);
}

// Types that only matrix units multiply.
bool IsLowPrecisionProduct(std::string_view name) {
  constexpr std::string_view kTypes[] = {"fp8",    "e4m3", "e5m2", "e2m1", "fp4",   "f8f6f4",
                                         "f8gemm", "a8w8", "w8a8", "a4w4", "f4gemm"};
  constexpr std::string_view kProducts[] = {"gemm",      "bmm_", "matmul",
                                            "scaled_mm", "_mm_", "grouped_mm"};
  // What prepares the operands names the product too.
  return !Contains(name, "quant") && NamesAny(name, kTypes) && NamesAny(name, kProducts);
}

// Names that mean the same whatever the vendor.
bool UsesAnywhere(std::string_view name) {
  constexpr std::string_view kTokens[] = {"fmha",
                                          "flash_fwd",
                                          "flash_bwd",
                                          "triton_tem_",  // Inductor's templates
                                          "unified_attention",
                                          "fused_moe_kernel",
                                          "matmul_ogs",
                                          "tiledmma",
                                          "wmma"};
  return NamesAny(name, kTokens) || IsLowPrecisionProduct(name);
}

bool UsesNvidia(std::string_view name) {
  constexpr std::string_view kTokens[] = {
      // Instructions.
      "hmma", "imma", "dmma", "bmma", "qmma", "tensorop", "xmma", "gmma", "warpgroup", "umma",
      "tcgen05", "m16n8k", "m16n16k", "sm80_16x8x", "sm90_64x", "sm100_mma", "sm120_16x8x",
      // Libraries.
      "nvjet", "sdpa", "sparse_gemm", "dgrad_1x1_stride_2x2", "first_layer_wgrad_kernel", "conv1x1",
      "conv2d_c1_k1", "direct_group", "flashattnfwd", "flashattnbwd", "flash::compute_attn",
      "marlin", "machete", "flash_mla", "flashmla", "splitkv_mla", "mlapagedattention",
      "batchprefillwith", "singleprefillwith"};
  if (HasMmaShape(name) || NamesAny(name, kTokens)) return true;
  // Kernels that are built for one architecture: TensorRT-LLM's "bmm_..._sm100f" and the like.
  return (Contains(name, "gemm") || Contains(name, "bmm_")) &&
         ArchitectureOf(name) >= kFirstWithTensorCores;
}

bool UsesAmd(std::string_view name) {
  constexpr std::string_view kTokens[] = {
      "mfma",  "xdl",         "gtcx",          "attn_fwd",   "attn_bwd", "bwd_kernel_dk_dv",
      "fmoe_", "aiter::fmoe", "bwd_kernel_dq", "aiter::mla_"};
  if (HasMatrixInstruction(name) || NamesAny(name, kTokens)) return true;
  // Composable Kernel's tiles and AITER's assembly are written for these units.
  return (Contains(name, "ck_tile::") || Contains(name, "aiter::")) && Contains(name, "gemm");
}

bool UsesIntel(std::string_view name) {
  constexpr std::string_view kTokens[] = {"dpas", "xmx", "systolic", "micro_sdpa", "xetla"};
  return NamesAny(name, kTokens);
}

bool UsesAscend(std::string_view name) {
  constexpr std::string_view kTokens[] = {"matmulv2", "matmulv3", "batchmatmul",
                                          "flashattentionscore", "groupedmatmul"};
  return NamesAny(name, kTokens);
}

// Products of vector units, by names that matrix kernels of the vendor do not have.
bool IsVectorProduct(std::string_view name, Vendor vendor) {
  if (vendor != Vendor::kNvidia) {
    // Tensile writes the matrix instruction into the name.
    constexpr std::string_view kAmd[] = {"naive_conv", "sp3asmconv", "winograd", "_dl_", "cijk_"};
    if (NamesAny(name, kAmd)) return true;
  }
  if (vendor != Vendor::kAmd) {
    constexpr std::string_view kNvidia[] = {
        "maxwell_", "volta_sgemm", "volta_dgemm", "volta_hgemm", "volta_cgemm", "volta_zgemm",
        "_sgemm_",  "_dgemm_",     "_cgemm_",     "_zgemm_",     "magma_sgemm", "winograd"};
    if (NamesAny(name, kNvidia)) return true;
  }
  return false;
}

// Families that do no products at all: elementwise, reductions, normalization, copies, sorting.
bool IsPlain(std::string_view name) {
  constexpr std::string_view kParts[] = {"at::native::",
                                         "elementwise",
                                         "reduce_kernel",
                                         "reduction",
                                         "softmax",
                                         "layer_norm",
                                         "layernorm",
                                         "rmsnorm",
                                         "rms_norm",
                                         "batch_norm",
                                         "batchnorm",
                                         "bn_fw",
                                         "bn_bw",
                                         "group_norm",
                                         "groupnorm",
                                         "catarraybatchedcopy",
                                         "multi_tensor_apply",
                                         "fillfunctor",
                                         "copy_kernel",
                                         "indexselect",
                                         "index_select",
                                         "gather",
                                         "scatter",
                                         "embedding",
                                         "nll_loss",
                                         "cross_entropy",
                                         "max_pool",
                                         "avg_pool",
                                         "maxpool",
                                         "avgpool",
                                         "pooling",
                                         "upsample",
                                         "cumsum",
                                         "scan_kernel",
                                         "devicescan",
                                         "devicereduce",
                                         "radixsort",
                                         "radix_sort",
                                         "topk",
                                         "philox",
                                         "distribution_",
                                         "cub::",
                                         "thrust::",
                                         "rocprim::",
                                         "hipcub::",
                                         "transpose",
                                         "rotary",
                                         "silu",
                                         "gelu_",
                                         "act_and_mul",
                                         "reshape_and_cache",
                                         "memset",
                                         "memcpy",
                                         "dropout",
                                         "subtensorop",
                                         "fft",
                                         "fillbuffer",
                                         "copybuffer",
                                         "quant",
                                         "argmax",
                                         "sampling",
                                         "dma_request"};
  return NamesAny(name, kParts);
}

}  // namespace

MatrixUse MatrixUseOfName(std::string_view name, Vendor vendor) {
  const bool any = vendor == Vendor::kUnknown;
  if ((any || vendor == Vendor::kNvidia) && IsBuiltWithoutTensorCores(name)) return MatrixUse::kNo;
  const std::string_view function = InProductLibrary(name);
  if (!function.empty()) {
    if (IsProduct(function) || Contains(function, "mqa_logits")) return MatrixUse::kYes;
    // Its other kernels prepare operands.
    const bool prepares = Contains(function, "pack") || Contains(function, "aligned_scale");
    return prepares || IsPlain(function) || IsHelper(function) ? MatrixUse::kNo
                                                               : MatrixUse::kUnknown;
  }
  const Fused fused = InductorKind(name);
  if (fused == Fused::kPointwise) return MatrixUse::kNo;
  // A reduction can hold a product that was fused into it.
  if (fused == Fused::kReduction) return IsProduct(name) ? MatrixUse::kUnknown : MatrixUse::kNo;
  if (IsHelper(name)) return MatrixUse::kNo;
  if (UsesAnywhere(name) || ((any || vendor == Vendor::kNvidia) && UsesNvidia(name)) ||
      ((any || vendor == Vendor::kAmd) && UsesAmd(name)) ||
      (vendor == Vendor::kIntel && UsesIntel(name)) || (any && UsesAscend(name))) {
    return MatrixUse::kYes;
  }
  if (IsVectorProduct(name, vendor)) return MatrixUse::kNo;
  if (IsProduct(name)) return MatrixUse::kUnknown;
  return IsPlain(name) ? MatrixUse::kNo : MatrixUse::kUnknown;
}

MatrixUse MatrixUseOfCore(std::string_view core) {
  const auto has = [&](std::string_view part) { return core.find(part) != std::string_view::npos; };
  if (has("MIX_AIC") || has("CUBE")) return MatrixUse::kYes;
  if (has("MIX_")) return MatrixUse::kUnknown;
  const bool none = has("VECTOR_CORE") || has("AIV") || has("AI_CPU") || has("AICPU") || has("DSA");
  return none ? MatrixUse::kNo : MatrixUse::kUnknown;
}

}  // namespace emberline
