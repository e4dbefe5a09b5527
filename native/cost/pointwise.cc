// Elementwise operators: operations per element of the result.
#include <algorithm>

#include "cost/formulas.h"

namespace emberline {
namespace {

enum class Result : int { kPromoted, kBool, kFloat };  // type of the result

DType AsFloat(DType type) {
  if (type == DType::kUnknown) return type;
  return CategoryOf(type) < DTypeCategory::kFloat ? DType::kFloat32 : type;
}

// Type of the result: that of the tensors with dimensions; numbers, and tensors without dimensions,
// decide its category alone.
DType ResultType(const std::vector<const Tensor*>& tensors, Result result) {
  if (result == Result::kBool) return DType::kBool;
  DType wide = DType::kUnknown, narrow = DType::kUnknown;
  for (const Tensor* tensor : tensors) {
    if (tensor->type == DType::kUnknown) return DType::kUnknown;
    DType& into = tensor->rank() > 0 ? wide : narrow;
    into = into == DType::kUnknown ? tensor->type : Promote(into, tensor->type);
  }
  DType type = wide == DType::kUnknown ? narrow : wide;
  if (wide != DType::kUnknown && narrow != DType::kUnknown &&
      CategoryOf(narrow) > CategoryOf(wide)) {
    type = CategoryOf(narrow) == DTypeCategory::kFloat ? DType::kFloat32 : narrow;
  }
  return result == Result::kFloat ? AsFloat(type) : type;
}

Amount TypeBytes(DType type) {
  return type == DType::kUnknown ? Amount::Unknown(reasons::kNoElementType) : Amount(BytesOf(type));
}

Amount Weighted(const OpFormula& f, Amount n) { return Amount(static_cast<int64_t>(f.weight)) * n; }

// weight: operations per element of the result; a: tensors among the arguments, from the first on;
// b: a Result. Whatever stands behind is no input, but the `out` of a variant.
void Elementwise(CostBuilder& b, const OpFormula& f) {
  std::vector<const Tensor*> inputs;
  for (size_t i = 0; i < static_cast<size_t>(f.a); ++i) {
    if (b.Has(i)) inputs.push_back(&b.T(i));
  }
  if (inputs.empty()) return b.Unknown(reasons::kTensorMissing);
  const DType type = ResultType(inputs, static_cast<Result>(f.b));
  const Amount n = BroadcastElements(inputs);
  for (const Tensor* input : inputs) b.ParamShape(*input);
  b.Type(ResultType(inputs, Result::kPromoted));
  double weight = f.weight;
  if (b.name() == "aten::add" || b.name() == "aten::add_" || b.name() == "aten::sub" ||
      b.name() == "aten::sub_") {
    const auto alpha = b.arguments().Number(2);
    if (alpha && *alpha != 1) weight = 2;
  }
  if (inputs.size() == 1 && f.a == 3) weight = 1;  // clamp between numbers
  b.Flops(Amount(static_cast<int64_t>(weight)) * n, weight == 1 ? "n of the result" : "w·n",
          {{"w", static_cast<int64_t>(weight)}, {"n", n}});
  for (const Tensor* input : inputs) {
    // Numbers come as tensors without dimensions.
    if (input->rank() > 0 || inputs.size() == 1) b.Read("input", input->Bytes());
  }
  b.Write("out", n * TypeBytes(type));
}

// Reads twice as much as it writes.
void Glu(CostBuilder& b, const OpFormula&) {
  const Tensor& x = b.T(0);
  const Amount n = x.Elements() / 2;
  const Amount halved = x.Dim(static_cast<int>(b.arguments().Integer(1).value_or(-1)));
  if (halved.known() && halved.value() % 2 != 0) return b.Unknown(reasons::kShapesDoNotFit);
  b.ParamTensor(x);
  b.Flops(Amount(2) * n, "2·n of the result", {{"n", n}});
  b.Read("input", x.Bytes());
  b.Write("out", n * x.ElementBytes());
}

// Gradient of an activation. weight: operations per element; a, b: positions of the incoming
// gradient and of what was kept.
void ActivationBackward(CostBuilder& b, const OpFormula& f) {
  const Tensor& gy = b.T(static_cast<size_t>(f.a));
  const Tensor& kept = b.T(static_cast<size_t>(f.b));
  const Amount n = kept.Elements();
  b.ParamShape(kept);
  b.Type(gy.type);
  b.Flops(Weighted(f, n), "w·n", {{"w", static_cast<int64_t>(f.weight)}, {"n", n}});
  b.Read("gradient", gy.Bytes());
  b.Read("kept", kept.Bytes());
  b.Write("out", n * gy.ElementBytes());
}

// masked_fill(self, mask): condition and self are read, self is written.
void MaskedFill(CostBuilder& b, const OpFormula&) {
  const Tensor &x = b.T(0), &mask = b.T(1);
  const Amount n = BroadcastElements({&x, &mask});
  b.ParamTensor(x);
  b.Flops(0, "moves data only");
  b.Read("self", x.Bytes());
  b.Read("mask", mask.Bytes());
  b.Write("out", n * x.ElementBytes());
}

// where(condition, a, b): the result has the type of a and b.
void Where(CostBuilder& b, const OpFormula&) {
  if (!b.Has(1)) {
    return b.Unknown(reasons::kDataDependent);
  }
  std::vector<const Tensor*> all, values;
  for (size_t i = 0; i < 3; ++i) {
    if (!b.Has(i)) continue;
    all.push_back(&b.T(i));
    if (i > 0) values.push_back(&b.T(i));
  }
  const Amount n = BroadcastElements(all);
  const DType type = ResultType(values, Result::kPromoted);
  b.ParamShape(b.T(0));
  b.Type(type);
  b.Flops(0, "moves data only");
  for (const Tensor* input : all) {
    if (input->rank() > 0) b.Read("input", input->Bytes());
  }
  b.Write("out", n * TypeBytes(type));
}

// native_dropout, _fused_dropout: compare with a random number, scale; the mask is kept.
void Dropout(CostBuilder& b, const OpFormula&) {
  const Tensor& x = b.T(0);
  const Amount n = x.Elements();
  b.ParamTensor(x);
  b.Flops(Amount(2) * n, "2·n", {{"n", n}});
  b.Read("input", x.Bytes());
  b.Write("out", n * x.ElementBytes());
  b.Write("mask", n);
}

void DropoutBackward(CostBuilder& b, const OpFormula&) {
  const Tensor& gy = b.T(0);
  const Amount n = gy.Elements();
  b.ParamTensor(gy);
  b.Flops(Amount(2) * n, "2·n", {{"n", n}});
  b.Read("gradient", gy.Bytes());
  b.ReadTensor("mask", 1);
  b.Write("out", n * gy.ElementBytes());
}

// Only a result: random numbers, fills, ranges. a: position of the tensor.
void Fill(CostBuilder& b, const OpFormula& f) {
  const Tensor& x = b.T(static_cast<size_t>(f.a));
  b.ParamTensor(x);
  b.Flops(0, "no floating point work");
  b.Write("out", x.Elements() * x.ElementBytes());
}

constexpr OpFormula E(double weight, int tensors, Result result = Result::kPromoted,
                      bool composite = false) {
  return {OpClass::kPointwise, composite, Elementwise, weight, tensors, static_cast<int>(result)};
}
constexpr OpFormula Unary() { return E(1, 1); }
constexpr OpFormula Special() { return E(1, 1, Result::kFloat); }
constexpr OpFormula Test() { return E(1, 1, Result::kBool); }
constexpr OpFormula Binary() { return E(1, 2); }
constexpr OpFormula Compare() { return E(1, 2, Result::kBool); }
constexpr OpFormula Ternary(double weight) { return E(weight, 3); }
constexpr OpFormula Activation(double weight = 1) { return E(weight, 1); }
constexpr OpFormula Gradient(double weight, int gradient = 0, int kept = 1) {
  return {OpClass::kPointwise, false, ActivationBackward, weight, gradient, kept};
}
constexpr OpFormula Only(OpClass op_class, void (*compute)(CostBuilder&, const OpFormula&),
                         bool composite = false) {
  return {op_class, composite, compute};
}

constexpr NamedFormula kFormulas[] = {
    {"aten::neg", Unary()},
    {"aten::abs", Unary()},
    {"aten::sign", Unary()},
    {"aten::relu", E(1, 1, Result::kPromoted, true)},
    {"aten::relu6", E(1, 1, Result::kPromoted, true)},
    {"aten::clamp_min", Unary()},
    {"aten::clamp_max", Unary()},
    {"aten::floor", Unary()},
    {"aten::ceil", Unary()},
    {"aten::round", Unary()},
    {"aten::trunc", Unary()},
    {"aten::frac", Unary()},
    {"aten::square", E(1, 1, Result::kPromoted, true)},
    {"aten::bitwise_not", Unary()},
    {"aten::clamp", E(2, 3)},
    {"aten::reciprocal", Special()},
    {"aten::exp", Special()},
    {"aten::exp2", Special()},
    {"aten::expm1", Special()},
    {"aten::log", Special()},
    {"aten::log2", Special()},
    {"aten::log10", Special()},
    {"aten::log1p", Special()},
    {"aten::sqrt", Special()},
    {"aten::rsqrt", Special()},
    {"aten::sin", Special()},
    {"aten::cos", Special()},
    {"aten::tan", Special()},
    {"aten::asin", Special()},
    {"aten::acos", Special()},
    {"aten::atan", Special()},
    {"aten::sinh", Special()},
    {"aten::cosh", Special()},
    {"aten::tanh", Special()},
    {"aten::sigmoid", Special()},
    {"aten::erf", Special()},
    {"aten::erfc", Special()},
    {"aten::erfinv", Special()},
    {"aten::digamma", Special()},
    {"aten::lgamma", Special()},
    {"aten::log_sigmoid_forward", Special()},
    {"aten::isnan", E(1, 1, Result::kBool, true)},
    {"aten::isinf", E(1, 1, Result::kBool, true)},
    {"aten::isfinite", E(1, 1, Result::kBool, true)},
    {"aten::logical_not", Test()},
    {"aten::signbit", Test()},
    {"aten::add", Binary()},
    {"aten::sub", Binary()},
    {"aten::rsub", Binary()},
    {"aten::mul", Binary()},
    {"aten::div", E(1, 2, Result::kFloat)},
    {"aten::floor_divide", Binary()},
    {"aten::pow", Binary()},
    {"aten::maximum", Binary()},
    {"aten::minimum", Binary()},
    {"aten::fmax", Binary()},
    {"aten::fmin", Binary()},
    {"aten::fmod", Binary()},
    {"aten::remainder", Binary()},
    {"aten::atan2", E(1, 2, Result::kFloat)},
    {"aten::hypot", Binary()},
    {"aten::bitwise_and", Binary()},
    {"aten::bitwise_or", Binary()},
    {"aten::bitwise_xor", Binary()},
    {"aten::__and__", Binary()},
    {"aten::__or__", Binary()},
    {"aten::__lshift__", Binary()},
    {"aten::__rshift__", Binary()},
    {"aten::bitwise_left_shift", Binary()},
    {"aten::bitwise_right_shift", Binary()},
    {"aten::logical_and", Compare()},
    {"aten::logical_or", Compare()},
    {"aten::logical_xor", Compare()},
    {"aten::eq", Compare()},
    {"aten::ne", Compare()},
    {"aten::lt", Compare()},
    {"aten::le", Compare()},
    {"aten::gt", Compare()},
    {"aten::ge", Compare()},
    {"aten::addcmul", Ternary(3)},
    {"aten::addcdiv", Ternary(3)},
    {"aten::lerp", Ternary(3)},
    {"aten::where", Only(OpClass::kPointwise, Where)},
    {"aten::_s_where", Only(OpClass::kPointwise, Where)},
    {"aten::masked_fill", Only(OpClass::kPointwise, MaskedFill)},
    {"aten::leaky_relu", Activation()},
    {"aten::hardtanh", Activation()},
    {"aten::elu", Activation()},
    {"aten::celu", Activation()},
    {"aten::selu", Activation()},
    {"aten::hardswish", Activation()},
    {"aten::hardsigmoid", Activation()},
    {"aten::softplus", Activation()},
    {"aten::silu", Activation()},
    {"aten::gelu", Activation()},
    {"aten::mish", Activation()},
    {"aten::threshold", Activation()},
    {"aten::prelu", E(1, 2, Result::kPromoted, true)},
    {"aten::_prelu_kernel", Binary()},
    {"aten::glu", Only(OpClass::kPointwise, Glu)},
    {"aten::threshold_backward", Gradient(1)},
    {"aten::gelu_backward", Gradient(2)},
    {"aten::silu_backward", Gradient(2)},
    {"aten::mish_backward", Gradient(2)},
    {"aten::hardtanh_backward", Gradient(2)},
    {"aten::hardswish_backward", Gradient(2)},
    {"aten::hardsigmoid_backward", Gradient(2)},
    {"aten::leaky_relu_backward", Gradient(2)},
    {"aten::softplus_backward", Gradient(2)},
    {"aten::log_sigmoid_backward", Gradient(2)},
    {"aten::sigmoid_backward", Gradient(2)},
    {"aten::tanh_backward", Gradient(2)},
    {"aten::elu_backward", Gradient(2, 0, 5)},
    {"aten::_prelu_kernel_backward", Gradient(2)},
    {"aten::glu_backward", Gradient(2)},
    {"aten::native_dropout", Only(OpClass::kRandom, Dropout)},
    {"aten::_fused_dropout", Only(OpClass::kRandom, Dropout)},
    {"aten::native_dropout_backward", Only(OpClass::kRandom, DropoutBackward)},
    {"aten::_masked_scale", Only(OpClass::kRandom, DropoutBackward)},
    {"aten::normal_", Only(OpClass::kRandom, Fill)},
    {"aten::uniform_", Only(OpClass::kRandom, Fill)},
    {"aten::bernoulli_", Only(OpClass::kRandom, Fill)},
    {"aten::exponential_", Only(OpClass::kRandom, Fill)},
    {"aten::random_", Only(OpClass::kRandom, Fill)},
    {"aten::fill_", Only(OpClass::kMovement, Fill)},
    {"aten::zero_", Only(OpClass::kMovement, Fill)},
};

}  // namespace

std::span<const NamedFormula> PointwiseFormulas() { return kFormulas; }

}  // namespace emberline
