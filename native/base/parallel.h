// Work side by side.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/cores.h"

namespace emberline {

// From so many rows on, another thread costs less than it saves.
inline constexpr size_t kManyRows = 100'000;

// Calls `work` here and on up to `threads` - 1 threads beside this one, fewer where no more are to
// be had, and returns when all are done. All have the share of cores that this thread has. Throws
// the first of what they threw.
template <typename Work>
void RunOnThreads(size_t threads, Work&& work) {
  std::mutex mutex;
  std::exception_ptr failure;  // guarded by mutex
  const auto guarded = [&] {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  try {
    for (size_t i = 1; i < threads; ++i) {
      others.emplace_back([&guarded, cores = CoreShare::OfThisThread()] {
        const CoreShare share(cores);
        guarded();
      });
    }
  } catch (const std::exception&) {
    // No thread, or no memory for one.
  }
  guarded();
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

// Calls each(i) for every i below `count`, ascending, dealt out to so many threads, and returns
// when all are done. Throws the first of what they threw.
template <typename Each>
void RunEach(size_t threads, size_t count, Each&& each) {
  std::atomic<size_t> next = 0;
  RunOnThreads(std::min(threads, count), [&] {
    for (size_t i = next++; i < count; i = next++) each(i);
  });
}

// Of one thing at most so many parts are worked on side by side: each takes memory of its own.
inline constexpr size_t kMostParts = 4;

// Calls all of them, and returns when all are done: where `side_by_side` says that it pays, on as
// many threads as there are cores, kMostParts at most, the first ones first; else in turn. None may
// change what another one uses. Throws the first of what they threw.
template <typename... Works>
void RunAll(bool side_by_side, Works&&... works) {
  const std::array<std::function<void()>, sizeof...(works)> all = {std::ref(works)...};
  const size_t threads = side_by_side ? std::min(UsableCores(), kMostParts) : 1;
  RunEach(threads, all.size(), [&](size_t i) { all[i](); });
}

// Into how many parts so many rows are divided that are worked on side by side.
inline size_t PartsOf(size_t rows) {
  return rows < kManyRows ? 1 : std::min(UsableCores(), kMostParts);
}

// Calls work(part, first, last) for each of the parts of [0, rows), side by side. None may change
// what another one uses. Throws the first of what they threw.
template <typename Work>
void RunParts(size_t parts, size_t rows, Work&& work) {
  RunEach(parts, parts,
          [&](size_t part) { work(part, rows * part / parts, rows * (part + 1) / parts); });
}

}  // namespace emberline
