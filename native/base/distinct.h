// Different values, each once, and their numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace emberline {

// What few rows differ in, each different value once: numbered in the order in which they come.
template <typename T, typename Hash>
class Distinct {
 public:
  uint32_t NumberOf(const T& value) {
    // Mostly neighbors have the same, or it came shortly before.
    if (Is(last_, value)) return last_;
    uint32_t& recent = recent_[Hash()(value) % recent_.size()];
    if (Is(recent, value)) return last_ = recent;
    const auto [at, added] = numbers_.try_emplace(value, static_cast<uint32_t>(values_.size()));
    if (added) values_.push_back(value);
    return last_ = recent = at->second;
  }
  const std::vector<T>& values() const { return values_; }

 private:
  bool Is(uint32_t number, const T& value) const {
    return number < values_.size() && values_[number] == value;
  }

  uint32_t last_ = 0;
  std::array<uint32_t, 128> recent_ = {};  // by a part of the hash
  std::vector<T> values_;
  std::unordered_map<T, uint32_t, Hash> numbers_;
};

}  // namespace emberline
