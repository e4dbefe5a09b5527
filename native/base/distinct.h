// Different values, each once, and their numbers.
#pragma once

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
    // Neighbors mostly have the same.
    if (last_ < values_.size() && values_[last_] == value) return last_;
    const auto [at, added] = numbers_.try_emplace(value, static_cast<uint32_t>(values_.size()));
    if (added) values_.push_back(value);
    return last_ = at->second;
  }
  const std::vector<T>& values() const { return values_; }

 private:
  uint32_t last_ = 0;
  std::vector<T> values_;
  std::unordered_map<T, uint32_t, Hash> numbers_;
};

}  // namespace emberline
