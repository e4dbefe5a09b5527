#include "base/heap.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/cores.h"
#include "base/shared_pages.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#elif defined(__APPLE__)
#include <malloc/malloc.h>
#endif

namespace emberline {
namespace {

// Blocks of so many bytes share large pages with others; smaller ones come from pools.
constexpr size_t kSharesPages = size_t{32} << 10;

// Nobody knows how long blocks of operator new are needed, so the first of their pages are small
// ones. For a trace of 100 MB that is enough.
constexpr size_t kAnySmallBytes = size_t{4} << 20;

// By how long blocks are needed. Never destroyed: other threads may free blocks while the program
// ends. Made without operator new, which asks for it.
struct Pools {
  SharedPages scratch, kept, any{kAnySmallBytes};

  template <typename Do>
  void Each(Do&& with) {
    for (SharedPages* const pages : {&scratch, &kept, &any}) with(pages);
  }
};
Pools& SharingPools() {
  alignas(Pools) static char room[sizeof(Pools)];
  static Pools* const pools = new (room) Pools();
  return *pools;
}

void* Allocate(size_t bytes, SharedPages* pool) {
  if (bytes >= kSharesPages) {
    size_t missing = 0;
    if (void* const block = pool->Allocate(bytes, &missing)) {
      if (missing > 0) {
        SharingPools().Each([&](SharedPages* pages) { missing -= pages->GiveBackSpare(missing); });
      }
      return block;
    }
  }
  return std::malloc(bytes == 0 ? 1 : bytes);
}

}  // namespace

void* AllocateAny(size_t bytes) { return Allocate(bytes, &SharingPools().any); }

void* AllocateScratch(size_t bytes) { return Allocate(bytes, &SharingPools().scratch); }

void* ReserveToKeep(size_t bytes) { return Allocate(bytes, &SharingPools().kept); }

void* AllocateToKeep(size_t bytes) {
  void* const block = ReserveToKeep(bytes);
  // Where the system has no large pages, many small ones at once.
  if (block != nullptr && bytes >= kSharesPages) TakePages(block, bytes);
  return block;
}

void* ShrinkKept(void* block, size_t bytes) {
  SharedPages& kept = SharingPools().kept;
  if (bytes >= kSharesPages) {
    if (kept.Shrink(block, bytes)) return block;
    void* const there = std::realloc(block, bytes);
    return there == nullptr ? block : there;
  }
  // Few bytes would keep a large page for themselves.
  void* const moved = std::malloc(bytes);
  if (moved == nullptr) return block;
  std::memcpy(moved, block, bytes);
  FreeBlock(block);
  return moved;
}

void FreeBlock(void* block) {
  const bool may_share =
      block != nullptr && reinterpret_cast<uintptr_t>(block) % SharedPages::kSmallPage == 0;
  Pools& pools = SharingPools();
  if (may_share && (pools.scratch.Free(block) || pools.kept.Free(block) || pools.any.Free(block))) {
    return;
  }
  std::free(block);
}

void TakePages(void* block, size_t bytes) {
#if defined(__linux__) && defined(MADV_POPULATE_WRITE)
  constexpr uintptr_t kPage = SharedPages::kSmallPage;
  const auto first = reinterpret_cast<uintptr_t>(block);
  const uintptr_t from = (first + kPage - 1) / kPage * kPage;
  const uintptr_t to = (first + bytes) / kPage * kPage;
  // The system's own size of a page may be larger: then it refuses, and pages come when touched.
  if (from < to)
    madvise(static_cast<char*>(block) + (from - first), to - from, MADV_POPULATE_WRITE);
#else
  (void)block;
  (void)bytes;
#endif
}

void BoundHeap() {
#if defined(__GLIBC__)
  // Settings of the user's stay.
  // A pool for each thread that can compute. Threads that share one wait for each other: two that
  // make digests take half as long again with one pool as with two.
  constexpr int kFewestPools = 2;
  if (std::getenv("MALLOC_ARENA_MAX") == nullptr) {
    mallopt(M_ARENA_MAX, std::max(kFewestPools, static_cast<int>(UsableCores())));
  }
  // Large blocks that share no pages, such as those of C libraries, lie on pages of their own,
  // which go back when they are freed. By default the allocator learns from the first large one
  // that is freed to take the next ones from its pools, where whatever small thing comes to lie
  // above them keeps them.
  constexpr int kOwnPagesBytes = 1 << 20;
  if (std::getenv("MALLOC_MMAP_THRESHOLD_") == nullptr) {
    mallopt(M_MMAP_THRESHOLD, kOwnPagesBytes);
  }
  // What a trace leaves behind at the end of a pool serves the next one; to give it back and ask
  // for it again took a quarter of the time of digests. TrimHeap() gives it back.
  constexpr int kKeptAtEndBytes = 16 << 20;
  if (std::getenv("MALLOC_TRIM_THRESHOLD_") == nullptr) {
    mallopt(M_TRIM_THRESHOLD, kKeptAtEndBytes);
  }
#endif
}

void TrimHeap() {
  SharingPools().Each([](SharedPages* pages) { pages->GiveBack(); });
#if defined(__GLIBC__)
  malloc_trim(0);
#elif defined(__APPLE__)
  malloc_zone_pressure_relief(nullptr, 0);
#endif
}

}  // namespace emberline
