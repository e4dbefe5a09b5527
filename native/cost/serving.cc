// Operators of inference servers: vLLM, SGLang, AITER and their kernel libraries. Most write into
// tensors that they are given, which then stand first.
#include "cost/formulas.h"

namespace emberline {
namespace {

// a: position of the input; b: of the weight; c: of the result, -1 for one of its own. weight: 1
// where the weight stands as [K, N] instead of [N, K], 2 where two values share a byte.
void Gemm(CostBuilder& b, const OpFormula& f) {
  const Tensor &x = b.T(static_cast<size_t>(f.a)), &w = b.T(static_cast<size_t>(f.b));
  if (x.rank() < 2 || w.rank() != 2) return b.Unknown(reasons::kNoMatrices);
  const int packed = f.weight == 2 ? 2 : 1;
  const bool k_first = f.weight == 1;
  const Amount k = x.Dim(-1) * packed, other = w.Dim(k_first ? 0 : 1) * packed;
  const Amount m = x.Elements() / x.Dim(-1), n = w.Dim(k_first ? 1 : 0);
  b.Matrix();
  b.Param("M", m);
  b.Param("N", n);
  b.Param("K", k);
  b.Type(packed == 2 ? DType::kFloat4x2 : x.type);
  if (k.known() && other.known() && k.value() != other.value()) {
    return b.Unknown(reasons::kInnerDimensionsDiffer);
  }
  b.Flops(Amount(2) * m * n * k, "2·M·N·K", {{"M", m}, {"N", n}, {"K", k}});
  b.Read("input", x.Bytes());
  b.Read("weight", w.Bytes());
  const bool given = f.c >= 0 && b.Has(static_cast<size_t>(f.c));
  // Narrow products give two-byte results.
  const Amount each = given                  ? b.T(static_cast<size_t>(f.c)).ElementBytes()
                      : BytesOf(x.type) == 1 ? Amount(2)
                                             : x.ElementBytes();
  b.Write("out", m * n * each);
}

// Experts: hidden [M, K], w1 [E, 2·I, K], w2 [E, K, I], one row of w per chosen expert and token.
void FusedExperts(CostBuilder& b, const OpFormula&) {
  const Tensor &x = b.T(0), &w1 = b.T(1), &w2 = b.T(2), &chosen = b.T(3);
  b.Matrix();
  b.cost().type = w1.type;
  if (x.rank() != 2 || w1.rank() != 3 || w2.rank() != 3 || chosen.rank() != 2) {
    return b.Unknown(reasons::kNotExperts);
  }
  const Amount rows = chosen.Elements(), experts = w1.Dim(0);
  const Amount per_expert = w1.Dim(1) * x.Dim(1) + w2.Dim(1) * w2.Dim(2);
  b.Param("tokens", x.Dim(0));
  b.Param("chosen", chosen.Dim(1));
  b.Param("experts", experts);
  b.Type(w1.type);
  b.UpperBound();  // how many experts are met is data
  b.Flops(Amount(2) * rows * per_expert, "2·tokens·chosen·(2·I·K + K·I)",
          {{"tokens·chosen", rows}, {"weights of an expert", per_expert}});
  const Amount met = Least(rows, experts);
  b.Read("hidden", x.Bytes());
  b.Read("experts met", met * (w1.Dim(1) * w1.Dim(2) * w1.ElementBytes() +
                               w2.Dim(1) * w2.Dim(2) * w2.ElementBytes()));
  b.Write("out", x.Elements() * x.ElementBytes());
}

// rms_norm(out, in, weight, eps).
void RmsNormInto(CostBuilder& b, const OpFormula&) {
  const Tensor &out = b.T(0), &x = b.T(1), &w = b.T(2);
  const Amount n = x.Elements();
  b.ParamTensor(x);
  b.Flops(Amount(4) * n, "4·n", {{"n", n}});
  b.Read("input", x.Bytes());
  b.Read("weight", w.Bytes());
  b.Write("out", out.Elements() * out.ElementBytes());
}

// fused_add_rms_norm(x, residual, weight, eps): both are written in place.
void AddRmsNormInPlace(CostBuilder& b, const OpFormula&) {
  const Tensor &x = b.T(0), &residual = b.T(1), &w = b.T(2);
  const Amount n = x.Elements();
  b.ParamTensor(x);
  b.Flops(Amount(5) * n, "5·n", {{"n", n}});
  b.Read("input and residual", x.Bytes() + residual.Bytes());
  b.Read("weight", w.Bytes());
  b.Write("input and residual", n * x.ElementBytes() + n * residual.ElementBytes());
}

// add_rmsnorm(out, in, residual_in, residual_out, weight, eps).
void AddRmsNormInto(CostBuilder& b, const OpFormula&) {
  const Tensor &out = b.T(0), &x = b.T(1), &residual = b.T(2), &kept = b.T(3), &w = b.T(4);
  const Amount n = x.Elements();
  b.ParamTensor(x);
  b.Flops(Amount(5) * n, "5·n", {{"n", n}});
  b.Read("input and residual", x.Bytes() + residual.Bytes());
  b.Read("weight", w.Bytes());
  b.Write("out and residual",
          out.Elements() * out.ElementBytes() + kept.Elements() * kept.ElementBytes());
}

// silu_and_mul(out [.., d], in [.., 2·d]).
void ActAndMul(CostBuilder& b, const OpFormula&) {
  const Tensor &out = b.T(0), &x = b.T(1);
  const Amount n = out.Elements();
  b.ParamTensor(x);
  b.Flops(Amount(2) * n, "2·n of the result", {{"n", n}});
  b.Read("input", x.Bytes());
  b.Write("out", n * out.ElementBytes());
}

// rotary_embedding(positions, query, key, head_size, cos_sin_cache, is_neox), in place: each
// element meets a sine and a cosine.
void Rotary(CostBuilder& b, const OpFormula&) {
  const Tensor &positions = b.T(0), &q = b.T(1), &k = b.T(2), &table = b.T(4);
  Amount n = q.Elements(), bytes = q.Elements() * q.ElementBytes();
  if (k.present) {
    n += k.Elements();
    bytes += k.Elements() * k.ElementBytes();
  }
  b.ParamTensor(q);
  b.Flops(Amount(3) * n, "3·n", {{"n", n}});
  b.Read("positions", positions.Bytes());
  b.Read("query and key", bytes);
  b.Read("sines", positions.Elements() * table.Dim(-1) * table.ElementBytes());
  b.Write("query and key", bytes);
}

// store_cache(k, v, k_cache, v_cache, slots): each key and value moves to its slot.
void StoreCache(CostBuilder& b, const OpFormula&) {
  const Tensor &k = b.T(0), &v = b.T(1), &slots = b.T(4);
  b.ParamTensor(k);
  b.Flops(0, "moves data only");
  b.Read("keys and values", k.Bytes() + v.Bytes());
  b.Read("slots", slots.Bytes());
  b.Write("cache", k.Elements() * b.T(2).ElementBytes() + v.Elements() * b.T(3).ElementBytes());
}

constexpr OpFormula M(int input, int weight, int out = -1, double form = 0,
                      bool composite = false) {
  return {OpClass::kMatmul, composite, Gemm, form, input, weight, out};
}
constexpr OpFormula Of(OpClass op_class, void (*compute)(CostBuilder&, const OpFormula&),
                       bool composite = false) {
  return {op_class, composite, compute};
}

constexpr NamedFormula kFormulas[] = {
    {"aiter::gemm_a16w16", M(0, 1, -1, 0, true)},
    {"aiter::gemm_a8w8", M(0, 1, 4)},
    {"aiter::gemm_a8w8_blockscale", M(0, 1, 4)},
    {"aiter::gemm_a8w8_bpreshuffle", M(0, 1, 4)},
    {"aiter::gemm_a4w4_asm", M(0, 1, 4, 2)},
    {"vllm::rocm_unquantized_gemm_impl", M(0, 1, -1, 0, true)},
    {"vllm::rocm_unquantized_gemm", M(0, 1, -1, 0, true)},
    {"_C::cutlass_scaled_mm", M(1, 2, 0, 1)},
    {"_C::cutlass_scaled_fp4_mm", M(1, 2, 0, 2)},
    {"sgl_kernel::fp8_scaled_mm", M(0, 1, -1, 1)},
    {"sgl_kernel::int8_scaled_mm", M(0, 1, -1, 1)},
    {"sgl_kernel::fp8_blockwise_scaled_mm", M(0, 1, -1, 1)},
    {"sgl_kernel::cutlass_scaled_fp4_mm", M(1, 2, 0, 2)},
    {"vllm::inplace_fused_experts", Of(OpClass::kMatmul, FusedExperts)},
    {"vllm::outplace_fused_experts", Of(OpClass::kMatmul, FusedExperts)},
    {"sglang::inplace_fused_experts", Of(OpClass::kMatmul, FusedExperts)},
    {"sglang::outplace_fused_experts", Of(OpClass::kMatmul, FusedExperts)},
    {"aiter::fused_moe_", Of(OpClass::kMatmul, FusedExperts)},
    {"aiter::rmsnorm", Of(OpClass::kNormalization, RmsNormInto)},
    {"aiter::rms_norm", Of(OpClass::kNormalization, RmsNormInto)},
    {"_C::rms_norm", Of(OpClass::kNormalization, RmsNormInto)},
    {"sgl_kernel::rmsnorm", Of(OpClass::kNormalization, RmsNormInto)},
    {"_C::fused_add_rms_norm", Of(OpClass::kNormalization, AddRmsNormInPlace)},
    {"sgl_kernel::fused_add_rmsnorm", Of(OpClass::kNormalization, AddRmsNormInPlace)},
    {"aiter::add_rmsnorm", Of(OpClass::kNormalization, AddRmsNormInto)},
    {"_C::silu_and_mul", Of(OpClass::kPointwise, ActAndMul)},
    {"_C::gelu_and_mul", Of(OpClass::kPointwise, ActAndMul)},
    {"sgl_kernel::silu_and_mul", Of(OpClass::kPointwise, ActAndMul)},
    {"sgl_kernel::gelu_and_mul", Of(OpClass::kPointwise, ActAndMul)},
    {"aiter::silu_and_mul", Of(OpClass::kPointwise, ActAndMul)},
    {"_C::rotary_embedding", Of(OpClass::kPointwise, Rotary)},
    {"sgl_kernel::rotary_embedding", Of(OpClass::kPointwise, Rotary)},
    {"sglang::store_cache", Of(OpClass::kMovement, StoreCache)},
    {"_C_cache_ops::reshape_and_cache_flash", Of(OpClass::kMovement, StoreCache)},
};

}  // namespace

std::span<const NamedFormula> ServingFormulas() { return kFormulas; }

}  // namespace emberline
