#include <catch2/catch.hpp>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/heap.h"

namespace emberline {
namespace {

TEST_CASE("taking the pages of a block changes nothing in it, nor beside it") {
  constexpr size_t kSize = 3 * 4096;
  unsigned char block[kSize];
  for (const auto& [from, bytes] :
       {std::pair<size_t, size_t>{0, kSize}, {1, kSize - 2}, {5000, 10}, {4096, 0}}) {
    std::memset(block, 0xA5, kSize);
    TakePages(block + from, bytes);
    size_t same = 0;
    for (const unsigned char byte : block) same += byte == 0xA5;
    CHECK(same == kSize);
  }
}

}  // namespace
}  // namespace emberline

#if defined(__GLIBC__)
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/kept_vector.h"
#include "process_memory.h"

namespace emberline {
namespace {

constexpr size_t kPageBytes = 4096, kLargePageBytes = size_t{2} << 20;
constexpr size_t kFewBytes = 16 * kPageBytes;  // what the test itself takes beside its blocks

long PageFaults() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

// Six megabytes in blocks of one pool, each page touched.
void TakeAndFree() {
  constexpr size_t kBlocks = 100, kBytes = 60'000;
  std::vector<std::unique_ptr<volatile char[]>> blocks;
  for (size_t i = 0; i < kBlocks; ++i) {
    blocks.push_back(std::unique_ptr<volatile char[]>(new volatile char[kBytes]));
    for (size_t at = 0; at < kBytes; at += kPageBytes) blocks.back()[at] = 1;
  }
}

// Bytes that a block takes of which only the first one was written.
int64_t TakenBy(void* (*allocate)(size_t), size_t bytes) {
  TrimHeap();  // no block comes from what others left
  const int64_t before = BytesTaken();
  void* const block = allocate(bytes);
  *static_cast<volatile char*>(block) = 1;
  const int64_t taken = BytesTaken() - before;
  FreeBlock(block);
  return taken;
}

// A large page comes only when the system has one just then, which other programs may prevent.
bool TakesLargePage(void* (*allocate)(size_t), size_t bytes) {
  for (int i = 0; i < 20; ++i) {
    if (TakenBy(allocate, bytes) >= static_cast<int64_t>(kLargePageBytes - kFewBytes)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("blocks of all sizes are there as a whole") {
  for (const size_t around : {size_t{1}, size_t{1} << 20, size_t{3} << 19, kLargePageBytes,
                              2 * kLargePageBytes, 5 * kLargePageBytes}) {
    for (const size_t bytes : {around - 1, around, around + 1, around + around / 3}) {
      for (void* (*const allocate)(size_t) : {&AllocateAny, &AllocateToKeep, &AllocateScratch}) {
        auto* const block = static_cast<volatile char*>(allocate(bytes));
        REQUIRE(block != nullptr);
        for (size_t at = 0; at < bytes; at += kPageBytes) block[at] = 1;
        if (bytes > 0) block[bytes - 1] = 1;
        FreeBlock(const_cast<char*>(block));
      }
    }
  }
  CHECK(AllocateAny(SIZE_MAX) == nullptr);
  CHECK(AllocateToKeep(SIZE_MAX) == nullptr);
}

TEST_CASE("large blocks stand on large pages, and what is kept takes what it needs") {
  BoundHeap();
  constexpr size_t kBytes = 1'600'000;
  if (!TakesLargePage(&AllocateScratch, 2 * kLargePageBytes)) {
    WARN("This system has no large page to give.");
    return;
  }
  CHECK(TakesLargePage(&AllocateScratch, kBytes));
  {
    // The first blocks that may stay for any time stand on small pages.
    CHECK(TakenBy(&AllocateAny, kBytes) <= static_cast<int64_t>(kFewBytes));
    const auto first = Owned<char>(AllocateAny(2 * kLargePageBytes));
    CHECK(TakesLargePage(&AllocateAny, kBytes));
  }
  // What is not touched takes nothing.
  CHECK(TakenBy(&AllocateScratch, 3 * kLargePageBytes) <=
        static_cast<int64_t>(kLargePageBytes + kFewBytes));
  // The ends of vectors share a large page.
  constexpr size_t kVectors = 20;
  TrimHeap();
  const int64_t before = BytesTaken();
  std::vector<KeptVector<char>> kept;
  for (size_t i = 0; i < kVectors; ++i) kept.emplace_back(kBytes + i, 'k');
  CHECK(BytesTaken() - before <=
        static_cast<int64_t>(kVectors * kBytes + kLargePageBytes + 2 * kFewBytes));
}

TEST_CASE("what shrinks to little keeps no large page") {
  TrimHeap();
  const int64_t before = BytesTaken();
  std::vector<OwnedBlock<char>> blocks;
  for (int i = 0; i < 50; ++i) {
    auto* const block = static_cast<char*>(ReserveToKeep(kLargePageBytes));
    REQUIRE(block != nullptr);
    std::fill_n(block, 5000, static_cast<char>('a' + i % 26));
    blocks.push_back(Owned<char>(ShrinkKept(block, 5000)));
  }
  CHECK(BytesTaken() - before < static_cast<int64_t>(2 * kLargePageBytes));
  for (size_t i = 0; i < blocks.size(); ++i) {
    CHECK(std::all_of(blocks[i].get(), blocks[i].get() + 5000,
                      [&](char byte) { return byte == static_cast<char>('a' + i % 26); }));
  }
}

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
