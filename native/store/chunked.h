// A column that grows without ever copying what it holds, so that a builder's peak memory stays
// near the size of its data.
#pragma once

#include <bit>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace emberline {

// Each chunk is as large as all before it: few of them are needed, and large ones can stand on
// large pages. The unused part of the last one was never touched, and takes no memory.
template <typename T>
class ChunkedColumn {
 public:
  static constexpr size_t kFirstShift = 16;

  void Push(T value) {
    const size_t chunk = ChunkOf(size_);
    if (chunk == chunks_.size()) {
      chunks_.emplace_back(static_cast<T*>(::operator new(RowsOf(chunk) * sizeof(T))));
    }
    std::construct_at(&chunks_[chunk][size_ - FirstOf(chunk)], value);
    ++size_;
  }
  T& operator[](size_t i) {
    const size_t chunk = ChunkOf(i);
    return chunks_[chunk][i - FirstOf(chunk)];
  }
  const T& operator[](size_t i) const {
    const size_t chunk = ChunkOf(i);
    return chunks_[chunk][i - FirstOf(chunk)];
  }
  size_t size() const { return size_; }

  // Leaves the first `size` rows.
  void Shrink(size_t size) { size_ = size; }

  // Gives the memory back.
  void Free() {
    chunks_.clear();
    chunks_.shrink_to_fit();
    size_ = 0;
  }

 private:
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  struct Release {
    void operator()(T* rows) const { ::operator delete(rows); }
  };

  static size_t ChunkOf(size_t i) { return static_cast<size_t>(std::bit_width(i >> kFirstShift)); }
  static size_t FirstOf(size_t chunk) {
    return chunk == 0 ? 0 : size_t{1} << (kFirstShift + chunk - 1);
  }
  static size_t RowsOf(size_t chunk) {
    return size_t{1} << (chunk == 0 ? kFirstShift : kFirstShift + chunk - 1);
  }

  std::vector<std::unique_ptr<T[], Release>> chunks_;
  size_t size_ = 0;
};

}  // namespace emberline
