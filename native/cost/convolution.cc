// Convolutions: operations of the direct algorithm, whatever algorithm ran.
#include "cost/formulas.h"

namespace emberline {
namespace {

// Where a convolution's arguments stand; -1: it has none.
struct Positions {
  int x = 0, weight = 1, bias = -1, stride = -1, padding = -1, dilation = -1;
  int transposed = -1, output_padding = -1, groups = -1;
  bool always_transposed = false;
  int addend = -1;
};

constexpr int64_t kMaxSize = int64_t{1} << 30;

struct Window {
  std::vector<int64_t> stride, padding, dilation, output_padding;
  bool transposed = false;
  int64_t groups = 1;
};

// What the arguments say; a literal that tells what is missing, or null.
const Sentence* ReadWindow(const Arguments& args, const Positions& at, size_t spatial, Window& w) {
  const auto list = [&](int index, int64_t usual, std::vector<int64_t>& into) {
    into.assign(spatial, usual);
    if (index < 0) return true;
    const auto values = PerDimension(args, static_cast<size_t>(index), spatial);
    if (!values) return false;
    for (const int64_t value : *values) {
      if (value < 0 || value > kMaxSize) return false;
    }
    into = *values;
    return true;
  };
  if (!args.has_values()) return &reasons::kNoWindowNumbers;
  if (at.transposed >= 0) w.transposed = args.Flag(static_cast<size_t>(at.transposed)) == true;
  w.transposed = w.transposed || at.always_transposed;
  if (!list(at.stride, 1, w.stride) || !list(at.dilation, 1, w.dilation) ||
      !list(at.padding, 0, w.padding)) {
    return &reasons::kUnreadableWindow;
  }
  if (!list(w.transposed ? at.output_padding : -1, 0, w.output_padding)) {
    return &reasons::kUnreadableOutputPadding;
  }
  if (at.groups >= 0) w.groups = args.Integer(static_cast<size_t>(at.groups)).value_or(0);
  for (const int64_t stride : w.stride) {
    if (stride == 0) return &reasons::kZeroStride;
  }
  return w.groups <= 0 ? &reasons::kUnreadableGroups : nullptr;
}

Amount OutputSize(Amount input, Amount kernel, int64_t stride, int64_t padding, int64_t dilation,
                  int64_t output_padding, bool transposed) {
  if (!input.known()) return input;
  if (!kernel.known()) return kernel;
  // Far above real sizes, and products of two of them fit.
  if (input.value() > kMaxSize || kernel.value() > kMaxSize) {
    return Amount::Unknown(reasons::kSizesTooLarge);
  }
  const int64_t reach = dilation * (kernel.value() - 1);
  const int64_t span = input.value() + 2 * padding - reach - 1;
  if (!transposed && span < 0) return Amount::Unknown(reasons::kWindowDoesNotFit);
  const int64_t size = transposed
                           ? (input.value() - 1) * stride - 2 * padding + reach + output_padding + 1
                           : span / stride + 1;
  return size < 0 ? Amount::Unknown(reasons::kWindowDoesNotFit) : Amount(size);
}

constexpr const char* kSizes[3] = {"D", "H", "W"};
constexpr const char* kOutputs[3] = {"O", "P", "Q"};
constexpr const char* kKernels[3] = {"T", "R", "S"};

// PyProf2's list: N,C,H,W,K,P,Q,R,S,ph,pw,U,V,dh,dw,g.
void Describe(CostBuilder& b, const Tensor& x, const Tensor& w, const std::vector<Amount>& out,
              const Window& window, Amount channels_out) {
  const size_t spatial = out.size();
  const size_t skip = 3 - spatial;
  b.Param("N", x.Dim(0));
  b.Param("C", x.Dim(1));
  for (size_t i = 0; i < spatial; ++i) {
    b.Param(kSizes[skip + i], x.Dim(static_cast<int>(i) + 2));
  }
  b.Param("K", channels_out);
  for (size_t i = 0; i < spatial; ++i) b.Param(kOutputs[skip + i], out[i]);
  for (size_t i = 0; i < spatial; ++i) {
    b.Param(kKernels[skip + i], w.Dim(static_cast<int>(i) + 2));
  }
  constexpr const char* kPads[3] = {"pd", "ph", "pw"};
  constexpr const char* kStrides[3] = {"Z", "U", "V"};
  constexpr const char* kDilations[3] = {"dd", "dh", "dw"};
  for (size_t i = 0; i < spatial; ++i) b.Param(kPads[skip + i], window.padding[i]);
  for (size_t i = 0; i < spatial; ++i) b.Param(kStrides[skip + i], window.stride[i]);
  for (size_t i = 0; i < spatial; ++i) b.Param(kDilations[skip + i], window.dilation[i]);
  b.Param("g", window.groups);
  b.Type(x.type);
}

Amount WeightPerOutput(const Tensor& w) {
  Amount product = 1;
  for (size_t i = 1; i < w.rank(); ++i) product *= w.Dim(static_cast<int>(i));
  return product;
}

bool FitsShapes(const Tensor& x, const Tensor& w) {
  return x.rank() >= 3 && x.rank() <= 5 && w.rank() == x.rank();
}

// Channels of the result. A recorded call whose channels and groups do not fit each other cannot
// have run: nothing is counted for it.
Amount ChannelsOut(const Tensor& w, const Window& window) {
  return window.transposed ? w.Dim(1) * window.groups : w.Dim(0);
}

bool ChannelsFit(const Tensor& x, const Tensor& w, const Window& window) {
  const Amount weight_in = window.transposed ? w.Dim(0) : w.Dim(1) * window.groups;
  if (!SameSize(x.Dim(1), weight_in)) return false;
  const Amount divided = window.transposed ? x.Dim(1) : w.Dim(0);
  return !divided.known() || divided.value() % window.groups == 0;
}

std::vector<Amount> OutputSizes(const Tensor& x, const Tensor& w, const Window& window) {
  std::vector<Amount> sizes;
  for (size_t i = 0; i + 2 < x.rank(); ++i) {
    const int d = static_cast<int>(i) + 2;
    sizes.push_back(OutputSize(x.Dim(d), w.Dim(d), window.stride[i], window.padding[i],
                               window.dilation[i], window.output_padding[i], window.transposed));
  }
  return sizes;
}

// Bytes of x that windows touch: strides longer than the window skip the rest.
Amount TouchedBytes(const Tensor& x, const Tensor& w, const std::vector<Amount>& out,
                    const Window& window) {
  Amount bytes = x.Bytes();
  if (window.transposed) return bytes;
  for (size_t i = 0; i < out.size(); ++i) {
    const int d = static_cast<int>(i) + 2;
    const Amount size = x.Dim(d), kernel = w.Dim(d);
    if (!size.known() || !kernel.known() || window.stride[i] <= kernel.value()) continue;
    if (window.dilation[i] == 1) bytes = bytes / size * Least(size, out[i] * kernel);
  }
  return bytes;
}

void Forward(CostBuilder& b, const Positions& at) {
  const Tensor& x = b.T(static_cast<size_t>(at.x));
  const Tensor& w = b.T(static_cast<size_t>(at.weight));
  b.Matrix();
  b.cost().type = x.type;
  if (!FitsShapes(x, w)) return b.Unknown(reasons::kNotConvolutionTensors);
  Window window;
  const size_t spatial = x.rank() - 2;
  if (const Sentence* why = ReadWindow(b.arguments(), at, spatial, window)) return b.Unknown(*why);
  // Depthwise operators take no number of groups.
  if (at.groups >= 0 && !ChannelsFit(x, w, window)) return b.Unknown(reasons::kShapesDoNotFit);
  const std::vector<Amount> out = OutputSizes(x, w, window);
  const Amount channels = ChannelsOut(w, window);
  Amount outputs = x.Dim(0) * channels;
  for (const Amount size : out) outputs *= size;
  Describe(b, x, w, out, window, channels);
  const Amount per_output = WeightPerOutput(w);
  if (window.transposed) {
    b.Flops(Amount(2) * x.Elements() * per_output, "2·N·C·H·W·(K/g)·R·S",
            {{"input", x.Elements()}, {"weight per input", per_output}});
  } else {
    b.Flops(Amount(2) * outputs * per_output, "2·N·K·P·Q·(C/g)·R·S",
            {{"output", outputs}, {"weight per output", per_output}});
  }
  b.Read("x", TouchedBytes(x, w, out, window));
  b.Read("weight", w.Bytes());
  if (at.bias >= 0) b.ReadTensor("bias", static_cast<size_t>(at.bias));
  if (at.addend >= 0) b.ReadTensor("addend", static_cast<size_t>(at.addend));
  b.Write("out", outputs * x.ElementBytes());
}

constexpr Positions kConv{0, 1, 2, 3, 4, 5, -1, -1, 6};
constexpr Positions kConvTranspose{0, 1, 2, 3, 4, 7, -1, 5, 6, true};
constexpr Positions kGeneral{0, 1, 2, 3, 4, 5, 6, 7, 8};
constexpr Positions kCudnn{0, 1, -1, 3, 2, 4, -1, -1, 5};
constexpr Positions kCudnnTranspose{0, 1, -1, 4, 2, 5, -1, 3, 6, true};
constexpr Positions kMiopen{0, 1, 2, 4, 3, 5, -1, -1, 6};
constexpr Positions kMiopenTranspose{0, 1, 2, 5, 3, 6, -1, 4, 7, true};
constexpr Positions kCudnnRelu{0, 1, 2, 3, 4, 5, -1, -1, 6};
constexpr Positions kCudnnAddRelu{0, 1, 4, 5, 6, 7, -1, -1, 8, false, 2};
constexpr Positions kDepthwise{0, 1, 3, 4, 5, 6, -1, -1, -1};
constexpr Positions kMkldnn{0, 1, 2, 4, 3, 5, -1, -1, 6};
constexpr Positions kBackward{1, 2, -1, 4, 5, 6, 7, 8, 9};
constexpr Positions kSlow{0, 1, 3, 4, 5, -1, -1, -1, -1};  // _slow_conv2d_forward, thnn_conv2d

template <const Positions& at>
void Conv(CostBuilder& b, const OpFormula&) {
  Forward(b, at);
}

// False where the gradient cannot be that of this convolution's result. What was not recorded
// decides nothing.
bool GradientFits(CostBuilder& b, const Tensor& gy, const Tensor& x, const Tensor& w) {
  Window window;
  if (ReadWindow(b.arguments(), kBackward, x.rank() - 2, window) != nullptr) return true;
  if (!ChannelsFit(x, w, window) || !SameSize(gy.Dim(0), x.Dim(0)) ||
      !SameSize(gy.Dim(1), ChannelsOut(w, window))) {
    return false;
  }
  const std::vector<Amount> sizes = OutputSizes(x, w, window);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!SameSize(gy.Dim(static_cast<int>(i) + 2), sizes[i])) return false;
  }
  return true;
}

// Data and weight gradients multiply as much as the forward convolution did, whatever its stride:
// each output's gradient meets each weight of its window.
void Backward(CostBuilder& b, const OpFormula&) {
  const Tensor &gy = b.T(0), &x = b.T(1), &w = b.T(2);
  b.Matrix();
  b.cost().type = gy.type;
  if (!FitsShapes(x, w) || gy.rank() != x.rank()) {
    return b.Unknown(reasons::kNotConvolution);
  }
  const auto transposed = b.arguments().Flag(7);
  const auto mask = b.arguments().Flags(10);
  if (!transposed || !mask || mask->size() != 3) {
    return b.Unknown(reasons::kNoGradientChoice);
  }
  if (!GradientFits(b, gy, x, w)) return b.Unknown(reasons::kShapesDoNotFit);
  const Amount products = Amount(2) * (*transposed ? x : gy).Elements() * WeightPerOutput(w);
  const Amount bias = gy.Elements();
  b.Param("gy=" + ShapeText(gy.dims));
  b.Param("x=" + ShapeText(x.dims));
  b.Param("w=" + ShapeText(w.dims));
  b.Type(gy.type);
  Amount flops = 0;
  if ((*mask)[0]) {
    flops += products;
    b.Read("gradient", gy.Bytes());
    b.Read("weight", w.Bytes());
    b.Write("data gradient", x.Elements() * x.ElementBytes());
    b.AddPart(Part::kDataGradient, products, gy.Bytes() + w.Bytes(),
              x.Elements() * x.ElementBytes());
  }
  if ((*mask)[1]) {
    flops += products;
    b.Read("gradient", gy.Bytes());
    b.Read("x", x.Bytes());
    b.Write("weight gradient", w.Elements() * w.ElementBytes());
    b.AddPart(Part::kWeightGradient, products, gy.Bytes() + x.Bytes(),
              w.Elements() * w.ElementBytes());
  }
  if ((*mask)[2]) {
    const Amount written = gy.Dim(1) * gy.ElementBytes();
    flops += bias;
    b.Read("gradient", gy.Bytes());
    b.Write("bias gradient", written);
    b.AddPart(Part::kBiasGradient, bias, gy.Bytes(), written);
  }
  b.Flops(flops, "2·N·K·P·Q·(C/g)·R·S for each of data and weight, N·K·P·Q for the bias",
          {{"of one", products}, {"of the bias", (*mask)[2] ? bias : Amount(0)}});
}

// cudnn_convolution_backward_input(sizes, gy, weight) before 1.11, whose result is of recorded
// size.
void BackwardInput(CostBuilder& b, const OpFormula&) {
  const Tensor &gy = b.T(1), &w = b.T(2);
  b.Matrix();
  b.Param("gy=" + ShapeText(gy.dims));
  b.Param("w=" + ShapeText(w.dims));
  b.Type(gy.type);
  if (gy.rank() < 3 || w.rank() != gy.rank()) return b.Unknown(reasons::kNotConvolution);
  const Amount per_output = WeightPerOutput(w);
  b.Flops(Amount(2) * gy.Elements() * per_output, "2·N·K·P·Q·(C/g)·R·S",
          {{"gradient", gy.Elements()}, {"weight per output", per_output}});
  Tensor x;
  x.present = true;
  x.type = gy.type;
  if (auto sizes = b.arguments().Integers(0); sizes && sizes->size() == gy.rank()) {
    x.dims = std::move(*sizes);
  } else {
    x.fault = &reasons::kNoGradientSize;
  }
  b.Read("gradient", gy.Bytes());
  b.Read("weight", w.Bytes());
  b.Write("data gradient", x.Elements() * x.ElementBytes());
}

// cudnn_convolution_backward_weight(sizes, gy, x).
void BackwardWeight(CostBuilder& b, const OpFormula&) {
  const Tensor &gy = b.T(1), &x = b.T(2);
  b.Matrix();
  b.Param("gy=" + ShapeText(gy.dims));
  b.Param("x=" + ShapeText(x.dims));
  b.Type(gy.type);
  Tensor w;
  w.present = true;
  w.type = gy.type;
  if (auto sizes = b.arguments().Integers(0); sizes && sizes->size() == gy.rank()) {
    w.dims = std::move(*sizes);
  } else {
    w.fault = &reasons::kNoWeightSize;
  }
  const Amount per_output = w.fault != nullptr ? Amount::Unknown(*w.fault) : WeightPerOutput(w);
  b.Flops(Amount(2) * gy.Elements() * per_output, "2·N·K·P·Q·(C/g)·R·S",
          {{"gradient", gy.Elements()}, {"weight per output", per_output}});
  b.Read("gradient", gy.Bytes());
  b.Read("x", x.Bytes());
  b.Write("weight gradient", w.Elements() * w.ElementBytes());
}

constexpr OpFormula F(void (*compute)(CostBuilder&, const OpFormula&), bool composite = false) {
  return {OpClass::kConvolution, composite, compute};
}

constexpr NamedFormula kFormulas[] = {
    {"aten::conv1d", F(Conv<kConv>, true)},
    {"aten::conv2d", F(Conv<kConv>, true)},
    {"aten::conv3d", F(Conv<kConv>, true)},
    {"aten::conv_transpose1d", F(Conv<kConvTranspose>, true)},
    {"aten::conv_transpose2d", F(Conv<kConvTranspose>, true)},
    {"aten::conv_transpose3d", F(Conv<kConvTranspose>, true)},
    {"aten::convolution", F(Conv<kGeneral>, true)},
    {"aten::_convolution", F(Conv<kGeneral>, true)},
    {"aten::convolution_overrideable", F(Conv<kGeneral>)},
    {"aten::cudnn_convolution", F(Conv<kCudnn>)},
    {"aten::cudnn_convolution_transpose", F(Conv<kCudnnTranspose>)},
    {"aten::miopen_convolution", F(Conv<kMiopen>)},
    {"aten::miopen_depthwise_convolution", F(Conv<kMiopen>)},
    {"aten::miopen_convolution_transpose", F(Conv<kMiopenTranspose>)},
    {"aten::cudnn_convolution_relu", F(Conv<kCudnnRelu>)},
    {"aten::miopen_convolution_relu", F(Conv<kCudnnRelu>)},
    {"aten::cudnn_convolution_add_relu", F(Conv<kCudnnAddRelu>)},
    {"aten::miopen_convolution_add_relu", F(Conv<kCudnnAddRelu>)},
    {"aten::_conv_depthwise2d", F(Conv<kDepthwise>)},
    {"aten::conv_depthwise3d", F(Conv<kDepthwise>)},
    {"aten::mkldnn_convolution", F(Conv<kMkldnn>)},
    {"aten::_slow_conv2d_forward", F(Conv<kSlow>)},
    {"aten::thnn_conv2d", F(Conv<kSlow>, true)},
    {"aten::slow_conv3d_forward", F(Conv<kSlow>)},
    {"aten::convolution_backward", F(Backward)},
    {"aten::convolution_backward_overrideable", F(Backward)},
    {"aten::cudnn_convolution_backward_input", F(BackwardInput)},
    {"aten::cudnn_convolution_backward_weight", F(BackwardWeight)},
    {"aten::miopen_convolution_backward_input", F(BackwardInput)},
    {"aten::miopen_convolution_backward_weight", F(BackwardWeight)},
};

}  // namespace

std::span<const NamedFormula> ConvolutionFormulas() { return kFormulas; }

}  // namespace emberline
