// Numbers as text for people, the same in sentences and in tables, with the minus sign U+2212. What
// programs read (JSON, CSV) is written elsewhere, with the hyphen of ASCII.
#pragma once

#include <cstdint>
#include <string>

#include "base/unit.h"

namespace emberline {

// "1.50": always so many digits.
std::string FixedText(double value, int digits);
// "5" or "2.5": as few digits as say it.
std::string ShortText(double value);
// "1,234,567"
std::string GroupedText(int64_t value);
// What stands in a sentence or in a table for people, as on the page: about three figures in the
// unit that suits the number, "12.3 ms", "566 ns", "83.0 KiB", "45.1 %". Of what has no unit, the
// number alone.
std::string QuantityText(double value, Unit unit);
// "45.1 %" of 0.451. What is there but would round to nothing is "below 0.1 %".
std::string PercentText(double ratio, int digits = 1);

}  // namespace emberline
