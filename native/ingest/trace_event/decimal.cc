#include "ingest/trace_event/decimal.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "base/ascii.h"
#include "base/case.h"

namespace emberline {
namespace {

// With an exponent: the digits with the decimal point moved.
TimeText ParseWithExponent(std::string_view text, bool negative, Ns* ns, bool* has_fraction) {
  const size_t e = text.find_first_of("eE");
  int exponent = 0;
  std::string_view power = text.substr(e + 1);
  if (!power.empty() && power[0] == '+') power.remove_prefix(1);
  const auto [end, error] = std::from_chars(power.data(), power.data() + power.size(), exponent);
  if (error != std::errc() || end != power.data() + power.size()) return TimeText::kInvalid;
  if (exponent > 40 || exponent < -60) {
    return exponent > 0 ? TimeText::kOutOfRange : (*ns = 0, TimeText::kOk);
  }
  uint64_t value = 0;
  int shift = exponent + 3;
  bool point = false, any = false;
  for (const char c : text.substr(0, e)) {
    if (c == '.' && !point) {
      point = true;
    } else if (IsDigit(c)) {
      any = true;
      if (value >= std::numeric_limits<uint64_t>::max() / 100) {
        shift += !point;  // more digits than matter
        continue;
      }
      value = value * 10 + static_cast<uint64_t>(c - '0');
      shift -= point;
    } else {
      return TimeText::kInvalid;
    }
  }
  if (!any) return TimeText::kInvalid;
  for (; shift > 0 && value != 0; --shift) {
    if (value > std::numeric_limits<Ns>::max() / 10) return TimeText::kOutOfRange;
    value *= 10;
  }
  bool round_up = false;
  for (; shift < 0; ++shift) {
    round_up = value % 10 >= 5;
    value /= 10;
  }
  value += round_up;
  if (value > std::numeric_limits<Ns>::max()) return TimeText::kOutOfRange;
  *ns = negative ? -static_cast<Ns>(value) : static_cast<Ns>(value);
  if (*ns % 1000 != 0) *has_fraction = true;
  return TimeText::kOk;
}

}  // namespace

TimeText ParseMicroseconds(std::string_view text, Ns* ns, bool* has_fraction) {
  const char* p = text.data();
  const char* const end = p + text.size();
  bool negative = false;
  if (p < end && (*p == '-' || *p == '+')) negative = *p++ == '-';
  const char* const digits = p;
  constexpr uint64_t kLimit = std::numeric_limits<Ns>::max() / 1000;
  uint64_t whole = 0;
  bool overflow = false;
  for (; p < end && IsDigit(*p); ++p) {
    if (whole > kLimit) overflow = true;
    if (!overflow) whole = whole * 10 + static_cast<uint64_t>(*p - '0');
  }
  const bool any_whole = p > digits;
  uint64_t fraction = 0;
  bool any_fraction = false;
  if (p < end && *p == '.') {
    ++p;
    uint64_t scale = 100;
    bool round_up = false;
    for (int place = 0; p < end && IsDigit(*p); ++p, ++place) {
      any_fraction = true;
      if (place < 3) {
        fraction += static_cast<uint64_t>(*p - '0') * scale;
        scale /= 10;
      } else if (place == 3) {
        round_up = *p >= '5';
      }
    }
    fraction += round_up;
  }
  if (!any_whole && !any_fraction) return TimeText::kInvalid;
  if (p < end && (*p == 'e' || *p == 'E')) {
    return ParseWithExponent(std::string_view(digits, static_cast<size_t>(end - digits)), negative,
                             ns, has_fraction);
  }
  if (p != end) return TimeText::kInvalid;
  if (overflow || whole > kLimit - 1) return TimeText::kOutOfRange;
  const Ns value = static_cast<Ns>(whole * 1000 + fraction);
  *ns = negative ? -value : value;
  if (fraction != 0) *has_fraction = true;
  return TimeText::kOk;
}

bool ParseInt64(std::string_view text, int64_t* value) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool ParseDouble(std::string_view text, double* value) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.empty()) return false;
  if (IsDigit(text[0]) || (text[0] == '.' && text.size() > 1 && IsDigit(text[1]))) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
    if (error == std::errc::result_out_of_range && end == text.data() + text.size()) {
      // Too large for a double, or too small: by the sign of the exponent.
      const size_t e = text.find_first_of("eE");
      const bool small =
          e != std::string_view::npos && text.substr(e).find('-') != std::string_view::npos;
      *value = small ? 0 : std::numeric_limits<double>::infinity();
    } else if (error != std::errc() || end != text.data() + text.size()) {
      return false;
    }
  } else if (EqualsLower(text, "nan")) {
    *value = std::numeric_limits<double>::quiet_NaN();
    return true;
  } else if (EqualsLower(text, "inf") || EqualsLower(text, "infinity")) {
    *value = std::numeric_limits<double>::infinity();
  } else {
    return false;
  }
  if (negative) *value = -*value;
  return true;
}

}  // namespace emberline
