#include "ranks/line_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace emberline {
namespace {

constexpr size_t kFewestPoints = 12;
constexpr size_t kSampled = 128;  // points whose pairs give slopes
constexpr double kMostDrift = 1e-3;
constexpr double kClear = 6 * 1.5;

double MiddleOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// What is left of the offsets without the slope.
std::vector<Ns> Without(const std::vector<ClockPoint>& points, double slope) {
  std::vector<Ns> rest;
  for (const ClockPoint& point : points) {
    rest.push_back(point.offset -
                   static_cast<Ns>(std::llround(slope * static_cast<double>(point.at))));
  }
  return rest;
}

Ns Spread(std::vector<Ns> values, Ns middle) {
  for (Ns& value : values) value = std::abs(value - middle);
  return MedianOf(std::move(values));
}

}  // namespace

Ns MedianOf(std::vector<Ns> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

ClockFit FitClock(const std::vector<ClockPoint>& points) {
  std::vector<Ns> offsets;
  for (const ClockPoint& point : points) offsets.push_back(point.offset);
  const ClockFit constant{MedianOf(offsets), 0};
  if (points.size() < kFewestPoints) return constant;
  std::vector<const ClockPoint*> sample;
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
  const auto ppb = static_cast<int64_t>(
      std::llround(std::clamp(MiddleOf(std::move(slopes)), -kMostDrift, kMostDrift) * 1e9));
  const std::vector<Ns> rest = Without(points, static_cast<double>(ppb) * 1e-9);
  const ClockFit line{MedianOf(rest), ppb};
  const auto [first, last] =
      std::minmax_element(points.begin(), points.end(),
                          [](const ClockPoint& a, const ClockPoint& b) { return a.at < b.at; });
  // How far the line rises, against how far it may rise by chance: six standard deviations, each
  // about one and a half times the median distance.
  const double rise =
      std::abs(static_cast<double>(ppb)) * 1e-9 * static_cast<double>(last->at - first->at);
  const double noise = static_cast<double>(Spread(rest, line.offset)) *
                       std::sqrt(12.0 / static_cast<double>(points.size()));
  return rise > kClear * noise && rise >= 1 ? line : constant;
}

}  // namespace emberline
