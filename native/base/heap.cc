#include "base/heap.h"

#include <cstdlib>

#if defined(__GLIBC__)
#include <malloc.h>
#elif defined(__APPLE__)
#include <malloc/malloc.h>
#endif

namespace emberline {

void BoundHeap() {
#if defined(__GLIBC__)
  // Settings of the user's stay.
  // Requests spend their time computing: few pools are enough to keep them from waiting for each
  // other.
  constexpr int kPools = 2;
  if (std::getenv("MALLOC_ARENA_MAX") == nullptr) mallopt(M_ARENA_MAX, kPools);
  // Large columns lie on pages of their own, which go back when they are freed. By default the
  // allocator learns from the first large one that is freed to take the next ones from its pools,
  // where whatever small thing comes to lie above them keeps them. Of a million events, the scratch
  // of views lies between one and four megabytes: with the limit at four, pools kept 27 bytes per
  // event after every view was asked once; at a quarter of one they keep little less than at one.
  constexpr int kOwnPagesBytes = 1 << 20;
  if (std::getenv("MALLOC_MMAP_THRESHOLD_") == nullptr) {
    mallopt(M_MMAP_THRESHOLD, kOwnPagesBytes);
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
