// Normalizations. Compulsory bytes: one reading and one writing; kernels that read a tensor twice
// because it does not fit into caches move more.
#include <algorithm>

#include "cost/formulas.h"

namespace emberline {
namespace {

// a: 1 where the running statistics and `training` (argument 5) belong to it.
void BatchNorm(CostBuilder& b, const OpFormula&) {
  const Tensor& x = b.T(0);
  const auto training = b.arguments().Flag(5);
  const Amount n = x.Elements(), channels = x.Dim(1);
  b.ParamTensor(x);
  if (!training) {
    return b.Unknown(reasons::kNoTrainingMode);
  }
  b.Flops((*training ? Amount(8) : Amount(2)) * n, *training ? "8·n" : "2·n", {{"n", n}});
  b.Read("x", x.Bytes());
  b.ReadTensor("weight", 1);
  b.ReadTensor("bias", 2);
  b.ReadTensor("running mean", 3);
  b.ReadTensor("running variance", 4);
  b.Write("out", n * x.ElementBytes());
  if (!*training) return;
  if (b.Has(3)) b.Write("running mean", b.T(3).Bytes());
  if (b.Has(4)) b.Write("running variance", b.T(4).Bytes());
  b.Write("saved statistics", Amount(2) * channels * 4);
}

// a, b: positions of gradient and x; c: of the weight. Weight's and bias's gradients are written.
void BatchNormBackward(CostBuilder& b, const OpFormula& f) {
  const Tensor &gy = b.T(static_cast<size_t>(f.a)), &x = b.T(static_cast<size_t>(f.b));
  const Amount n = x.Elements(), channels = x.Dim(1);
  b.ParamTensor(x);
  b.Flops(Amount(9) * n, "9·n", {{"n", n}});
  b.Read("gradient", gy.Bytes());
  b.Read("x", x.Bytes());
  const auto c = static_cast<size_t>(f.c);
  b.ReadTensor("weight", c);
  b.Read("saved statistics", Amount(2) * channels * 4);
  b.Write("data gradient", n * x.ElementBytes());
  if (b.Has(c)) b.Write("weight and bias gradient", Amount(2) * b.T(c).Bytes());
}

// Rows of x: how often the shape that is given as argument `index`, which x's last dimensions are,
// fits into it.
Amount Rows(CostBuilder& b, const Tensor& x, size_t index) {
  const auto shape = b.arguments().Integers(index);
  if (!shape) return Amount::Unknown(reasons::kNoNormalizedShape);
  if (!x.Elements().known()) return x.Elements();
  if (shape->size() > x.rank() || !std::equal(shape->rbegin(), shape->rend(), x.dims.rbegin())) {
    return Amount::Unknown(reasons::kShapesDoNotFit);
  }
  Amount size = 1;
  for (const int64_t d : *shape) size *= d;
  return x.Elements() / size;
}

void LayerNorm(CostBuilder& b, const OpFormula&) {
  const Tensor& x = b.T(0);
  const Amount n = x.Elements(), rows = Rows(b, x, 1);
  const bool affine = b.Has(2);
  b.ParamTensor(x);
  b.Flops((affine ? Amount(8) : Amount(6)) * n, affine ? "8·n" : "6·n", {{"n", n}});
  b.Read("x", x.Bytes());
  b.ReadTensor("weight", 2);
  b.ReadTensor("bias", 3);
  b.Write("out", n * x.ElementBytes());
  b.Write("saved statistics", Amount(2) * rows * 4);
}

void LayerNormBackward(CostBuilder& b, const OpFormula&) {
  const Tensor &gy = b.T(0), &x = b.T(1);
  const Amount n = x.Elements(), rows = Rows(b, x, 2);
  const bool affine = b.Has(5);
  b.ParamTensor(x);
  b.Flops((affine ? Amount(13) : Amount(9)) * n, affine ? "13·n" : "9·n", {{"n", n}});
  b.Read("gradient", gy.Bytes());
  b.Read("x", x.Bytes());
  b.Read("saved statistics", Amount(2) * rows * 4);
  b.ReadTensor("weight", 5);
  b.ReadTensor("bias", 6);
  b.Write("data gradient", n * x.ElementBytes());
  if (b.Has(5)) b.Write("weight gradient", b.T(5).Bytes());
  if (b.Has(6)) b.Write("bias gradient", b.T(6).Bytes());
}

// N and groups as recorded numbers.
Amount Recorded(CostBuilder& b, size_t index) {
  const auto value = b.arguments().Integer(index);
  return value ? Amount(*value) : Amount::Unknown(reasons::kNoGroups);
}

void GroupNorm(CostBuilder& b, const OpFormula&) {
  const Tensor& x = b.T(0);
  const Amount n = x.Elements();
  const bool affine = b.Has(1);
  b.ParamTensor(x);
  b.Flops((affine ? Amount(8) : Amount(6)) * n, affine ? "8·n" : "6·n", {{"n", n}});
  b.Read("x", x.Bytes());
  b.ReadTensor("weight", 1);
  b.ReadTensor("bias", 2);
  b.Write("out", n * x.ElementBytes());
  const Amount groups = Recorded(b, 6), channels = x.Dim(1);
  if (groups.known() && channels.known() &&
      (groups.value() == 0 || channels.value() % groups.value() != 0)) {
    return b.Unknown(reasons::kShapesDoNotFit);
  }
  b.Write("saved statistics", Amount(8) * Recorded(b, 3) * groups);
}

void GroupNormBackward(CostBuilder& b, const OpFormula&) {
  const Tensor &gy = b.T(0), &x = b.T(1);
  const Amount n = x.Elements();
  const bool affine = b.Has(4);
  b.ParamTensor(x);
  b.Flops((affine ? Amount(13) : Amount(9)) * n, affine ? "13·n" : "9·n", {{"n", n}});
  b.Read("gradient", gy.Bytes());
  b.Read("x", x.Bytes());
  b.ReadTensor("mean", 2);
  b.ReadTensor("deviation", 3);
  b.ReadTensor("weight", 4);
  b.Write("data gradient", n * x.ElementBytes());
  if (affine) b.Write("weight and bias gradient", Amount(2) * b.T(4).Bytes());
}

void RmsNorm(CostBuilder& b, const OpFormula&) {
  const Tensor& x = b.T(0);
  const Amount n = x.Elements(), rows = Rows(b, x, 1);
  const bool affine = b.Has(2);
  b.ParamTensor(x);
  b.Flops((affine ? Amount(4) : Amount(3)) * n, affine ? "4·n" : "3·n", {{"n", n}});
  b.Read("x", x.Bytes());
  b.ReadTensor("weight", 2);
  b.Write("out", n * x.ElementBytes());
  b.Write("saved statistics", rows * 4);
}

void RmsNormBackward(CostBuilder& b, const OpFormula&) {
  const Tensor &gy = b.T(0), &x = b.T(1);
  const Amount n = x.Elements(), rows = Rows(b, x, 2);
  const bool affine = b.Has(4);
  b.ParamTensor(x);
  b.Flops((affine ? Amount(10) : Amount(7)) * n, affine ? "10·n" : "7·n", {{"n", n}});
  b.Read("gradient", gy.Bytes());
  b.Read("x", x.Bytes());
  b.Read("saved statistics", rows * 4);
  b.ReadTensor("weight", 4);
  b.Write("data gradient", n * x.ElementBytes());
  if (affine) b.Write("weight gradient", b.T(4).Bytes());
}

// Synchronized batch normalization in its steps. weight: operations per element; a: tensors of x's
// size that are read; b: 1 when one is written.
void SyncBatchNorm(CostBuilder& b, const OpFormula& f) {
  const Tensor& x = b.T(0);
  const Amount n = x.Elements();
  b.ParamTensor(x);
  b.Flops(Amount(static_cast<int64_t>(f.weight)) * n, "weight·n",
          {{"weight", static_cast<int64_t>(f.weight)}, {"n", n}});
  for (int i = 0; i < f.a; ++i) b.Read("input", b.T(static_cast<size_t>(i)).Bytes());
  if (f.b > 0) b.Write("out", n * x.ElementBytes());
}

constexpr OpFormula F(void (*compute)(CostBuilder&, const OpFormula&), double weight = 0, int a = 0,
                      int b = 0, int c = 0, bool composite = false) {
  return {OpClass::kNormalization, composite, compute, weight, a, b, c};
}

constexpr NamedFormula kFormulas[] = {
    {"aten::native_batch_norm", F(BatchNorm)},
    {"aten::_native_batch_norm_legit", F(BatchNorm)},
    {"aten::_batch_norm_with_update", F(BatchNorm)},
    {"aten::cudnn_batch_norm", F(BatchNorm)},
    {"aten::miopen_batch_norm", F(BatchNorm)},
    {"aten::batch_norm", F(BatchNorm, 0, 0, 0, 0, true)},
    {"aten::native_batch_norm_backward", F(BatchNormBackward, 0, 0, 1, 2)},
    {"aten::cudnn_batch_norm_backward", F(BatchNormBackward, 0, 1, 0, 2)},
    {"aten::miopen_batch_norm_backward", F(BatchNormBackward, 0, 1, 0, 2)},
    {"aten::native_layer_norm", F(LayerNorm)},
    {"aten::layer_norm", F(LayerNorm, 0, 0, 0, 0, true)},
    {"aten::native_layer_norm_backward", F(LayerNormBackward)},
    {"aten::native_group_norm", F(GroupNorm)},
    {"aten::native_group_norm_backward", F(GroupNormBackward)},
    {"aten::_fused_rms_norm", F(RmsNorm)},
    {"aten::rms_norm", F(RmsNorm, 0, 0, 0, 0, true)},
    {"aten::_fused_rms_norm_backward", F(RmsNormBackward)},
    {"aten::batch_norm_stats", F(SyncBatchNorm, 3, 1)},
    {"aten::batch_norm_elemt", F(SyncBatchNorm, 4, 1, 1)},
    {"aten::batch_norm_backward_reduce", F(SyncBatchNorm, 5, 2)},
    {"aten::batch_norm_backward_elemt", F(SyncBatchNorm, 4, 2, 1)},
};

}  // namespace

std::span<const NamedFormula> NormalizationFormulas() { return kFormulas; }

}  // namespace emberline
