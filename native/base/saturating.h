// Sums of numbers as recorded, which may be anything.
#pragma once

#include <cstdint>
#include <limits>

namespace emberline {

// a + b, or the nearest value that fits.
inline int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

}  // namespace emberline
