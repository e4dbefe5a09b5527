// Hashes for tables whose keys come from a trace. They differ from process to process, so that no
// file can be made whose keys all meet in one place of a table: looking them up would take time in
// the square of their number. Nothing that is shown or stored may depend on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace emberline {

struct HashSecret {
  uint64_t first, second;
};
// Drawn when the process starts.
extern const HashSecret kHashSecret;

// Both halves of the product: every bit of the result depends on every bit of both.
inline uint64_t FoldedProduct(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline uint64_t HashPair(uint64_t a, uint64_t b, const HashSecret& secret = kHashSecret) {
  return FoldedProduct(a ^ secret.first, b ^ secret.second);
}

inline uint64_t HashNumber(uint64_t number) { return HashPair(number, 0); }

// Two words a step, as wyhash does; traces repeat long texts.
inline uint64_t HashText(std::string_view text, const HashSecret& secret = kHashSecret) {
  const auto word = [](const char* at, size_t size) {
    uint64_t value = 0;
    std::memcpy(&value, at, size);
    return value;
  };
  const char* p = text.data();
  size_t left = text.size();
  uint64_t h = secret.first;  // not the one that HashPair() joins it with
  for (; left > 16; left -= 16, p += 16) h = HashPair(word(p, 8), word(p + 8, 8) ^ h, secret);
  uint64_t a = 0, b = 0;
  if (left >= 8) {
    a = word(p, 8);
    b = word(p + left - 8, 8);
  } else if (left >= 4) {
    a = word(p, 4);
    b = word(p + left - 4, 4);
  } else if (left > 0) {
    a = static_cast<unsigned char>(p[0]) |
        static_cast<uint64_t>(static_cast<unsigned char>(p[left / 2])) << 8 |
        static_cast<uint64_t>(static_cast<unsigned char>(p[left - 1])) << 16;
  }
  return HashPair(HashPair(a, b ^ h, secret), text.size(), secret);
}

// For std::unordered_map and std::unordered_set.
struct NumberHash {
  size_t operator()(uint64_t number) const { return HashNumber(number); }
};

}  // namespace emberline
