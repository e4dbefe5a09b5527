// Distances from a least value, in as few whole bytes as the largest of them takes: what packed
// columns (base/packed_column.h) and packed rows (base/packed_rows.h) are made of.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace emberline {

static_assert(std::endian::native == std::endian::little);

// Rows that share a least value.
inline constexpr size_t kPackedRows = 128;
// Reading a distance reads so many bytes, and writing one writes them, whatever its width.
inline constexpr size_t kPackedSlack = sizeof(uint64_t);

// By width in bytes, the largest distance. Widths that do not occur have 0, so that four bits may
// be asked for without a check.
inline constexpr std::array<uint64_t, 16> kLargestPacked = {
    0,           0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff,
    ~uint64_t{0}};

inline uint64_t ReadPacked(const uint8_t* at, uint64_t largest) {
  uint64_t distance;
  std::memcpy(&distance, at, sizeof(distance));
  return distance & largest;
}

}  // namespace emberline
