// How the allocator treats a program whose threads take and free much memory.
#pragma once

#include <cstddef>
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

// The functions below give memory that from 32 KiB on stands on large pages, where the system has
// them: one takes a thirtieth of the time that as much in small pages takes to come. Blocks share
// large pages with others of their kind (base/shared_pages.h). What they return is null when there
// is no memory, and goes back through FreeBlock(). Any thread.

// Room of which it is not known how long it is needed.
void* AllocateAny(size_t bytes);
// Room that is needed for a moment.
void* AllocateScratch(size_t bytes);
// Room that is kept for as long as a trace is: filled at once or, with ReserveToKeep, little by
// little.
void* AllocateToKeep(size_t bytes);
void* ReserveToKeep(size_t bytes);
// Leaves of such a block its first `bytes`, at least one, and returns where they are now.
void* ShrinkKept(void* block, size_t bytes);
void FreeBlock(void* block);

// Owns such a block.
struct BlockDeleter {
  void operator()(void* block) const { FreeBlock(block); }
};
template <typename T>
using OwnedBlock = std::unique_ptr<T, BlockDeleter>;
// Takes the block over; throws std::bad_alloc where there is none.
template <typename T>
OwnedBlock<T> Owned(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  return OwnedBlock<T>(static_cast<T*>(block));
}

// Takes the pages that lie wholly in a block from the system now. That costs about half of what it
// costs to wait until each is touched. Where the system cannot, nothing happens.
void TakePages(void* block, size_t bytes);

}  // namespace emberline
