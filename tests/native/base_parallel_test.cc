// Work on several threads: all of it is done, whatever happens on one of them.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <set>
#include <stdexcept>
#include <vector>

#include "base/parallel.h"

using namespace emberline;

TEST_CASE("work runs on so many threads, this one among them") {
  for (const size_t threads : {size_t{1}, size_t{4}}) {
    std::mutex mutex;
    std::multiset<std::thread::id> seen;
    RunOnThreads(threads, [&] {
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    });
    CHECK(seen.size() == threads);
    CHECK(seen.contains(std::this_thread::get_id()));
  }
}

TEST_CASE("all of several pieces of work are done, whatever the cores") {
  for (const size_t cores : {size_t{1}, size_t{2}, size_t{8}}) {
    const CoreShare share(cores);
    for (const bool side_by_side : {false, true}) {
      std::atomic<int> sum{0};
      RunAll(
          side_by_side, [&] { sum += 1; }, [&] { sum += 10; }, [&] { sum += 100; });
      CHECK(sum == 111);
      CHECK_THROWS_AS(RunAll(
                          side_by_side, [] { throw std::runtime_error("one"); }, [&] { ++sum; }),
                      std::runtime_error);
    }
  }
}

TEST_CASE("parts of rows are all the rows, each once") {
  CHECK(PartsOf(kManyRows - 1) == 1);
  for (const size_t cores : {size_t{1}, size_t{3}, size_t{64}}) {
    const CoreShare share(cores);
    const size_t parts = PartsOf(kManyRows + 1);
    CHECK(parts <= cores);
    std::vector<std::atomic<int>> seen(kManyRows + 1);
    std::vector<std::atomic<int>> begun(parts);
    RunParts(parts, seen.size(), [&](size_t part, size_t first, size_t last) {
      ++begun[part];
      for (size_t row = first; row < last; ++row) ++seen[row];
    });
    CHECK(std::all_of(seen.begin(), seen.end(), [](const auto& times) { return times == 1; }));
    CHECK(std::all_of(begun.begin(), begun.end(), [](const auto& times) { return times == 1; }));
  }
  RunParts(2, 0, [](size_t, size_t first, size_t last) { CHECK(first == last); });
}

TEST_CASE("threads share the cores of the one that starts them") {
  const size_t all = UsableCores();
  {
    const CoreShare share(3);
    std::multiset<size_t> seen;
    std::mutex mutex;
    RunOnThreads(4, [&] {
      const size_t cores = UsableCores();
      const CoreShare less(1);
      const std::lock_guard lock(mutex);
      seen.insert(cores);
      seen.insert(UsableCores());
    });
    CHECK(seen == std::multiset<size_t>{1, 1, 1, 1, 3, 3, 3, 3});
    std::thread([&] { CHECK(UsableCores() == all); }).join();
  }
  CHECK(UsableCores() == all);
}

TEST_CASE("what one thread throws is thrown here, once all are done") {
  std::atomic<int> begun{0}, ended{0};
  CHECK_THROWS_AS(RunOnThreads(4,
                               [&] {
                                 if (begun++ == 1) throw std::runtime_error("one");
                                 ++ended;
                               }),
                  std::runtime_error);
  CHECK(ended == 3);
}
