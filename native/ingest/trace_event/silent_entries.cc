#include "ingest/trace_event/silent_entries.h"

#include <string>
#include <string_view>

#include "ingest/trace_event/nested.h"
#include "ingest/trace_event/scan.h"

namespace emberline {
namespace {

bool IsSilent(std::string_view text) {
  switch (text[0]) {
    case '"':
      return true;
    case '{':
    case '[':
      return IsSoundNested(text);
    default:
      return IsSoundWord(text);
  }
}

class BackwardReader {
 public:
  BackwardReader(const char* begin, const char* end) : begin_(begin), p_(end) {}

  SilentEntries Run() {
    bool all_silent = true;
    for (;;) {
      bool comma = false;
      while (AtSpace() || (p_ > begin_ && p_[-1] == ',')) comma |= *--p_ == ',';
      // What is damaged stands at the beginning, and was counted as such.
      if (p_ <= begin_ + 1) return found_;
      const char* const behind = p_;
      switch (Back()) {
        case Value::kNone:
          return found_;
        case Value::kUnclosed:
          // All that was found are items of a list that goes on, unless the bracket is the damage.
          return comma ? found_ : SilentEntries();
        case Value::kSome:
          break;
      }
      const std::string_view text(p_, static_cast<size_t>(behind - p_));
      while (AtSpace()) --p_;
      const char before = p_ > begin_ ? p_[-1] : ',';
      if (before == ':') return found_;
      // Without a comma in front it may be a part of what is damaged.
      all_silent = all_silent && before == ',' && text.data() > begin_ && IsSilent(text);
      if (all_silent) Count(text);
    }
  }

 private:
  enum class Value {
    kSome,
    kNone,      // it is damaged
    kUnclosed,  // a bracket is opened that nothing closes
  };

  bool AtSpace() const { return p_ > begin_ && IsSpace(p_[-1]); }

  // Goes to the beginning of the value that ends at p_.
  Value Back() {
    switch (p_[-1]) {
      case '"':
        return BackText() ? Value::kSome : Value::kNone;
      case '}':
      case ']':
        return BackNested() ? Value::kSome : Value::kNone;
      case '[':
      case '{':
        return Value::kUnclosed;
      case ':':
        return Value::kNone;
      default:
        while (p_ > begin_ && !IsSpace(p_[-1]) && !EndsBareToken(p_[-1])) --p_;
        return Value::kSome;
    }
  }

  bool BackText() {
    for (--p_; p_ > begin_;) {
      if (*--p_ != '"') continue;
      const char* escapes = p_;
      while (escapes > begin_ && escapes[-1] == '\\') --escapes;
      if ((p_ - escapes) % 2 == 0) return true;
      p_ = escapes;
    }
    return false;
  }

  bool BackNested() {
    std::string open;
    while (p_ > begin_) {
      const char c = p_[-1];
      if (c == '"') {
        if (!BackText()) return false;
        continue;
      }
      --p_;
      if (c == '}' || c == ']') {
        if (open.size() == kMaxNesting) return false;
        open += c == '}' ? '{' : '[';
      } else if (c == '{' || c == '[') {
        if (open.back() != c) return false;
        open.pop_back();
        if (open.empty()) return true;
      }
    }
    return false;
  }

  void Count(std::string_view text) {
    const bool object = text[0] == '{';
    ++(object ? found_.objects : found_.others);
    (object ? found_.first_object : found_.first_other) = text.data();
  }

  const char* const begin_;
  const char* p_;
  SilentEntries found_;
};

}  // namespace

SilentEntries FindSilentEntries(const char* begin, const char* end) {
  return BackwardReader(begin, end).Run();
}

bool EntriesFollow(const char* p, const char* end) {
  if (p >= end || *p != ',') return false;
  for (;;) {
    p = SkipSpace(p + 1, end);
    if (p >= end) return false;
    const char* const value = p;
    if (*p == '"') {
      ScannedString string;
      p = ScanString(p + 1, end, &string);
    } else if (*p == '{' || *p == '[') {
      p = ScanNested(p, end, false).end;
    } else {
      while (p < end && !IsSpace(*p) && !EndsBareToken(*p)) ++p;
    }
    if (p == nullptr || p == value || !IsSilent({value, static_cast<size_t>(p - value)})) {
      return false;
    }
    p = SkipSpace(p, end);
    if (p >= end || *p != ',') return p < end && *p == ']';
  }
}

}  // namespace emberline
