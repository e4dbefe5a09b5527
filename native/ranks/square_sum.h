// Sums of squares, for standard deviations of what is merged.
#pragma once

#include <cstdint>
#include <optional>

namespace emberline {

// The sum of the squares of whole numbers, in 128 bits: durations of years in nanoseconds fit. It
// is exact, so that adding up in any order gives equal bytes, and the deviation of many long runs
// that hardly differ is not lost in rounding. A sum that does not fit stays at the largest number.
class SquareSum {
 public:
  void Add(int64_t value);
  void Merge(const SquareSum& other);
  // Sample standard deviation (divided by count - 1) of `count` numbers with this sum of squares
  // and the sum `sum`, in their unit. Nothing where there are fewer than two.
  std::optional<double> Deviation(uint64_t count, int64_t sum) const;
  bool operator==(const SquareSum&) const = default;

  template <typename A>
  void Members(A& a) {
    a(high_, low_);
  }

 private:
  __extension__ using Wide = unsigned __int128;
  Wide value() const { return static_cast<Wide>(high_) << 64 | low_; }
  void Plus(Wide more);

  uint64_t high_ = 0, low_ = 0;
};

}  // namespace emberline
