#include "cost/dtype.h"

#include <array>
#include <string>
#include <utility>

#include "base/case.h"

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

// In lower case, without blanks, underscores and the namespaces before them.
constexpr std::pair<std::string_view, DType> kNames[] = {
    {"double", DType::kFloat64},
    {"float64", DType::kFloat64},
    {"fp64", DType::kFloat64},
    {"float", DType::kFloat32},
    {"float32", DType::kFloat32},
    {"fp32", DType::kFloat32},
    {"half", DType::kFloat16},
    {"float16", DType::kFloat16},
    {"fp16", DType::kFloat16},
    {"bfloat16", DType::kBFloat16},
    {"bf16", DType::kBFloat16},
    {"bfp16", DType::kBFloat16},
    {"fp8", DType::kFloat8},
    {"hif8", DType::kFloat8},
    {"float4e2m1fnx2", DType::kFloat4x2},
    {"longint", DType::kInt64},
    {"long", DType::kInt64},
    {"longlong", DType::kInt64},
    {"longlongint", DType::kInt64},
    {"int64", DType::kInt64},
    {"int", DType::kInt32},
    {"int32", DType::kInt32},
    {"qint32", DType::kInt32},
    {"shortint", DType::kInt16},
    {"short", DType::kInt16},
    {"int16", DType::kInt16},
    {"signedchar", DType::kInt8},
    {"char", DType::kInt8},
    {"int8", DType::kInt8},
    {"qint8", DType::kInt8},
    {"unsignedchar", DType::kUInt8},
    {"byte", DType::kUInt8},
    {"uint8", DType::kUInt8},
    {"quint8", DType::kUInt8},
    {"unsignedshort", DType::kUInt16},
    {"uint16", DType::kUInt16},
    {"unsignedint", DType::kUInt32},
    {"uint32", DType::kUInt32},
    {"unsignedlong", DType::kUInt64},
    {"uint64", DType::kUInt64},
    {"bool", DType::kBool},
    {"complex<half>", DType::kComplex32},
    {"complexhalf", DType::kComplex32},
    {"complex32", DType::kComplex32},
    {"complex<float>", DType::kComplex64},
    {"complexfloat", DType::kComplex64},
    {"complex64", DType::kComplex64},
    {"complex<double>", DType::kComplex128},
    {"complexdouble", DType::kComplex128},
    {"complex128", DType::kComplex128},
};

// Longer texts are none.
constexpr size_t kLongestName = 64;

}  // namespace

DType DTypeOfName(std::string_view name) {
  if (name.size() > kLongestName) return DType::kUnknown;
  std::string text = LowerText(name);
  for (const std::string_view scope : {"c10::", "at::", "torch."}) {
    for (size_t at = text.find(scope); at != std::string::npos; at = text.find(scope, at)) {
      text.erase(at, scope.size());
    }
  }
  std::erase_if(text, [](char c) { return c == '_' || c == '-' || c == ' '; });
  for (const auto& [known, type] : kNames) {
    if (known == text) return type;
  }
  // "float8_e4m3fn" and its variants.
  return text.starts_with("float8") ? DType::kFloat8 : DType::kUnknown;
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
