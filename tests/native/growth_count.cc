#include "growth_count.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <new>

namespace {

// What threads that ended did; those of loading end with it.
std::atomic<uint64_t> ended_blocks{0};

struct ThreadBlocks {
  uint64_t count = 0;
  ~ThreadBlocks() { ended_blocks += count; }
};
thread_local ThreadBlocks blocks;
std::atomic<size_t> alive_bytes{0};
std::atomic<size_t> peak_bytes{0};

void* Allocate(size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  const size_t taken = malloc_usable_size(memory);
  const size_t alive = alive_bytes.fetch_add(taken, std::memory_order_relaxed) + taken;
  size_t peak = peak_bytes.load(std::memory_order_relaxed);
  while (alive > peak && !peak_bytes.compare_exchange_weak(peak, alive)) {
  }
  return memory;
}

void Release(void* memory) {
  if (memory == nullptr) return;
  alive_bytes.fetch_sub(malloc_usable_size(memory), std::memory_order_relaxed);
  std::free(memory);
}

}  // namespace

// Called by each basic block of the library.
extern "C" void __sanitizer_cov_trace_pc() {
  ++blocks.count;
}  // NOLINT: the compiler gives the name

void* operator new(size_t size) { return Allocate(size); }
void* operator new[](size_t size) { return Allocate(size); }
void operator delete(void* memory) noexcept { Release(memory); }
void operator delete[](void* memory) noexcept { Release(memory); }
void operator delete(void* memory, size_t) noexcept { Release(memory); }
void operator delete[](void* memory, size_t) noexcept { Release(memory); }

namespace emberline::growth {

WorkCounter::WorkCounter() : blocks_(blocks.count + ended_blocks), bytes_(alive_bytes.load()) {
  peak_bytes.store(bytes_);
}

Work WorkCounter::Count() const {
  return {blocks.count + ended_blocks - blocks_, peak_bytes.load() - bytes_};
}

double Exponent(uint64_t small, uint64_t large) {
  return std::log(static_cast<double>(large) / static_cast<double>(std::max<uint64_t>(small, 1))) /
         std::log(static_cast<double>(kFactor));
}

void CheckGrowth(const Work& small, const Work& large) {
  // What is less than this in the large one cannot be told from what every call costs.
  constexpr double kLeastBlocks = 1e6;
  constexpr double kLeastBytes = 4e6;
  const double blocks = Exponent(small.blocks, large.blocks);
  const double bytes = Exponent(small.peak_bytes, large.peak_bytes);
  INFO("blocks " << small.blocks << " -> " << large.blocks << ", exponent " << blocks);
  INFO("bytes " << small.peak_bytes << " -> " << large.peak_bytes << ", exponent " << bytes);
  CHECK((static_cast<double>(large.blocks) < kLeastBlocks || blocks < kMostExponent));
  CHECK((static_cast<double>(large.peak_bytes) < kLeastBytes || bytes < kMostExponent));
}

}  // namespace emberline::growth
