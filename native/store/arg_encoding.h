// How values of args lie in memory. A number takes as many bytes as it has groups of seven bits;
// how many say the lowest bits of the first byte (a one for each further byte, then a zero), so
// that numbers are written, read and passed over without a loop: which length comes next is hard to
// guess for a processor.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "store/args.h"

namespace emberline {

// No value takes more.
inline constexpr size_t kMostBytesOfValue = 9;
// Whoever writes or reads a number touches up to so many bytes behind it.
inline constexpr size_t kBytesBehindValue = 7;

// The first byte in memory is the least significant.
inline uint64_t LoadWord(const uint8_t* p) {
  uint64_t word;
  std::memcpy(&word, p, sizeof(word));
  return std::endian::native == std::endian::little ? word : __builtin_bswap64(word);
}
inline void StoreWord(uint8_t* p, uint64_t word) {
  if (std::endian::native != std::endian::little) word = __builtin_bswap64(word);
  std::memcpy(p, &word, sizeof(word));
}

inline uint8_t* PutNumber(uint8_t* to, uint64_t value) {
  const auto bits = static_cast<unsigned>(std::bit_width(value | 1));
  if (bits > 56) {
    *to = 0xff;
    StoreWord(to + 1, value);
    return to + 9;
  }
  const unsigned bytes = (bits * 9 + 64) / 64;  // of seven bits, rounded up
  StoreWord(to, value << bytes | ((uint64_t{1} << (bytes - 1)) - 1));
  return to + bytes;
}

inline uint64_t GetNumber(const uint8_t*& p) {
  const auto bytes = static_cast<unsigned>(std::countr_one(*p)) + 1;
  const uint8_t* const at = p;
  p += bytes;
  if (bytes == 9) return LoadWord(at + 1);
  return LoadWord(at) << (64 - 8 * bytes) >> (64 - 7 * bytes);
}

inline void SkipNumber(const uint8_t*& p) { p += std::countr_one(*p) + 1; }

// Numbers near zero of either sign are short.
inline uint64_t ZigZag(int64_t v) {
  return (static_cast<uint64_t>(v) << 1) ^ static_cast<uint64_t>(v >> 63);
}
inline int64_t UnZigZag(uint64_t v) {
  return static_cast<int64_t>(v >> 1) ^ -static_cast<int64_t>(v & 1);
}

inline void SkipValue(const uint8_t*& p, ArgType type) {
  switch (type) {
    case ArgType::kNull:
    case ArgType::kFalse:
    case ArgType::kTrue:
      return;
    case ArgType::kDouble:
      p += sizeof(double);
      return;
    case ArgType::kInt:
    case ArgType::kText:
    case ArgType::kJson:
      SkipNumber(p);
      return;
  }
}

}  // namespace emberline
