// Recurrent networks: the products of all layers and directions; the gates' elementwise work is
// left out, as it is in other counters.
#include "cost/formulas.h"

namespace emberline {
namespace {

struct Layout {
  size_t weights = 1, hidden_state = 3, cell_state = 4, mode = 0, hidden = 0, layers = 0,
         bidirectional = 0;
  int projection = -1;
};

struct Network {
  Amount steps = 0, input = 0, hidden = 0, projected = 0, layers = 0, directions = 1;
  int64_t gates = 1;
};

const Sentence* ReadNetwork(CostBuilder& b, const Layout& at, Network& net) {
  const Arguments& args = b.arguments();
  const Tensor& x = b.T(0);
  const auto mode = args.Integer(at.mode), hidden = args.Integer(at.hidden),
             layers = args.Integer(at.layers);
  const auto both = args.Flag(at.bidirectional);
  if (!mode || !hidden || !layers || !both) return &reasons::kNoNetworkSizes;
  if (x.rank() < 2 || x.rank() > 3) return &reasons::kNoSequence;
  net.gates = *mode == 2 ? 4 : *mode == 3 ? 3 : 1;
  net.hidden = *hidden;
  net.layers = *layers;
  net.directions = *both ? 2 : 1;
  net.steps = x.rank() == 3 ? x.Dim(0) * x.Dim(1) : x.Dim(0);
  net.input = x.Dim(-1);
  net.projected = at.projection < 0
                      ? Amount(0)
                      : Amount(args.Integer(static_cast<size_t>(at.projection)).value_or(0));
  return nullptr;
}

// Σ over layers of dirs·T·B·(2·G·H·(in + Hr) + 2·H·P).
Amount Products(const Network& net) {
  const bool projects = net.projected.known() && net.projected.value() > 0;
  const Amount back = projects ? net.projected : net.hidden;
  const Amount per = net.directions * net.steps * 2 * net.gates * net.hidden;
  const Amount projection =
      net.directions * net.steps * 2 * net.hidden * (projects ? net.projected : Amount(0));
  const Amount first = per * (net.input + back) + projection;
  if (!net.layers.known() || net.layers.value() <= 0) return Amount::Unknown(reasons::kNoLayers);
  return first +
         Amount(net.layers.value() - 1) * (per * (net.directions * back + back) + projection);
}

template <const Layout& at, bool backward>
void Rnn(CostBuilder& b, const OpFormula&) {
  b.Matrix();
  const Tensor& x = b.T(0);
  Network net;
  b.cost().type = x.type;
  if (const Sentence* why = ReadNetwork(b, at, net)) return b.Unknown(*why);
  b.Param("T·B", net.steps);
  b.Param("I", net.input);
  b.Param("H", net.hidden);
  b.Param("layers", net.layers);
  b.Type(x.type);
  const Amount flops = Products(net) * (backward ? 2 : 1);
  b.Flops(flops, backward ? "2·Σ layers·dirs·T·B·2·G·H·(in+H)" : "Σ layers·dirs·T·B·2·G·H·(in+H)",
          {{"T·B", net.steps},
           {"in", net.input},
           {"G", net.gates},
           {"H", net.hidden},
           {"layers", net.layers},
           {"dirs", net.directions}});
  Amount weights = 0;
  for (Tensor tensor : b.List(at.weights)) {
    if (tensor.type == DType::kUnknown) tensor.type = x.type;
    weights += tensor.Elements() * tensor.ElementBytes();
  }
  if (b.List(at.weights).empty()) weights = Amount::Unknown(reasons::kNoWeights);
  const Amount back = net.projected.value() > 0 ? net.projected : net.hidden;
  const Amount out = net.steps * net.directions * back * x.ElementBytes();
  const Amount times = backward ? 2 : 1;
  b.Read("x", times * x.Bytes());
  b.Read("weights", times * weights);
  b.ReadTensor("hidden state", at.hidden_state);
  b.ReadTensor("cell state", at.cell_state);
  b.Write("out", times * out);
  if (backward) b.Write("weight gradients", weights);
  if (!backward && b.Has(at.hidden_state)) b.Write("hidden state", b.T(at.hidden_state).Bytes());
  if (!backward && b.Has(at.cell_state)) b.Write("cell state", b.T(at.cell_state).Bytes());
}

constexpr Layout kCudnn{1, 4, 5, 6, 7, 9, 13, 8};
constexpr Layout kCudnnBackward{1, 4, 5, 10, 11, 13, 17, 12};
constexpr Layout kMiopen{1, 3, 4, 5, 6, 7, 11};

// _thnn_fused_lstm_cell(input_gates [B,4H], hidden_gates, cx [B,H], biases).
void LstmCell(CostBuilder& b, const OpFormula&) {
  const Tensor& c = b.T(2);
  const Amount n = c.Elements(), e = c.ElementBytes();
  b.ParamTensor(c);
  b.Flops(Amount(21) * n, "21·B·H", {{"B·H", n}});
  b.Read("gates", b.T(0).Bytes() + b.T(1).Bytes());
  b.Read("cell state", c.Bytes());
  b.ReadTensor("bias", 3);
  b.ReadTensor("bias", 4);
  b.Write("states and workspace", Amount(6) * n * e);
}

void GruCell(CostBuilder& b, const OpFormula&) {
  const Tensor& h = b.T(2);
  const Amount n = h.Elements(), e = h.ElementBytes();
  b.ParamTensor(h);
  b.Flops(Amount(17) * n, "17·B·H", {{"B·H", n}});
  b.Read("gates", b.T(0).Bytes() + b.T(1).Bytes());
  b.Read("hidden state", h.Bytes());
  b.ReadTensor("bias", 3);
  b.ReadTensor("bias", 4);
  b.Write("state and workspace", Amount(6) * n * e);
}

// _thnn_fused_lstm_cell_backward_impl(grad_hy, grad_cy, cx, cy, workspace).
void LstmCellBackward(CostBuilder& b, const OpFormula&) {
  const Tensor& c = b.T(2);
  const Amount n = c.Elements(), e = c.ElementBytes();
  b.ParamTensor(c);
  b.Flops(Amount(25) * n, "25·B·H", {{"B·H", n}});
  b.Read("gradients, states, workspace", Amount(8) * n * e);
  b.Write("gradients", Amount(5) * n * e);
}

constexpr OpFormula F(void (*compute)(CostBuilder&, const OpFormula&)) {
  return {OpClass::kRecurrent, false, compute};
}

constexpr NamedFormula kFormulas[] = {
    {"aten::_cudnn_rnn", F(Rnn<kCudnn, false>)},
    {"aten::miopen_rnn", F(Rnn<kMiopen, false>)},
    {"aten::_cudnn_rnn_backward", F(Rnn<kCudnnBackward, true>)},
    {"aten::_thnn_fused_lstm_cell", F(LstmCell)},
    {"aten::_thnn_fused_gru_cell", F(GruCell)},
    {"aten::_thnn_fused_lstm_cell_backward_impl", F(LstmCellBackward)},
};

}  // namespace

std::span<const NamedFormula> RecurrentFormulas() { return kFormulas; }

}  // namespace emberline
