// Scaled dot product attention: two products over the attended pairs, five in backward, which
// computes the scores again.
#include <algorithm>

#include "cost/formulas.h"

namespace emberline {
namespace {

enum class Mask : uint8_t { kFull, kCausalTopLeft, kCausalBottomRight };

// Pairs of a query and a key that are multiplied.
Amount Pairs(Amount queries, Amount keys, Mask mask) {
  const Amount all = queries * keys;
  if (!all.known() || mask == Mask::kFull) return all;
  const int64_t q = queries.value(), k = keys.value();
  const auto triangle = [](int64_t n) {  // 1 + 2 + ... + n
    return n % 2 == 0 ? Amount(n / 2) * (n + 1) : Amount(n) * ((n + 1) / 2);
  };
  if (mask == Mask::kCausalTopLeft) {
    const int64_t rising = std::min(q, k);
    return triangle(rising) + Amount(q - rising) * k;
  }
  // Row i sees the first k - q + i + 1 keys, none below 0.
  const int64_t rows = std::min(q, k);
  if (q >= k) return triangle(rows);
  return Amount(q) * (k - q) + triangle(q);
}

// Where the arguments of one operator stand; -1: it has none.
struct Positions {
  int q = 0, k = 1, v = 2, bias = -1;
  int causal = -1;  // a bool, or of the memory-efficient kernels a code
  bool causal_code = false;
  int out = -1, gradient = -1;  // of backward
  bool heads_second = true;     // B,H,S,D; else B,S,H,D
  int lengths = -1;             // cumulative lengths: all sequences lie in one dimension
  int max_q = -1, max_k = -1;
  bool bottom_right = false;  // where queries and keys differ in number
  int statistics = -1;        // a bool: whether the log-sum-exp is kept; it is unless told
};

struct Shape {
  Amount batch = 1, heads = 1, key_heads = 1, queries = 0, keys = 0, depth = 0, value_depth = 0;
};

Mask MaskOf(const Arguments& args, const Positions& at) {
  if (at.causal < 0) return Mask::kFull;
  const auto index = static_cast<size_t>(at.causal);
  if (at.causal_code) {
    const int64_t code = args.Integer(index).value_or(0);
    return code == 1 ? Mask::kCausalTopLeft : code == 2 ? Mask::kCausalBottomRight : Mask::kFull;
  }
  if (args.Flag(index) != true) return Mask::kFull;
  return at.bottom_right ? Mask::kCausalBottomRight : Mask::kCausalTopLeft;
}

// Grouped queries: several heads of q share one of k and v.
bool HeadsFit(Amount heads, Amount shared) {
  if (!heads.known() || !shared.known()) return true;
  return shared.value() > 0 && heads.value() % shared.value() == 0;
}

// Sizes of one call; a literal that tells why not, or null.
const Sentence* ReadShape(CostBuilder& b, const Positions& at, Shape& s, bool* varied) {
  const Tensor& q = b.T(static_cast<size_t>(at.q));
  const Tensor& k = b.T(static_cast<size_t>(at.k));
  const Tensor& v = b.T(static_cast<size_t>(at.v));
  *varied = false;
  if (q.rank() == 3 && k.rank() == 3 && v.rank() == 3 && at.lengths >= 0) {
    // All sequences in one dimension: [ΣS, H, D].
    const Tensor& lengths = b.T(static_cast<size_t>(at.lengths));
    if (lengths.rank() != 1 || lengths.dims[0] < 2) return &reasons::kNoLengths;
    *varied = true;
    s.batch = lengths.dims[0] - 1;
    s.heads = q.Dim(1);
    s.key_heads = k.Dim(1);
    const auto longest = [&](int index, const Tensor& all) -> Amount {
      if (index < 0) return all.Dim(0);
      const auto value = b.arguments().Integer(static_cast<size_t>(index));
      return value ? Amount(*value) : Amount::Unknown(reasons::kNoLongestSequence);
    };
    s.queries = longest(at.max_q, q);
    s.keys = longest(at.max_k, k);
    s.depth = q.Dim(2);
    s.value_depth = v.Dim(2);
    if (!HeadsFit(s.heads, s.key_heads) || !SameSize(s.key_heads, v.Dim(1)) ||
        !SameSize(s.depth, k.Dim(2))) {
      return &reasons::kShapesDoNotFit;
    }
    return nullptr;
  }
  if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) return &reasons::kNotAttention;
  const int heads = at.heads_second ? 1 : 2, length = at.heads_second ? 2 : 1;
  s = {q.Dim(0), q.Dim(heads), k.Dim(heads), q.Dim(length), k.Dim(length), q.Dim(3), v.Dim(3)};
  if (q.dims[0] != k.dims[0] || q.dims[3] != k.dims[3] ||
      k.dims[static_cast<size_t>(length)] != v.dims[static_cast<size_t>(length)] ||
      !HeadsFit(s.heads, s.key_heads) || !SameSize(s.key_heads, v.Dim(heads))) {
    return &reasons::kShapesDoNotFit;
  }
  return nullptr;
}

void Attention(CostBuilder& b, const Positions& at) {
  b.Matrix();
  const Tensor& q = b.T(static_cast<size_t>(at.q));
  const Tensor& k = b.T(static_cast<size_t>(at.k));
  const Tensor& v = b.T(static_cast<size_t>(at.v));
  b.cost().type = q.type;
  Shape s;
  bool varied = false;
  if (const Sentence* why = ReadShape(b, at, s, &varied)) return b.Unknown(*why);
  const Mask mask = MaskOf(b.arguments(), at);
  Amount pairs = Pairs(s.queries, s.keys, mask);
  if (varied) {
    // Every sequence as long as the longest, and no more than all tokens of it against all.
    const Amount of_all = q.Dim(0) * s.keys;
    const Amount bound = s.batch * pairs;
    pairs = Least(bound, of_all);
    b.UpperBound();
  }
  const Amount batch = varied ? Amount(1) : s.batch;
  b.Param("B", s.batch);
  b.Param("Hq", s.heads);
  b.Param("Hk", s.key_heads);
  b.Param("Sq", s.queries);
  b.Param("Sk", s.keys);
  b.Param("D", s.depth);
  b.Param(mask == Mask::kFull ? "full" : "causal");
  b.Type(q.type);
  const bool backward = at.gradient >= 0;
  const Amount depths =
      backward ? Amount(3) * s.depth + Amount(2) * s.value_depth : s.depth + s.value_depth;
  b.Flops(Amount(2) * batch * s.heads * pairs * depths,
          backward ? "2·B·Hq·A·(3·Dk+2·Dv), A pairs" : "2·B·Hq·A·(Dk+Dv), A pairs",
          {{"B", batch}, {"Hq", s.heads}, {"A", pairs}, {"Dk", s.depth}, {"Dv", s.value_depth}});
  const Amount rows = varied ? q.Dim(0) * s.heads : s.batch * s.heads * s.queries;
  const Amount out = rows * s.value_depth * q.ElementBytes();
  b.Read("q", q.Bytes());
  b.Read("k", k.Bytes());
  b.Read("v", v.Bytes());
  if (at.bias >= 0) b.ReadTensor("bias", static_cast<size_t>(at.bias));
  if (!backward) {
    b.Write("out", out);
    const bool dropped =
        at.statistics >= 0 && b.arguments().Flag(static_cast<size_t>(at.statistics)) == false;
    if (!dropped) b.Write("log-sum-exp", rows * 4);
    return;
  }
  b.Read("gradient", b.T(static_cast<size_t>(at.gradient)).Bytes());
  b.Read("out", at.out >= 0 && b.Has(static_cast<size_t>(at.out))
                    ? b.T(static_cast<size_t>(at.out)).Bytes()
                    : out);
  b.Read("log-sum-exp", rows * 4);
  b.Write("dq", q.Elements() * q.ElementBytes());
  b.Write("dk", k.Elements() * k.ElementBytes());
  b.Write("dv", v.Elements() * v.ElementBytes());
}

//                                  q  k  v bias causal code out grad heads lengths max_q max_k
constexpr Positions kSdpa{0, 1, 2, 3, 5};
constexpr Positions kFlash{0, 1, 2, -1, 4};
constexpr Positions kFlashForward{0, 1, 2, -1, 8, false, -1, -1, false, 3, 5, 6, true};
constexpr Positions kEfficient{.q = 0, .k = 1, .v = 2, .bias = 3, .causal = 6, .statistics = 4};
constexpr Positions kEfficientForward{0, 1, 2, 3, 9, true, -1, -1, false, 4, 6, 7, false, 10};
constexpr Positions kCudnn = kEfficient;
// _cudnn_attention_forward(q, k, v, bias, cu_q, cu_k, max_q, max_k, keeps statistics, dropout,
// causal, ...): what the operator above it calls since PyTorch 2.7.
constexpr Positions kCudnnForward{0, 1, 2, 3, 10, false, -1, -1, true, 4, 6, 7, false, 8};
constexpr Positions kFlashBackward{1, 2, 3, -1, 11, false, 4, 0, true, 6, 8, 9};
constexpr Positions kEfficientBackward{1, 2, 3, 4, 11, false, 5, 0};
constexpr Positions kCudnnBackward{1, 2, 3, 8, 14, false, 4, 0, true, 9, 11, 12};
constexpr Positions kFlashKernelBackward{1, 2, 3, -1, 11, false, 4, 0, false, 6, 8, 9, true};
constexpr Positions kEfficientKernelBackward{1, 2, 3, 4, 14, true, 5, 0, false, 6, 8, 9};
// flash_attn::_flash_attn_forward(q, k, v, dropout, scale, causal).
constexpr Positions kFlashLibrary{0, 1, 2, -1, 5, false, -1, -1, false, -1, -1, -1, true};
// flash_attn::_flash_attn_varlen_forward(q, k, v, cu_q, cu_k, max_q, max_k, dropout, scale,
// causal).
constexpr Positions kFlashLibraryVaried{0, 1, 2, -1, 9, false, -1, -1, false, 3, 5, 6, true};
// aiter::mha_fwd(q, k, v, dropout, scale, causal).
constexpr Positions kAiter{0, 1, 2, -1, 5, false, -1, -1, false, -1, -1, -1, true};

template <const Positions& at>
void Of(CostBuilder& b, const OpFormula&) {
  Attention(b, at);
}

// aiter::mha_batch_prefill(q [ΣS,H,D], k and v in pages, cu_q, kv_indptr, kv_page_indices, max_q,
// max_k, ...): how many keys each sequence has is in the pages. Without a history they are the
// queries themselves, which the count of page entries tells.
void BatchPrefill(CostBuilder& b, const OpFormula&) {
  b.Matrix();
  const Tensor &q = b.T(0), &k = b.T(1), &offsets = b.T(3), &pages = b.T(5);
  b.cost().type = q.type;
  const auto longest_q = b.arguments().Integer(6), longest_k = b.arguments().Integer(7);
  const auto causal = b.arguments().Flag(12);
  if (q.rank() != 3 || k.rank() < 3 || offsets.rank() != 1 || offsets.dims[0] < 2 || !longest_q ||
      !longest_k || !causal) {
    return b.Unknown(reasons::kNoSequenceLengths);
  }
  const Amount sequences = offsets.dims[0] - 1;
  const Amount each =
      Pairs(*longest_q, *longest_k, *causal ? Mask::kCausalBottomRight : Mask::kFull);
  const Amount pairs = Least(sequences * each, q.Dim(0) * *longest_k);
  const Amount heads = q.Dim(1), depth = q.Dim(2);
  b.UpperBound();
  b.Param("B", sequences);
  b.Param("Hq", heads);
  b.Param("Hk", k.Dim(-2));
  b.Param("Sq", *longest_q);
  b.Param("Sk", *longest_k);
  b.Param("D", depth);
  b.Param(*causal ? "causal" : "full");
  b.Type(q.type);
  b.Flops(Amount(4) * heads * pairs * depth, "4·Hq·A·D, at most A pairs",
          {{"Hq", heads}, {"A", pairs}, {"D", depth}});
  b.Read("q", q.Bytes());
  // One entry of the page table for each key of a page of one.
  const Amount keys = Least(sequences * *longest_k, pages.Elements());
  b.Read("keys and values", Amount(2) * keys * k.Dim(-2) * k.Dim(-1) * k.ElementBytes());
  b.Write("out", q.Elements() * q.ElementBytes());
}

constexpr OpFormula F(void (*compute)(CostBuilder&, const OpFormula&), bool composite = false) {
  return {OpClass::kAttention, composite, compute};
}

constexpr NamedFormula kFormulas[] = {
    {"aten::scaled_dot_product_attention", F(Of<kSdpa>, true)},
    {"aten::_scaled_dot_product_flash_attention", F(Of<kFlash>)},
    {"aten::_flash_attention_forward", F(Of<kFlashForward>)},
    {"aten::_scaled_dot_product_efficient_attention", F(Of<kEfficient>)},
    {"aten::_efficient_attention_forward", F(Of<kEfficientForward>)},
    {"aten::_scaled_dot_product_cudnn_attention", F(Of<kCudnn>)},
    {"aten::_cudnn_attention_forward", F(Of<kCudnnForward>, true)},
    {"aten::_scaled_dot_product_flash_attention_backward", F(Of<kFlashBackward>)},
    {"aten::_scaled_dot_product_efficient_attention_backward", F(Of<kEfficientBackward>)},
    {"aten::_scaled_dot_product_cudnn_attention_backward", F(Of<kCudnnBackward>)},
    {"aten::_cudnn_attention_backward", F(Of<kCudnnBackward>)},
    {"aten::_flash_attention_backward", F(Of<kFlashKernelBackward>)},
    {"aten::_efficient_attention_backward", F(Of<kEfficientKernelBackward>)},
    {"flash_attn::_flash_attn_forward", F(Of<kFlashLibrary>)},
    {"flash_attn::_flash_attn_varlen_forward", F(Of<kFlashLibraryVaried>)},
    {"aiter::mha_fwd", F(Of<kAiter>)},
    {"aiter::fmha_v3_fwd", F(Of<kAiter>)},
    {"aiter::mha_batch_prefill", F(BatchPrefill)},
};

}  // namespace

std::span<const NamedFormula> AttentionFormulas() { return kFormulas; }

}  // namespace emberline
