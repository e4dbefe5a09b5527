// Vectors of what is kept for as long as its trace: long ones stand on large pages whose ends they
// share, so that they take no more memory than they ask for (base/heap.h).
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/block_allocator.h"

namespace emberline {

template <typename T>
using KeptVector = std::vector<T, BlockAllocator<T, &AllocateToKeep>>;

// The same for plain values that whoever calls resize() writes: it leaves them as memory happens to
// be, instead of writing all of them once more.
template <typename T>
struct UnfilledAllocator : BlockAllocator<T, &AllocateToKeep> {
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
