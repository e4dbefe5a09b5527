#include <catch2/catch.hpp>

#include "base/shared_pages.h"

#if defined(__linux__)

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "base/heap.h"
#include "base/sanitizers.h"
#include "process_memory.h"

namespace emberline {
namespace {

constexpr size_t kLargePage = SharedPages::kLargePage, kSmallPage = SharedPages::kSmallPage;

uintptr_t AddressOf(const void* block) { return reinterpret_cast<uintptr_t>(block); }

}  // namespace

#if EMBERLINE_SANITIZED

TEST_CASE("under a sanitizer no blocks share pages") {
  SharedPages pages;
  CHECK(pages.Allocate(kLargePage) == nullptr);
}

#else

TEST_CASE("blocks that share pages keep what was written to them") {
  SharedPages pages(GENERATE(size_t{0}, 2 * kLargePage));
  struct Block {
    size_t bytes = 0;
    uint8_t fill = 0;
  };
  std::map<uint8_t*, Block> blocks;
  std::mt19937_64 random(7);
  const auto below = [&](size_t limit) { return static_cast<size_t>(random() % limit); };
  const auto check = [](const uint8_t* at, const Block& block) {
    REQUIRE(std::all_of(at, at + block.bytes, [&](uint8_t byte) { return byte == block.fill; }));
  };
  for (int i = 0; i < 3000; ++i) {
    if (below(50) == 0) pages.GiveBackSpare();
    if (below(200) == 0) pages.GiveBack();
    const size_t action = blocks.empty() ? 0 : below(8);
    if (action < 4 && blocks.size() < 60) {
      // Around whole pages of both sizes, and anything between.
      const size_t around = below(2) == 0 ? kSmallPage : kLargePage;
      const size_t bytes = below(3) == 0 ? around * (1 + below(3)) + below(3) - 1
                                         : 1 + below(below(4) == 0 ? 3 * kLargePage : 200'000);
      auto* const at = static_cast<uint8_t*>(pages.Allocate(bytes));
      REQUIRE(at != nullptr);
      CHECK(AddressOf(at) % kSmallPage == 0);
      const Block block{bytes, static_cast<uint8_t>(random())};
      std::fill_n(at, bytes, block.fill);
      blocks[at] = block;
      continue;
    }
    auto chosen = blocks.begin();
    std::advance(chosen, static_cast<ptrdiff_t>(below(blocks.size())));
    auto& [at, block] = *chosen;
    check(at, block);
    if (action == 4) {
      block.bytes = 1 + below(block.bytes);
      REQUIRE(pages.Shrink(at, block.bytes));
      check(at, block);
    } else {
      REQUIRE(pages.Free(at));
      CHECK_FALSE(pages.Free(at));
      blocks.erase(chosen);
    }
  }
  for (const auto& [at, block] : blocks) {
    check(at, block);
    REQUIRE(pages.Free(at));
  }
  // All room is one again, as at the beginning.
  void* const all = pages.Allocate(size_t{60} << 20);
  CHECK(all != nullptr);
  CHECK(pages.Free(all));
}

TEST_CASE("small blocks share a large page, and the end of a larger one") {
  SharedPages pages;
  void* const large = pages.Allocate(kLargePage + 3 * kSmallPage);
  void* const small = pages.Allocate(100'000);
  void* const next = pages.Allocate(100'000);
  CHECK(AddressOf(small) == AddressOf(large) + kLargePage + 3 * kSmallPage);
  CHECK(AddressOf(next) == AddressOf(small) + 25 * kSmallPage);
  // What was left of a block is where the next one that fits goes.
  CHECK(pages.Shrink(large, kLargePage));
  void* const end = pages.Allocate(2 * kSmallPage);
  CHECK(AddressOf(end) == AddressOf(large) + kLargePage);
  for (void* const block : {large, small, next, end}) CHECK(pages.Free(block));
}

TEST_CASE("pages on which nothing is needed any more go back to the system") {
  SharedPages pages;
  constexpr size_t kBlocks = 400, kBytes = 100'000;
  constexpr int64_t kNear = int64_t{1} << 20;  // what the test itself takes
  const int64_t before = BytesTaken();
  std::vector<void*> blocks(kBlocks);
  for (void*& block : blocks) {
    block = pages.Allocate(kBytes);
    REQUIRE(block != nullptr);
    std::fill_n(static_cast<char*>(block), kBytes, 'x');
  }
  CHECK(BytesTaken() > before + static_cast<int64_t>(kBlocks * kBytes) - kNear);
  // One block on each third large page keeps its own small pages.
  const auto stays = [](size_t i) { return i % 63 == 0; };
  size_t kept = 0;
  for (size_t i = 0; i < kBlocks; ++i) {
    if (stays(i)) {
      ++kept;
    } else {
      CHECK(pages.Free(blocks[i]));
    }
  }
  pages.GiveBack();
  CHECK(BytesTaken() <= before + static_cast<int64_t>(kept * (kBytes + kSmallPage)) + kNear);
  for (size_t i = 0; i < kBlocks; ++i) {
    if (!stays(i)) continue;
    const auto* const block = static_cast<const char*>(blocks[i]);
    CHECK(std::all_of(block, block + kBytes, [](char byte) { return byte == 'x'; }));
    CHECK(pages.Free(blocks[i]));
  }
  CHECK(BytesTaken() <= before + static_cast<int64_t>(kLargePage) + kNear);
  pages.GiveBack();
  CHECK(BytesTaken() <= before + kNear);
}

TEST_CASE("free pages stay for the next blocks until they are given back") {
  SharedPages pages;
  constexpr auto kPage = static_cast<int64_t>(kLargePage);
  constexpr int64_t kNear = int64_t{128} << 10;  // what the test itself takes
  const int64_t before = BytesTaken();
  const auto taken = [&] { return BytesTaken() - before; };
  size_t missing = 0;
  const auto take = [&](size_t large_pages) {
    void* const block = pages.Allocate(large_pages * kLargePage, &missing);
    REQUIRE(block != nullptr);
    std::fill_n(static_cast<char*>(block), large_pages * kLargePage, 'x');
    return block;
  };
  void* const first = take(3);
  CHECK(missing == 3);
  CHECK(pages.Free(first));
  CHECK(taken() >= 3 * kPage - kNear);
  // What was there is there.
  void* const again = take(3);
  CHECK(missing == 0);
  // With more behind it.
  void* const more = take(4);
  CHECK(missing == 4);
  CHECK(pages.Free(again));
  CHECK(pages.Free(more));
  CHECK(taken() >= 7 * kPage - kNear);
  CHECK(pages.GiveBackSpare(2) == 2);
  CHECK(taken() <= 5 * kPage + kNear);
  CHECK(taken() >= 5 * kPage - kNear);
  void* const in_part = take(6);
  CHECK(missing == 1);
  CHECK(pages.Free(in_part));
  CHECK(pages.GiveBackSpare() == 6);
  CHECK(pages.GiveBackSpare() == 0);
  CHECK(taken() <= kNear);
  // A page that is needed is not given back.
  void* const anew = take(1);
  CHECK(missing == 1);
  CHECK(pages.GiveBackSpare() == 0);
  CHECK(static_cast<char*>(anew)[7] == 'x');
  // The rest of a page that is there is not missing, nor is what comes on it.
  void* const part = pages.Allocate(kSmallPage, &missing);
  CHECK(missing == 1);
  void* const beside = pages.Allocate(kLargePage - kSmallPage, &missing);
  CHECK(missing == 0);
  void* const across = pages.Allocate(2 * kSmallPage, &missing);
  CHECK(missing == 1);
  for (void* const block : {anew, part, beside, across}) CHECK(pages.Free(block));
}

TEST_CASE("pages that no block has touched are neither there nor given back") {
  SharedPages pages;
  size_t missing = 0;
  auto* const block = static_cast<char*>(pages.Allocate(6 * kLargePage, &missing));
  REQUIRE(block != nullptr);
  CHECK(missing == 6);
  std::fill_n(block, 2 * kLargePage, 'x');
  CHECK(pages.Shrink(block, kLargePage));
  CHECK(pages.GiveBackSpare(4) == 1);
  CHECK(pages.Free(block));
  void* const again = pages.Allocate(6 * kLargePage, &missing);
  CHECK(missing == 5);
  CHECK(pages.Free(again));
  CHECK(pages.GiveBackSpare() == 1);
}

// Whoever needs pages gives as many back first, so that blocks of several kinds, one after the
// other, never hold more than was needed at once.
TEST_CASE("blocks of one kind take the place of those of another") {
  constexpr size_t kLargePages = 20;
  constexpr auto kBytes = static_cast<int64_t>(kLargePages * kLargePage);
  // The first 4 MB of operator new's come as small pages, which are not counted.
  constexpr int64_t kNear = int64_t{5} << 20;
  TrimHeap();
  const int64_t before = BytesTaken();
  for (int i = 0; i < 3; ++i) {
    for (void* (*const allocate)(size_t) : {AllocateScratch, ReserveToKeep, AllocateAny}) {
      auto* const block = static_cast<char*>(allocate(kLargePages * kLargePage));
      REQUIRE(block != nullptr);
      std::fill_n(block, kLargePages * kLargePage, 'x');
      CHECK(BytesTaken() - before <= kBytes + kNear);
      FreeBlock(block);
      CHECK(BytesTaken() - before >= kBytes - kNear);
    }
  }
  TrimHeap();
  CHECK(BytesTaken() - before <= kNear);
}

TEST_CASE("the first pages are small ones, and go back one by one") {
  SharedPages pages(kLargePage);
  constexpr int64_t kNear = int64_t{128} << 10;
  constexpr size_t kBlocks = 20, kBytes = 100'000;
  const int64_t before = BytesTaken();
  const auto taken = [&] { return BytesTaken() - before; };
  size_t missing = 0;
  std::vector<void*> blocks(kBlocks);
  for (size_t i = 0; i < kBlocks; ++i) {
    blocks[i] = pages.Allocate(kBytes, &missing);
    REQUIRE(blocks[i] != nullptr);
    CHECK(missing == 0);
    std::fill_n(static_cast<char*>(blocks[i]), kBytes, 'x');
    CHECK(taken() <= static_cast<int64_t>((i + 1) * (kBytes + kSmallPage)) + kNear);
  }
  const int64_t most = taken();
  for (size_t i = 0; i < kBlocks; i += 2) CHECK(pages.Free(blocks[i]));
  CHECK(taken() >= most - kNear);
  CHECK(pages.GiveBackSpare() == 0);
  CHECK(taken() <= static_cast<int64_t>(kBlocks / 2 * (kBytes + kSmallPage)) + kNear);
  for (size_t i = 1; i < kBlocks; i += 2) {
    const auto* const block = static_cast<const char*>(blocks[i]);
    CHECK(std::all_of(block, block + kBytes, [](char byte) { return byte == 'x'; }));
  }
  // Behind them come large ones.
  void* const across = pages.Allocate(2 * kLargePage, &missing);
  CHECK(missing == 2);
  CHECK(pages.Free(across));
  for (size_t i = 1; i < kBlocks; i += 2) CHECK(pages.Free(blocks[i]));
}

TEST_CASE("threads take and free blocks that share pages") {
  SharedPages pages;
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < 300; ++i) {
        const size_t bytes = 40'000 + i * 977 % 300'000;
        auto* const block = static_cast<char*>(pages.Allocate(bytes));
        const char fill = static_cast<char>('a' + t);
        std::fill_n(block, bytes, fill);
        std::this_thread::yield();
        wrong[t] += std::any_of(block, block + bytes, [&](char byte) { return byte != fill; });
        wrong[t] += !pages.Free(block);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(4, 0));
}

#endif

TEST_CASE("what is no block of shared pages is left alone") {
  SharedPages pages;
  CHECK(pages.Allocate(SIZE_MAX) == nullptr);
  CHECK(pages.Allocate(SIZE_MAX / 4) == nullptr);
  int other = 0;
  CHECK_FALSE(pages.Free(&other));
  CHECK_FALSE(pages.Shrink(&other, 1));
}

TEST_CASE("a block that is kept holds what it held when it shrinks") {
  for (const size_t bytes : {size_t{1000}, size_t{100'000}, 3 * kLargePage + 5}) {
    auto* block = static_cast<char*>(AllocateToKeep(bytes));
    REQUIRE(block != nullptr);
    std::fill_n(block, bytes, 'k');
    for (const size_t left : {bytes - 1, bytes / 2, bytes / 2, size_t{1}}) {
      block = static_cast<char*>(ShrinkKept(block, left));
      CHECK(std::all_of(block, block + left, [](char byte) { return byte == 'k'; }));
    }
    FreeBlock(block);
  }
}

}  // namespace emberline

#endif
