#include "cost/op_cost.h"

namespace emberline {

const char* OpClassName(OpClass op_class) {
  constexpr const char* kNames[] = {
      "unknown",   "matmul",    "convolution", "attention",  "normalization", "pointwise",
      "reduction", "softmax",   "embedding",   "pooling",    "random",        "loss",
      "optimizer", "recurrent", "movement",    "collective", "compiled",      "custom"};
  return kNames[static_cast<size_t>(op_class)];
}

std::string AmountText(Amount amount) {
  return amount.known() ? std::to_string(amount.value()) : "?";
}

std::vector<Tensor> CostBuilder::List(size_t index) const {
  std::vector<Tensor> list = arguments_.ListAt(index);
  for (Tensor& tensor : list) {
    if (tensor.type == DType::kUnknown) tensor.type = list_type_;
  }
  return list;
}

void CostBuilder::Flops(Amount flops, const char* formula, const std::vector<Input>& inputs) {
  cost_.flops = flops;
  cost_.flops_formula = formula;
  for (size_t i = 0; i < inputs.size(); ++i) {
    cost_.flops_formula += i == 0 ? " with " : ", ";
    cost_.flops_formula += std::string(inputs[i].name) + "=" + AmountText(inputs[i].value);
  }
}

void CostBuilder::AppendBytes(const char* side, const char* what, Amount bytes, bool first) {
  std::string& text = cost_.bytes_formula;
  if (first) {
    if (!text.empty()) text += ", ";
    text += side;
  } else {
    text += " +";
  }
  text += std::string(" ") + what + " " + AmountText(bytes);
}

void CostBuilder::Read(const char* what, Amount bytes) {
  if (!reads_) cost_.read_bytes = 0;
  if (!writes_ && !reads_) cost_.written_bytes = 0;
  AppendBytes("read", what, bytes, !reads_);
  reads_ = true;
  cost_.read_bytes += bytes;
}

void CostBuilder::Write(const char* what, Amount bytes) {
  if (!reads_ && !writes_) cost_.read_bytes = 0;
  if (!writes_) cost_.written_bytes = 0;
  AppendBytes("written", what, bytes, !writes_);
  writes_ = true;
  cost_.written_bytes += bytes;
}

void CostBuilder::Param(const char* name, Amount value) {
  Param(std::string(name) + "=" + AmountText(value));
}

void CostBuilder::Param(const std::string& text) {
  if (text.empty()) return;
  if (!cost_.params.empty()) cost_.params += ',';
  cost_.params += text;
}

void CostBuilder::ParamShape(const Tensor& tensor) { Param("T=" + ShapeText(tensor.dims)); }

void CostBuilder::ParamTensor(const Tensor& tensor) {
  ParamShape(tensor);
  Type(tensor.type);
}

void CostBuilder::Type(DType type) {
  cost_.type = type;
  Param(ShortName(type));
}

void CostBuilder::Unknown(const Sentence& why) {
  cost_.flops = cost_.read_bytes = cost_.written_bytes = Amount::Unknown(why);
}

OpCost CostOf(std::string_view name, const Arguments& arguments, DType list_type) {
  OpCost cost;
  const OpFormula* formula = FormulaOf(name);
  if (formula == nullptr) return cost;
  cost.op_class = formula->op_class;
  CostBuilder builder(name, arguments, list_type, cost);
  if (!arguments.recorded()) {
    builder.Unknown(reasons::kNoShapes);
    return cost;
  }
  formula->compute(builder, *formula);
  return cost;
}

}  // namespace emberline
