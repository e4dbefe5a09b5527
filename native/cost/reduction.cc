// Reductions, softmax, scans.
#include <algorithm>
#include <set>

#include "cost/formulas.h"

namespace emberline {
namespace {

// The dimensions that argument `index` names, from 0; none where it names none. Sums, products and
// means of a whole tensor have a type there instead.
std::optional<std::vector<int64_t>> Dimensions(CostBuilder& b, size_t index) {
  if (b.arguments().size() == 2 && b.arguments()[index].text.find('[') == std::string::npos) {
    for (const char* name : {"aten::sum", "aten::nansum", "aten::prod", "aten::mean"}) {
      if (b.name() == name) return std::nullopt;
    }
  }
  return b.arguments().Integers(index);
}

// False where a tensor of that rank lacks one of the dimensions, or one stands twice: no such call
// can have run. A scalar is treated as having one dimension, as PyTorch does.
bool Fit(const std::vector<int64_t>& dimensions, int64_t rank) {
  rank = std::max<int64_t>(rank, 1);
  std::set<int64_t> seen;
  return std::all_of(dimensions.begin(), dimensions.end(), [&](int64_t dim) {
    return dim >= -rank && dim < rank && seen.insert(dim < 0 ? dim + rank : dim).second;
  });
}

// Where argument `index` is one dimension of `x`, as far as was recorded.
bool FitOne(CostBuilder& b, const Tensor& x, size_t index) {
  const auto dim = b.arguments().Integer(index);
  return !dim || Fit({*dim}, static_cast<int64_t>(x.rank()));
}

// Elements that remain when `dimensions`, those of argument `index`, are reduced. They fit; an
// empty list and no list at all stand for all dimensions.
Amount Remaining(CostBuilder& b, const Tensor& x, size_t index,
                 const std::optional<std::vector<int64_t>>& dimensions) {
  // Without recorded values nobody knows; with them, None reduces all.
  if (b.arguments()[index].text.empty() && !b.arguments().has_values()) {
    return Amount::Unknown(reasons::kNoReducedDimensions);
  }
  if (!dimensions || dimensions->empty()) return 1;
  const auto rank = static_cast<int64_t>(x.rank());
  std::set<int64_t> reduced;
  for (const int64_t dim : *dimensions) reduced.insert(dim < 0 ? dim + rank : dim);
  Amount left = 1;
  for (int64_t i = 0; i < rank; ++i) {
    if (reduced.count(i) == 0) left *= x.Dim(static_cast<int>(i));
  }
  return left;
}

// What is written beside the values.
enum class Also : int { kNothing, kOnlyIndexes, kIndexes, kSecond, kBool };

// weight: operations per element that is read; a: position of the dimensions; b: an Also; c: 1 for
// one more operation per result.
void Reduce(CostBuilder& b, const OpFormula& f) {
  const Tensor& x = b.T(0);
  // max(a, b) of two tensors with dimensions is elementwise.
  if (b.Has(1) && b.T(1).rank() > 0 && (b.name() == "aten::max" || b.name() == "aten::min")) {
    const Tensor& y = b.T(1);
    const Amount n = BroadcastElements({&x, &y});
    b.ParamTensor(x);
    b.Flops(n, "n of the result", {{"n", n}});
    b.Read("input", x.Bytes());
    b.Read("input", y.Bytes());
    return b.Write("out", n * x.ElementBytes());
  }
  const auto also = static_cast<Also>(f.b);
  const auto at = static_cast<size_t>(f.a);
  const auto dimensions = Dimensions(b, at);
  if (dimensions && !Fit(*dimensions, static_cast<int64_t>(x.rank()))) {
    return b.Unknown(reasons::kReducedDimensionMissing);
  }
  const Amount n = x.Elements(), left = Remaining(b, x, at, dimensions);
  b.ParamTensor(x);
  const Amount flops = Amount(static_cast<int64_t>(f.weight)) * n + (f.c > 0 ? left : Amount(0));
  // A sum needs no shape of its result.
  b.Flops(f.c > 0 ? flops : Amount(static_cast<int64_t>(f.weight)) * n,
          f.c > 0 ? "w·n + results" : "w·n",
          {{"w", static_cast<int64_t>(f.weight)}, {"n", n}, {"results", left}});
  b.Read("input", x.Bytes());
  if (also == Also::kBool) return b.Write("out", left);
  if (also == Also::kOnlyIndexes) return b.Write("indexes", left * 8);
  Amount each = x.ElementBytes();
  const bool sums = b.name().starts_with("aten::sum") || b.name().starts_with("aten::prod");
  if (sums && x.type != DType::kUnknown && CategoryOf(x.type) < DTypeCategory::kFloat) each = 8;
  const size_t type_at = b.arguments().size() == 2 ? 1 : 3;
  const auto code =
      sums || b.name() == "aten::mean" ? b.arguments().Integer(type_at) : std::nullopt;
  if (code && BytesOf(DTypeOfCode(*code)) > 0) each = BytesOf(DTypeOfCode(*code));
  b.Write("out", left * each);
  if (also == Also::kSecond) b.Write("mean", left * each);
  // Of the whole tensor, max and min write no index.
  if (also == Also::kIndexes && b.arguments()[1].kind == ArgumentKind::kValue) {
    b.Write("indexes", left * 8);
  }
}

// b: 1 when indexes are written too.
void Scan(CostBuilder& b, const OpFormula& f) {
  const Tensor& x = b.T(0);
  const Amount n = x.Elements();
  b.ParamTensor(x);
  if (f.b == 0 && !FitOne(b, x, 1)) return b.Unknown(reasons::kReducedDimensionMissing);
  b.Flops(n, "n", {{"n", n}});
  b.Read("input", x.Bytes());
  const bool small = x.type != DType::kUnknown && CategoryOf(x.type) < DTypeCategory::kFloat;
  b.Write("out", n * (small && f.b == 0 ? Amount(8) : x.ElementBytes()));
  if (f.b > 0) b.Write("indexes", n * 8);
}

void Softmax(CostBuilder& b, const OpFormula&) {
  const Tensor& x = b.T(0);
  const Amount n = x.Elements();
  const bool to_float = b.arguments().Flag(2) == true;
  b.ParamTensor(x);
  if (!FitOne(b, x, 1)) return b.Unknown(reasons::kReducedDimensionMissing);
  b.Flops(Amount(5) * n, "5·n: maximum, subtract, exponential, sum, divide", {{"n", n}});
  b.Read("input", x.Bytes());
  b.Write("out", n * (to_float ? Amount(4) : x.ElementBytes()));
}

void SoftmaxBackward(CostBuilder& b, const OpFormula&) {
  const Tensor &gy = b.T(0), &out = b.T(1);
  const Amount n = gy.Elements();
  const auto code = b.arguments().Integer(3);
  b.ParamTensor(gy);
  if (!FitOne(b, gy, 2)) return b.Unknown(reasons::kReducedDimensionMissing);
  if (!SameSize(n, out.Elements())) return b.Unknown(reasons::kShapesDoNotFit);
  b.Flops(Amount(4) * n, "4·n", {{"n", n}});
  b.Read("gradient", gy.Bytes());
  b.Read("output", out.Bytes());
  const int64_t bytes = code ? BytesOf(DTypeOfCode(*code)) : 0;
  b.Write("data gradient", n * (bytes > 0 ? Amount(bytes) : gy.ElementBytes()));
}

void MaskedSoftmax(CostBuilder& b, const OpFormula&) {
  const Tensor& x = b.T(0);
  const Amount n = x.Elements();
  b.ParamTensor(x);
  b.Flops(Amount(6) * n, "6·n", {{"n", n}});
  b.Read("input", x.Bytes());
  b.ReadTensor("mask", 1);
  b.Write("out", n * x.ElementBytes());
}

constexpr OpFormula R(double weight, int dims, Also also = Also::kNothing, int per_result = 0) {
  return {OpClass::kReduction, false, Reduce, weight, dims, static_cast<int>(also), per_result};
}
constexpr OpFormula S(void (*compute)(CostBuilder&, const OpFormula&), bool composite = false) {
  return {OpClass::kSoftmax, composite, compute};
}

constexpr NamedFormula kFormulas[] = {
    {"aten::sum", R(1, 1)},
    {"aten::nansum", R(1, 1)},
    {"aten::prod", R(1, 1)},
    {"aten::amax", R(1, 1)},
    {"aten::amin", R(1, 1)},
    {"aten::any", R(1, 1, Also::kBool)},
    {"aten::all", R(1, 1, Also::kBool)},
    {"aten::count_nonzero", R(1, 1, Also::kOnlyIndexes)},
    {"aten::mean", R(1, 1, Also::kNothing, 1)},
    {"aten::norm", R(2, 2, Also::kNothing, 1)},
    {"aten::linalg_vector_norm", R(2, 2, Also::kNothing, 1)},
    {"aten::var", R(4, 1)},
    {"aten::std", R(4, 1, Also::kNothing, 1)},
    {"aten::var_mean", R(4, 1, Also::kSecond)},
    {"aten::std_mean", R(4, 1, Also::kSecond, 1)},
    {"aten::argmax", R(1, 1, Also::kOnlyIndexes)},
    {"aten::argmin", R(1, 1, Also::kOnlyIndexes)},
    {"aten::max", R(1, 1, Also::kIndexes)},
    {"aten::min", R(1, 1, Also::kIndexes)},
    {"aten::median", R(1, 1, Also::kIndexes)},
    {"aten::cumsum", {OpClass::kReduction, false, Scan}},
    {"aten::cumprod", {OpClass::kReduction, false, Scan}},
    {"aten::logcumsumexp", {OpClass::kReduction, false, Scan}},
    {"aten::_cummax_helper", {OpClass::kReduction, false, Scan, 0, 0, 1}},
    {"aten::_cummin_helper", {OpClass::kReduction, false, Scan, 0, 0, 1}},
    {"aten::_softmax", S(Softmax)},
    {"aten::_log_softmax", S(Softmax)},
    {"aten::softmax", S(Softmax, true)},
    {"aten::log_softmax", S(Softmax, true)},
    {"aten::_softmax_backward_data", S(SoftmaxBackward)},
    {"aten::_log_softmax_backward_data", S(SoftmaxBackward)},
    {"aten::_masked_softmax", S(MaskedSoftmax)},
};

}  // namespace

std::span<const NamedFormula> ReductionFormulas() { return kFormulas; }

}  // namespace emberline
