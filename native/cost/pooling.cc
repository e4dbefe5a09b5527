// Pooling and resampling.
#include "cost/formulas.h"

namespace emberline {
namespace {

// Size of the pooled dimension; with `ceil` windows may reach beyond the padded input, but begin
// inside it.
Amount Pooled(Amount input, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation,
              bool ceil) {
  if (!input.known()) return input;
  constexpr int64_t kMax = int64_t{1} << 30;
  for (const int64_t value : {input.value(), kernel, stride, padding, dilation}) {
    if (value < 0 || value > kMax) return Amount::Unknown(reasons::kUnrealWindow);
  }
  if (stride == 0) return Amount::Unknown(reasons::kZeroStride);
  const int64_t size = input.value();
  const int64_t span = size + 2 * padding - dilation * (kernel - 1) - 1;
  if (span < 0) return Amount::Unknown(reasons::kWindowDoesNotFit);
  int64_t out = (span + (ceil ? stride - 1 : 0)) / stride + 1;
  if (ceil && (out - 1) * stride >= size + padding) --out;
  return out;
}

struct Pooling {
  Amount outputs = 1, window = 1;
};

// a..: positions of kernel, then stride, padding; `dilation` -1: none.
const Sentence* ReadPooling(CostBuilder& b, const Tensor& x, size_t kernel_at, int dilation_at,
                            size_t ceil_at, size_t spatial, Pooling& p) {
  const Arguments& args = b.arguments();
  const auto kernel = PerDimension(args, kernel_at, spatial);
  auto stride = args.Integers(kernel_at + 1);
  const auto padding = PerDimension(args, kernel_at + 2, spatial);
  if (!kernel || !stride || !padding) return &reasons::kNoWindow;
  stride = stride->empty() ? kernel : PerDimension(args, kernel_at + 1, spatial);
  std::optional<std::vector<int64_t>> dilation = std::vector<int64_t>(spatial, 1);
  if (dilation_at >= 0) dilation = PerDimension(args, static_cast<size_t>(dilation_at), spatial);
  if (!stride || !dilation) return &reasons::kNoWindow;
  if (x.rank() < spatial || x.rank() > spatial + 2) return &reasons::kNotPooling;
  const bool ceil = args.Flag(ceil_at) == true;
  const size_t leading = x.rank() - spatial;
  for (size_t i = 0; i < leading; ++i) p.outputs *= x.Dim(static_cast<int>(i));
  for (size_t i = 0; i < spatial; ++i) {
    p.window *= (*kernel)[i];
    p.outputs *= Pooled(x.Dim(static_cast<int>(leading + i)), (*kernel)[i], (*stride)[i],
                        (*padding)[i], (*dilation)[i], ceil);
  }
  return nullptr;
}

// a: spatial dimensions.
void MaxPool(CostBuilder& b, const OpFormula& f) {
  const Tensor& x = b.T(0);
  b.ParamTensor(x);
  Pooling p;
  if (const Sentence* why = ReadPooling(b, x, 1, 4, 5, static_cast<size_t>(f.a), p)) {
    return b.Unknown(*why);
  }
  b.Flops(p.outputs * p.window, "outputs·window", {{"outputs", p.outputs}, {"window", p.window}});
  b.Read("input", x.Bytes());
  b.Write("out", p.outputs * x.ElementBytes());
  b.Write("indexes", p.outputs * 8);
}

void MaxPoolBackward(CostBuilder& b, const OpFormula&) {
  const Tensor &gy = b.T(0), &x = b.T(1);
  const Amount n = gy.Elements();
  b.ParamShape(x);
  b.Type(gy.type);
  b.Flops(n, "outputs", {{"outputs", n}});
  b.Read("gradient", gy.Bytes());
  b.Read("indexes", n * 8);
  b.Write("data gradient", x.Elements() * x.ElementBytes());
}

void AvgPool(CostBuilder& b, const OpFormula& f) {
  const Tensor& x = b.T(0);
  b.ParamTensor(x);
  Pooling p;
  if (const Sentence* why = ReadPooling(b, x, 1, -1, 4, static_cast<size_t>(f.a), p)) {
    return b.Unknown(*why);
  }
  b.Flops(p.outputs * p.window, "outputs·window", {{"outputs", p.outputs}, {"window", p.window}});
  b.Read("input", x.Bytes());
  b.Write("out", p.outputs * x.ElementBytes());
}

void AvgPoolBackward(CostBuilder& b, const OpFormula& f) {
  const Tensor &gy = b.T(0), &x = b.T(1);
  const auto kernel = PerDimension(b.arguments(), 2, static_cast<size_t>(f.a));
  b.ParamShape(x);
  b.Type(gy.type);
  if (!kernel) return b.Unknown(reasons::kNoWindow);
  Amount window = 1;
  for (const int64_t size : *kernel) window *= size;
  b.Flops(gy.Elements() * window, "outputs·window",
          {{"outputs", gy.Elements()}, {"window", window}});
  b.Read("gradient", gy.Bytes());
  b.Write("data gradient", x.Elements() * x.ElementBytes());
}

// Elements of the result whose last dimensions are given as argument 1.
Amount Resized(CostBuilder& b, const Tensor& x) {
  const auto size = b.arguments().Integers(1);
  if (!size || size->size() > x.rank()) return Amount::Unknown(reasons::kNoSize);
  Amount outputs = 1;
  for (const int64_t d : *size) outputs *= d;
  for (size_t i = 0; i + size->size() < x.rank(); ++i) outputs *= x.Dim(static_cast<int>(i));
  return outputs;
}

// c: 1 where indexes are written too.
void AdaptivePool(CostBuilder& b, const OpFormula& f) {
  const Tensor& x = b.T(0);
  const Amount n = x.Elements(), outputs = Resized(b, x);
  b.ParamTensor(x);
  b.Flops(f.c > 0 ? n : n + outputs, f.c > 0 ? "n" : "n + outputs",
          {{"n", n}, {"outputs", outputs}});
  b.Read("input", x.Bytes());
  b.Write("out", outputs * x.ElementBytes());
  if (f.c > 0) b.Write("indexes", outputs * 8);
}

void AdaptivePoolBackward(CostBuilder& b, const OpFormula&) {
  const Tensor &gy = b.T(0), &x = b.T(1);
  const Amount n = x.Elements();
  b.ParamShape(x);
  b.Type(gy.type);
  b.Flops(n + gy.Elements(), "n + outputs", {{"n", n}, {"outputs", gy.Elements()}});
  b.Read("gradient", gy.Bytes());
  b.Write("data gradient", n * x.ElementBytes());
}

// weight: operations per result.
void Upsample(CostBuilder& b, const OpFormula& f) {
  const Tensor& x = b.T(0);
  const Amount outputs = Resized(b, x);
  b.ParamTensor(x);
  b.Flops(Amount(static_cast<int64_t>(f.weight)) * outputs, "w·outputs",
          {{"w", static_cast<int64_t>(f.weight)}, {"outputs", outputs}});
  b.Read("input", x.Bytes());
  b.Write("out", outputs * x.ElementBytes());
}

// grid_sampler_2d(x [N,C,H,W], grid [N,P,Q,2]).
void GridSample(CostBuilder& b, const OpFormula&) {
  const Tensor &x = b.T(0), &grid = b.T(1);
  const Amount outputs = x.Dim(0) * x.Dim(1) * grid.Dim(1) * grid.Dim(2);
  b.ParamTensor(x);
  b.Flops(Amount(15) * outputs, "15·outputs", {{"outputs", outputs}});
  b.Read("input", x.Bytes());
  b.Read("grid", grid.Bytes());
  b.Write("out", outputs * x.ElementBytes());
}

constexpr OpFormula F(void (*compute)(CostBuilder&, const OpFormula&), double weight = 0, int a = 0,
                      int c = 0, bool composite = false) {
  return {OpClass::kPooling, composite, compute, weight, a, 0, c};
}

constexpr NamedFormula kFormulas[] = {
    {"aten::max_pool2d_with_indices", F(MaxPool, 0, 2)},
    {"aten::max_pool3d_with_indices", F(MaxPool, 0, 3)},
    {"aten::max_pool2d", F(MaxPool, 0, 2, 0, true)},
    {"aten::max_pool2d_with_indices_backward", F(MaxPoolBackward)},
    {"aten::max_pool3d_with_indices_backward", F(MaxPoolBackward)},
    {"aten::avg_pool2d", F(AvgPool, 0, 2)},
    {"aten::avg_pool3d", F(AvgPool, 0, 3)},
    {"aten::avg_pool2d_backward", F(AvgPoolBackward, 0, 2)},
    {"aten::avg_pool3d_backward", F(AvgPoolBackward, 0, 3)},
    {"aten::_adaptive_avg_pool2d", F(AdaptivePool)},
    {"aten::_adaptive_avg_pool3d", F(AdaptivePool)},
    {"aten::_adaptive_avg_pool2d_backward", F(AdaptivePoolBackward)},
    {"aten::_adaptive_avg_pool3d_backward", F(AdaptivePoolBackward)},
    {"aten::adaptive_max_pool2d", F(AdaptivePool, 0, 0, 1)},
    {"aten::upsample_nearest1d", F(Upsample, 0)},
    {"aten::upsample_nearest2d", F(Upsample, 0)},
    {"aten::upsample_nearest3d", F(Upsample, 0)},
    {"aten::_upsample_nearest_exact2d", F(Upsample, 0)},
    {"aten::upsample_bilinear2d", F(Upsample, 7)},
    {"aten::_upsample_bilinear2d_aa", F(Upsample, 7)},
    {"aten::upsample_bicubic2d", F(Upsample, 35)},
    {"aten::_upsample_bicubic2d_aa", F(Upsample, 35)},
    {"aten::grid_sampler_2d", F(GridSample)},
};

}  // namespace

std::span<const NamedFormula> PoolingFormulas() { return kFormulas; }

}  // namespace emberline
