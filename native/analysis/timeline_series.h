// Step functions of time (counters, queue depth, utilization) and what to draw of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/byte_size.h"
#include "base/kept_vector.h"
#include "base/types.h"

namespace emberline {

// A step function: value[i] holds from ns[i] to ns[i + 1].
class TimelineSeries {
 public:
  // How many points become one pixel: the mean over time (shares, rates), or the extremes.
  enum class Reduce : uint8_t { kMean, kExtremes };

  struct Points {
    std::vector<Ns> ns;
    std::vector<double> value;  // mean, or the largest
    std::vector<double> low;    // the smallest; empty for means
  };

  TimelineSeries() = default;
  // `ns` ascends; of several values at one time the last one counts.
  TimelineSeries(Reduce reduce, KeptVector<Ns> ns, KeptVector<double> value);

  // What to draw in a window of `pixels` columns: the points themselves while there are at most two
  // a pixel, else one for each column, its mean or extremes. Means keep the area: over every column
  // the mean of the answer is that of the series. Logarithmic in the number of points per pixel.
  Points Query(Interval window, int64_t pixels) const;
  // Mean over [begin, end); 0 before the first point.
  double Mean(Interval window) const;

  bool empty() const { return ns_.empty(); }
  size_t size() const { return ns_.size(); }
  Reduce reduce() const { return reduce_; }
  double max_value() const { return max_value_; }
  size_t MemoryBytes() const { return HeapBytesOf(ns_, value_, integral_, levels_); }

 private:
  // Index of the point that holds at `at`; -1 before the first.
  int64_t HoldingAt(Ns at) const;
  // Integral from the first point to `at`, in value times ns.
  double IntegralTo(Ns at) const;
  // Smallest and largest of value[first .. last), first < last.
  std::pair<double, double> Extremes(size_t first, size_t last) const;

  Reduce reduce_ = Reduce::kExtremes;
  KeptVector<Ns> ns_;
  KeptVector<double> value_;
  KeptVector<double> integral_;  // up to ns_[i]; only for means
  // Level k holds the extremes of aligned runs of 2^(k+3) points; only for extremes.
  std::vector<std::vector<std::pair<double, double>>> levels_;
  double max_value_ = 0;
};

// Turns changes (time, delta) into a step function that starts at 0. Consumes its argument.
void SumChanges(std::vector<std::pair<Ns, double>> changes, KeptVector<Ns>* ns,
                KeptVector<double>* value);

}  // namespace emberline
