#include "base/number_text.h"

#include <cmath>
#include <cstdio>
#include <string_view>

namespace emberline {
namespace {

std::string Fixed(double value, int digits, const char* unit) {
  char text[400];  // the largest double has 309 digits
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  const std::string_view number = text;
  // What is too small to be told from zero has no sign.
  const bool zero = number.find_first_not_of("-0.") == std::string_view::npos;
  return std::string(zero && number.starts_with('-') ? number.substr(1) : number) + unit;
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
  return value < 0 ? "-" + digits : digits;
}

std::string DurationText(double us, DurationDigits digits) {
  const double size = std::abs(us);
  if (size >= 1e6) return Fixed(us / 1e6, digits.s, " s");
  if (size >= 1e3) return Fixed(us / 1e3, digits.ms, " ms");
  return Fixed(us, digits.us, " µs");
}

std::string BytesText(double bytes, int digits) {
  static constexpr const char* kNames[] = {" B", " KiB", " MiB", " GiB", " TiB"};
  int scale = 0;
  while (std::abs(bytes) >= 1024 && scale < 4) {
    bytes /= 1024;
    ++scale;
  }
  return Fixed(bytes, scale == 0 ? 0 : digits, kNames[scale]);
}

std::string FlopsText(double flops) {
  static constexpr const char* kNames[] = {" FLOP",  " KFLOP", " MFLOP",
                                           " GFLOP", " TFLOP", " PFLOP"};
  int scale = 0;
  while (std::abs(flops) >= 1000 && scale < 5) {
    flops /= 1000;
    ++scale;
  }
  return Fixed(flops, 2, kNames[scale]);
}

std::string PercentText(double ratio, int digits) {
  double least = 1;
  for (int i = 0; i < digits; ++i) least /= 10;
  if (ratio > 0 && ratio * 100.0 < least / 2) return "below " + Fixed(least, digits, " %");
  return Fixed(ratio * 100.0, digits, " %");
}

}  // namespace emberline
