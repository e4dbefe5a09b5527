// Kernels that torch.compile wrote, recorded as operators with all their pointers, results
// included. What they read and write is estimated: a pointer may be read in part, or written too.
#include <algorithm>
#include <array>

#include "cost/formulas.h"

namespace emberline {
namespace {

struct FusedWord {
  std::string_view word;
  int weight;  // operations per element
};

// Operators that names of fused kernels hold, longer ones before those that they begin with.
constexpr FusedWord kWords[] = {{"native_layer_norm_backward", 13},
                                {"native_layer_norm", 8},
                                {"native_batch_norm_backward", 9},
                                {"native_batch_norm", 8},
                                {"native_group_norm", 8},
                                {"native_dropout_backward", 2},
                                {"native_dropout", 2},
                                {"log_softmax_backward", 4},
                                {"softmax_backward_data", 4},
                                {"log_softmax", 5},
                                {"softmax", 5},
                                {"gelu_backward", 2},
                                {"silu_backward", 2},
                                {"threshold_backward", 1},
                                {"sigmoid_backward", 2},
                                {"addcmul", 3},
                                {"addcdiv", 3},
                                {"var_mean", 4},
                                {"maximum", 1},
                                {"minimum", 1},
                                {"rsqrt", 1},
                                {"sigmoid", 1},
                                {"softplus", 1},
                                {"reciprocal", 1},
                                {"clamp", 1},
                                {"relu", 1},
                                {"gelu", 1},
                                {"silu", 1},
                                {"tanh", 1},
                                {"sqrt", 1},
                                {"mean", 1},
                                {"lerp", 3},
                                {"add", 1},
                                {"sub", 1},
                                {"mul", 1},
                                {"div", 1},
                                {"pow", 1},
                                {"exp", 1},
                                {"log", 1},
                                {"neg", 1},
                                {"abs", 1},
                                {"sum", 1},
                                {"amax", 1},
                                {"sin", 1},
                                {"cos", 1}};

// Words that hold one of the above and do no arithmetic of it: matrix products are no part of such
// kernels, their names only say what stood beside.
constexpr std::string_view kWithoutArithmetic[] = {"addmm", "embedding_dense_backward",
                                                   "select_backward", "slice_backward"};

bool StartsWord(std::string_view text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  return text.size() == word.size() || text[word.size()] == '_';
}

int WeightOf(std::string_view name) {
  int weight = 0;
  size_t at = 0;
  while (at < name.size()) {
    const std::string_view rest = name.substr(at);
    size_t length = 0;
    for (const std::string_view word : kWithoutArithmetic) {
      if (StartsWord(rest, word)) length = word.size();
    }
    for (const FusedWord& fused : kWords) {
      if (length > 0) break;
      if (!StartsWord(rest, fused.word)) continue;
      weight += fused.weight;
      length = fused.word.size();
    }
    at = name.find('_', at + std::max<size_t>(length, 1));
    if (at == std::string_view::npos) break;
    ++at;
  }
  return weight;
}

void Pointers(CostBuilder& b, const OpFormula&) {
  size_t last = 0;
  bool any = false;
  Amount largest = 0;
  for (size_t i = 0; i < b.arguments().size(); ++i) {
    if (!b.Has(i)) continue;
    last = i;
    any = true;
    const Amount n = b.T(i).Elements();
    if (!n.known()) return b.Unknown(*n.why());
    if (n.value() > largest.value()) {
      largest = n;
      b.cost().type = b.T(i).type;
    }
  }
  if (!any) return b.Unknown(reasons::kNoPointers);
  // Numels stand behind the pointers: each program reads a pointer once at most, and a pointer into
  // a large table is read in part.
  Amount programs = 1;
  for (size_t i = 0; i < b.arguments().size(); ++i) {
    const auto number = b.Has(i) ? std::nullopt : b.arguments().Integer(i);
    if (number && *number > 0) programs *= *number;
  }
  const bool bounded = programs.known() && programs.value() > 1;
  if (bounded) largest = Least(largest, programs);
  const auto traffic = [&](const Tensor& tensor) {
    const Amount all = tensor.Bytes();
    return bounded ? Least(all, programs * tensor.ElementBytes()) : all;
  };
  b.Estimate();
  b.Param("n", largest);
  b.Param(ShortName(b.cost().type));
  const int weight = WeightOf(b.name());
  b.Flops(Amount(weight) * largest, "w·n by the operators in the kernel's name",
          {{"w", weight}, {"n", largest}});
  for (size_t i = 0; i < b.arguments().size(); ++i) {
    if (b.Has(i) && i != last) b.Read("pointer", traffic(b.T(i)));
  }
  b.Write("last pointer", traffic(b.T(last)));
}

// triton_tem_fused_mm_0(a [M,K], b [K,N], ..., out).
void Template(CostBuilder& b, const OpFormula& f) {
  const std::string_view name = b.name();
  const bool batched = name.find("bmm") != std::string_view::npos;
  if (name.find("mm") == std::string_view::npos) {
    Pointers(b, f);
    b.cost().flops = Amount::Unknown(reasons::kUnknownProduct);
    b.cost().flops_formula.clear();
    return b.Matrix();
  }
  // addmm and epilogues put other tensors first: the two factors share K, and the result has M, N.
  std::vector<const Tensor*> matrices;
  for (size_t i = 0; i < b.arguments().size(); ++i) {
    if (b.Has(i) && b.T(i).rank() == (batched ? 3u : 2u)) matrices.push_back(&b.T(i));
  }
  b.Matrix();
  for (size_t i = 0; i + 1 < matrices.size(); ++i) {
    const Tensor &x = *matrices[i], &y = *matrices[i + 1];
    if (x.Dim(-1).value() != y.Dim(-2).value()) continue;
    const Amount batch = batched ? x.Dim(0) : Amount(1);
    const Amount m = x.Dim(-2), n = y.Dim(-1), k = x.Dim(-1);
    b.Estimate();
    b.Param("M", m);
    b.Param("N", n);
    b.Param("K", k);
    b.Type(x.type);
    b.Flops(Amount(2) * batch * m * n * k, "2·B·M·N·K",
            {{"B", batch}, {"M", m}, {"N", n}, {"K", k}});
    b.Read("a", x.Bytes());
    b.Read("b", y.Bytes());
    return b.Write("out", batch * m * n * x.ElementBytes());
  }
  b.Unknown(reasons::kNoFactors);
}

constexpr OpFormula kPointers = {OpClass::kCompiled, false, Pointers};
constexpr OpFormula kTemplate = {OpClass::kCompiled, false, Template};

}  // namespace

const OpFormula* CompiledFormula(std::string_view name) {
  if (!name.starts_with("triton_")) return nullptr;
  if (name.starts_with("triton_tem_")) return &kTemplate;
  constexpr std::string_view kKinds[] = {"triton_poi_", "triton_red_", "triton_per_", "triton_for_",
                                         "triton_spl_"};
  for (const std::string_view kind : kKinds) {
    if (name.starts_with(kind)) return &kPointers;
  }
  return nullptr;
}

}  // namespace emberline
