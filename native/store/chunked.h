// A column that grows without ever copying what it holds, so that a builder's peak memory stays
// near the size of its data.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/heap.h"

namespace emberline {

// Each chunk is as large as all before it: few of them are needed, and large ones can stand on
// large pages. The unused part of the last one is not touched, and takes no memory.
template <typename T>
class ChunkedColumn {
 public:
  static constexpr size_t kFirstShift = 16;

  ChunkedColumn() = default;
  ChunkedColumn(const ChunkedColumn&) = delete;
  ChunkedColumn& operator=(const ChunkedColumn&) = delete;
  // Exchanges the rows.
  ChunkedColumn& operator=(ChunkedColumn&& other) noexcept {
    chunks_.swap(other.chunks_);
    std::swap(until_, other.until_);
    std::swap(next_, other.next_);
    std::swap(stop_, other.stop_);
    return *this;
  }

  void Push(T value) {
    if (next_ == stop_) MakeRoom();
    std::construct_at(next_++, value);
  }
  T& operator[](size_t i) {
    const size_t chunk = ChunkOf(i);
    return chunks_[chunk][i - FirstOf(chunk)];
  }
  const T& operator[](size_t i) const {
    const size_t chunk = ChunkOf(i);
    return chunks_[chunk][i - FirstOf(chunk)];
  }
  size_t size() const { return until_ - static_cast<size_t>(stop_ - next_); }

  // Calls `visit(from, to)` for stretches of the rows [first, last). In all columns alike, rows of
  // a stretch stand one behind the other, so that `&column[from]` is an array of them.
  template <typename Visit>
  static void EachStretch(size_t first, size_t last, Visit&& visit) {
    while (first < last) {
      const size_t chunk = ChunkOf(first);
      const size_t stop = std::min(last, FirstOf(chunk) + RowsOf(chunk));
      visit(first, stop);
      first = stop;
    }
  }

  // Leaves the first `size` rows.
  void Shrink(size_t size) {
    until_ = size;
    next_ = stop_ = nullptr;
  }

  // Gives the memory back.
  void Free() {
    chunks_.clear();
    chunks_.shrink_to_fit();
    Shrink(0);
  }

 private:
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  struct Release {
    void operator()(T* rows) const { std::free(rows); }
  };
  // So many rows at a time get their pages.
  static constexpr size_t kStep = (size_t{64} << 10) / sizeof(T);

  static size_t ChunkOf(size_t i) { return static_cast<size_t>(std::bit_width(i >> kFirstShift)); }
  static size_t FirstOf(size_t chunk) {
    return chunk == 0 ? 0 : size_t{1} << (kFirstShift + chunk - 1);
  }
  static size_t RowsOf(size_t chunk) {
    return size_t{1} << (chunk == 0 ? kFirstShift : kFirstShift + chunk - 1);
  }

  // Room for the rows behind the last one.
  void MakeRoom() {
    const size_t size = until_;
    const size_t chunk = ChunkOf(size);
    if (chunk == chunks_.size()) {
      T* const rows = static_cast<T*>(AllocateLazily(RowsOf(chunk) * sizeof(T)));
      if (rows == nullptr) throw std::bad_alloc();
      chunks_.emplace_back(rows);
    }
    next_ = chunks_[chunk].get() + (size - FirstOf(chunk));
    stop_ = std::min(next_ + kStep, chunks_[chunk].get() + RowsOf(chunk));
    until_ = size + static_cast<size_t>(stop_ - next_);
    TakePages(next_, static_cast<size_t>(stop_ - next_) * sizeof(T));
  }

  std::vector<std::unique_ptr<T[], Release>> chunks_;
  // Where the next row goes, and how far without making room; how many rows there are then.
  T* next_ = nullptr;
  T* stop_ = nullptr;
  size_t until_ = 0;
};

}  // namespace emberline
