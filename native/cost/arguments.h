// What an operator was called with, as the recorder wrote it: shapes, types, strides, numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cost/amount.h"
#include "cost/dtype.h"

namespace emberline {

struct Tensor {
  bool present = false;
  // What is wrong with the recorded shape, an entry of cost/reasons.h; null when nothing is.
  const Sentence* fault = nullptr;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;  // as long as dims, or empty when not recorded
  DType type = DType::kUnknown;

  size_t rank() const { return dims.size(); }
  // Size of a dimension, counted from the end when negative.
  Amount Dim(int index) const;
  // Product of all sizes; 1 without dimensions.
  Amount Elements() const;
  // Elements that memory holds: what an expanded dimension (stride 0) repeats counts once, and no
  // more than the span from the first element to the last.
  Amount UniqueElements() const;
  Amount ElementBytes() const;
  // Bytes of reading each element that memory holds once.
  Amount Bytes() const { return UniqueElements() * ElementBytes(); }
};

enum class ArgumentKind : uint8_t {
  kAbsent,  // None, undefined, or of a kind that recorders leave out
  kTensor,
  kTensorList,
  kValue,  // a number, a bool, or a list of them: `text`
};

struct Argument {
  ArgumentKind kind = ArgumentKind::kAbsent;
  Tensor tensor;
  std::vector<Tensor> list;  // of a tensor list; empty also when its shapes were not recorded
  std::string text;          // "[1, 1]", "True", "1e-05"; "" when not recorded
};

// The recorded text of one call. Empty where the recorder did not write it.
struct RecordedCall {
  std::string_view dims, types, strides, values;
};

class Arguments {
 public:
  Arguments() = default;
  // Never fails: what cannot be read is absent, or a tensor with a fault.
  explicit Arguments(const RecordedCall& recorded);

  size_t size() const { return items_.size(); }
  bool recorded() const { return !items_.empty(); }
  // The values of numbers were recorded, not only the shapes of tensors.
  bool has_values() const { return has_values_; }
  const Argument& operator[](size_t index) const;
  // The tensor at `index`; one that is not present when there is none.
  const Tensor& TensorAt(size_t index) const { return (*this)[index].tensor; }
  bool HasTensor(size_t index) const { return TensorAt(index).present; }
  // A list's tensors, or the one tensor.
  const std::vector<Tensor>& ListAt(size_t index) const { return (*this)[index].list; }

  std::optional<int64_t> Integer(size_t index) const;
  std::optional<double> Number(size_t index) const;
  std::optional<bool> Flag(size_t index) const;
  // "[1, 2]" or "3"; nothing when not recorded or not all integers.
  std::optional<std::vector<int64_t>> Integers(size_t index) const;
  // "[True, False]".
  std::optional<std::vector<bool>> Flags(size_t index) const;

 private:
  std::vector<Argument> items_;
  bool has_values_ = false;
};

// Elements of the broadcast of all tensors; unknown where they do not fit each other.
Amount BroadcastElements(const std::vector<const Tensor*>& tensors);

// "[64,64,56,56]", without blanks.
std::string ShapeText(const std::vector<int64_t>& dims);

}  // namespace emberline
