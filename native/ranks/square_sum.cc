#include "ranks/square_sum.h"

#include <algorithm>
#include <cmath>

namespace emberline {
namespace {

// |value|, also of the smallest number.
uint64_t Magnitude(int64_t value) {
  return value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

}  // namespace

void SquareSum::Plus(Wide more) {
  Wide sum = value() + more;
  if (sum < more) sum = ~Wide{0};
  high_ = static_cast<uint64_t>(sum >> 64);
  low_ = static_cast<uint64_t>(sum);
}

void SquareSum::Add(int64_t value) {
  const Wide size = Magnitude(value);
  Plus(size * size);
}

void SquareSum::Merge(const SquareSum& other) { Plus(other.value()); }

std::optional<double> SquareSum::Deviation(uint64_t count, int64_t sum) const {
  if (count < 2) return std::nullopt;
  // With |sum| = n q + r, the squared distances from the mean add up to
  // squares - n q^2 - 2 q r - r^2 / n. All but the last term is a whole number, so that what is
  // subtracted from each other is exact.
  const Wide n = count, q = Magnitude(sum) / count, r = Magnitude(sum) % count;
  const Wide mean = n * q * q + 2 * q * r;
  const auto rest = static_cast<double>(r);
  // In a damaged digest the sums may not be of the same numbers.
  const double whole = value() > mean ? static_cast<double>(value() - mean) : 0;
  const double squares = whole - rest * rest / static_cast<double>(count);
  return std::sqrt(std::max(0.0, squares) / static_cast<double>(count - 1));
}

}  // namespace emberline
