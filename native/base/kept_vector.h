// Vectors of what is kept for as long as its trace: they take no more memory than they ask for,
// unlike what is only needed for a moment (base/heap.h).
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
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

// The same for plain values that whoever calls resize() writes: it leaves them as memory happens to
// be, instead of writing all of them once more.
template <typename T>
struct UnfilledAllocator : KeepingAllocator<T> {
  static_assert(std::is_trivial_v<T>);
  template <typename U>
  struct rebind {
    using other = UnfilledAllocator<U>;
  };

  template <typename U>
  void construct(U*) noexcept {}
  template <typename U, typename V>
  void construct(U* at, V&& value) {
    std::construct_at(at, std::forward<V>(value));
  }
};

template <typename T>
using UnfilledVector = std::vector<T, UnfilledAllocator<T>>;

}  // namespace emberline
