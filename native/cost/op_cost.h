// What one call of an operator should cost: operations and bytes, from its recorded arguments.
//
// Units: a multiplication, addition, comparison or special function is 1 FLOP, a fused
// multiply-add 2; moving data and computing indexes is 0. Bytes are compulsory traffic of device
// memory: each distinct input byte is read once and each output byte written once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cost/arguments.h"

namespace emberline {

enum class OpClass : uint8_t {
  kUnknown,
  kMatmul,
  kConvolution,
  kAttention,
  kNormalization,
  kPointwise,
  kReduction,
  kSoftmax,
  kEmbedding,
  kPooling,
  kRandom,
  kLoss,
  kOptimizer,
  kRecurrent,
  kMovement,
  kCollective,
  kCompiled,
  kCustom,  // by a rule of the user
};
const char* OpClassName(OpClass op_class);  // "matmul", "convolution", ...

// One kernel's share of an operator that runs several different ones.
enum class Part : uint8_t { kDataGradient, kWeightGradient, kBiasGradient };
struct PartCost {
  Part part;
  Amount flops = 0, read_bytes = 0, written_bytes = 0;
  Amount bytes() const { return read_bytes + written_bytes; }
};

struct OpCost {
  OpClass op_class = OpClass::kUnknown;
  Amount flops = Amount::Unknown(reasons::kNoFormula);
  Amount read_bytes = Amount::Unknown(reasons::kNoFormula);
  Amount written_bytes = Amount::Unknown(reasons::kNoFormula);
  std::string flops_formula;     // "2·M·N·K with M=8, N=4, K=2"
  std::string bytes_formula;     // "read a 64 + b 32, written out 16"
  std::string params;            // "M=8,N=4,K=2,fp16"
  DType type = DType::kUnknown;  // what it computes in: decides the roof
  int64_t m = 0, n = 0, k = 0;   // of a matrix product; 0 for others
  bool matrix = false;           // matrix units can run it
  bool upper_bound = false;      // the output's size depends on data; the worst case is taken
  bool estimate = false;         // taken from less than the arguments; see the formula
  bool partial = false;          // some bytes are not counted, because the recorder lost a shape
  std::vector<PartCost> parts;   // of a backward convolution; sums to the whole

  Amount bytes() const { return read_bytes + written_bytes; }
  bool known() const { return flops.known() || bytes().known(); }
  size_t MemoryBytes() const {
    return flops_formula.capacity() + bytes_formula.capacity() + params.capacity() +
           parts.capacity() * sizeof(PartCost);
  }
};

// Builds one OpCost. The functions of the classes write into it.
class CostBuilder {
 public:
  struct Input {
    const char* name;
    Amount value;
  };
  CostBuilder(std::string_view name, const Arguments& arguments, DType list_type, OpCost& cost)
      : name_(name), arguments_(arguments), list_type_(list_type), cost_(cost) {}

  std::string_view name() const { return name_; }
  const Arguments& arguments() const { return arguments_; }
  const Tensor& T(size_t index) const { return arguments_.TensorAt(index); }
  bool Has(size_t index) const { return arguments_.HasTensor(index); }
  // Tensors of a list with the element type that the kernel's name told.
  std::vector<Tensor> List(size_t index) const;

  // The operations, with the formula and what went into it.
  void Flops(Amount flops, const char* formula, const std::vector<Input>& inputs = {});
  // Adds to what is read and written, under a name for the formula.
  void Read(const char* what, Amount bytes);
  void Write(const char* what, Amount bytes);
  // Reads the tensor, when it is there.
  void ReadTensor(const char* what, size_t index) {
    if (Has(index)) Read(what, T(index).Bytes());
  }
  // "M=8", "fp16": the columns of PyProf2.
  void Param(const char* name, Amount value);
  void Param(const std::string& text);
  void ParamShape(const Tensor& tensor);
  // The same, and its type as that of the operator.
  void ParamTensor(const Tensor& tensor);
  void Type(DType type);
  void Matrix() { cost_.matrix = true; }
  void UpperBound() { cost_.upper_bound = true; }
  void Estimate() { cost_.estimate = true; }
  void Partial() { cost_.partial = true; }
  void AddPart(Part part, Amount flops, Amount read, Amount written) {
    cost_.parts.push_back({part, flops, read, written});
  }
  // Nothing can be told; `why` is an entry of cost/reasons.h.
  void Unknown(const Sentence& why);
  OpCost& cost() { return cost_; }

 private:
  void AppendBytes(const char* side, const char* what, Amount bytes, bool first);
  std::string_view name_;
  const Arguments& arguments_;
  DType list_type_;
  OpCost& cost_;
  bool reads_ = false, writes_ = false;
};

// What the table knows of an operator's name.
struct OpFormula {
  OpClass op_class = OpClass::kUnknown;
  // Operators inside own the cost where there are any: aten::linear, aten::conv2d. Such a formula
  // counts only when the operator launched the kernel itself.
  bool composite = false;
  void (*compute)(CostBuilder& builder, const OpFormula& formula) = nullptr;
  // Meaning depends on `compute`: operations per element, positions of arguments.
  double weight = 0;
  int a = 0, b = 0, c = 0;
};

// The formula for an operator; null where there is none. The name is as recorded ("aten::add_").
const OpFormula* FormulaOf(std::string_view name);

// The cost of one call. `list_type`: the element type of tensor lists, whose types recorders leave
// out, where the kernel's name tells it.
OpCost CostOf(std::string_view name, const Arguments& arguments, DType list_type = DType::kUnknown);

// "1,234" never: plain digits, "?" for what is unknown.
std::string AmountText(Amount amount);

}  // namespace emberline
