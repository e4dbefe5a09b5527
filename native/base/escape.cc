#include "base/escape.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "base/utf8.h"

namespace emberline {
namespace {

struct CodeRange {
  uint32_t first, last;
};

// Unicode's general categories Cc, Zl and Zp, its bidirectional controls, what it calls default
// ignorable, and the marks of annotations and of hieroglyphs' layout. In order.
constexpr CodeRange kHidden[] = {
    {0x0000, 0x001F},   {0x007F, 0x009F},   {0x00AD, 0x00AD},   {0x034F, 0x034F},
    {0x061C, 0x061C},   {0x115F, 0x1160},   {0x17B4, 0x17B5},   {0x180B, 0x180F},
    {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},   {0x3164, 0x3164},
    {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},
    {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};

std::string Printed(const char* format, uint32_t code) {
  char buffer[16];
  std::snprintf(buffer, sizeof buffer, format, static_cast<unsigned>(code));
  return buffer;
}

std::string EscapeOf(uint32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\t') return "\\t";
  return Printed(code < 0xA0 ? "\\x%02x" : "\\u{%x}", code);
}

std::string JsonEscapeOf(uint32_t code) {
  if (code < 0x10000) return Printed("\\u%04x", code);
  return Printed("\\u%04x", 0xD800 + ((code - 0x10000) >> 10)) +
         Printed("\\u%04x", 0xDC00 + ((code - 0x10000) & 0x3FF));
}

// What makes a spreadsheet read a cell as a formula; the last four are the same at full width.
bool BeginsFormula(uint32_t code) {
  return code == '=' || code == '+' || code == '-' || code == '@' || code == 0xFF1D ||
         code == 0xFF0B || code == 0xFF0D || code == 0xFF20;
}

bool LooksLikeFormula(std::string_view text) {
  if (text.starts_with('\t') || text.starts_with('\r')) return true;
  const auto* p = reinterpret_cast<const unsigned char*>(text.data());
  const unsigned char* end = p + text.size();
  while (p < end) {
    uint32_t code = 0;
    const size_t length = Utf8Length(p, end, &code);
    if (length == 0) return false;
    // Some programs skip blanks, and what is not seen, before they look.
    if (code != ' ' && code != 0xA0 && code != 0x3000 && !IsHidden(code)) {
      return BeginsFormula(code);
    }
    p += length;
  }
  return false;
}

// Calls `plain(bytes)` for runs that stay, `hidden(code)` and `invalid(byte)` for the rest.
template <typename Plain, typename Hidden, typename Invalid>
void Walk(std::string_view text, Plain plain, Hidden hidden, Invalid invalid) {
  const auto* begin = reinterpret_cast<const unsigned char*>(text.data());
  const unsigned char* end = begin + text.size();
  const unsigned char* run = begin;
  const auto flush = [&](const unsigned char* to) {
    if (to > run) plain(text.substr(run - begin, to - run));
  };
  for (const unsigned char* p = begin; p < end;) {
    if (*p >= 0x20 && *p < 0x7F) {
      ++p;
      continue;
    }
    uint32_t code = 0;
    const size_t length = Utf8Length(p, end, &code);
    if (length > 0 && !IsHidden(code)) {
      p += length;
      continue;
    }
    flush(p);
    if (length == 0) {
      invalid(*p++);
    } else {
      hidden(code);
      p += length;
    }
    run = p;
  }
  flush(end);
}

}  // namespace

bool IsHidden(uint32_t code) {
  const CodeRange* after =
      std::upper_bound(std::begin(kHidden), std::end(kHidden), code,
                       [](uint32_t value, const CodeRange& range) { return value < range.first; });
  return after != std::begin(kHidden) && code <= std::prev(after)->last;
}

std::string Escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  Walk(
      text, [&](std::string_view run) { out += run; },
      [&](uint32_t code) { out += EscapeOf(code); },
      [&](unsigned char byte) { out += Printed("\\x%02x", byte); });
  return out;
}

std::string EscapedJson(std::string json) {
  // Line ends between members are no part of a text; JSON allows no raw control character in one.
  const auto stays = [](uint32_t code) { return code < 0x20; };
  bool any = false;
  Walk(
      json, [](std::string_view) {}, [&](uint32_t code) { any = any || !stays(code); },
      [](unsigned char) {});
  if (!any) return json;
  std::string out;
  out.reserve(json.size() + json.size() / 8);
  Walk(
      json, [&](std::string_view run) { out += run; },
      [&](uint32_t code) {
        if (stays(code)) {
          out += static_cast<char>(code);
        } else {
          out += JsonEscapeOf(code);
        }
      },
      [&](unsigned char byte) { out += static_cast<char>(byte); });
  return out;
}

std::string CsvText(std::string_view text) {
  std::string cell = Escaped(text);
  if (LooksLikeFormula(text)) cell.insert(cell.begin(), '\'');
  // A semicolon separates cells where a comma is the decimal sign.
  if (cell.find_first_of(",;\"") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace emberline
