#include "ingest/trace_event/nested.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/ascii.h"
#include "ingest/trace_event/scan.h"

namespace emberline {
namespace {

// What may come next.
enum class Expect { kValue, kKey, kColon, kSeparator };

// What is known of an open array or object.
enum Level : uint8_t { kArray = 0, kObject = 1, kHasPhase = 2, kHasEventField = 4 };

bool IsEventField(std::string_view key) {
  return key == "ts" || key == "pid" || key == "tid" || key == "cat" || key == "name";
}

bool EndsWord(char c) {
  return c == ',' || c == '}' || c == ']' || c == '"' || c == ':' || c == '{' || c == '[' ||
         c == '\n' || c == '\r';
}

class NestedScanner {
 public:
  NestedScanner(const char* p, const char* end, bool lenient)
      : p_(p), end_(end), lenient_(lenient) {}

  Nested Run() {
    while (p_ < end_ && !done_) Step();
    return found_;
  }

 private:
  void Fail(NestedState state) {
    found_.state = state;
    done_ = true;
  }

  bool InObject() const { return depth_ > 0 && (levels_[depth_ - 1] & kObject) != 0; }
  void ExpectItem() { expect_ = InObject() ? Expect::kKey : Expect::kValue; }

  // Whether a value may stand here; a missing comma is forgiven when reading leniently.
  bool TakesValue() {
    if (expect_ == Expect::kValue) return true;
    if (lenient_ && expect_ == Expect::kSeparator && !InObject()) return found_.flawed = true;
    return false;
  }

  void Step() {
    const char c = *p_;
    switch (c) {
      case ' ':
        ++p_;
        return;
      case '[':
      case '{':
        return Open(c == '{' ? kObject : kArray);
      case ']':
      case '}':
        return Close(c == '}');
      case ',':
        if (expect_ == Expect::kColon) return Fail(NestedState::kBroken);
        found_.flawed |= expect_ != Expect::kSeparator;
        after_comma_ = true;
        ++p_;
        return ExpectItem();
      case ':':
        if (expect_ != Expect::kColon) return Fail(NestedState::kBroken);
        expect_ = Expect::kValue;
        after_comma_ = false;
        ++p_;
        return;
      case '"':
        return Text();
      default:
        if (IsSpace(c)) {
          found_.odd = true;
          ++p_;
          return;
        }
        return Word();
    }
  }

  void Open(Level kind) {
    if (!TakesValue()) return Fail(NestedState::kBroken);
    if (depth_ == kMaxNesting) return Fail(NestedState::kTooDeep);
    levels_[depth_++] = kind;
    after_comma_ = false;
    ++p_;
    ExpectItem();
  }

  void Close(bool object) {
    if (object != InObject() || expect_ == Expect::kColon) return Fail(NestedState::kBroken);
    // Behind a colon a value is missing, behind a comma an item.
    found_.flawed |= after_comma_ || (object && expect_ == Expect::kValue);
    after_comma_ = false;
    --depth_;
    ++p_;
    expect_ = Expect::kSeparator;
    if (depth_ > 0) return;
    found_.state = NestedState::kSound;
    found_.end = p_;
    done_ = true;
  }

  void Text() {
    const bool key =
        InObject() && (expect_ == Expect::kKey || (lenient_ && expect_ == Expect::kSeparator));
    if (!key && !TakesValue()) return Fail(NestedState::kBroken);
    found_.flawed |= key && expect_ == Expect::kSeparator;
    ScannedString string;
    const char* next = ScanString(p_ + 1, end_, &string);
    if (next != nullptr && lenient_ && !Fits(next, key)) {
      next = PlausibleEnd(next, key);
      if (next != nullptr) string.end = next - 1;
      found_.raw_quote = true;
    }
    if (next == nullptr) {
      p_ = end_;
      return;
    }
    found_.odd |= string.odd || found_.raw_quote;
    p_ = next;
    after_comma_ = false;
    expect_ = key ? Expect::kColon : Expect::kSeparator;
    if (key) SeeKey(string.text());
  }

  void Word() {
    if (!TakesValue()) return Fail(NestedState::kBroken);
    const char* const from = p_;
    while (p_ < end_ && !EndsWord(*p_)) {
      found_.odd |= static_cast<signed char>(*p_) < 0x20;
      ++p_;
    }
    if (p_ == end_) return;
    found_.flawed |= !IsSoundWord(TrimRight({from, static_cast<size_t>(p_ - from)}));
    after_comma_ = false;
    expect_ = Expect::kSeparator;
  }

  void SeeKey(std::string_view key) {
    uint8_t& level = levels_[depth_ - 1];
    if (key == "ph") level |= kHasPhase;
    if (IsEventField(key)) level |= kHasEventField;
    constexpr uint8_t kEvent = kHasPhase | kHasEventField;
    if ((level & kEvent) == kEvent) Fail(NestedState::kHoldsEvent);
  }

  // Whether what stands at `p` may follow a text.
  bool Fits(const char* p, bool key) const {
    p = SkipSpace(p, end_);
    if (p >= end_) return true;
    if (key) return *p == ':';
    if (*p == '}' || *p == ']') return (*p == '}') == InObject();
    if (*p != ',') return false;
    p = SkipSpace(p + 1, end_);
    return p >= end_ || *p == '"' || (!InObject() && !EndsWord(*p)) || *p == '[' || *p == '{';
  }

  // Behind the next quote at or behind `p` that can end a text, or null.
  const char* PlausibleEnd(const char* p, bool key) const {
    while (p < end_) {
      p = static_cast<const char*>(std::memchr(p, '"', static_cast<size_t>(end_ - p)));
      if (p == nullptr) return nullptr;
      if (Fits(++p, key)) return p;
    }
    return nullptr;
  }

  const char* p_;
  const char* const end_;
  const bool lenient_;
  Nested found_;
  bool done_ = false;
  bool after_comma_ = false;  // a comma came, and nothing since
  Expect expect_ = Expect::kValue;
  int depth_ = 0;
  std::array<uint8_t, kMaxNesting> levels_;
};

}  // namespace

bool IsSoundWord(std::string_view word) {
  if (word == "true" || word == "false" || word == "null") return true;
  size_t i = !word.empty() && word[0] == '-' ? 1 : 0;
  const auto digits = [&] {
    const size_t from = i;
    while (i < word.size() && IsDigit(word[i])) ++i;
    return i - from;
  };
  if (digits() == 0) return false;
  if (i < word.size() && word[i] == '.') {
    ++i;
    if (digits() == 0) return false;
  }
  if (i < word.size() && (word[i] == 'e' || word[i] == 'E')) {
    ++i;
    if (i < word.size() && (word[i] == '+' || word[i] == '-')) ++i;
    if (digits() == 0) return false;
  }
  return i == word.size();
}

Nested ScanNested(const char* p, const char* end, bool lenient) {
  return NestedScanner(p, end, lenient).Run();
}

bool IsSoundNested(std::string_view text) {
  const char* const end = text.data() + text.size();
  const Nested nested = ScanNested(text.data(), end, false);
  return nested.state == NestedState::kSound && nested.end == end && !nested.flawed;
}

}  // namespace emberline
