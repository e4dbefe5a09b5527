#include "ranks/sketch.h"

#include <algorithm>
#include <limits>

#include "base/saturating.h"

namespace emberline {
namespace {

// Upper bounds of the bins, inclusive: 0, 1, 2, ..., each at most 101/99 of the one before.
const std::vector<int64_t>& Bounds() {
  static const std::vector<int64_t> bounds = [] {
    std::vector<int64_t> made = {0, 1};
    constexpr int64_t kLast = std::numeric_limits<int64_t>::max();
    while (made.back() < kLast) {
      __extension__ using Wide = __int128;
      const Wide grown = static_cast<Wide>(made.back()) * 101 / 99;
      const Wide next = std::max<Wide>(grown, static_cast<Wide>(made.back()) + 1);
      made.push_back(next > kLast ? kLast : static_cast<int64_t>(next));
    }
    return made;
  }();
  return bounds;
}

uint16_t BinOf(int64_t value) {
  const std::vector<int64_t>& bounds = Bounds();
  const auto at = std::lower_bound(bounds.begin(), bounds.end(), std::max<int64_t>(value, 0));
  return static_cast<uint16_t>(at - bounds.begin());
}

uint64_t Plus(uint64_t a, uint64_t b) {
  return a > std::numeric_limits<uint64_t>::max() - b ? std::numeric_limits<uint64_t>::max()
                                                      : a + b;
}

}  // namespace

void Sketch::Add(int64_t value, uint64_t weight) {
  if (weight == 0) return;
  const uint16_t bin = BinOf(value);
  const auto at =
      std::lower_bound(bins_.begin(), bins_.end(), std::pair<uint16_t, uint64_t>(bin, 0));
  if (at != bins_.end() && at->first == bin) {
    at->second = Plus(at->second, weight);
  } else {
    bins_.insert(at, {bin, weight});
  }
}

void Sketch::Merge(const Sketch& other) {
  std::vector<std::pair<uint16_t, uint64_t>> merged;
  merged.reserve(bins_.size() + other.bins_.size());
  auto a = bins_.begin();
  auto b = other.bins_.begin();
  while (a != bins_.end() || b != other.bins_.end()) {
    if (b == other.bins_.end() || (a != bins_.end() && a->first < b->first)) {
      merged.push_back(*a++);
    } else if (a == bins_.end() || b->first < a->first) {
      merged.push_back(*b++);
    } else {
      merged.emplace_back(a->first, Plus(a->second, b->second));
      ++a, ++b;
    }
  }
  bins_ = std::move(merged);
}

uint64_t Sketch::count() const {
  uint64_t sum = 0;
  for (const auto& [bin, count] : bins_) sum = Plus(sum, count);
  return sum;
}

int64_t Sketch::Quantile(double share) const {
  const uint64_t all = count();
  if (all == 0) return 0;
  const double rank = std::clamp(share, 0.0, 1.0) * static_cast<double>(all - 1);
  uint64_t before = 0;
  const std::vector<int64_t>& bounds = Bounds();
  for (const auto& [bin, count] : bins_) {
    before = Plus(before, count);
    if (static_cast<double>(before) > rank || before == all) {
      const size_t at = std::min<size_t>(bin, bounds.size() - 1);
      if (at == 0) return 0;
      const int64_t low = bounds[at - 1] + 1, high = bounds[at];
      return low + (high - low) / 2;
    }
  }
  return 0;
}

void Stat::Add(int64_t value, int64_t rank) {
  if (count == 0 || value < min) min = value;
  if (count == 0 || value > max) {
    max = value;
    max_rank = rank;
  }
  ++count;
  sum = SaturatingAdd(sum, value);
  squares.Add(value);
  sketch.Add(value);
}

int64_t Stat::Quantile(double share) const {
  // In a damaged digest the smallest may be above the largest, which std::clamp forbids.
  return std::max(min, std::min(max, sketch.Quantile(share)));
}

void Stat::Merge(const Stat& other) {
  if (other.count == 0) return;
  if (count == 0) {
    *this = other;
    return;
  }
  min = std::min(min, other.min);
  if (other.max > max || (other.max == max && other.max_rank < max_rank)) {
    max = other.max;
    max_rank = other.max_rank;
  }
  count = Plus(count, other.count);
  sum = SaturatingAdd(sum, other.sum);
  squares.Merge(other.squares);
  sketch.Merge(other.sketch);
}

}  // namespace emberline
