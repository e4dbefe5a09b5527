#include "base/heap.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "base/cores.h"

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

constexpr size_t kLargePage = size_t{2} << 20;
// Smaller blocks come from pools, whose pages are mostly there.
constexpr size_t kTakenAtOnce = size_t{1} << 20;

// Where whole large pages are advised; the rest of the last one would be taken although nobody
// uses it.
size_t LargePart(size_t bytes) { return bytes / kLargePage * kLargePage; }

void* AllocateOnLargePages(size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (bytes > SIZE_MAX - kLargePage) return nullptr;
  void* const block = std::aligned_alloc(kLargePage, LargePart(bytes + kLargePage - 1));
  if (block != nullptr) madvise(block, LargePart(bytes), MADV_HUGEPAGE);
  return block;
#else
  return std::malloc(bytes);
#endif
}

}  // namespace

void* AllocateLazily(size_t bytes) {
  // Half of a column's last chunk may never be used.
  return bytes < 2 * kLargePage ? std::malloc(bytes) : AllocateOnLargePages(bytes);
}

void* AllocateAtOnce(size_t bytes) {
  if (bytes < kTakenAtOnce) return std::malloc(bytes == 0 ? 1 : bytes);
  void* const block = bytes < kLargePage ? std::malloc(bytes) : AllocateOnLargePages(bytes);
  const size_t large = LargePart(bytes);
  if (block != nullptr) TakePages(static_cast<char*>(block) + large, bytes - large);
  return block;
}

void TakePages(void* block, size_t bytes) {
#if defined(__linux__) && defined(MADV_POPULATE_WRITE)
  constexpr uintptr_t kPage = 4096;
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
  // Large columns lie on pages of their own, which go back when they are freed. By default the
  // allocator learns from the first large one that is freed to take the next ones from its pools,
  // where whatever small thing comes to lie above them keeps them. Of a million events, the scratch
  // of views lies between one and four megabytes: with the limit at four, pools kept 27 bytes per
  // event after every view was asked once; at a quarter of one they keep little less than at one.
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
#if defined(__GLIBC__)
  malloc_trim(0);
#elif defined(__APPLE__)
  malloc_zone_pressure_relief(nullptr, 0);
#endif
}

}  // namespace emberline
