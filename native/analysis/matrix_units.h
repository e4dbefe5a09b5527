// What a kernel's name tells about matrix units: NVIDIA tensor cores, AMD MFMA, Intel XMX, Ascend
// Cube.
#pragma once

#include <cstdint>
#include <string_view>

namespace emberline {

enum class Vendor : uint8_t { kUnknown, kNvidia, kAmd, kIntel };

// Whether a kernel ran on matrix units. Only names of families that surely do not use them are kNo.
enum class MatrixUse : uint8_t { kNo, kYes, kUnknown };

// By the naming of BLAS, convolution and attention libraries, compilers and inference servers.
// `name` is in lower case.
MatrixUse MatrixUseOfName(std::string_view name, Vendor vendor);

// By the type of core that Ascend's recorder wrote: "MIX_AIC" has a matrix core ("Cube"),
// "AI_VECTOR_CORE", "AI_CPU" and "DSA" have none. "AI_CORE" and "MIX_AIV" may be either: kUnknown.
MatrixUse MatrixUseOfCore(std::string_view core);

}  // namespace emberline
