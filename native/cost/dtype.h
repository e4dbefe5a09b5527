// Element types of tensors, as recorders spell them.
#pragma once

#include <cstdint>
#include <string_view>

namespace emberline {

enum class DType : uint8_t {
  kUnknown,
  kFloat64,
  kFloat32,
  kFloat16,
  kBFloat16,
  kFloat8,
  kFloat4x2,  // two values in a byte
  kInt64,
  kInt32,
  kInt16,
  kInt8,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kBool,
  kComplex32,
  kComplex64,
  kComplex128,
};

enum class DTypeCategory : uint8_t { kBool, kInteger, kFloat, kComplex };

// From "c10::BFloat16", "float", "long int", "torch.float16", "fp32"; kUnknown for other words.
DType DTypeOfName(std::string_view name);
// From a number of c10::ScalarType; kUnknown for codes without a fixed meaning.
DType DTypeOfCode(int64_t code);
// Bytes of one element as stored; 0 for kUnknown.
int64_t BytesOf(DType type);
DTypeCategory CategoryOf(DType type);
// "fp16", "int64": short and without blanks; "" for kUnknown.
const char* ShortName(DType type);
// The type that an elementwise operation of both computes in; kUnknown where either is.
DType Promote(DType a, DType b);

}  // namespace emberline
