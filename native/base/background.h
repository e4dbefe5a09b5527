// Work that whoever waits for an answer comes before.
#pragma once

#if defined(__linux__)
#include <sys/resource.h>
#endif

#include <exception>
#include <system_error>
#include <thread>

namespace emberline {

// From now on, this thread and those that it starts come behind the program's others. It stays so:
// only a privileged program may take it back.
inline void StandBack() {
#if defined(__linux__)
  setpriority(PRIO_PROCESS, 0, 10);
#endif
}

// Calls `work` on a thread that stands back, and returns when it is done; on this thread, where no
// other is to be had. Throws what `work` throws.
template <typename Work>
void RunStandingBack(Work&& work) {
  std::exception_ptr failure;
  const auto guarded = [&] {
    try {
      StandBack();
      work();
    } catch (...) {
      failure = std::current_exception();
    }
  };
  std::thread other;
  try {
    other = std::thread(guarded);
  } catch (const std::system_error&) {
    work();
    return;
  }
  other.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace emberline
