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
  // Requests spend their time computing: few pools are enough to keep them from waiting for each
  // other. A setting of the user's stays.
  constexpr int kPools = 2;
  if (std::getenv("MALLOC_ARENA_MAX") == nullptr) mallopt(M_ARENA_MAX, kPools);
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
