// Operators over lists of tensors, and the optimizers that are one such operator.
#include "cost/formulas.h"

namespace emberline {
namespace {

Amount ElementsOf(const std::vector<Tensor>& list) {
  if (list.empty()) return Amount::Unknown(reasons::kLostShapes);
  Amount sum = 0;
  for (const Tensor& tensor : list) sum += tensor.Elements();
  return sum;
}

Amount BytesOfList(const std::vector<Tensor>& list) {
  if (list.empty()) return Amount::Unknown(reasons::kLostShapes);
  Amount sum = 0;
  for (const Tensor& tensor : list) sum += tensor.Elements() * tensor.ElementBytes();
  return sum;
}

void Describe(CostBuilder& b, const std::vector<Tensor>& list, Amount n) {
  b.Param("tensors", static_cast<int64_t>(list.size()));
  b.Param("n", n);
  b.Type(list.empty() ? DType::kUnknown : list.front().type);
}

enum class Writes : int { kList, kNumbers };

// weight: operations per element; a: lists that are read, from the first on (or from `b` on); c:
// what is written.
void Foreach(CostBuilder& b, const OpFormula& f) {
  const std::vector<Tensor> first = b.List(0);
  const Amount n = ElementsOf(first);
  Describe(b, first, n);
  for (int i = f.b; i < f.a; ++i) {
    // Each list has one tensor for each of the first; of a list without shapes nothing is known.
    const size_t length = b.List(static_cast<size_t>(i)).size();
    if (length > 0 && length != first.size()) return b.Unknown(reasons::kShapesDoNotFit);
  }
  int64_t weight = static_cast<int64_t>(f.weight);
  // self + alpha·other, as the scalar forms.
  if (b.name() == "aten::_foreach_add" || b.name() == "aten::_foreach_add_" ||
      b.name() == "aten::_foreach_sub" || b.name() == "aten::_foreach_sub_") {
    const auto alpha = b.arguments().Number(2);
    if (alpha && *alpha != 1) weight = 2;
  }
  b.Flops(Amount(weight) * n, "w·n over all tensors", {{"w", weight}, {"n", n}});
  for (int i = f.b; i < f.a; ++i) {
    const auto index = static_cast<size_t>(i);
    if (b.arguments()[index].kind == ArgumentKind::kTensorList) {
      b.Read("list", BytesOfList(b.List(index)));
    }
  }
  if (static_cast<Writes>(f.c) == Writes::kNumbers) {
    b.Write("numbers", first.empty() ? Amount::Unknown(reasons::kLostShapes)
                                     : Amount(static_cast<int64_t>(first.size())) *
                                           first.front().ElementBytes());
  } else {
    b.Write("list", BytesOfList(first));
  }
}

// _fused_adam_(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, steps, lr, beta1, beta2,
// weight_decay, eps, amsgrad, maximize). a: 1 for AdamW, whose decay is one operation.
void FusedAdam(CostBuilder& b, const OpFormula& f) {
  const std::vector<Tensor> params = b.List(0);
  const Amount n = ElementsOf(params);
  Describe(b, params, n);
  const Argument& lr = b.arguments()[6];
  const bool shifted = lr.kind == ArgumentKind::kAbsent;  // lr as a tensor leaves no text
  const auto decay = b.arguments().Number(9);
  const bool amsgrad = !shifted && b.arguments().Flag(11) == true;
  int64_t weight = 13;
  if (decay && *decay != 0) weight += f.a > 0 ? 1 : 2;
  if (amsgrad) weight += 1;
  b.Flops(Amount(weight) * n, "w·n over all parameters", {{"w", weight}, {"n", n}});
  const Amount list = BytesOfList(params);
  b.Read("gradients", BytesOfList(b.List(1)));
  b.Read("parameters and moments", Amount(3) * list);
  b.Write("parameters and moments", Amount(3) * list);
  if (amsgrad) {
    b.Read("maxima", list);
    b.Write("maxima", list);
  }
}

// _fused_sgd_(params, grads, momentum_buffers, weight_decay, momentum, lr, dampening, ...).
void FusedSgd(CostBuilder& b, const OpFormula&) {
  const std::vector<Tensor> params = b.List(0);
  const Amount n = ElementsOf(params);
  Describe(b, params, n);
  const auto decay = b.arguments().Number(3), momentum = b.arguments().Number(4);
  const bool keeps = momentum && *momentum != 0;
  const int64_t weight = 2 + (keeps ? 2 : 0) + (decay && *decay != 0 ? 2 : 0);
  b.Flops(Amount(weight) * n, "w·n over all parameters", {{"w", weight}, {"n", n}});
  const Amount list = BytesOfList(params);
  b.Read("gradients", BytesOfList(b.List(1)));
  b.Read("parameters", list);
  b.Write("parameters", list);
  if (keeps) {
    b.Read("momentum", list);
    b.Write("momentum", list);
  }
}

void FusedAdagrad(CostBuilder& b, const OpFormula&) {
  const std::vector<Tensor> params = b.List(0);
  const Amount n = ElementsOf(params);
  Describe(b, params, n);
  b.Flops(Amount(6) * n, "6·n over all parameters", {{"n", n}});
  const Amount list = BytesOfList(params);
  b.Read("gradients", BytesOfList(b.List(1)));
  b.Read("parameters and sums", Amount(2) * list);
  b.Write("parameters and sums", Amount(2) * list);
}

constexpr OpFormula L(double weight, int lists, int from = 0, Writes writes = Writes::kList) {
  return {OpClass::kOptimizer, false, Foreach, weight, lists, from, static_cast<int>(writes)};
}

constexpr NamedFormula kForeach[] = {
    {"aten::_foreach_add", L(1, 2)},
    {"aten::_foreach_sub", L(1, 2)},
    {"aten::_foreach_mul", L(1, 2)},
    {"aten::_foreach_div", L(1, 2)},
    {"aten::_foreach_maximum", L(1, 2)},
    {"aten::_foreach_minimum", L(1, 2)},
    {"aten::_foreach_clamp_max", L(1, 2)},
    {"aten::_foreach_clamp_min", L(1, 2)},
    {"aten::_foreach_pow", L(1, 2)},
    {"aten::_foreach_addcmul", L(3, 3)},
    {"aten::_foreach_addcdiv", L(3, 3)},
    {"aten::_foreach_lerp", L(3, 3)},
    {"aten::_foreach_sqrt", L(1, 1)},
    {"aten::_foreach_rsqrt", L(1, 1)},
    {"aten::_foreach_neg", L(1, 1)},
    {"aten::_foreach_abs", L(1, 1)},
    {"aten::_foreach_exp", L(1, 1)},
    {"aten::_foreach_log", L(1, 1)},
    {"aten::_foreach_reciprocal", L(1, 1)},
    {"aten::_foreach_sign", L(1, 1)},
    {"aten::_foreach_zero", L(0, 0)},
    {"aten::_foreach_copy", L(0, 2, 1)},
    {"aten::_foreach_norm", L(2, 1, 0, Writes::kNumbers)},
    {"aten::_foreach_max", L(1, 1, 0, Writes::kNumbers)},
    {"aten::_amp_foreach_non_finite_check_and_unscale_", L(2, 1)},
};

constexpr NamedFormula kOptimizers[] = {
    {"aten::_fused_adam", {OpClass::kOptimizer, false, FusedAdam}},
    {"aten::_fused_adamw", {OpClass::kOptimizer, false, FusedAdam, 0, 1}},
    {"aten::_fused_sgd", {OpClass::kOptimizer, false, FusedSgd}},
    {"aten::_fused_adagrad", {OpClass::kOptimizer, false, FusedAdagrad}},
};

}  // namespace

std::span<const NamedFormula> ForeachFormulas() { return kForeach; }
std::span<const NamedFormula> OptimizerFormulas() { return kOptimizers; }

}  // namespace emberline
