#include "ranks/line_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace emberline {
namespace {

constexpr size_t kFewestPoints = 4;
constexpr size_t kFewestOfMedian = 12;  // whose median distance tells how much chance there is
constexpr size_t kSampled = 128;        // points whose pairs give slopes
constexpr double kMostDrift = 5e-2;
constexpr double kClear = 6 * 1.5;
constexpr double kUnsure = 14;  // points whose median distance may well be half of what is typical
// Student's t of a slope of 4, 5, ... points that chance exceeds once in ten thousand times.
constexpr std::array<double, kFewestOfMedian - kFewestPoints> kClearOfFew = {
    99.99, 28.00, 15.54, 11.18, 9.08, 7.88, 7.12, 6.59};
// Times are whole nanoseconds: so much is chance even where nothing else is.
constexpr double kRounding = 0.5;

double MiddleOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// What is left of the offsets without the slope.
std::vector<Ns> Without(const std::vector<ClockOffset>& points, double slope) {
  std::vector<Ns> rest;
  for (const ClockOffset& point : points) {
    rest.push_back(point.offset -
                   static_cast<Ns>(std::llround(slope * static_cast<double>(point.at))));
  }
  return rest;
}

Ns SpreadAround(std::vector<Ns> values, Ns middle) {
  for (Ns& value : values) value = std::abs(value - middle);
  return MedianOf(std::move(values));
}

// Whether a few points rise by more than chance would make them. Of few, most may lie close to a
// line by chance, so each counts: one that is far off says that nothing is certain.
bool FewRise(const std::vector<ClockOffset>& points) {
  const auto n = static_cast<double>(points.size());
  double mean_at = 0, mean_offset = 0;
  for (const ClockOffset& point : points) {
    mean_at += static_cast<double>(point.at) / n;
    mean_offset += static_cast<double>(point.offset) / n;
  }
  double at_squares = 0, offset_squares = 0, products = 0;
  for (const ClockOffset& point : points) {
    const double at = static_cast<double>(point.at) - mean_at;
    const double offset = static_cast<double>(point.offset) - mean_offset;
    at_squares += at * at;
    offset_squares += offset * offset;
    products += at * offset;
  }
  if (at_squares <= 0) return false;
  const double rest = std::max(0.0, offset_squares - products * products / at_squares);
  const double noise = std::max(std::sqrt(rest / (n - 2)), kRounding);
  return std::abs(products) / std::sqrt(at_squares) >
         kClearOfFew[points.size() - kFewestPoints] * noise;
}

ClockFit FitLine(const std::vector<ClockOffset>& points) {
  std::vector<Ns> offsets;
  for (const ClockOffset& point : points) offsets.push_back(point.offset);
  const ClockFit constant{MedianOf(offsets), 0};
  if (points.size() < kFewestPoints) return constant;
  std::vector<const ClockOffset*> sample;
  const size_t stride = (points.size() + kSampled - 1) / kSampled;
  for (size_t i = 0; i < points.size(); i += stride) sample.push_back(&points[i]);
  std::vector<double> slopes;
  for (size_t i = 0; i < sample.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (sample[i]->at == sample[j]->at) continue;
      slopes.push_back(static_cast<double>(sample[i]->offset - sample[j]->offset) /
                       static_cast<double>(sample[i]->at - sample[j]->at));
    }
  }
  if (slopes.empty()) return constant;
  const double slope = MiddleOf(std::move(slopes));
  if (std::abs(slope) > kMostDrift) return constant;
  const auto ppb = static_cast<int64_t>(std::llround(slope * 1e9));
  const std::vector<Ns> rest = Without(points, static_cast<double>(ppb) * 1e-9);
  const ClockFit line{MedianOf(rest), ppb};
  if (points.size() < kFewestOfMedian) return FewRise(points) ? line : constant;
  const auto [first, last] =
      std::minmax_element(points.begin(), points.end(),
                          [](const ClockOffset& a, const ClockOffset& b) { return a.at < b.at; });
  // How far the line rises, against how far it may rise by chance: six standard deviations, each
  // about one and a half times the median distance.
  const double rise =
      std::abs(static_cast<double>(ppb)) * 1e-9 * static_cast<double>(last->at - first->at);
  const double clear = kClear * (1 + std::pow(kUnsure / static_cast<double>(points.size()), 2));
  const double noise = static_cast<double>(SpreadAround(rest, line.offset)) *
                       std::sqrt(12.0 / static_cast<double>(points.size()));
  return rise > clear * noise && rise >= 1 ? line : constant;
}

}  // namespace

Ns MedianOf(std::vector<Ns> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

ClockFit FitClock(const std::vector<ClockOffset>& points, const std::set<int64_t>& known_ppb) {
  const ClockFit fit = FitLine(points);
  if (fit.drift_ppb != 0) return fit;
  // Chance could make what is seen: the points only choose among what is known.
  std::vector<Ns> offsets;
  for (const ClockOffset& point : points) offsets.push_back(point.offset);
  ClockFit best = fit;
  Ns nearest = SpreadAround(std::move(offsets), fit.offset);
  for (const int64_t ppb : known_ppb) {
    const std::vector<Ns> rest = Without(points, static_cast<double>(ppb) * 1e-9);
    const Ns middle = MedianOf(rest);
    const Ns spread = SpreadAround(rest, middle);
    if (spread >= nearest) continue;
    nearest = spread;
    best = {middle, ppb};
  }
  return best;
}

}  // namespace emberline
