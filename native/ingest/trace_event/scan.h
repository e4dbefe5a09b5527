// Scanning of JSON text that may be damaged. All functions may read up to Window::kPadding bytes
// behind `end`, and return null when the text ends before the token does.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "store/problems.h"

namespace emberline {

inline bool IsSpace(char c) { return static_cast<unsigned char>(c) <= ' '; }

// First byte that is neither white space nor a control byte, or `end`.
inline const char* SkipSpace(const char* p, const char* end) {
  while (p < end && IsSpace(*p)) ++p;
  return p;
}

inline std::string_view TrimRight(std::string_view text) {
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// Whether a bare token, a number or a name, is over before `c`: before what can follow a value.
inline bool EndsBareToken(char c) {
  return c == ',' || c == '}' || c == ']' || c == '"' || c == '\n' || c == '\r' || c == ':' ||
         c == '{' || c == '[';
}

// std::memcmp() == 0 without a call, for the few bytes of a key.
inline bool SameBytes(const char* a, const char* b, size_t size) {
  const auto differ = [&]<typename Word>(Word, size_t at) {
    Word x, y;
    std::memcpy(&x, a + at, sizeof(Word));
    std::memcpy(&y, b + at, sizeof(Word));
    return x != y;
  };
  if (size >= 8) {
    for (size_t at = 0; at + 8 < size; at += 8) {
      if (differ(uint64_t{}, at)) return false;
    }
    return !differ(uint64_t{}, size - 8);
  }
  if (size >= 4) return !differ(uint32_t{}, 0) && !differ(uint32_t{}, size - 4);
  for (size_t at = 0; at < size; ++at) {
    if (a[at] != b[at]) return false;
  }
  return true;
}

// How many of the eight bytes at `p` are decimal digits before the first that is none, and the
// number that they spell.
struct Digits {
  unsigned count = 0;
  uint32_t number = 0;
};
inline Digits ScanDigits(const char* p) {
  if constexpr (std::endian::native == std::endian::little) {
    uint64_t bytes;
    std::memcpy(&bytes, p, sizeof(bytes));
    // A digit's byte becomes its value; any other has a bit of the upper half of its byte, or gets
    // it when 6 is added. A carry out of a byte only reaches bytes behind the first such.
    bytes ^= 0x3030303030303030;
    const uint64_t others = (bytes | (bytes + 0x0606060606060606)) & 0xF0F0F0F0F0F0F0F0;
    const unsigned count = others == 0 ? 8 : static_cast<unsigned>(std::countr_zero(others)) / 8;
    if (count == 0) return {};
    // As many zeros in front as digits are missing; then neighbors are joined: two digits, four,
    // eight.
    bytes <<= (8 - count) * 8;
    bytes = bytes * 10 + (bytes >> 8);
    bytes = ((bytes & 0x000000FF000000FF) * (100 + (uint64_t{1000000} << 32)) +
             ((bytes >> 16) & 0x000000FF000000FF) * (1 + (uint64_t{10000} << 32))) >>
            32;
    return {count, static_cast<uint32_t>(bytes)};
  } else {
    Digits digits;
    while (digits.count < 8 && p[digits.count] >= '0' && p[digits.count] <= '9') {
      digits.number = digits.number * 10 + static_cast<uint32_t>(p[digits.count++] - '0');
    }
    return digits;
  }
}

// Whether `text` holds more than plain ASCII on one line.
inline bool IsOdd(std::string_view text) {
  bool odd = false;
  for (const char c : text) odd |= static_cast<signed char>(c) < 0x20;
  return odd;
}

struct ScannedString {
  const char* begin = nullptr;
  const char* end = nullptr;  // the closing quote
  bool odd = false;           // holds escapes, control characters or bytes beyond ASCII
  std::string_view text() const { return {begin, static_cast<size_t>(end - begin)}; }
};

// `p` stands behind the opening quote. Returns the position behind the closing one.
inline const char* ScanString(const char* p, const char* end, ScannedString* out) {
  out->begin = p;
  out->odd = false;
  while (p < end) {
#if defined(__SSE2__)
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i stops = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                       _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
    const unsigned stop = static_cast<unsigned>(_mm_movemask_epi8(stops));
    // Signed comparison: control characters and bytes from 0x80 on alike.
    const unsigned odd =
        static_cast<unsigned>(_mm_movemask_epi8(_mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20))));
    if (stop == 0) {
      out->odd |= odd != 0;
      p += 16;
      continue;
    }
    const int index = __builtin_ctz(stop);
    out->odd |= (odd & ((1u << index) - 1)) != 0;
    p += index;
    if (p >= end) return nullptr;
#else
    if (*p != '"' && *p != '\\') {
      out->odd |= static_cast<unsigned char>(*p) < 0x20 || static_cast<unsigned char>(*p) >= 0x80;
      ++p;
      continue;
    }
#endif
    if (*p == '"') {
      out->end = p;
      return p + 1;
    }
    out->odd = true;
    p += 2;
  }
  return nullptr;
}

// Position of the first quote at or behind `p` that ends a text value in spite of raw quotes before
// it: what follows must look like the rest of an object. At most `limit` bytes are searched.
// Returns null when there is none; `*more` tells that the text ended before that was certain.
// `*searched`: how many bytes were looked through.
const char* FindPlausibleEnd(const char* p, const char* end, size_t limit, bool* more,
                             size_t* searched);

// Text of a string without its escapes, as valid UTF-8. Escapes that JSON does not know mean that
// the recorder escaped nothing: then backslashes are kept, except before a quote or a backslash.
// Problems are reported through `report(kind)`.
struct CleanProblems {
  bool bad_escape = false, control = false, invalid_utf8 = false;
};
std::string_view CleanString(std::string_view text, std::string* scratch, CleanProblems* problems);

// The same for the raw text of an array or object: escapes stay, line ends and indentation go.
std::string_view CleanNested(std::string_view text, std::string* scratch, CleanProblems* problems);

// True when an event seems to begin at `p` (a '{' followed by a key that events have).
// `*more`: the text ended before that was certain.
bool LooksLikeEvent(const char* p, const char* end, bool* more);

// The last comma in [begin, end) that seems to stand between two events, or null.
const char* LastEventBorder(const char* begin, const char* end);

}  // namespace emberline
