#include "ingest/trace_event/scan.h"

#include "base/utf8.h"

namespace emberline {
namespace {

constexpr size_t kMaxKeyScanned = 80;

constexpr uint32_t kReplacement = 0xFFFD;

// Four hexadecimal digits at `at`, or -1.
int Hex4(std::string_view text, size_t at) {
  if (at + 4 > text.size()) return -1;
  int value = 0;
  for (size_t i = at; i < at + 4; ++i) {
    const char c = text[i];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return -1;
    value = value << 4 | digit;
  }
  return value;
}

bool HasBadEscape(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') continue;
    if (++i >= text.size()) return true;
    const char c = text[i];
    if (c == 'u') {
      if (Hex4(text, i + 1) < 0) return true;
    } else if (std::string_view("\"\\/bfnrt").find(c) == std::string_view::npos) {
      return true;
    }
  }
  return false;
}

// One character beyond ASCII at `i`, checked; returns its length.
size_t AppendChecked(std::string_view text, size_t i, std::string* out, CleanProblems* problems) {
  const auto* p = reinterpret_cast<const unsigned char*>(text.data());
  const size_t length = Utf8Length(p + i, p + text.size());
  if (length == 0) {
    AppendUtf8(kReplacement, out);
    problems->invalid_utf8 = true;
    return 1;
  }
  out->append(text.substr(i, length));
  return length;
}

enum class Follow { kYes, kNo, kMore };

// Whether a value may end before `p`: a comma and a key, or the end of the object, follows.
Follow ValueMayEnd(const char* p, const char* end) {
  p = SkipSpace(p, end);
  if (p >= end) return Follow::kMore;
  if (*p == '}') {
    p = SkipSpace(p + 1, end);
    if (p >= end) return Follow::kMore;
    return *p == ',' || *p == '}' || *p == ']' ? Follow::kYes : Follow::kNo;
  }
  if (*p != ',') return Follow::kNo;
  p = SkipSpace(p + 1, end);
  if (p >= end) return Follow::kMore;
  if (*p == '}') return Follow::kYes;
  if (*p != '"') return Follow::kNo;
  const char* const key = ++p;
  while (p < end && *p != '"' && *p != '\n' && static_cast<size_t>(p - key) < kMaxKeyScanned) ++p;
  if (p >= end) return Follow::kMore;
  if (*p != '"') return Follow::kNo;
  p = SkipSpace(p + 1, end);
  if (p >= end) return Follow::kMore;
  return *p == ':' ? Follow::kYes : Follow::kNo;
}

// Whether the quote at `p` opens the first key of another event ("}, {") or a key behind the event
// list ("}],"): no text of this event reaches that far.
bool OpensSomethingElse(const char* begin, const char* p) {
  char before[3] = {};
  for (char& c : before) {
    do {
      if (--p < begin) return false;
    } while (IsSpace(*p));
    c = *p;
  }
  const std::string_view three(before, 3);
  return three == "{,}" || three == ",]}";
}

}  // namespace

const char* FindPlausibleEnd(const char* p, const char* end, size_t limit, bool* more,
                             size_t* searched) {
  *more = false;
  const char* const begin = p;
  const char* const stop = static_cast<size_t>(end - p) > limit ? p + limit : end;
  for (; p < stop; ++p) {
    p = static_cast<const char*>(std::memchr(p, '"', static_cast<size_t>(stop - p)));
    if (p == nullptr) break;
    *searched = static_cast<size_t>(p - begin);
    if (OpensSomethingElse(begin, p)) return nullptr;
    const Follow follow = ValueMayEnd(p + 1, end);
    if (follow == Follow::kYes) return p;
    if (follow == Follow::kMore) {
      *more = true;
      return nullptr;
    }
  }
  *searched = static_cast<size_t>(stop - begin);
  *more = stop == end;
  return nullptr;
}

std::string_view CleanString(std::string_view text, std::string* scratch, CleanProblems* problems) {
  scratch->clear();
  const bool literal = text.find('\\') != std::string_view::npos && HasBadEscape(text);
  problems->bad_escape |= literal;
  for (size_t i = 0; i < text.size();) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    if (c >= 0x80) {
      i += AppendChecked(text, i, scratch, problems);
      continue;
    }
    if (c != '\\') {
      problems->control |= c < 0x20;
      scratch->push_back(text[i++]);
      continue;
    }
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (literal) {
      if (next == '"' || next == '\\') ++i;
      scratch->push_back(text[i++]);
      continue;
    }
    i += 2;
    switch (next) {
      case 'b':
        scratch->push_back('\b');
        break;
      case 'f':
        scratch->push_back('\f');
        break;
      case 'n':
        scratch->push_back('\n');
        break;
      case 'r':
        scratch->push_back('\r');
        break;
      case 't':
        scratch->push_back('\t');
        break;
      case 'u': {
        uint32_t code = static_cast<uint32_t>(Hex4(text, i));
        i += 4;
        if (code >= 0xD800 && code < 0xDC00 && i + 1 < text.size() && text[i] == '\\' &&
            text[i + 1] == 'u') {
          const int low = Hex4(text, i + 2);
          if (low >= 0xDC00 && low < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10) + static_cast<uint32_t>(low - 0xDC00);
            i += 6;
          }
        }
        if (code >= 0xD800 && code <= 0xDFFF) {
          problems->invalid_utf8 = true;
          code = kReplacement;
        }
        AppendUtf8(code, scratch);
        break;
      }
      default:
        scratch->push_back(next);
    }
  }
  return *scratch;
}

std::string_view CleanNested(std::string_view text, std::string* scratch, CleanProblems* problems) {
  scratch->clear();
  bool in_string = false;
  for (size_t i = 0; i < text.size();) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    if (c >= 0x80) {
      i += AppendChecked(text, i, scratch, problems);
      continue;
    }
    if (in_string) {
      if (c == '\\' && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0x80) {
        scratch->append(text.substr(i, 2));
        i += 2;
        continue;
      }
      if (c < 0x20) {
        problems->control = true;
        static constexpr char kHex[] = "0123456789abcdef";
        scratch->append("\\u00");
        scratch->push_back(kHex[c >> 4]);
        scratch->push_back(kHex[c & 15]);
        ++i;
        continue;
      }
      in_string = c != '"';
    } else if (c < 0x20) {
      while (i < text.size() && IsSpace(text[i])) ++i;
      if (!scratch->empty() && scratch->back() == ',') scratch->push_back(' ');
      continue;
    } else if (c == '"') {
      in_string = true;
    }
    scratch->push_back(text[i++]);
  }
  return *scratch;
}

bool LooksLikeEvent(const char* p, const char* end, bool* more) {
  *more = false;
  p = SkipSpace(p + 1, end);
  if (p < end && *p != '"') return false;
  ++p;
  const char* const key = p;
  while (p < end && *p != '"' && p - key < 5) ++p;
  const char* const key_end = p;
  if (p < end && *p == '"') p = SkipSpace(p + 1, end);
  if (p >= end) {
    *more = true;
    return false;
  }
  if (*p != ':') return false;
  const std::string_view name(key, static_cast<size_t>(key_end - key));
  for (const char* known :
       {"ph", "name", "cat", "pid", "tid", "ts", "dur", "id", "args", "s", "bp"}) {
    if (name == known) return true;
  }
  return false;
}

const char* LastEventBorder(const char* begin, const char* end) {
  for (const char* p = end - 1; p > begin; --p) {
    if (*p != '{') continue;
    bool more = false;
    if (!LooksLikeEvent(p, end, &more)) continue;
    const char* back = p - 1;
    while (back > begin && IsSpace(*back)) --back;
    if (*back != ',') continue;
    const char* const comma = back;
    while (back > begin && IsSpace(*--back)) {
    }
    if (*back == '}') return comma;
  }
  return nullptr;
}

}  // namespace emberline
