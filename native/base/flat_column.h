// A column of plain values that owns them, or shows values which lie in memory of someone else,
// such as a mapped file. The same code reads both.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/byte_size.h"
#include "base/kept_vector.h"

namespace emberline {

template <typename T>
class FlatColumn {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  FlatColumn() = default;
  FlatColumn(FlatColumn&& other) noexcept { *this = std::move(other); }
  FlatColumn& operator=(FlatColumn&& other) noexcept {
    shown_ = std::exchange(other.shown_, {});
    owned_ = std::move(other.owned_);
    other.owned_.clear();
    return *this;
  }
  FlatColumn(const FlatColumn&) = delete;
  FlatColumn& operator=(const FlatColumn&) = delete;

  // Shows what lies elsewhere, and has to stay there; it is only read from now on.
  void Show(std::span<const T> values) {
    owned_ = {};
    shown_ = {const_cast<T*>(values.data()), values.size()};
  }

  size_t size() const { return shown_.size(); }
  bool empty() const { return shown_.empty(); }
  const T* data() const { return shown_.data(); }
  const T& operator[](size_t i) const { return shown_[i]; }
  const T& front() const { return shown_.front(); }
  const T& back() const { return shown_.back(); }
  const T* begin() const { return shown_.data(); }
  const T* end() const { return shown_.data() + shown_.size(); }
  operator std::span<const T>() const { return shown_; }

  // Only of a column that owns its values.
  T& operator[](size_t i) { return shown_[i]; }
  T& back() { return shown_.back(); }
  T* begin() { return shown_.data(); }
  T* end() { return shown_.data() + shown_.size(); }
  void push_back(const T& value) {
    Change([&] { owned_.push_back(value); });
  }
  template <typename... Args>
  void emplace_back(Args&&... args) {
    push_back(T(std::forward<Args>(args)...));
  }
  void resize(size_t size, const T& value = T()) {
    Change([&] { owned_.resize(size, value); });
  }
  void assign(size_t size, const T& value) {
    Change([&] { owned_.assign(size, value); });
  }
  template <typename It>
  requires(!std::is_integral_v<It>) void assign(It first, It last) {
    Change([&] { owned_.assign(first, last); });
  }
  void reserve(size_t size) {
    Change([&] { owned_.reserve(size); });
  }
  void shrink_to_fit() {
    Change([&] { owned_.shrink_to_fit(); });
  }
  void clear() {
    Change([&] { owned_.clear(); });
  }

  size_t MemoryBytes() const {
    return owned_.capacity() > 0 ? HeapBytes(owned_) : shown_.size_bytes();
  }

 private:
  template <typename Action>
  void Change(Action&& action) {
    assert(shown_.data() == owned_.data());
    action();
    shown_ = owned_;
  }
  std::span<T> shown_;
  KeptVector<T> owned_;
};

// A bit for each row.
class BitColumn {
 public:
  void assign(size_t size, bool value) {
    words_.assign((size + 63) / 64, value ? ~uint64_t{0} : 0);
    size_ = size;
  }
  void Show(std::span<const uint64_t> words, size_t size) {
    words_.Show(words);
    size_ = size;
  }
  bool operator[](size_t i) const { return words_[i / 64] >> (i % 64) & 1; }
  void Set(size_t i, bool value) {
    const uint64_t bit = uint64_t{1} << (i % 64);
    words_[i / 64] = value ? words_[i / 64] | bit : words_[i / 64] & ~bit;
  }
  // True when one of them is set; rows are assigned false.
  bool Any() const {
    for (const uint64_t word : words_) {
      if (word != 0) return true;
    }
    return false;
  }
  size_t size() const { return size_; }
  const FlatColumn<uint64_t>& words() const { return words_; }
  size_t MemoryBytes() const { return words_.MemoryBytes(); }

 private:
  FlatColumn<uint64_t> words_;
  size_t size_ = 0;
};

}  // namespace emberline
