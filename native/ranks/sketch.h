// Distributions that add up: DDSketch on a fixed range, after Masson, Rim and Lee (VLDB 2019).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ranks/square_sum.h"

namespace emberline {

// Counts values by bins whose bounds grow by at most 101/99, so that any quantile is within 1 % of
// a value of that rank. Values up to 50 have a bin each and are exact; all below 1 share bin 0. The
// bounds are integers and the same everywhere: adding two sketches in any order gives equal bytes.
class Sketch {
 public:
  // `weight` copies of a value, at least 0.
  void Add(int64_t value, uint64_t weight = 1);
  void Merge(const Sketch& other);
  bool empty() const { return bins_.empty(); }
  uint64_t count() const;
  // The value below which `share` (0 to 1) of all lies, within 1 %; 0 of nothing.
  int64_t Quantile(double share) const;
  bool operator==(const Sketch&) const = default;

  // Bins with their counts, ascending.
  std::vector<std::pair<uint16_t, uint64_t>> bins_;
};

// What is kept of a measured quantity. All of it adds up exactly, apart from the quantiles.
struct Stat {
  uint64_t count = 0;
  int64_t sum = 0;
  SquareSum squares;
  int64_t min = 0, max = 0;  // of none: 0
  int64_t max_rank = -1;     // whose the largest is; of equals, the smallest rank
  Sketch sketch;

  void Add(int64_t value, int64_t rank);
  void Merge(const Stat& other);
  // Of the sketch, but never outside of what was measured.
  int64_t Quantile(double share) const;
  double Mean() const {
    return count > 0 ? static_cast<double>(sum) / static_cast<double>(count) : 0;
  }
  // Sample standard deviation; nothing of fewer than two.
  std::optional<double> Deviation() const { return squares.Deviation(count, sum); }
  bool operator==(const Stat&) const = default;
};

}  // namespace emberline
