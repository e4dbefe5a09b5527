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

// Work and memory of what grows follow size ^ exponent. Sorting adds a little to 1; the square
// would be 2.
inline constexpr double kMostExponent = 1.35;
// By how much what is measured grows.
inline constexpr int kFactor = 4;
double Exponent(uint64_t small, uint64_t large);

// Checks that work and memory follow the size, `small` being that of a fourth of it.
void CheckGrowth(const Work& small, const Work& large);

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
