#include "compare/noise.h"

#include <algorithm>
#include <cmath>

namespace emberline {
namespace {

// Probability that a t-distributed number lies between -t and t: the regularised incomplete beta
// function by its continued fraction (Abramowitz and Stegun 26.5.8, evaluated as Lentz does).
double ShareWithin(double t, double freedom) {
  const double x = freedom / (freedom + t * t), a = freedom / 2, b = 0.5;
  const auto fraction = [](double p, double q, double at) {
    constexpr double kTiny = 1e-300;
    double c = 1, d = 1 - (p + q) * at / (p + 1);
    d = 1 / (std::abs(d) < kTiny ? kTiny : d);
    double value = d;
    for (int m = 1; m < 300; ++m) {
      const auto step = [&](double coefficient) {
        d = 1 + coefficient * d;
        c = 1 + coefficient / c;
        d = 1 / (std::abs(d) < kTiny ? kTiny : d);
        if (std::abs(c) < kTiny) c = kTiny;
        value *= c * d;
        return c * d;
      };
      step(m * (q - m) * at / ((p + 2 * m - 1) * (p + 2 * m)));
      if (std::abs(step(-(p + m) * (p + q + m) * at / ((p + 2 * m) * (p + 2 * m + 1))) - 1) < 1e-14)
        break;
    }
    return value;
  };
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log(1 - x));
  const double outside = x < (a + 1) / (a + b + 2) ? front * fraction(a, b, x) / a
                                                   : 1 - front * fraction(b, a, 1 - x) / b;
  return 1 - outside;
}

}  // namespace

Sample SampleOf(const std::vector<double>& values) {
  Sample sample;
  for (const double value : values) {
    sample.count += 1;
    const double off = value - sample.mean;
    sample.mean += off / sample.count;
    sample.deviations += off * (value - sample.mean);
  }
  return sample;
}

Sample WithZeros(const Sample& sample, double count) {
  if (count <= sample.count) return sample;
  Sample all;
  all.count = count;
  all.mean = sample.mean * sample.count / count;
  const double zeros = count - sample.count;
  all.deviations = sample.deviations + sample.mean * sample.mean * sample.count * zeros / count;
  return all;
}

std::optional<double> PercentOf(double delta, double baseline) {
  if (delta == 0) return 0;
  if (baseline == 0) return std::nullopt;
  return 100 * delta / baseline;
}

double StudentT975(double freedom) {
  double low = 0, high = 1;
  while (ShareWithin(high, freedom) < 0.95 && high < 1e6) high *= 2;
  for (int i = 0; i < 80; ++i) {
    const double middle = (low + high) / 2;
    (ShareWithin(middle, freedom) < 0.95 ? low : high) = middle;
  }
  return (low + high) / 2;
}

namespace {

// Of a difference of two numbers that vary by `a` and `b`, told from `baseline` and `candidate`.
std::optional<double> NoiseOf(const Sample& baseline, const Sample& candidate, double a, double b) {
  if (baseline.count < 2 || candidate.count < 2) return std::nullopt;
  if (a + b <= 0) return 0;
  // Welch and Satterthwaite.
  const double freedom =
      (a + b) * (a + b) / (a * a / (baseline.count - 1) + b * b / (candidate.count - 1));
  return StudentT975(freedom) * std::sqrt(a + b);
}

}  // namespace

Difference Compare(const Sample& baseline, const Sample& candidate) {
  return {candidate.mean - baseline.mean,
          NoiseOf(baseline, candidate, baseline.Variance() / std::max(1.0, baseline.count),
                  candidate.Variance() / std::max(1.0, candidate.count))};
}

Difference CompareSingle(const Sample& baseline, const Sample& candidate, double delta) {
  return {delta, NoiseOf(baseline, candidate, baseline.Variance(), candidate.Variance())};
}

}  // namespace emberline
