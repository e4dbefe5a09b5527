// What is kept with a session: one maker, waiters, cancelling, errors, bytes and the order of use.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "session/byte_size.h"
#include "session/memo.h"

using namespace emberline;

namespace {

constexpr size_t kKilobyte = 1 << 10;

using Text = std::string;

Text Kilobytes(size_t count) { return Text(count * kKilobyte, 'x'); }

// Waits for another thread; a test that waits for ever is ended by its time limit.
void Await(const std::atomic<int>& value, int wanted) {
  while (value < wanted) std::this_thread::yield();
}

bool Holds(const MemoScope& scope, const std::string& key) {
  const std::vector<std::string> keys = scope.Keys();
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

struct Growing {
  using GrowsInPlace = void;
  mutable std::atomic<size_t> bytes{0};
  std::string name = "state";
  Growing() = default;
  size_t MemoryBytes() const { return bytes.load(); }
};

}  // namespace

TEST_CASE("memo: concurrent callers share one computation") {
  const MemoScope scope;
  std::atomic<int> made{0}, sum{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const auto value = scope.Get<int>("answer", {}, [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return ++made * 42;
      });
      if (value.ok()) sum += **value;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(made == 1);
  CHECK(sum == 8 * 42);
}

TEST_CASE("memo: other keys are made and found while one is being made") {
  const MemoScope scope;
  std::atomic<int> inside{0}, go_on{0};
  std::thread slow([&] {
    (void)scope.Get<int>("slow", {}, [&] {
      inside = 1;
      Await(go_on, 1);
      return 1;
    });
  });
  Await(inside, 1);
  CHECK(**scope.Get<int>("quick", {}, [] { return 2; }) == 2);
  CHECK(**scope.Get<int>("quick", {}, [] { return 3; }) == 2);
  go_on = 1;
  slow.join();
}

TEST_CASE("memo: a maker that is cancelled leaves the work to a waiter") {
  const MemoScope scope;
  std::atomic<int> makers{0}, waiting{0};
  const CancelToken cancel;
  bool first_cancelled = false;
  std::thread first([&] {
    const auto value = scope.Get<int>("key", cancel, [&]() -> Result<int> {
      ++makers;
      Await(waiting, 1);
      cancel.Cancel();
      return Error{ErrorKind::kCancelled, "Stopped.", "", {}};
    });
    first_cancelled = !value.ok() && value.error().kind == ErrorKind::kCancelled;
  });
  Await(makers, 1);
  std::thread second([&] {
    waiting = 1;
    const auto value = scope.Get<int>("key", {}, [&] {
      ++makers;
      return 7;
    });
    CHECK((value.ok() && **value == 7));
  });
  first.join();
  second.join();
  CHECK(first_cancelled);
  CHECK(makers == 2);
}

TEST_CASE("memo: a maker that throws leaves the work to a waiter") {
  const MemoScope scope;
  std::atomic<int> makers{0}, waiting{0};
  std::thread first([&] {
    try {
      (void)scope.Get<int>("key", {}, [&]() -> int {
        ++makers;
        Await(waiting, 1);
        throw std::runtime_error("no");
      });
      FAIL("nothing was thrown");
    } catch (const std::runtime_error&) {
    }
  });
  Await(makers, 1);
  waiting = 1;
  CHECK(**scope.Get<int>("key", {}, [] { return 7; }) == 7);
  first.join();
}

TEST_CASE("memo: a waiter that is cancelled leaves, the maker goes on") {
  const MemoScope scope;
  std::atomic<int> inside{0}, go_on{0};
  std::thread maker([&] {
    const auto value = scope.Get<int>("key", {}, [&] {
      inside = 1;
      Await(go_on, 1);
      return 7;
    });
    CHECK((value.ok() && **value == 7));
  });
  Await(inside, 1);
  const CancelToken cancel;
  cancel.Cancel();
  const auto value = scope.Get<int>("key", cancel, [] { return 8; });
  REQUIRE(!value.ok());
  CHECK(value.error().kind == ErrorKind::kCancelled);
  go_on = 1;
  maker.join();
  CHECK(**scope.Get<int>("key", {}, [] { return 9; }) == 7);
}

TEST_CASE(
    "memo: whoever holds a value last, be it a waiter that is cancelled, lets it go unlocked") {
  // As a trace does, whose results go with it.
  struct Owner {
    explicit Owner(std::shared_ptr<Memo> memo) : results(std::move(memo)) {}
    MemoScope results;
  };
  constexpr int kWaiters = 8;
  const auto memo = std::make_shared<Memo>(kKilobyte);
  for (int round = 0; round < 300; ++round) {
    CancelToken cancel;
    std::atomic<int> come{0};
    std::vector<std::thread> waiters;
    (void)memo->Get(0, "trace", Memo::Role::kAnchor, {}, [&]() -> Result<Memo::Made> {
      for (int i = 0; i < kWaiters; ++i) {
        waiters.emplace_back([&] {
          ++come;
          (void)memo->Get(0, "trace", Memo::Role::kAnchor, cancel,
                          []() -> Result<Memo::Made> { return Memo::Made{}; });
        });
      }
      Await(come, kWaiters);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      cancel.Cancel();
      return Memo::Made{std::make_shared<const Owner>(memo), 1, nullptr};
    });
    memo->Forget(0, "trace");
    for (std::thread& waiter : waiters) waiter.join();
    memo->Forget(0, "trace");
  }
  CHECK(memo->bytes() == 0);
}

TEST_CASE("memo: errors are not kept, and answer those who waited") {
  const MemoScope scope;
  std::atomic<int> makers{0}, waiting{0};
  const auto fail = [&]() -> Result<int> {
    ++makers;
    Await(waiting, 1);
    // The other one is about to wait; where it comes too late, it tries for itself.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return Error{ErrorKind::kUnsupported, "No.", "", {}};
  };
  std::atomic<int> failed{0};
  const auto ask = [&] {
    const auto value = scope.Get<int>("key", {}, fail);
    if (!value.ok() && value.error().kind == ErrorKind::kUnsupported) ++failed;
  };
  std::thread first(ask);
  Await(makers, 1);
  std::thread second([&] {
    waiting = 1;
    ask();
  });
  first.join();
  second.join();
  CHECK(failed == 2);
  CHECK(scope.Keys().empty());
  CHECK(**scope.Get<int>("key", {}, [] { return 7; }) == 7);
}

TEST_CASE("memo: the least recently used values are let go beyond the limit") {
  const auto memo = std::make_shared<Memo>(100 * kKilobyte);
  const MemoScope scope(memo);
  for (int i = 0; i < 4; ++i) {
    REQUIRE(scope.Get<Text>(std::to_string(i), {}, [] { return Kilobytes(20); }).ok());
  }
  const auto held = scope.Get<Text>("0", {}, [] { return Text("made again"); });  // used again
  CHECK((*held)->size() == 20 * kKilobyte);
  const auto more = [&](const std::string& key) {
    REQUIRE(scope.Get<Text>(key, {}, [] { return Kilobytes(30); }).ok());
    CHECK(memo->bytes() <= 100 * kKilobyte);
  };
  more("a");
  CHECK(scope.Keys() == std::vector<std::string>{"0", "2", "3", "a"});
  more("b");
  CHECK(scope.Keys() == std::vector<std::string>{"0", "a", "b"});
  more("c");
  CHECK(scope.Keys() == std::vector<std::string>{"a", "b", "c"});
  // Whoever holds a value keeps it.
  CHECK((*held)->size() == 20 * kKilobyte);
}

TEST_CASE("memo: a value beyond the limit is handed out, and goes with the next") {
  const auto memo = std::make_shared<Memo>(100 * kKilobyte);
  const MemoScope scope(memo);
  CHECK((*scope.Get<Text>("huge", {}, [] { return Kilobytes(500); }))->size() == 500 * kKilobyte);
  CHECK(Holds(scope, "huge"));
  CHECK(scope.Get<Text>("small", {}, [] { return Kilobytes(1); }).ok());
  CHECK(scope.Keys() == std::vector<std::string>{"small"});
}

TEST_CASE("memo: bytes stay below the limit for any number of keys") {
  const auto memo = std::make_shared<Memo>(kKilobyte * kKilobyte);
  const MemoScope scope(memo);
  for (int i = 0; i < 20'000; ++i) {
    REQUIRE(scope.Get<int>("steps/" + std::to_string(i), {}, [&] { return i; }).ok());
    REQUIRE(memo->bytes() <= kKilobyte * kKilobyte);
  }
  CHECK(scope.Keys().size() > 1000);
}

TEST_CASE("memo: the trace that was used last stays, and its results have an eighth") {
  const auto memo = std::make_shared<Memo>(80 * kKilobyte);
  const auto anchor = [&](const std::string& key, size_t kilobytes) {
    return memo->Get(0, key, Memo::Role::kAnchor, {}, [&]() -> Result<Memo::Made> {
      return Memo::Made{std::make_shared<const int>(1), kilobytes * kKilobyte, nullptr};
    });
  };
  const MemoScope scope(memo);
  REQUIRE(anchor("first", 50).ok());
  REQUIRE(scope.Get<Text>("result", {}, [] { return Kilobytes(5); }).ok());
  REQUIRE(anchor("second", 200).ok());  // larger than all there is
  CHECK(memo->Keys(0) == std::vector<std::string>{"second"});
  for (int i = 0; i < 50; ++i) {
    REQUIRE(scope.Get<Text>(std::to_string(i), {}, [] { return Kilobytes(4); }).ok());
    CHECK(memo->bytes() < (200 + 12) * kKilobyte);
  }
  CHECK(memo->Keys(0) == std::vector<std::string>{"second"});
  CHECK(scope.Keys().size() == 2);
  CHECK(Holds(scope, "49"));
}

TEST_CASE("memo: a scope's values go with it, and those of others stay") {
  const auto memo = std::make_shared<Memo>(kKilobyte * kKilobyte);
  const MemoScope stays(memo);
  REQUIRE(stays.Get<Text>("key", {}, [] { return Kilobytes(1); }).ok());
  const size_t before = memo->bytes();
  {
    const MemoScope goes(memo);
    REQUIRE(goes.Get<Text>("key", {}, [] { return Kilobytes(2); }).ok());
    REQUIRE(goes.Get<Text>("key/1", {}, [] { return Kilobytes(2); }).ok());
    REQUIRE(goes.Get<Text>("other", {}, [] { return Kilobytes(2); }).ok());
    goes.ForgetPrefix("key");
    CHECK(goes.Keys() == std::vector<std::string>{"other"});
    CHECK(memo->bytes() > before);
  }
  CHECK(memo->bytes() == before);
  CHECK((*stays.Get<Text>("key", {}, [] { return Kilobytes(9); }))->size() == kKilobyte);
}

TEST_CASE("memo: what grows in place is measured again") {
  const auto memo = std::make_shared<Memo>(100 * kKilobyte);
  const MemoScope scope(memo);
  const auto get = [&] {
    return scope.Get<Growing>("state", {}, [] { return std::make_shared<const Growing>(); });
  };
  REQUIRE(scope.Get<Text>("old", {}, [] { return Kilobytes(10); }).ok());
  (*get())->bytes = 95 * kKilobyte;
  (void)get();
  CHECK(memo->bytes() > 100 * kKilobyte);
  REQUIRE(scope.Get<Text>("new", {}, [] { return Kilobytes(1); }).ok());
  CHECK_FALSE(Holds(scope, "old"));
  CHECK(memo->bytes() <= 100 * kKilobyte);
}

// --- Sizes are honest: what a value says is what it takes from the heap. Not under the thread
// sanitizer, whose allocator cannot be replaced.
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1  // as GCC calls it
#endif
#endif
#ifndef __SANITIZE_THREAD__

namespace {

// Bytes that this program holds from the heap.
std::atomic<size_t> in_use{0};

template <typename Make>
void CheckSize(Make&& make) {
  const size_t before = in_use;
  const auto value = make();
  const size_t bytes = in_use - before;
  const auto said = static_cast<double>(HeapBytes(value));
  CHECK(said >= 0.9 * static_cast<double>(bytes));
  CHECK(said <= 1.4 * static_cast<double>(bytes) + 200);
}

}  // namespace

// Each block is preceded by its size. Out of line, so that compilers do not take the pairs apart.
constexpr size_t kHeader = alignof(std::max_align_t);

// What an allocator takes for a block: its own word, and whole steps of 16 bytes.
static size_t Taken(size_t size) { return (size + 8 + 15) / 16 * 16; }

// Both forms: the libraries of sanitizers do not make one from the other.
[[gnu::noinline]] void* operator new(size_t size, const std::nothrow_t&) noexcept {
  auto* const block = static_cast<char*>(std::malloc(size + kHeader));
  if (block == nullptr) return nullptr;
  *reinterpret_cast<size_t*>(block) = size;
  in_use += Taken(size);
  return block + kHeader;
}
[[gnu::noinline]] void* operator new(size_t size) {
  void* const block = operator new(size, std::nothrow);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
[[gnu::noinline]] void operator delete(void* at) noexcept {
  if (at == nullptr) return;
  char* const block = static_cast<char*>(at) - kHeader;
  in_use -= Taken(*reinterpret_cast<size_t*>(block));
  std::free(block);
}
[[gnu::noinline]] void operator delete(void* at, size_t) noexcept { operator delete(at); }

TEST_CASE("sizes: containers, texts and tables say what they hold") {
  CheckSize([] { return std::vector<uint64_t>(10'000, 7); });
  CheckSize([] { return std::vector<bool>(100'000, true); });
  CheckSize([] { return std::vector<std::string>(500, std::string(40, 'a')); });
  CheckSize([] { return std::vector<std::string>(500, "inside"); });
  CheckSize([] {
    std::map<std::string, int> map;
    for (int i = 0; i < 500; ++i) map.emplace(std::string(30, 'k') + std::to_string(i), i);
    return map;
  });
  CheckSize([] {
    std::unordered_map<uint32_t, DevicePlace> map;
    for (uint32_t i = 0; i < 5000; ++i) map.emplace(i, DevicePlace());
    return map;
  });
  CheckSize([] {
    Table table;
    table.columns.resize(5);
    for (int r = 0; r < 300; ++r) {
      table.rows.push_back({Cell(int64_t{r}), Cell(1.5), Cell(std::string(60, 'n')), Cell()});
    }
    return table;
  });
}

#endif
