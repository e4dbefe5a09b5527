// Matrix products: the algorithm-independent count 2·M·N·K, a bias not counted.
#include <initializer_list>

#include "cost/formulas.h"

namespace emberline {
namespace {

// Two values are packed in a byte of fp4.
Amount Values(const Tensor& tensor, Amount packed) {
  return tensor.type == DType::kFloat4x2 ? packed * 2 : packed;
}

struct Product {
  Amount batch = 1, m = 0, n = 0, k = 0, other_k = 0;
};

// The operations and params; false where the shapes do not fit each other.
bool Count(CostBuilder& b, const Product& p, DType type, bool batched) {
  b.Matrix();
  if (p.k.known() && p.other_k.known() && p.k.value() != p.other_k.value()) {
    b.Unknown(reasons::kInnerDimensionsDiffer);
    return false;
  }
  if (batched) b.Param("B", p.batch);
  b.Param("M", p.m);
  b.Param("N", p.n);
  b.Param("K", p.k);
  b.Type(type);
  b.cost().m = p.m.value();
  b.cost().n = p.n.value();
  b.cost().k = p.k.value();
  if (batched) {
    b.Flops(Amount(2) * p.batch * p.m * p.n * p.k, "2·B·M·N·K",
            {{"B", p.batch}, {"M", p.m}, {"N", p.n}, {"K", p.k}});
  } else {
    b.Flops(Amount(2) * p.m * p.n * p.k, "2·M·N·K", {{"M", p.m}, {"N", p.n}, {"K", p.k}});
  }
  return true;
}

// Whether a tensor can be broadcast to a shape.
bool BroadcastsTo(const Tensor& tensor, std::initializer_list<Amount> shape) {
  if (tensor.rank() > shape.size()) return false;
  const Amount* size = shape.end();
  for (int d = -1; d >= -static_cast<int>(tensor.rank()); --d) {
    const Amount own = tensor.Dim(d), wanted = *--size;
    if (!SameSize(own, 1) && !SameSize(own, wanted)) return false;
  }
  return true;
}

// beta·C of addmm and the like: read unless beta is 0.
void ReadAddend(CostBuilder& b, size_t index, size_t beta) {
  const auto factor = b.arguments().Number(beta);
  if (!factor || *factor != 0) b.ReadTensor("addend", index);
}

// a: position of the first factor; b: of beta, 0 for none, and then the addend stands first.
void Mm(CostBuilder& b, const OpFormula& f) {
  const size_t at = static_cast<size_t>(f.a);
  const Tensor &x = b.T(at), &y = b.T(at + 1);
  const Product p{1, x.Dim(0), y.Dim(1), Values(x, x.Dim(1)), Values(y, y.Dim(0))};
  if (x.rank() != 2 || y.rank() != 2) return b.Unknown(reasons::kNoMatrices);
  if (f.b > 0 && !BroadcastsTo(b.T(0), {p.m, p.n})) return b.Unknown(reasons::kShapesDoNotFit);
  if (!Count(b, p, x.type, false)) return;
  b.Read("a", x.Bytes());
  b.Read("b", y.Bytes());
  if (f.b > 0) ReadAddend(b, 0, static_cast<size_t>(f.b));
  b.Write("out", p.m * p.n * x.ElementBytes());
}

void Bmm(CostBuilder& b, const OpFormula& f) {
  const size_t at = static_cast<size_t>(f.a);
  const Tensor &x = b.T(at), &y = b.T(at + 1);
  if (x.rank() != 3 || y.rank() != 3) return b.Unknown(reasons::kNoBatchesOfMatrices);
  if (x.dims[0] != y.dims[0]) return b.Unknown(reasons::kShapesDoNotFit);
  const Product p{x.Dim(0), x.Dim(1), y.Dim(2), x.Dim(2), y.Dim(1)};
  // c: the batches are added up (addbmm).
  const Amount results = f.c > 0 ? Amount(1) : p.batch;
  if (f.b > 0 && !BroadcastsTo(b.T(0), {results, p.m, p.n})) {
    return b.Unknown(reasons::kShapesDoNotFit);
  }
  if (!Count(b, p, x.type, true)) return;
  b.Read("a", x.Bytes());
  b.Read("b", y.Bytes());
  if (f.b > 0) ReadAddend(b, 0, static_cast<size_t>(f.b));
  b.Write("out", results * p.m * p.n * x.ElementBytes());
}

void Mv(CostBuilder& b, const OpFormula& f) {
  const size_t at = static_cast<size_t>(f.a);
  const Tensor &x = b.T(at), &y = b.T(at + 1);
  if (x.rank() != 2 || y.rank() != 1) return b.Unknown(reasons::kNoMatrixAndVector);
  const Product p{1, x.Dim(0), 1, x.Dim(1), y.Dim(0)};
  if (!Count(b, p, x.type, false)) return;
  b.Read("matrix", x.Bytes());
  b.Read("vector", y.Bytes());
  if (at > 0) ReadAddend(b, 0, 3);
  b.Write("out", p.m * x.ElementBytes());
}

void Dot(CostBuilder& b, const OpFormula&) {
  const Tensor &x = b.T(0), &y = b.T(1);
  const Product p{1, 1, 1, x.Elements(), y.Elements()};
  if (!Count(b, p, x.type, false)) return;
  b.Read("a", x.Bytes());
  b.Read("b", y.Bytes());
  b.Write("out", x.ElementBytes());
}

// a: position of the first vector; weight: operations per element of the result.
void Outer(CostBuilder& b, const OpFormula& f) {
  const size_t at = static_cast<size_t>(f.a);
  const Tensor &x = b.T(at), &y = b.T(at + 1);
  const Amount m = x.Elements(), n = y.Elements();
  b.Param("M", m);
  b.Param("N", n);
  b.Type(x.type);
  b.Flops(Amount(static_cast<int64_t>(f.weight)) * m * n, at > 0 ? "3·M·N" : "M·N",
          {{"M", m}, {"N", n}});
  b.Read("a", x.Bytes());
  b.Read("b", y.Bytes());
  if (at > 0) b.ReadTensor("addend", 0);
  b.Write("out", m * n * x.ElementBytes());
}

// The widest of a matmul's or linear's leading dimensions, as one.
Amount LeadingOf(const Tensor& tensor, size_t kept) {
  Amount product = 1;
  for (size_t i = 0; i + kept < tensor.rank(); ++i) product *= tensor.Dim(static_cast<int>(i));
  return product;
}

// x [..., K], weight [N, K].
void Linear(CostBuilder& b, const OpFormula&) {
  const Tensor &x = b.T(0), &w = b.T(1);
  if (x.rank() < 1 || w.rank() != 2) return b.Unknown(reasons::kNoMatrices);
  const Product p{1, LeadingOf(x, 1), w.Dim(0), Values(x, x.Dim(-1)), Values(w, w.Dim(1))};
  if (!Count(b, p, x.type, false)) return;
  b.Read("x", x.Bytes());
  b.Read("weight", w.Bytes());
  b.ReadTensor("bias", 2);
  b.Write("out", p.m * p.n * x.ElementBytes());
}

void Matmul(CostBuilder& b, const OpFormula&) {
  const Tensor &x = b.T(0), &y = b.T(1);
  if (x.rank() < 1 || y.rank() < 1) return b.Unknown(reasons::kNoMatrices);
  Product p;
  p.m = x.rank() > 1 ? x.Dim(-2) : Amount(1);
  p.k = x.Dim(-1);
  p.n = y.rank() > 1 ? y.Dim(-1) : Amount(1);
  p.other_k = y.rank() > 1 ? y.Dim(-2) : y.Dim(0);
  Tensor xs = x, ys = y;  // what is broadcast
  xs.dims.resize(x.rank() > 2 ? x.rank() - 2 : 0);
  ys.dims.resize(y.rank() > 2 ? y.rank() - 2 : 0);
  p.batch = BroadcastElements({&xs, &ys});
  if (!Count(b, p, x.type, true)) return;
  b.Read("a", x.Bytes());
  b.Read("b", y.Bytes());
  b.Write("out", p.batch * p.m * p.n * x.ElementBytes());
}

// Output type from an argument that holds a c10::ScalarType; `fallback` without one.
Amount OutputBytes(CostBuilder& b, size_t index, DType fallback) {
  const auto code = b.arguments().Integer(index);
  const DType type = code ? DTypeOfCode(*code) : fallback;
  const int64_t bytes = BytesOf(type);
  return bytes == 0 ? Amount::Unknown(reasons::kNoResultType) : Amount(bytes);
}

// Scales are read too; those of one element are no traffic worth counting, but are counted.
void ScaledMm(CostBuilder& b, const OpFormula&) {
  const Tensor &x = b.T(0), &y = b.T(1);
  if (x.rank() != 2 || y.rank() != 2) return b.Unknown(reasons::kNoMatrices);
  const Product p{1, x.Dim(0), y.Dim(1), Values(x, x.Dim(1)), Values(y, y.Dim(0))};
  if (!Count(b, p, x.type, false)) return;
  b.Read("a", x.Bytes());
  b.Read("b", y.Bytes());
  for (const size_t scale : {2, 3, 5}) {
    if (b.Has(scale) && b.T(scale).rank() > 0) b.ReadTensor("scale", scale);
  }
  b.ReadTensor("bias", 4);
  b.Write("out", p.m * p.n * OutputBytes(b, 6, DType::kBFloat16));
}

void IntMm(CostBuilder& b, const OpFormula&) {
  const Tensor &x = b.T(0), &y = b.T(1);
  if (x.rank() != 2 || y.rank() != 2) return b.Unknown(reasons::kNoMatrices);
  const Product p{1, x.Dim(0), y.Dim(1), x.Dim(1), y.Dim(0)};
  if (!Count(b, p, x.type, false)) return;
  b.Read("a", x.Bytes());
  b.Read("b", y.Bytes());
  b.Write("out", p.m * p.n * 4);
}

// Groups of products whose borders (offs) are data: their sum over all groups is known.
// a: position of the offsets.
void GroupedMm(CostBuilder& b, const OpFormula&) {
  const Tensor &x = b.T(0), &y = b.T(1);
  Product p;
  p.m = x.Dim(-2);
  p.k = Values(x, x.Dim(-1));
  p.n = y.Dim(-1);
  p.other_k = Values(y, y.Dim(-2));
  if (x.rank() < 2 || x.rank() > 3 || y.rank() < 2 || y.rank() > 3) {
    return b.Unknown(reasons::kNoMatrices);
  }
  Amount outputs = p.m * p.n;
  if (x.rank() == 3 && y.rank() == 3) {
    if (x.dims[0] != y.dims[0]) return b.Unknown(reasons::kShapesDoNotFit);
    p.batch = x.Dim(0);
    outputs *= p.batch;
  } else if (x.rank() == 2 && y.rank() == 2) {
    // K is cut into groups: each gives a product of its own.
    const Tensor& offsets = b.T(b.Has(4) ? 4 : 2);
    outputs *= offsets.Elements();
  }
  if (!Count(b, p, x.type, true)) return;
  b.Read("a", x.Bytes());
  b.Read("b", y.Bytes());
  // _scaled_grouped_mm(a, b, scales of a, scales of b, offsets, ...).
  if (b.name() == "aten::_scaled_grouped_mm") {
    b.ReadTensor("scales", 2);
    b.ReadTensor("scales", 3);
  }
  const bool narrow = x.type == DType::kFloat8 || x.type == DType::kFloat4x2;
  b.Write("out", outputs * (narrow ? Amount(2) : x.ElementBytes()));
}

constexpr OpFormula F(void (*compute)(CostBuilder&, const OpFormula&), int a = 0, int b = 0,
                      int c = 0, double weight = 0) {
  return {OpClass::kMatmul, false, compute, weight, a, b, c};
}
constexpr OpFormula Composite(void (*compute)(CostBuilder&, const OpFormula&)) {
  return {OpClass::kMatmul, true, compute};
}

constexpr NamedFormula kFormulas[] = {
    {"aten::mm", F(Mm)},
    {"aten::addmm", F(Mm, 1, 3)},
    {"aten::_addmm_activation", F(Mm, 1, 3)},
    {"aten::bmm", F(Bmm)},
    {"aten::baddbmm", F(Bmm, 1, 3)},
    {"aten::addbmm", F(Bmm, 1, 3, 1)},
    {"aten::mv", F(Mv)},
    {"aten::addmv", F(Mv, 1)},
    {"aten::dot", F(Dot)},
    {"aten::vdot", F(Dot)},
    {"aten::ger", F(Outer, 0, 0, 0, 1)},
    {"aten::outer", F(Outer, 0, 0, 0, 1)},
    {"aten::addr", F(Outer, 1, 0, 0, 3)},
    {"aten::_scaled_mm", F(ScaledMm)},
    {"aten::_int_mm", F(IntMm)},
    {"aten::_grouped_mm", F(GroupedMm)},
    {"aten::_scaled_grouped_mm", F(GroupedMm)},
    {"aten::linear", Composite(Linear)},
    {"aten::mkldnn_linear", F(Linear)},
    {"aten::matmul", Composite(Matmul)},
};

}  // namespace

std::span<const NamedFormula> MatmulFormulas() { return kFormulas; }

}  // namespace emberline
