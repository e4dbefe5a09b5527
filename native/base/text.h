// Cutting long UTF-8 texts between characters.
#pragma once

#include <string>
#include <string_view>

namespace emberline {

// The beginning of `text`: at most `max_bytes` of it, whole characters only.
std::string_view Beginning(std::string_view text, size_t max_bytes);

// The same, with "…" behind it when something was left out.
std::string Shortened(std::string_view text, size_t max_bytes);

}  // namespace emberline
