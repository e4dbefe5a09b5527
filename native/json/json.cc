#include "json/json.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>

#include "json/errors.h"

namespace emberline {
namespace {

// The number of a "\uXXXX" at `at`; 0 where there is none.
uint32_t UnicodeEscapeAt(std::string_view text, size_t at) {
  constexpr size_t kLength = 6;
  if (at + kLength > text.size() || text[at] != '\\' || text[at + 1] != 'u') return 0;
  const char* const first = text.data() + at + 2;
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(first, first + 4, number, 16);
  return error == std::errc() && end == first + 4 ? number : 0;
}

bool IsHighSurrogate(uint32_t number) { return number >= 0xD800 && number < 0xDC00; }
bool IsLowSurrogate(uint32_t number) { return number >= 0xDC00 && number < 0xE000; }

}  // namespace

std::string WithoutLoneSurrogates(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      out += text[i++];
      continue;
    }
    const uint32_t number = UnicodeEscapeAt(text, i);
    size_t length = number == 0 ? 2 : 6;
    if (IsHighSurrogate(number) && IsLowSurrogate(UnicodeEscapeAt(text, i + length))) {
      length *= 2;
    } else if (IsHighSurrogate(number) || IsLowSurrogate(number)) {
      out += "\\ufffd";
      i += length;
      continue;
    }
    out += text.substr(i, length);
    i += std::min(length, text.size() - i);
  }
  return out;
}

Result<Json> ParseJson(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > 100) {
        return MakeError(errors::kJsonTooDeep, {}, i);
      }
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  try {
    return Json::parse(text.begin(), text.end());
  } catch (const Json::parse_error& e) {
    return MakeError(errors::kNotJsonText, {}, e.byte);
  } catch (const Json::exception&) {
    return MakeError(errors::kJsonNumberOutOfRange);
  }
}

std::string DumpJson(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace emberline
