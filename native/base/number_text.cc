#include "base/number_text.h"

#include <cmath>
#include <cstdio>
#include <span>
#include <string_view>

namespace emberline {
namespace {

constexpr const char* kMinus = "\u2212";

std::string Fixed(double value, int digits, const char* unit) {
  char text[400];  // the largest double has 309 digits
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  const std::string_view number = text;
  if (!number.starts_with('-')) return text + std::string(unit);
  // What is too small to be told from zero has no sign.
  const bool zero = number.find_first_not_of("-0.") == std::string_view::npos;
  return (zero ? "" : kMinus) + std::string(number.substr(1)) + unit;
}

// Decimals that give about three figures, by the value as it is rounded: 9.996 is "10.0".
int DigitsFor(double value) {
  const double size = std::abs(value);
  if (size >= 99.95 || size == 0) return 0;
  return size >= 9.995 ? 1 : 2;
}

struct Step {
  double size;
  const char* name;
};

constexpr Step kFlops[] = {{1e15, " PFLOP"}, {1e12, " TFLOP"}, {1e9, " GFLOP"},
                           {1e6, " MFLOP"},  {1e3, " KFLOP"},  {1, " FLOP"}};

// In the largest of `steps`, largest first, that the rounded value reaches.
std::string InSteps(double value, std::span<const Step> steps) {
  for (const Step& step : steps) {
    if (std::abs(value) < step.size * 0.9995 && &step != &steps.back()) continue;
    const double scaled = value / step.size;
    return Fixed(scaled, step.size == 1 && steps.back().size == 1 ? 0 : DigitsFor(scaled),
                 step.name);
  }
  return "";
}

// A ratio in percent; what rounding would make nothing or all is told from them.
std::string RatioText(double ratio) {
  if (ratio == 0) return "0 %";
  if (ratio == 1) return "100 %";
  if (ratio > 0 && ratio < 0.0005) return "< 0.1 %";
  if (ratio < 1 && ratio >= 0.9995) return "> 99.9 %";
  return Fixed(ratio * 100.0, 1, " %");
}

// About three figures; what is there but would round to nothing is told from it.
std::string NumberText(double value) {
  const double size = std::abs(value);
  if (size >= 999.5 && size < 1e18) return GroupedText(std::llround(value));
  if (value > 0 && value < 0.0005) return "< 0.001";
  return Fixed(value, size > 0 && size < 0.0995 ? 3 : DigitsFor(value), "");
}

}  // namespace

const char* UnitName(Unit unit) {
  switch (unit) {
    case Unit::kNone:
      return "";
    case Unit::kCount:
      return "count";
    case Unit::kUs:
      return "us";
    case Unit::kNs:
      return "ns";
    case Unit::kBytes:
      return "bytes";
    case Unit::kRatio:
      return "ratio";
    case Unit::kPercent:
      return "percent";
    case Unit::kGbPerS:
      return "gbPerS";
    case Unit::kFlops:
      return "flops";
  }
  return "";
}

std::string FixedText(double value, int digits) { return Fixed(value, digits, ""); }

std::string ShortText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string GroupedText(int64_t value) {
  const auto bits = static_cast<uint64_t>(value);
  std::string digits = std::to_string(value < 0 ? 0 - bits : bits);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return value < 0 ? kMinus + digits : digits;
}

std::string QuantityText(double value, Unit unit) {
  static constexpr Step kTimes[] = {{1e6, " s"}, {1e3, " ms"}, {1, " µs"}, {1e-3, " ns"}};
  static constexpr Step kBytes[] = {{1099511627776.0, " TiB"},
                                    {1073741824.0, " GiB"},
                                    {1048576.0, " MiB"},
                                    {1024.0, " KiB"},
                                    {1, " B"}};
  switch (unit) {
    case Unit::kUs:
    case Unit::kNs: {
      const double us = unit == Unit::kNs ? value / 1e3 : value;
      return us == 0 ? "0 µs" : InSteps(us, kTimes);
    }
    case Unit::kBytes:
      return InSteps(value, kBytes);
    case Unit::kFlops:
      return InSteps(value, kFlops);
    case Unit::kRatio:
      return RatioText(value);
    case Unit::kPercent: {
      // A change, in percent of what was there before.
      const std::string text = Fixed(value, 1, " %");
      return value > 0 && text != "0.0 %" ? "+" + text : text;
    }
    case Unit::kGbPerS:
      return Fixed(value, DigitsFor(value), " GB/s");
    case Unit::kNone:
    case Unit::kCount:
      return NumberText(value);
  }
  return "";
}

std::string PercentText(double ratio, int digits) {
  double least = 1;
  for (int i = 0; i < digits; ++i) least /= 10;
  if (ratio > 0 && ratio * 100.0 < least / 2) return "below " + Fixed(least, digits, " %");
  return Fixed(ratio * 100.0, digits, " %");
}

}  // namespace emberline
