// Two pieces of work side by side.
#pragma once

#include <cstddef>
#include <functional>
#include <future>
#include <system_error>
#include <thread>
#include <utility>

namespace emberline {

// From so many rows on, another thread costs less than it saves.
inline constexpr size_t kManyRows = 100'000;

// Calls both, and returns when both are done: at the same time where `side_by_side` says that it
// pays and a core is free for it, else one after the other. Neither may change what the other uses.
template <typename First, typename Second>
void RunBoth(bool side_by_side, First&& first, Second&& second) {
  std::future<void> other;
  if (side_by_side && std::thread::hardware_concurrency() > 1) {
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

}  // namespace emberline
