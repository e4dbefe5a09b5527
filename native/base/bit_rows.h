// Values of the few rows of a table that a bit names.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "base/flat_column.h"
#include "base/scratch_vector.h"

namespace emberline {

// A value for each row of `which` that is set, which stands for as long as this does, and does not
// change. Takes memory for these rows alone. Lookups take constant time.
template <typename T>
class BitRows {
 public:
  BitRows(const BitColumn& which, T value) : which_(which) {
    uint32_t rows = 0;
    before_.reserve(which.words().size());
    for (const uint64_t word : which.words()) {
      before_.push_back(rows);
      rows += static_cast<uint32_t>(std::popcount(word));
    }
    values_.assign(rows, value);
  }

  // Of a row that is set.
  T& operator[](size_t row) { return values_[PlaceOf(row)]; }
  const T& operator[](size_t row) const { return values_[PlaceOf(row)]; }
  bool Has(size_t row) const { return which_[row]; }
  // In the order of the rows.
  const ScratchVector<T>& values() const { return values_; }

 private:
  size_t PlaceOf(size_t row) const {
    assert(which_[row]);
    const uint64_t earlier = which_.words()[row / 64] & ((uint64_t{1} << row % 64) - 1);
    return before_[row / 64] + static_cast<size_t>(std::popcount(earlier));
  }

  const BitColumn& which_;
  ScratchVector<uint32_t> before_;  // rows set in front of those of each word
  ScratchVector<T> values_;
};

}  // namespace emberline
