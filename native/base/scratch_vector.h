// Vectors of what is only needed for a moment: where they are long they stand on large pages, which
// take a thirtieth of the time that as much in small ones takes to come (base/heap.h).
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#include "base/heap.h"

namespace emberline {

template <typename T>
struct ScratchAllocator {
  using value_type = T;

  ScratchAllocator() = default;
  template <typename U>
  ScratchAllocator(const ScratchAllocator<U>&) {}

  T* allocate(size_t count) {
    if (count > static_cast<size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    void* const block = AllocateScratch(count * sizeof(T));
    if (block == nullptr) throw std::bad_alloc();
    return static_cast<T*>(block);
  }
  void deallocate(T* block, size_t) { std::free(block); }
  friend bool operator==(const ScratchAllocator&, const ScratchAllocator&) { return true; }
};

template <typename T>
using ScratchVector = std::vector<T, ScratchAllocator<T>>;

}  // namespace emberline
