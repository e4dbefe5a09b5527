// Texts without regard to case. Only the letters of ASCII have one here: what recorders write and
// what users search for does not depend on a locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace emberline {

inline char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string LowerText(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = Lower(c);
  return out;
}

// `lower` is in lower case.
inline bool EqualsLower(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return Lower(a) == b; });
}

// Where `lower`, in lower case, is found in `text`; npos where it is not.
inline size_t FindLower(std::string_view text, std::string_view lower) {
  const auto at = std::search(text.begin(), text.end(), lower.begin(), lower.end(),
                              [](char a, char b) { return Lower(a) == b; });
  return at == text.end() && !lower.empty() ? std::string_view::npos
                                            : static_cast<size_t>(at - text.begin());
}
inline bool ContainsLower(std::string_view text, std::string_view lower) {
  return FindLower(text, lower) != std::string_view::npos;
}

}  // namespace emberline
