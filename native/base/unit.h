// What a number counts. It goes over the wire with the number, and decides how it reads as text.
#pragma once

#include <cstdint>

namespace emberline {

enum class Unit : uint8_t { kNone, kCount, kUs, kNs, kBytes, kRatio, kPercent, kGbPerS, kFlops };

// "", "count", "us", "ns", "bytes", "ratio", "percent", "gbPerS", "flops"
const char* UnitName(Unit unit);

}  // namespace emberline
