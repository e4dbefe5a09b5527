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
// machine's alone, 128 for a job that was given one. Asked of the system once.
size_t UsableCores();

// Tests only: until it ends, UsableCores() gives this number. No other thread may be at work when
// it begins or ends.
class PretendCores {
 public:
  explicit PretendCores(size_t cores);
  ~PretendCores();
  PretendCores(const PretendCores&) = delete;
  PretendCores& operator=(const PretendCores&) = delete;
};

// UsableCores(), asked anew for the calling thread; what the system tells in files is read below
// `root`.
size_t CountUsableCores(const std::filesystem::path& root);

}  // namespace emberline
