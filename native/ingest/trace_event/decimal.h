// Numbers of a trace's text, without losing a digit of a time.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/types.h"

namespace emberline {

enum class TimeText { kOk, kInvalid, kOutOfRange };

// Decimal microseconds ("1712195495519689.047", "68", "1e6", "-0.001") as exact nanoseconds; digits
// beyond the nanosecond round half away from zero. `has_fraction` becomes true when there is a
// fraction other than zero.
TimeText ParseMicroseconds(std::string_view text, Ns* ns, bool* has_fraction);

// An integer of plain digits with an optional sign; false when it is anything else or does not fit.
bool ParseInt64(std::string_view text, int64_t* value);

// Any decimal number, also "3.", ".5", "nan", "inf", "Infinity" with a sign; false for other text.
bool ParseDouble(std::string_view text, double* value);

}  // namespace emberline
