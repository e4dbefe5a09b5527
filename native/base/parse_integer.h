// Integers as recorders spell them inside texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace emberline {

// The integer of a whole text such as "7", "-3", "+5" or "0x7f00"; nothing for any other text.
// Values that need all 64 bits (addresses, hashes) keep their bits.
std::optional<int64_t> ParseInteger(std::string_view text);

}  // namespace emberline
