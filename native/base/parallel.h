// Work side by side.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/cores.h"

namespace emberline {

// From so many rows on, another thread costs less than it saves.
inline constexpr size_t kManyRows = 100'000;

// Calls both, and returns when both are done: at the same time where `side_by_side` says that it
// pays and a core is free for it, else one after the other. Neither may change what the other uses.
template <typename First, typename Second>
void RunBoth(bool side_by_side, First&& first, Second&& second) {
  std::future<void> other;
  if (side_by_side && UsableCores() > 1) {
    try {
      other = std::async(std::launch::async, std::ref(second));
    } catch (const std::system_error&) {
      // No thread is to be had.
    }
  }
  first();
  if (other.valid()) {
    other.get();
  } else {
    second();
  }
}

// Calls `work` here and on up to `threads` - 1 threads beside this one, fewer where no more are to
// be had, and returns when all are done. Throws the first of what they threw.
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
    for (size_t i = 1; i < threads; ++i) others.emplace_back(guarded);
  } catch (const std::exception&) {
    // No thread, or no memory for one.
  }
  guarded();
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace emberline
