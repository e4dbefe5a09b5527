// Memory of base/heap.h for the standard containers.
#pragma once

#include <cstddef>
#include <new>

#include "base/heap.h"

namespace emberline {

// kAllocate: AllocateToKeep or another of its kind.
template <typename T, void* (*kAllocate)(size_t)>
struct BlockAllocator {
  using value_type = T;
  template <typename U>
  struct rebind {
    using other = BlockAllocator<U, kAllocate>;
  };

  BlockAllocator() = default;
  template <typename U>
  BlockAllocator(const BlockAllocator<U, kAllocate>&) {}

  T* allocate(size_t count) {
    if (count > static_cast<size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    return Owned<T>(kAllocate(count * sizeof(T))).release();
  }
  void deallocate(T* block, size_t) { FreeBlock(block); }
  friend bool operator==(const BlockAllocator&, const BlockAllocator&) { return true; }
};

}  // namespace emberline
