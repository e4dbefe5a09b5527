// Looking into texts, and cutting long ones in UTF-8 between characters.
#pragma once

#include <string>
#include <string_view>

namespace emberline {

inline bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The beginning of `text`: at most `max_bytes` of it, whole characters only.
std::string_view Beginning(std::string_view text, size_t max_bytes);

// The same, with "…" behind it when something was left out.
std::string Shortened(std::string_view text, size_t max_bytes);

}  // namespace emberline
