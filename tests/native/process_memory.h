// What memory the process of the tests takes.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace emberline {

// Bytes of memory that this process takes; 0 where the system does not say. The system counts them
// for this file; what it has at hand elsewhere is off by dozens of pages for each core.
inline int64_t BytesTaken() {
  std::ifstream smaps("/proc/self/smaps_rollup");
  std::string word;
  while (smaps >> word) {
    int64_t kilobytes = 0;
    if (word == "Rss:" && smaps >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

}  // namespace emberline
