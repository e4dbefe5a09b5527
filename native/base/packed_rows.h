// What tables of several packed columns (base/packed_column.h) share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/packed_column.h"

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

// Makes a packed column of of(row), for each row.
template <typename T, typename Of>
void PackRows(size_t size, PackedColumn<T>* column, Of&& of) {
  column->Fill(size, of);
  column->Pack();
}

}  // namespace emberline
