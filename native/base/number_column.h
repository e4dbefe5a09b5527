// A column of numbers that are small in nearly every trace: ids of contexts, of stacks, of labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/byte_size.h"
#include "base/packed_column.h"
#include "base/release.h"
#include "base/types.h"

namespace emberline {

// Takes two bytes for each number as long as all of them fit, else four. kNone always fits. Once no
// number is written any more, Pack() leaves mostly one byte or less: neighbors are alike.
class NumberColumn {
 public:
  void assign(size_t size, uint32_t value) {
    packed_ = {};
    Release(narrow_);
    Release(wide_);
    if (Fits(value)) {
      narrow_.assign(size, static_cast<uint16_t>(value));
    } else {
      wide_.assign(size, value);
    }
  }
  size_t size() const {
    return !packed_.empty() ? packed_.size() : wide_.empty() ? narrow_.size() : wide_.size();
  }
  bool empty() const { return size() == 0; }

  uint32_t operator[](size_t i) const {
    if (!packed_.empty()) return packed_[i];
    if (!wide_.empty()) return wide_[i];
    return narrow_[i] == kNoneNarrow ? kNone : narrow_[i];
  }
  // Not of a packed column.
  void Set(size_t i, uint32_t value) {
    if (wide_.empty()) {
      if (Fits(value)) {
        narrow_[i] = static_cast<uint16_t>(value);
        return;
      }
      Widen();
    }
    wide_[i] = value;
  }

  void Pack() {
    if (!packed_.empty()) return;
    if (wide_.empty()) Widen();
    packed_.Append(wide_);
    Release(wide_);
  }

  size_t MemoryBytes() const { return HeapBytesOf(packed_, narrow_, wide_); }

 private:
  static constexpr uint16_t kNoneNarrow = UINT16_MAX;

  static bool Fits(uint32_t value) { return value == kNone || value < kNoneNarrow; }
  void Widen() {
    wide_.reserve(narrow_.size());
    for (const uint16_t value : narrow_) wide_.push_back(value == kNoneNarrow ? kNone : value);
    Release(narrow_);
  }

  // At most one of them is not empty.
  PackedColumn<uint32_t> packed_;
  std::vector<uint16_t> narrow_;
  std::vector<uint32_t> wide_;
};

}  // namespace emberline
