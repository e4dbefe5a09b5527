// What tables of several packed columns (base/packed_column.h) share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <unordered_map>
#include <vector>

#include "base/packed_column.h"

namespace emberline {

// Goes over what makes its rows when they are asked for.
template <typename Rows, typename Row>
class RowIterator {
 public:
  using value_type = Row;
  using difference_type = ptrdiff_t;
  using reference = Row;
  using pointer = void;
  using iterator_category = std::input_iterator_tag;
  RowIterator() = default;
  RowIterator(const Rows* rows, size_t i) : rows_(rows), i_(i) {}
  Row operator*() const { return (*rows_)[i_]; }
  RowIterator& operator++() {
    ++i_;
    return *this;
  }
  RowIterator operator++(int) { return {rows_, i_++}; }
  bool operator==(const RowIterator&) const = default;

 private:
  const Rows* rows_ = nullptr;
  size_t i_ = 0;
};

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

// Fills an empty column with of(row), for each row.
template <typename T, typename Of>
void PackRows(size_t size, PackedColumn<T>* column, Of&& of) {
  std::vector<T> rows(size);
  for (size_t i = 0; i < size; ++i) rows[i] = of(i);
  column->Append(rows);
}

}  // namespace emberline
