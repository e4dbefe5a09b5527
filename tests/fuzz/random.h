// Random numbers that are the same everywhere for the same seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace emberline::fuzz {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t x = state_ += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
  }
  // 0 .. limit - 1; 0 for a limit of 0.
  size_t Below(size_t limit) { return limit == 0 ? 0 : static_cast<size_t>(Next() % limit); }
  bool OneIn(size_t n) { return Below(n) == 0; }
  template <typename List>
  auto Pick(const List& list) -> decltype(list[0]) {
    return list[Below(std::size(list))];
  }

 private:
  uint64_t state_;
};

// Seeds what a target chooses by itself, so that an input alone repeats a run.
inline uint64_t SeedOf(std::string_view input) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : input) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash;
}

}  // namespace emberline::fuzz
