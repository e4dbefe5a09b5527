// Binary search that begins where the answer is thought to be.
#pragma once

#include <algorithm>
#include <iterator>

namespace emberline {

// As std::partition_point: the first of [first, last) for which `holds` is false, where it is true
// for all before. Takes time in the logarithm of the distance from `near`, which is a place of the
// range, or its end.
template <typename It, typename Holds>
It PartitionPointNear(It first, It last, It near, Holds&& holds) {
  using Distance = typename std::iterator_traits<It>::difference_type;
  Distance step = 1;
  if (near != last && holds(*near)) {
    It low = near + 1;
    while (step < last - low && holds(low[step])) {
      low += step + 1;
      step *= 2;
    }
    return std::partition_point(low, low + std::min(step, last - low), holds);
  }
  It high = near;
  while (step <= high - first && !holds(*(high - step))) {
    high -= step;
    step *= 2;
  }
  return std::partition_point(high - std::min(step, high - first), high, holds);
}

}  // namespace emberline
