#include "cost/pyprof.h"

#include <algorithm>

#include "base/text.h"
#include "cost/formulas.h"

namespace emberline {
namespace {

template <size_t n>
bool Among(std::string_view word, const std::string_view (&words)[n]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// What it cannot tell it prints as 0.
int64_t OrZero(Amount amount) { return amount.value(); }

struct Figures {
  Amount flops = 0, bytes = 0;
};

// addmm counts no addend.
Figures Product(const Arguments& a, size_t at) {
  const Tensor &x = a.TensorAt(at), &y = a.TensorAt(at + 1);
  const Amount m = x.Dim(-2), k = x.Dim(-1), n = y.Dim(-1), e = x.ElementBytes();
  const Amount batch = x.rank() == 3 ? x.Dim(0) : Amount(1);
  return {Amount(2) * batch * m * n * k, e * batch * (m * n + m * k + n * k)};
}

// Operations have the batch, bytes do not.
Figures Matmul(const Arguments& a) {
  const Tensor &x = a.TensorAt(0), &y = a.TensorAt(1);
  const Amount m = x.rank() > 1 ? x.Dim(-2) : Amount(1), k = x.Dim(-1);
  const Amount n = y.rank() > 1 ? y.Dim(-1) : Amount(1), e = x.ElementBytes();
  Tensor xs = x, ys = y;
  xs.dims.resize(x.rank() > 2 ? x.rank() - 2 : 0);
  ys.dims.resize(y.rank() > 2 ? y.rank() - 2 : 0);
  return {Amount(2) * BroadcastElements({&xs, &ys}) * m * n * k, e * (m * n + m * k + n * k)};
}

// Only the last term of the bytes is multiplied by the size of an element.
Figures Linear(const Arguments& a, std::string_view kernel, bool backward, int64_t sub) {
  const Tensor &x = a.TensorAt(0), &w = a.TensorAt(1);
  const Amount m = w.Dim(0), k = w.Dim(1), e = x.ElementBytes();
  const Amount n = x.Elements() / x.Dim(-1);
  if (!Contains(kernel, "gemm") && !Contains(kernel, "Gemm")) return {m * n, Amount(2) * e * m * n};
  if (backward && sub > 1) return {};
  return {Amount(2) * m * n * k, m * n + m * k + e * n * k};
}

// The kernels that it knew were those of Volta's and Turing's libraries.
bool IsKnownConvolution(std::string_view kernel) {
  constexpr std::string_view kParts[] = {"scudnn",
                                         "884cudnn",
                                         "1688cudnn",
                                         "implicit_convolve_sgemm",
                                         "implicit_con",
                                         "explicit_convolve_sgemm",
                                         "cudnn_convolve",
                                         "winograd3x3Kernel",
                                         "scudnn_winograd",
                                         "hcudnn",
                                         "conv2d_grouped_direct_kernel",
                                         "conv_depthwise2d",
                                         "wgrad_alg",
                                         "dgrad_engine",
                                         "dgrad2d_grouped",
                                         "cf32cudnn",
                                         "s884gemm",
                                         "gemm"};
  return std::any_of(std::begin(kParts), std::end(kParts),
                     [&](std::string_view part) { return Contains(kernel, part); });
}

Figures Convolution(const Arguments& a, std::string_view kernel) {
  const Tensor &x = a.TensorAt(0), &w = a.TensorAt(1);
  if (x.rank() < 3 || w.rank() != x.rank() || !IsKnownConvolution(kernel)) return {};
  const size_t spatial = x.rank() - 2;
  const auto stride = PerDimension(a, 3, spatial), padding = PerDimension(a, 4, spatial),
             dilation = PerDimension(a, 5, spatial);
  const auto groups = a.Integer(6);
  if (!stride || !padding || !dilation || !groups || *groups <= 0) return {};
  Amount out = x.Dim(0) * w.Dim(0), per_output = w.Dim(1);
  for (size_t i = 0; i < spatial; ++i) {
    const Amount size = x.Dim(static_cast<int>(i) + 2),
                 kernel_size = w.Dim(static_cast<int>(i) + 2);
    constexpr int64_t kMax = int64_t{1} << 30;
    const bool sane = (*stride)[i] > 0 && (*stride)[i] < kMax && (*padding)[i] >= 0 &&
                      (*padding)[i] < kMax && (*dilation)[i] >= 0 && (*dilation)[i] < kMax &&
                      size.value() < kMax && kernel_size.value() < kMax;
    if (!sane) return {};
    const int64_t span =
        size.value() + 2 * (*padding)[i] - (*dilation)[i] * (kernel_size.value() - 1) - 1;
    if (span < 0) return {};
    out *= span / (*stride)[i] + 1;
    per_output *= kernel_size;
  }
  return {Amount(2) * out * per_output, x.ElementBytes() * (x.Elements() + w.Elements() + out)};
}

// Operands are counted and then halved, so that two make one and a half operations.
Figures Pointwise(const Arguments& a, std::string_view op, bool backward) {
  std::vector<const Tensor*> inputs;
  for (size_t i = 0; i < a.size() && inputs.size() < 3; ++i) {
    if (a.HasTensor(i) && a.TensorAt(i).rank() > 0) inputs.push_back(&a.TensorAt(i));
  }
  if (inputs.empty()) return {};
  const Amount n = inputs[0]->Elements(), e = inputs[0]->ElementBytes();
  if (inputs.size() == 3) return {0, Amount(4) * e * n};
  if (inputs.size() == 2) {
    const Amount other = inputs[1]->Elements();
    if (inputs[0]->dims != inputs[1]->dims) {
      const Amount all = n + other + BroadcastElements(inputs);
      return {all / 2, e * all};
    }
    const bool product = op == "mul" || op == "div" || op == "mul_" || op == "div_";
    if (!backward) return {n * 3 / 2, Amount(3) * e * n};
    return {product ? n * 3 / 2 : n, (product ? Amount(3) : Amount(2)) * e * n};
  }
  constexpr std::string_view kFour[] = {"tanh", "sigmoid", "log"};
  constexpr std::string_view kTwenty[] = {"asin", "acos", "atan"};
  constexpr std::string_view kNone[] = {"fill_", "zero_", "masked_fill", "masked_fill_", "where"};
  const int64_t each = Among(op, kFour) ? 4 : Among(op, kTwenty) ? 20 : Among(op, kNone) ? 0 : 1;
  return {Amount(each) * n, Amount(2) * e * n};
}

constexpr std::string_view kActivations[] = {
    "relu",     "relu_",     "relu6",     "elu",        "selu",        "celu",      "glu",
    "gelu",     "silu",      "silu_",     "leaky_relu", "leaky_relu_", "prelu",     "rrelu",
    "hardtanh", "hardtanh_", "threshold", "hardswish",  "softplus",    "logsigmoid"};
constexpr std::string_view kPointwise[] = {
    "abs",         "neg",          "sign",       "exp",   "log",       "log2",      "log10",
    "sqrt",        "rsqrt",        "reciprocal", "sin",   "cos",       "tan",       "asin",
    "acos",        "atan",         "sinh",       "cosh",  "tanh",      "sigmoid",   "floor",
    "ceil",        "round",        "add",        "add_",  "sub",       "sub_",      "mul",
    "mul_",        "div",          "div_",       "pow",   "eq",        "ne",        "lt",
    "le",          "gt",           "ge",         "rsub",  "fmod",      "remainder", "addcmul",
    "addcmul_",    "addcdiv",      "addcdiv_",   "lerp",  "lerp_",     "fill_",     "zero_",
    "masked_fill", "masked_fill_", "where",      "clamp", "clamp_min", "clamp_max"};

Figures Of(std::string_view op, const Arguments& a, std::string_view kernel, bool backward,
           int64_t sub) {
  const Tensor& x = a.TensorAt(0);
  const Amount n = x.Elements(), e = x.ElementBytes();
  if (op == "mm" || op == "bmm") return Product(a, 0);
  if (op == "addmm") return Product(a, 1);
  if (op == "matmul") return Matmul(a);
  if (op == "linear") return Linear(a, kernel, backward, sub);
  if (op == "conv1d" || op == "conv2d") return Convolution(a, kernel);
  if (Among(op, kActivations)) return {n, (backward ? Amount(3) : Amount(2)) * e * n};
  if (Among(op, kPointwise)) return Pointwise(a, op, backward);
  const bool first = sub == 0;
  if (op == "softmax" || op == "log_softmax")
    return {0, (backward ? Amount(5) : Amount(3)) * e * n};
  if (op == "batch_norm") {
    const Amount bytes = (backward ? Amount(5) : Amount(4)) * e * n;
    return {Amount(8) * n, first ? bytes : Amount(0)};
  }
  if (op == "sum" || op == "mean" || op == "norm" || op == "any") {
    const bool any = op == "any";
    if (!first) return {0, any ? e * n : Amount(0)};
    const Amount flops = op == "sum"    ? n
                         : op == "mean" ? n + 1
                         : any          ? Amount(0)
                                        : Amount(2) * n + 1;
    return {flops, e * n};
  }
  if (op == "dropout") return {Amount(5) * n, Amount(2) * e * n};
  if (op == "embedding") {
    const Tensor& index = a.TensorAt(1);
    const Amount count = index.Elements(), row = x.Dim(1) * e;
    if (backward) return {0, first ? Amount(3) * count * row : Amount(0)};
    return {0, count * (index.ElementBytes() + Amount(2) * row)};
  }
  if (op == "cat") {
    Amount all = 0;
    for (const Tensor& tensor : a.ListAt(0)) all += tensor.Elements() * tensor.ElementBytes();
    return {0, first ? Amount(2) * all : Amount(0)};
  }
  if (op == "gather") return {0, Amount(2) * e * n};  // by the input, not by the index
  if (op == "index_select") {
    const Tensor& index = a.TensorAt(2);
    const Amount out =
        n / x.Dim(static_cast<int>(std::clamp<int64_t>(a.Integer(1).value_or(0), -64, 64))) *
        index.Elements();
    return {0, Amount(2) * e * out + Amount(8) * index.Elements()};
  }
  if (op == "copy_") {
    const Tensor& source = a.TensorAt(1);
    return {0, n * (e + source.ElementBytes())};
  }
  // The target's type was not seen.
  if (op == "to" || op == "clone" || op == "contiguous") return {0, Amount(2) * e * n};
  if (op == "mse_loss") {
    const bool none = a.Integer(2) == 0;
    const Amount m = Amount(2 + (none ? 1 : 0) + (backward ? 1 : 0)) * n;
    return {Amount(2) * m + 1, e * m};
  }
  if (op == "randperm") {
    const int64_t count = std::max<int64_t>(a.Integer(0).value_or(0), 0);
    return {Amount(3) * count, Amount(8) * count};
  }
  return {};
}

void Erase(std::string& text, std::string_view part) {
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) {
    text.erase(at, part.size());
  }
}

}  // namespace

PyProfFigures PyProfCost(std::string_view op, const Arguments& arguments, std::string_view kernel,
                         bool backward, int64_t sub) {
  const Figures figures = Of(op, arguments, kernel, backward, sub);
  return {OrZero(figures.flops), OrZero(figures.bytes)};
}

std::string PyProfKernelName(std::string_view name) {
  std::string text(name.substr(0, name.find('<')));
  Erase(text, "(anonymous namespace)::");
  for (const char* part : {"void ", "at::", "cuda::", "native::"}) Erase(text, part);
  text = text.substr(0, text.find('('));
  std::replace(text.begin(), text.end(), ' ', '_');
  return text;
}

}  // namespace emberline
