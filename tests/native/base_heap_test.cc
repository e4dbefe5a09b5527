#include <catch2/catch.hpp>

#include "base/heap.h"

#if defined(__GLIBC__)
#include <sys/resource.h>

#include <memory>
#include <vector>

namespace emberline {
namespace {

long PageFaults() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

// Six megabytes in blocks of one pool, each page touched.
void TakeAndFree() {
  constexpr size_t kBlocks = 100, kBytes = 60'000, kPage = 4096;
  std::vector<std::unique_ptr<volatile char[]>> blocks;
  for (size_t i = 0; i < kBlocks; ++i) {
    blocks.push_back(std::unique_ptr<volatile char[]>(new volatile char[kBytes]));
    for (size_t at = 0; at < kBytes; at += kPage) blocks.back()[at] = 1;
  }
}

}  // namespace

TEST_CASE("what a trace leaves in a pool serves the next one") {
  BoundHeap();
  TakeAndFree();
  const long before = PageFaults();
  TakeAndFree();
  CHECK(PageFaults() - before < 300);  // of 1,500 pages
  TrimHeap();
  const long trimmed = PageFaults();
  TakeAndFree();
  CHECK(PageFaults() - trimmed > 700);
}

}  // namespace emberline

#endif
