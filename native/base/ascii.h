// Kinds of ASCII characters, whatever the locale: what recorders write does not depend on one.
#pragma once

namespace emberline {

inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// What names of C and Python are made of.
inline bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_';
}

}  // namespace emberline
