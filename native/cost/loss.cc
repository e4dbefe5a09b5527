// Losses.
#include "cost/formulas.h"

namespace emberline {
namespace {

// 0 none, 1 mean, 2 sum.
std::optional<int64_t> Reduction(CostBuilder& b, size_t index) {
  return b.arguments().Integer(index);
}

// a: position of x, with y behind it; b: of the reduction; weight: operations per element when the
// result is reduced; c: those when it is not.
void Distance(CostBuilder& b, const OpFormula& f) {
  const Tensor &x = b.T(0), &y = b.T(1);
  const auto reduction = Reduction(b, static_cast<size_t>(f.b));
  const Amount n = BroadcastElements({&x, &y});
  b.ParamTensor(x);
  if (!n.known() && x.Elements().known() && y.Elements().known()) {
    return b.Unknown(reasons::kShapesDoNotFit);
  }
  if (!reduction) return b.Unknown(reasons::kNoReduction);
  const int64_t weight = *reduction == 0 ? f.c : static_cast<int64_t>(f.weight);
  b.Flops(Amount(weight) * n, "w·n", {{"w", weight}, {"n", n}});
  b.Read("input", x.Bytes());
  b.Read("target", y.Bytes());
  if (f.a > 0) b.ReadTensor("weight", static_cast<size_t>(f.a));
  b.Write("out", (*reduction == 0 ? n : Amount(1)) * x.ElementBytes());
}

void DistanceBackward(CostBuilder& b, const OpFormula& f) {
  const Tensor &x = b.T(1), &y = b.T(2);
  const Amount n = BroadcastElements({&x, &y});
  b.ParamTensor(x);
  if (!n.known() && x.Elements().known() && y.Elements().known()) {
    return b.Unknown(reasons::kShapesDoNotFit);
  }
  b.Flops(Amount(static_cast<int64_t>(f.weight)) * n, "w·n",
          {{"w", static_cast<int64_t>(f.weight)}, {"n", n}});
  b.Read("gradient", b.T(0).Bytes());
  b.Read("input", x.Bytes());
  b.Read("target", y.Bytes());
  if (f.a > 0) b.ReadTensor("weight", static_cast<size_t>(f.a));
  b.Write("data gradient", n * x.ElementBytes());
}

// nll_loss_forward(log_probabilities, target, weight, reduction): one value per target is read.
void NllLoss(CostBuilder& b, const OpFormula&) {
  const Tensor &x = b.T(0), &target = b.T(1);
  const Amount targets = target.Elements();
  const auto reduction = Reduction(b, 3);
  b.ParamTensor(x);
  if (!reduction) return b.Unknown(reasons::kNoReduction);
  b.Flops(Amount(2) * targets, "2·targets", {{"targets", targets}});
  b.Read("target", target.Bytes());
  b.Read("input", targets * x.ElementBytes());
  b.Write("out", (*reduction == 0 ? targets : Amount(2)) * x.ElementBytes());
}

// nll_loss_backward(gradient, log_probabilities, target, ...).
void NllLossBackward(CostBuilder& b, const OpFormula&) {
  const Tensor &x = b.T(1), &target = b.T(2);
  const Amount targets = target.Elements();
  b.ParamTensor(x);
  b.Flops(targets, "targets", {{"targets", targets}});
  b.Read("gradient", b.T(0).Bytes());
  b.Read("target", target.Bytes());
  b.Write("data gradient", x.Elements() * x.ElementBytes());
}

// _ctc_loss(log_probabilities [T,N,C], targets, ...): alignments of at most the longest target.
void CtcLoss(CostBuilder& b, const OpFormula&) {
  const Tensor &x = b.T(0), &target = b.T(1);
  if (x.rank() != 3 || target.rank() != 2) {
    return b.Unknown(reasons::kNoTargetLengths);
  }
  const Amount states = x.Dim(1) * x.Dim(0) * (Amount(2) * target.Dim(1) + 1);
  b.ParamTensor(x);
  b.UpperBound();
  b.Flops(Amount(6) * states, "6·N·T·(2·L+1)", {{"N·T·(2·L+1)", states}});
  b.Read("input", x.Bytes());
  b.Read("target", target.Bytes());
  b.Write("alpha", states * x.ElementBytes());
}

constexpr OpFormula F(void (*compute)(CostBuilder&, const OpFormula&), double weight = 0, int a = 0,
                      int b = 0, int c = 0) {
  return {OpClass::kLoss, false, compute, weight, a, b, c};
}

constexpr NamedFormula kFormulas[] = {
    {"aten::mse_loss", F(Distance, 3, 0, 2, 2)},
    {"aten::smooth_l1_loss", F(Distance, 5, 0, 2, 5)},
    {"aten::huber_loss", F(Distance, 5, 0, 2, 5)},
    {"aten::binary_cross_entropy", F(Distance, 7, 2, 3, 7)},
    {"aten::mse_loss_backward", F(DistanceBackward, 3)},
    {"aten::smooth_l1_loss_backward", F(DistanceBackward, 5)},
    {"aten::huber_loss_backward", F(DistanceBackward, 5)},
    {"aten::binary_cross_entropy_backward", F(DistanceBackward, 5, 3)},
    {"aten::nll_loss_forward", F(NllLoss)},
    {"aten::nll_loss2d_forward", F(NllLoss)},
    {"aten::nll_loss_backward", F(NllLossBackward)},
    {"aten::nll_loss2d_backward", F(NllLossBackward)},
    {"aten::_ctc_loss", F(CtcLoss)},
};

}  // namespace

std::span<const NamedFormula> LossFormulas() { return kFormulas; }

}  // namespace emberline
