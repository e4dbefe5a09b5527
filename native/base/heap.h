// How the allocator treats a program whose threads take and free much memory.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace emberline {

// To be called before threads start. Each pool of memory that threads allocate from keeps what was
// freed in it, and by default there may be eight for each core: what one request frees, another on
// another thread would not find. With one for each core no thread waits for another. Does nothing
// where the C library has no such pools.
void BoundHeap();

// Gives memory that is free back to the system, where the C library does not by itself. Takes some
// milliseconds; any thread.
void TrimHeap();

// Owns what the functions below return.
struct FreeBlock {
  void operator()(void* block) const { std::free(block); }
};
template <typename T>
using OwnedBlock = std::unique_ptr<T, FreeBlock>;
// Takes the block over; throws std::bad_alloc where there is none.
template <typename T>
OwnedBlock<T> Owned(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  return OwnedBlock<T>(static_cast<T*>(block));
}

// Room that is needed for a moment: from half a large page on it stands on large pages alone, where
// the system has them, of which those are taken that are touched. To be freed with std::free; null
// when there is no memory.
void* AllocateScratch(size_t bytes);
// The same for room of which it is not known how long it is needed, and that is filled at once: up
// to half a large page of it may be left unused where that saves taking many small ones.
void* AllocateAtOnce(size_t bytes);
// The same for room that is filled at once and then kept: takes no more than `bytes` need.
void* AllocateToKeep(size_t bytes);

// Takes the pages that lie wholly in a block from the system now. That costs about half of what it
// costs to wait until each is touched. Where the system cannot, nothing happens.
void TakePages(void* block, size_t bytes);

}  // namespace emberline
