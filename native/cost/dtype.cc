#include "cost/dtype.h"

#include <array>
#include <utility>

namespace emberline {
namespace {

struct Traits {
  int64_t bytes;
  DTypeCategory category;
  const char* name;
  int rank;  // among types of one category: the wider one wins
};

using C = DTypeCategory;
// In the order of DType.
constexpr std::array<Traits, 19> kTraits = {{
    {0, C::kFloat, "", 0},
    {8, C::kFloat, "fp64", 9},
    {4, C::kFloat, "fp32", 8},
    {2, C::kFloat, "fp16", 6},
    {2, C::kFloat, "bf16", 7},
    {1, C::kFloat, "fp8", 2},
    {1, C::kFloat, "fp4", 1},
    {8, C::kInteger, "int64", 9},
    {4, C::kInteger, "int32", 7},
    {2, C::kInteger, "int16", 5},
    {1, C::kInteger, "int8", 3},
    {1, C::kInteger, "uint8", 2},
    {2, C::kInteger, "uint16", 4},
    {4, C::kInteger, "uint32", 6},
    {8, C::kInteger, "uint64", 8},
    {1, C::kBool, "bool", 1},
    {4, C::kComplex, "complex32", 1},
    {8, C::kComplex, "complex64", 2},
    {16, C::kComplex, "complex128", 3},
}};

const Traits& TraitsOf(DType type) { return kTraits[static_cast<size_t>(type)]; }

constexpr std::pair<std::string_view, DType> kNames[] = {
    {"double", DType::kFloat64},
    {"float", DType::kFloat32},
    {"c10::Half", DType::kFloat16},
    {"c10::BFloat16", DType::kBFloat16},
    {"c10::Float8_e4m3fn", DType::kFloat8},
    {"c10::Float8_e5m2", DType::kFloat8},
    {"c10::Float8_e4m3fnuz", DType::kFloat8},
    {"c10::Float8_e5m2fnuz", DType::kFloat8},
    {"c10::Float8_e8m0fnu", DType::kFloat8},
    {"c10::Float4_e2m1fn_x2", DType::kFloat4x2},
    {"long int", DType::kInt64},
    {"long", DType::kInt64},
    {"long long", DType::kInt64},
    {"__int64", DType::kInt64},
    {"int", DType::kInt32},
    {"short int", DType::kInt16},
    {"short", DType::kInt16},
    {"signed char", DType::kInt8},
    {"char", DType::kInt8},
    {"unsigned char", DType::kUInt8},
    {"unsigned short", DType::kUInt16},
    {"unsigned int", DType::kUInt32},
    {"unsigned long", DType::kUInt64},
    {"bool", DType::kBool},
    {"c10::complex<c10::Half>", DType::kComplex32},
    {"c10::complex<float>", DType::kComplex64},
    {"c10::complex<double>", DType::kComplex128},
    {"c10::qint8", DType::kInt8},
    {"c10::quint8", DType::kUInt8},
    {"c10::qint32", DType::kInt32},
};

}  // namespace

DType DTypeOfName(std::string_view name) {
  for (const auto& [known, type] : kNames) {
    if (known == name) return type;
  }
  return DType::kUnknown;
}

// c10/core/ScalarType.h; the numbers are part of the serialized format and do not change.
DType DTypeOfCode(int64_t code) {
  constexpr DType kFirst[] = {
      DType::kUInt8,     DType::kInt8,      DType::kInt16,      DType::kInt32,
      DType::kInt64,     DType::kFloat16,   DType::kFloat32,    DType::kFloat64,
      DType::kComplex32, DType::kComplex64, DType::kComplex128, DType::kBool,
      DType::kInt8,      DType::kUInt8,     DType::kInt32,      DType::kBFloat16};
  if (code >= 0 && code < 16) return kFirst[code];
  if ((code >= 23 && code <= 26) || code == 44) return DType::kFloat8;
  if (code == 27) return DType::kUInt16;
  if (code == 28) return DType::kUInt32;
  if (code == 29) return DType::kUInt64;
  return code == 45 ? DType::kFloat4x2 : DType::kUnknown;
}

int64_t BytesOf(DType type) { return TraitsOf(type).bytes; }
DTypeCategory CategoryOf(DType type) { return TraitsOf(type).category; }
const char* ShortName(DType type) { return TraitsOf(type).name; }

DType Promote(DType a, DType b) {
  if (a == DType::kUnknown || b == DType::kUnknown) return DType::kUnknown;
  if (a == b) return a;
  const bool halves = (a == DType::kFloat16 && b == DType::kBFloat16) ||
                      (b == DType::kFloat16 && a == DType::kBFloat16);
  if (halves) return DType::kFloat32;
  const Traits &ta = TraitsOf(a), &tb = TraitsOf(b);
  if (ta.category != tb.category) return ta.category > tb.category ? a : b;
  return ta.rank >= tb.rank ? a : b;
}

}  // namespace emberline
