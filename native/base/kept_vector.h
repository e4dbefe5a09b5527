// Vectors of what is kept for as long as its trace: they take no more memory than they ask for,
// unlike what is only needed for a moment (base/heap.h).
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#include "base/heap.h"

namespace emberline {

template <typename T>
struct KeepingAllocator {
  using value_type = T;

  KeepingAllocator() = default;
  template <typename U>
  KeepingAllocator(const KeepingAllocator<U>&) {}

  T* allocate(size_t count) {
    if (count > static_cast<size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    void* const block = AllocateToKeep(count * sizeof(T));
    if (block == nullptr) throw std::bad_alloc();
    return static_cast<T*>(block);
  }
  void deallocate(T* block, size_t) { std::free(block); }
  friend bool operator==(const KeepingAllocator&, const KeepingAllocator&) { return true; }
};

template <typename T>
using KeptVector = std::vector<T, KeepingAllocator<T>>;

}  // namespace emberline
