// A column that grows without ever copying what it holds, so that a builder's peak memory stays
// near the size of its data.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace emberline {

template <typename T>
class ChunkedColumn {
 public:
  static constexpr size_t kShift = 16;
  static constexpr size_t kRows = size_t{1} << kShift;

  void Push(T value) {
    if ((size_ & (kRows - 1)) == 0) chunks_.emplace_back(new T[kRows]);
    chunks_[size_ >> kShift][size_ & (kRows - 1)] = value;
    ++size_;
  }
  T& operator[](size_t i) { return chunks_[i >> kShift][i & (kRows - 1)]; }
  const T& operator[](size_t i) const { return chunks_[i >> kShift][i & (kRows - 1)]; }
  size_t size() const { return size_; }

  // Gives the memory back.
  void Free() {
    chunks_.clear();
    chunks_.shrink_to_fit();
    size_ = 0;
  }

 private:
  std::vector<std::unique_ptr<T[]>> chunks_;
  size_t size_ = 0;
};

}  // namespace emberline
