// How many threads of this process can run at the same time.
#pragma once

#include <cstddef>
#include <filesystem>

namespace emberline {

// Bytes that come from memory together, and how far apart those must lie that one thread writes
// while another uses its own: processors fetch lines in pairs, and some have larger ones.
inline constexpr size_t kCacheLine = 64;
inline constexpr size_t kApart = 128;

// At least 1. No more than the machine has, the process may be scheduled on (`taskset`, a job of a
// batch system, a container's set of processors), and its control group may use at a time (a
// container's limit of processors, rounded up). std::thread::hardware_concurrency() counts the
// machine's alone, 128 for a job that was given one. Asked of the system once. A thread that has a
// CoreShare gets that.
size_t UsableCores();

// Until it ends, UsableCores() gives this number to the thread that made it and to those that
// RunOnThreads() starts for it: who works beside others of their kind leaves them their cores.
// Tests act as if there were more. 0: as many as there are.
class CoreShare {
 public:
  explicit CoreShare(size_t cores);
  ~CoreShare();
  CoreShare(const CoreShare&) = delete;
  CoreShare& operator=(const CoreShare&) = delete;
  // What the calling thread was given; 0 for no share.
  static size_t OfThisThread();

 private:
  const size_t before_;
};

// The same without a share, asked anew for the calling thread; what the system tells in files is
// read below `root`.
size_t CountUsableCores(const std::filesystem::path& root);

}  // namespace emberline
