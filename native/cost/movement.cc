// What moves data: copies, joins, indexing, sorting, embedding. No floating point work but sums.
#include <algorithm>
#include <cmath>

#include "cost/formulas.h"

namespace emberline {
namespace {

void Moves(CostBuilder& b) { b.Flops(0, "moves data only"); }

void Copy(CostBuilder& b, const OpFormula&) {
  const Tensor &to = b.T(0), &from = b.T(1);
  b.ParamTensor(to);
  Moves(b);
  b.Read("source", from.Bytes());
  b.Write("target", to.Elements() * to.ElementBytes());
}

void Cat(CostBuilder& b, const OpFormula&) {
  const std::vector<Tensor> list = b.List(0);
  Moves(b);
  if (list.empty()) return b.Unknown(reasons::kNoListShapes);
  Amount read = 0, elements = 0;
  for (const Tensor& tensor : list) {
    read += tensor.Bytes();
    elements += tensor.Elements();
  }
  b.Param("tensors", static_cast<int64_t>(list.size()));
  b.Param("n", elements);
  b.Type(list.front().type);
  b.Read("inputs", read);
  b.Write("out", elements * list.front().ElementBytes());
}

// Reads and writes each element once.
void Through(CostBuilder& b, const OpFormula&) {
  const Tensor& x = b.T(0);
  b.ParamTensor(x);
  Moves(b);
  b.Read("input", x.Bytes());
  b.Write("out", x.Elements() * x.ElementBytes());
}

void Repeat(CostBuilder& b, const OpFormula&) {
  const Tensor& x = b.T(0);
  const auto counts = b.arguments().Integers(1);
  b.ParamTensor(x);
  Moves(b);
  if (!counts) return b.Unknown(reasons::kNoCounts);
  Amount out = x.Elements();
  for (const int64_t count : *counts) out *= count;
  b.Read("input", x.Bytes());
  b.Write("out", out * x.ElementBytes());
}

// Elements of `x`, as many as the index has.
void TakeElements(CostBuilder& b, const Tensor& x, const Tensor& index) {
  b.ParamTensor(x);
  Moves(b);
  b.Read("index", index.Bytes());
  b.Read("elements", index.Elements() * x.ElementBytes());
  b.Write("out", index.Elements() * x.ElementBytes());
}

// gather(x, dim, index).
void Gather(CostBuilder& b, const OpFormula&) {
  const Tensor &x = b.T(0), &index = b.T(2);
  // As many dimensions on both sides; a number counts as one.
  if (x.rank() != index.rank() && x.rank() > 0 && index.rank() > 0) {
    return b.Unknown(reasons::kShapesDoNotFit);
  }
  TakeElements(b, x, index);
}

// take(x, index).
void Take(CostBuilder& b, const OpFormula&) { TakeElements(b, b.T(0), b.T(1)); }

// index_select(x, dim, index): as many rows as the index has, each once at least.
void IndexSelect(CostBuilder& b, const OpFormula&) {
  const Tensor &x = b.T(0), &index = b.T(2);
  const auto dim = b.arguments().Integer(1);
  b.ParamTensor(x);
  Moves(b);
  const Amount rows = index.Elements();
  Amount size = dim && *dim >= -64 && *dim < 64 ? x.Dim(static_cast<int>(*dim))
                                                : Amount::Unknown(reasons::kNoDimension);
  // All of it in a flat tensor.
  if (x.rank() <= 1) size = x.Elements();
  const Amount each = x.Elements() / size;
  b.Read("index", index.Bytes());
  b.Read("rows", Least(rows, size) * each * x.ElementBytes());
  b.Write("out", rows * each * x.ElementBytes());
}

// embedding(weight [V,D], indices).
void Embedding(CostBuilder& b, const OpFormula&) {
  const Tensor &weight = b.T(0), &index = b.T(1);
  const Amount rows = index.Elements(), depth = weight.Dim(1);
  b.Param("I", rows);
  b.Param("E=" + ShapeText(weight.dims));
  b.Type(weight.type);
  Moves(b);
  b.Read("index", index.Bytes());
  b.Read("rows", Least(rows, weight.Dim(0)) * depth * weight.ElementBytes());
  b.Write("out", rows * depth * weight.ElementBytes());
}

// A dense gradient of a table is written, whatever part of it was looked up. `vocabulary` is where
// the call has the table's size.
void DenseTableGradient(CostBuilder& b, size_t vocabulary) {
  const Tensor &gy = b.T(0), &index = b.T(1);
  const auto size = b.arguments().Integer(vocabulary);
  const Amount rows = index.Elements(), depth = gy.Dim(-1);
  b.Param("I", rows);
  b.Param("D", depth);
  b.Type(gy.type);
  b.Flops(rows * depth, "I·D", {{"I", rows}, {"D", depth}});
  b.Read("gradient", gy.Bytes());
  b.Read("index", index.Bytes());
  b.Write("weight gradient", size ? Amount(*size) * depth * gy.ElementBytes()
                                  : Amount::Unknown(reasons::kNoTableSize));
}

// embedding_dense_backward(gradient [..., D], indices, V, ...).
void EmbeddingBackward(CostBuilder& b, const OpFormula&) { DenseTableGradient(b, 2); }

// _embedding_bag(weight, indices, offsets).
void EmbeddingBag(CostBuilder& b, const OpFormula&) {
  const Tensor &weight = b.T(0), &index = b.T(1), &offsets = b.T(2);
  const Amount rows = index.Elements(), depth = weight.Dim(1);
  b.Param("I", rows);
  b.Param("E=" + ShapeText(weight.dims));
  b.Type(weight.type);
  b.Flops(rows * depth, "I·D", {{"I", rows}, {"D", depth}});
  b.Read("index", index.Bytes());
  b.Read("rows", rows * depth * weight.ElementBytes());
  b.Write("out", offsets.Elements() * depth * weight.ElementBytes());
}

void EmbeddingBagBackward(CostBuilder& b, const OpFormula&) { DenseTableGradient(b, 5); }

// scatter(self, dim, index, src). a: 1 where what is there is read too and added to.
void Scatter(CostBuilder& b, const OpFormula& f) {
  const Tensor &x = b.T(0), &index = b.T(2), &source = b.T(3);
  const Amount n = index.Elements();
  b.ParamTensor(x);
  if (f.a > 0)
    b.Flops(n, "elements of the index", {{"n", n}});
  else
    Moves(b);
  b.Read("index", index.Bytes());
  if (source.present && source.rank() > 0) b.Read("source", n * source.ElementBytes());
  if (f.a > 0) b.Read("target", n * x.ElementBytes());
  b.Write("target", n * x.ElementBytes());
}

// index_add, index_copy(self, dim, index, src). a: 1 where it adds.
void IndexWrite(CostBuilder& b, const OpFormula& f) {
  const Tensor &x = b.T(0), &index = b.T(2), &source = b.T(3);
  const Amount n = source.Elements();
  b.ParamTensor(x);
  if (f.a > 0)
    b.Flops(n, "elements of the source", {{"n", n}});
  else
    Moves(b);
  b.Read("index", index.Bytes());
  b.Read("source", source.Bytes());
  if (f.a > 0) b.Read("target", n * x.ElementBytes());
  b.Write("target", n * x.ElementBytes());
}

// index(x, indices): recorders leave out lists of optional tensors.
void Index(CostBuilder& b, const OpFormula&) {
  b.ParamTensor(b.T(0));
  b.Unknown(reasons::kNoIndices);
  Moves(b);
}

// index_put_(self, indices, values, accumulate).
void IndexPut(CostBuilder& b, const OpFormula&) {
  const Tensor &x = b.T(0), &values = b.T(2);
  const bool adds = b.arguments().Flag(3) == true;
  const Amount n = values.Elements();
  b.ParamTensor(x);
  if (values.present && values.rank() == 0) {
    return b.Unknown(reasons::kNoIndices);
  }
  if (adds)
    b.Flops(n, "elements of the values", {{"n", n}});
  else
    Moves(b);
  b.Partial();
  b.Read("values", values.Bytes());
  if (adds) b.Read("target", n * x.ElementBytes());
  b.Write("target", n * x.ElementBytes());
}

void MaskedSelect(CostBuilder& b, const OpFormula&) {
  const Tensor &x = b.T(0), &mask = b.T(1);
  const Amount n = BroadcastElements({&x, &mask});
  b.ParamTensor(x);
  Moves(b);
  b.UpperBound();
  b.Read("input", x.Bytes());
  b.Read("mask", mask.Bytes());
  b.Write("out", n * x.ElementBytes());
}

void MaskedScatter(CostBuilder& b, const OpFormula&) {
  const Tensor &x = b.T(0), &mask = b.T(1);
  const Amount n = x.Elements();
  b.ParamTensor(x);
  Moves(b);
  b.UpperBound();
  b.Read("mask", mask.Bytes());
  b.Read("self and source", Amount(2) * n * x.ElementBytes());
  b.Write("out", n * x.ElementBytes());
}

void Nonzero(CostBuilder& b, const OpFormula&) {
  const Tensor& x = b.T(0);
  b.ParamTensor(x);
  Moves(b);
  b.UpperBound();
  b.Read("input", x.Bytes());
  b.Write("indexes",
          Amount(8) * x.Elements() * static_cast<int64_t>(std::max<size_t>(x.rank(), 1)));
}

void Sort(CostBuilder& b, const OpFormula&) {
  const Tensor& x = b.T(0);
  const Amount n = x.Elements();
  b.ParamTensor(x);
  Moves(b);
  b.Read("input", x.Bytes());
  b.Write("values", n * x.ElementBytes());
  b.Write("indexes", n * 8);
}

void TopK(CostBuilder& b, const OpFormula&) {
  const Tensor& x = b.T(0);
  const auto k = b.arguments().Integer(1), dim = b.arguments().Integer(2);
  b.ParamTensor(x);
  Moves(b);
  if (!k || !dim || *dim < -64 || *dim > 64) return b.Unknown(reasons::kNoK);
  const Amount length = x.Dim(static_cast<int>(*dim));
  if (length.known() && *k > length.value()) return b.Unknown(reasons::kShapesDoNotFit);
  const Amount kept = x.Elements() / length * *k;
  b.Read("input", x.Bytes());
  b.Write("values", kept * x.ElementBytes());
  b.Write("indexes", kept * 8);
}

void Unique(CostBuilder& b, const OpFormula&) {
  const Tensor& x = b.T(0);
  const Amount n = x.Elements();
  b.ParamTensor(x);
  b.Flops(n, "n", {{"n", n}});
  b.UpperBound();
  b.Read("input", x.Bytes());
  b.Write("out", n * x.ElementBytes());
}

void SearchSorted(CostBuilder& b, const OpFormula&) {
  const Tensor &sorted = b.T(0), &values = b.T(1);
  b.ParamTensor(values);
  Moves(b);
  b.Read("sorted", sorted.Bytes());
  b.Read("values", values.Bytes());
  b.Write("indexes", values.Elements() * 8);
}

// randperm(n), arange(...): only what is written is known, from the `out` tensor at the end.
void Randperm(CostBuilder& b, const OpFormula&) {
  const auto n = b.arguments().Integer(0);
  if (!n) return b.Unknown(reasons::kNoLength);
  b.Param("N", *n);
  Moves(b);
  b.Write("out", Amount(*n) * 8);
}

// How many numbers a range has, whose bounds stand before argument `out`; unknown where they were
// not recorded. arange(end), (start, end) or (start, end, step); linspace(start, end, steps).
Amount RangeLength(const CostBuilder& b, size_t out, bool steps_are_counted) {
  const Arguments& arguments = b.arguments();
  if (steps_are_counted) {
    const auto steps = arguments.Integer(2);
    return steps ? Amount(*steps) : Amount::Unknown(reasons::kNoLength);
  }
  const auto end = arguments.Number(out < 2 ? 0 : 1);
  const auto start = out < 2 ? 0.0 : arguments.Number(0);
  const auto step = out < 3 ? 1.0 : arguments.Number(2);
  if (!start || !end || !step) return Amount::Unknown(reasons::kNoLength);
  const double length = std::ceil((*end - *start) / *step);
  constexpr double kMost = 1LL << 53;
  return length >= 0 && length <= kMost ? Amount(static_cast<int64_t>(length))
                                        : Amount::Unknown(reasons::kNoLength);
}

// The last tensor is the result. It may have been passed empty, to be given its size by the call.
void Range(CostBuilder& b, const OpFormula& formula) {
  const size_t count = b.arguments().size();
  for (size_t i = count; i-- > 0;) {
    const Tensor& out = b.T(i);
    if (!out.present || out.rank() == 0) continue;
    Amount n = RangeLength(b, i, formula.a == 1);
    const Amount recorded = out.Elements();
    if (!n.known() && recorded.known() && recorded.value() > 0) n = recorded;
    if (!n.known()) return b.Unknown(reasons::kNoLength);
    b.Param("N", n);
    b.Type(out.type);
    Moves(b);
    return b.Write("out", n * out.ElementBytes());
  }
  b.Unknown(reasons::kNoLength);
}

// multinomial(x [rows, categories], samples).
void Multinomial(CostBuilder& b, const OpFormula&) {
  const Tensor& x = b.T(0);
  const auto samples = b.arguments().Integer(1);
  if (!samples) return b.Unknown(reasons::kNoSampleCount);
  const Amount n = x.Elements(), rows = n / x.Dim(-1);
  b.ParamTensor(x);
  b.Flops(n, "n", {{"n", n}});
  b.Read("input", x.Bytes());
  b.Write("samples", rows * *samples * 8);
}

constexpr OpFormula F(void (*compute)(CostBuilder&, const OpFormula&), int a = 0,
                      bool composite = false) {
  return {OpClass::kMovement, composite, compute, 0, a};
}
constexpr OpFormula Of(OpClass op_class, void (*compute)(CostBuilder&, const OpFormula&)) {
  return {op_class, false, compute};
}

constexpr NamedFormula kFormulas[] = {
    {"aten::copy_", F(Copy)},
    {"aten::cat", F(Cat)},
    {"aten::_cat", F(Cat)},
    {"aten::stack", F(Cat, 0, true)},
    {"aten::_stack", F(Cat, 0, true)},
    {"aten::repeat", F(Repeat, 0, true)},
    {"aten::clone", F(Through, 0, true)},
    {"aten::contiguous", F(Through, 0, true)},
    {"aten::flip", F(Through)},
    {"aten::roll", F(Through)},
    {"aten::tril", F(Through)},
    {"aten::triu", F(Through)},
    {"aten::gather", F(Gather)},
    {"aten::index_select", F(IndexSelect)},
    {"aten::scatter", F(Scatter)},
    {"aten::scatter_add", F(Scatter, 1)},
    {"aten::scatter_reduce", F(Scatter, 1)},
    {"aten::index_add", F(IndexWrite, 1)},
    {"aten::index_copy", F(IndexWrite)},
    {"aten::index", F(Index)},
    {"aten::index_put", F(IndexPut, 0, true)},
    {"aten::_index_put_impl_", F(IndexPut)},
    {"aten::take", F(Take)},
    {"aten::masked_select", F(MaskedSelect)},
    {"aten::masked_scatter", F(MaskedScatter)},
    {"aten::nonzero", F(Nonzero)},
    {"aten::sort", F(Sort)},
    {"aten::argsort", F(Sort, 0, true)},
    {"aten::topk", F(TopK)},
    {"aten::_unique2", F(Unique)},
    {"aten::unique_dim", F(Unique)},
    {"aten::bincount", F(Unique)},
    {"aten::histc", F(Unique)},
    {"aten::searchsorted", F(SearchSorted)},
    {"aten::bucketize", F(SearchSorted)},
    {"aten::arange", F(Range)},
    {"aten::linspace", {OpClass::kMovement, false, Range, 0, 1}},
    {"aten::randperm", Of(OpClass::kRandom, Randperm)},
    {"aten::multinomial", Of(OpClass::kRandom, Multinomial)},
    {"aten::embedding", Of(OpClass::kEmbedding, Embedding)},
    {"aten::embedding_dense_backward", Of(OpClass::kEmbedding, EmbeddingBackward)},
    {"aten::_embedding_bag", Of(OpClass::kEmbedding, EmbeddingBag)},
    {"aten::_embedding_bag_forward_only", Of(OpClass::kEmbedding, EmbeddingBag)},
    {"aten::_embedding_bag_dense_backward", Of(OpClass::kEmbedding, EmbeddingBagBackward)},
};

}  // namespace

std::span<const NamedFormula> MovementFormulas() { return kFormulas; }

}  // namespace emberline
