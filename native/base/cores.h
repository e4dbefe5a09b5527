// How many threads of this process can run at the same time.
#pragma once

#include <cstddef>
#include <filesystem>

namespace emberline {

// At least 1. No more than the machine has, the process may be scheduled on (`taskset`, a job of a
// batch system, a container's set of processors), and its control group may use at a time (a
// container's limit of processors, rounded up). std::thread::hardware_concurrency() counts the
// machine's alone, 128 for a job that was given one. Asked of the system once.
size_t UsableCores();

// The same, asked anew for the calling thread; what the system tells in files is read below `root`.
size_t CountUsableCores(const std::filesystem::path& root);

}  // namespace emberline
