// Counts what a program does, in numbers that are the same on every machine: the basic blocks that
// run, which the compiler marks (-fsanitize-coverage=trace-pc), and the bytes that are allocated.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emberline::growth {

struct Work {
  uint64_t blocks = 0;      // basic blocks that the present thread ran
  uint64_t peak_bytes = 0;  // most bytes alive at once, of those allocated since
};

// From its making on: what the present thread runs, and what all threads allocate. One at a time.
class WorkCounter {
 public:
  WorkCounter();
  Work Count() const;

 private:
  uint64_t blocks_;
  size_t bytes_;
};

}  // namespace emberline::growth
