// Work on several threads: all of it is done, whatever happens on one of them.
#include <atomic>
#include <catch2/catch.hpp>
#include <set>
#include <stdexcept>

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
