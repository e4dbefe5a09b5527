#include "base/text.h"

namespace emberline {

std::string_view Beginning(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

std::string Shortened(std::string_view text, size_t max_bytes) {
  const std::string_view beginning = Beginning(text, max_bytes);
  std::string out(beginning);
  if (beginning.size() < text.size()) out += "…";
  return out;
}

}  // namespace emberline
