// Whether a difference is more than chance.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace emberline {

// Mean and spread of what was measured several times.
struct Sample {
  double count = 0, mean = 0;
  double deviations = 0;  // sum of squared deviations from the mean
  double Variance() const { return count > 1 ? deviations / (count - 1) : 0; }
};
Sample SampleOf(const std::vector<double>& values);
// The sample with zeros for those of `count` times at which nothing was measured.
Sample WithZeros(const Sample& sample, double count);

struct Difference {
  double delta = 0;  // candidate less baseline
  // Half the width of the 95 % confidence interval of the difference of the means (Welch's t-test,
  // which lets the two spreads differ). Absent where a side was measured once: nothing is then
  // known of noise.
  std::optional<double> noise;
  // The interval does not hold zero.
  std::optional<bool> Significant() const {
    if (!noise) return std::nullopt;
    return delta > *noise || delta < -*noise;
  }
};
Difference Compare(const Sample& baseline, const Sample& candidate);
// Of one of the values of each side, which differ by `delta`: 95 % of such differences are within
// `noise` of that of the means.
Difference CompareSingle(const Sample& baseline, const Sample& candidate, double delta);

// The difference in percent of the baseline; absent where something grew out of nothing.
std::optional<double> PercentOf(double delta, double baseline);

// The value below which a t-distributed number stays with probability 97.5 %. `freedom` > 0.
double StudentT975(double freedom);

}  // namespace emberline
