// The order in which a reader sorts texts.
#pragma once

#include <string>
#include <string_view>

namespace emberline {

// Without regard to case, and runs of digits by their value, so that "rank2" stands before
// "rank10". Texts that differ are never equal. Below 0, 0 or above 0.
int CompareNaturally(std::string_view a, std::string_view b);

// Bytes whose order is the same, but for texts that differ in case and leading zeros alone, whose
// keys are equal.
std::string NaturalKey(std::string_view text);

}  // namespace emberline
