#include "base/natural_order.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/case.h"

namespace emberline {
namespace {

// The run of digits at `*at`, without leading zeros; `*at` moves behind it.
std::string_view TakeDigits(std::string_view text, size_t* at) {
  while (*at < text.size() && text[*at] == '0') ++*at;
  const size_t first = *at;
  while (*at < text.size() && IsDigit(text[*at])) ++*at;
  return text.substr(first, *at - first);
}

}  // namespace

int CompareNaturally(std::string_view a, std::string_view b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (IsDigit(a[i]) && IsDigit(b[j])) {
      const std::string_view x = TakeDigits(a, &i), y = TakeDigits(b, &j);
      if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
      if (const int c = x.compare(y); c != 0) return c;
      continue;
    }
    const auto x = static_cast<unsigned char>(Lower(a[i]));
    const auto y = static_cast<unsigned char>(Lower(b[j]));
    if (x != y) return x < y ? -1 : 1;
    ++i;
    ++j;
  }
  if (i < a.size() || j < b.size()) return i < a.size() ? 1 : -1;
  return a.compare(b);
}

std::string NaturalKey(std::string_view text) {
  // Longer numbers than this are not told apart by their length.
  constexpr size_t kMostDigits = 255;
  std::string key;
  key.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    if (!IsDigit(text[at])) {
      key += Lower(text[at++]);
      continue;
    }
    // A digit, which stands among other bytes as any would, then how many follow.
    const std::string_view digits = TakeDigits(text, &at);
    key += '0';
    key += static_cast<char>(std::min(digits.size(), kMostDigits));
    key += digits;
  }
  return key;
}

}  // namespace emberline
