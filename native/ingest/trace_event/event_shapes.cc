#include "ingest/trace_event/event_shapes.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <utility>

#include "ingest/trace_event/nested.h"
#include "ingest/trace_event/scan.h"

namespace emberline {
namespace {

// Larger spellings, and those with more values, are not worth remembering.
constexpr size_t kMaxText = 4096;
constexpr size_t kMaxSteps = 64;
// So many shapes are tried for one event: those that begin alike may differ far behind.
constexpr int kMaxTries = 8;

// Whether a number is over before `c`: anything else is left to those who read all spellings.
bool EndsNumber(char c) { return c == ',' || c == '}' || IsSpace(c); }

constexpr std::array<uint64_t, 9> kPowersOfTen = {1,      10,      100,      1000,     10000,
                                                  100000, 1000000, 10000000, 100000000};

// These three, and SkipLiteral(), become a part of whoever reads a value: calling them took as long
// again as what they do.

// The plain digits at `p`, at most 16; `*count` tells how many. Returns their number.
[[gnu::always_inline]] inline uint64_t ReadDigits(const char* p, unsigned* count) {
  const Digits first = ScanDigits(p);
  *count = first.count;
  if (first.count < 8) return first.number;
  const Digits second = ScanDigits(p + 8);
  *count += second.count;
  return first.number * kPowersOfTen[second.count] + second.number;
}

// Plain decimal microseconds with at most three digits behind the point, as ParseMicroseconds reads
// them. Returns what stands behind, or null for every other spelling.
[[gnu::always_inline]] inline const char* ReadMicroseconds(const char* p, Ns* ns,
                                                           bool* has_fraction) {
  unsigned count = 0;
  const uint64_t whole = ReadDigits(p, &count);
  p += count;
  if (count == 0 || whole >= 9'000'000'000'000'000) return nullptr;
  uint64_t fraction = 0;
  if (*p == '.') {
    const Digits digits = ScanDigits(++p);
    p += digits.count;
    // More of them are rounded by those who read all spellings.
    if (digits.count > 3) return nullptr;
    fraction = digits.number * kPowersOfTen[3 - digits.count];
  }
  if (!EndsNumber(*p)) return nullptr;
  *ns = static_cast<Ns>(whole * 1000 + fraction);
  *has_fraction |= fraction != 0;
  return p;
}

// A plain integer that surely fits. Returns what stands behind, or null for every other spelling.
[[gnu::always_inline]] inline const char* ReadInteger(const char* p, int64_t* number) {
  const bool negative = *p == '-';
  p += negative;
  unsigned count = 0;
  const auto value = static_cast<int64_t>(ReadDigits(p, &count));
  p += count;
  if (count == 0 || !EndsNumber(*p)) return nullptr;
  *number = negative ? -value : value;
  return p;
}

// Behind the array or object at `p`, by its brackets alone: whether it is sound is another
// question. Null when the text ends before.
const char* SkipNested(const char* p, const char* end, bool* odd) {
  int depth = 0;
  while (p < end) {
    const char c = *p;
    if (c == '"') {
      ScannedString string;
      p = ScanString(p + 1, end, &string);
      if (p == nullptr) return nullptr;
      // Escapes are kept as they are.
      *odd |= string.odd && IsOdd(string.text());
      continue;
    }
    ++p;
    *odd |= static_cast<signed char>(c) < 0x20;
    // '[' and '{', as well as ']' and '}', differ in this bit only.
    const char bracket = static_cast<char>(c | 0x20);
    if (bracket == '{') {
      ++depth;
    } else if (bracket == '}' && --depth == 0) {
      return p;
    }
  }
  return nullptr;
}

}  // namespace

const char* EventShapes::TakeWord(const Step& step, const char* p, const char* end, ArgItem* item) {
  if (IsSpace(*p)) return nullptr;  // spelled with more space, which is no part of the value
  const char* word = p;
  while (word < end && !EndsBareToken(*word)) ++word;
  if (word == end) return nullptr;
  const Token token{Token::Kind::kBare, TrimRight({p, static_cast<size_t>(word - p)}), p, false};
  if (token.text.empty()) return nullptr;
  step.field == EventField::kArg ? reader_->TakeValue(step.key, token, item)
                                 : reader_->TakeField(step.field, token);
  return p + token.text.size();
}

const char* EventShapes::TakeText(Step* step, const char* p, const char* end, RawEvent* event,
                                  ArgItem* item) {
  ScannedString string;
  if (ScanString(p, end, &string) == nullptr) return nullptr;
  const bool kept = step->field == EventField::kArg || step->field == EventField::kName;
  const std::string_view text = string.text();
  if (string.odd || !kept) {
    const Token token{Token::Kind::kText, text, p, string.odd};
    step->field == EventField::kArg ? reader_->TakeValue(step->key, token, item)
                                    : reader_->TakeField(step->field, token);
    return string.end;
  }
  StringPool& strings = reader_->strings();
  if (strings.Get(step->last_value) != text) step->last_value = strings.Intern(text);
  if (step->field == EventField::kName) {
    event->has_name = true;
    event->name = step->last_value;
    return string.end;
  }
  item->key = step->key;
  item->type = ArgType::kText;
  item->text = step->last_value;
  return string.end;
}

const char* EventShapes::TakeNested(Step* step, const char* p, const char* end, ArgItem* item) {
  // A sound value ends where its last bracket stands: text that begins like it, is it.
  const std::string_view last = reader_->strings().Get(step->last_value);
  if (!last.empty() && last.size() <= static_cast<size_t>(end - p) &&
      std::memcmp(p, last.data(), last.size()) == 0) {
    item->key = step->key;
    item->type = ArgType::kJson;
    item->text = step->last_value;
    return p + last.size();
  }
  if (*p != '[' && *p != '{') return nullptr;
  bool odd = false;
  const char* const behind = SkipNested(p, end, &odd);
  if (behind == nullptr) return nullptr;
  const std::string_view text(p, static_cast<size_t>(behind - p));
  reader_->TakeValue(step->key, {Token::Kind::kNested, text, p, odd, false}, item);
  if (!reader_->sound()) return nullptr;
  if (!odd) step->last_value = item->text;
  return behind;
}

[[gnu::always_inline]] inline const char* EventShapes::SkipLiteral(const Shape& shape,
                                                                   const Step& step, const char* p,
                                                                   const char* end) {
  const bool same = static_cast<size_t>(end - p) >= step.length &&
                    SameBytes(p, shape.text.data() + step.literal, step.length);
  return same ? p + step.length : nullptr;
}

const char* EventShapes::ReadAs(Shape* shape, const char* p, const char* end) {
  RawEvent* const event = reader_->BeginAs(shape->phase, shape->category, shape->args);
  ArgItem* item = event->args.data();
  for (Step* step = shape->steps.data();;) {
    const char* behind = nullptr;
    switch (step->kind) {
      case Kind::kEnd:
        return p;
      case Kind::kText:
        behind = TakeText(step, p, end, event, item);
        break;
      case Kind::kNested:
        behind = TakeNested(step, p, end, item);
        break;
      case Kind::kTime:
        behind = ReadMicroseconds(p, &event->ts, &event->has_fraction);
        if (behind == nullptr) break;
        event->has_ts = true;
        event->ts_state = TimeText::kOk;
        break;
      case Kind::kDuration:
        behind = ReadMicroseconds(p, &event->dur, &event->has_fraction);
        if (behind == nullptr) break;
        event->has_dur = true;
        event->dur_state = TimeText::kOk;
        break;
      case Kind::kPid:
      case Kind::kTid: {
        RecordedId& id = step->kind == Kind::kPid ? event->pid : event->tid;
        behind = ReadInteger(p, &id.number);
        if (behind != nullptr) id.is_text = false;
        break;
      }
      case Kind::kId: {
        int64_t number = 0;
        behind = ReadInteger(p, &number);
        if (behind == nullptr) break;
        event->has_id = true;
        event->id = static_cast<uint64_t>(number);
        break;
      }
      case Kind::kInteger:
        behind = ReadInteger(p, &item->number);
        item->key = step->key;
        item->type = ArgType::kInt;
        break;
      case Kind::kWord:
        break;
    }
    if (behind == nullptr) {
      if (step->kind == Kind::kText || step->kind == Kind::kNested) return nullptr;
      behind = TakeWord(*step, p, end, item);
      if (behind == nullptr) return nullptr;
    }
    item += step->field == EventField::kArg ? 1 : 0;
    ++step;
    p = SkipLiteral(*shape, *step, behind, end);
    if (p == nullptr) return nullptr;
  }
}

void EventShapes::Follow(size_t index) {
  uint8_t* const followers = shapes_[last_].followers;
  const uint8_t follower = static_cast<uint8_t>(index);
  if (followers[0] != follower) {
    uint8_t* const at = std::find(followers + 1, followers + kFollowers - 1, follower);
    std::copy_backward(followers, at, at + 1);
    followers[0] = follower;
  }
  shapes_[index].used = ++events_;
  last_ = index;
}

const char* EventShapes::TryAs(size_t index, const char* p, const char* end) {
  Shape& shape = shapes_[index];
  p = SkipLiteral(shape, shape.steps.front(), p, end);
  if (p == nullptr) return nullptr;
  ++tries_;
  const char* const behind = ReadAs(&shape, p, end);
  if (behind != nullptr) Follow(index);
  return behind;
}

const char* EventShapes::Read(const char* p, const char* end) {
  if (shapes_.empty()) return nullptr;
  tries_ = 0;
  const uint8_t likely = shapes_[last_].followers[0];
  assert(likely < shapes_.size());  // only those that there are follow, and they stay
  const char* const behind = TryAs(likely, p, end);
  return behind != nullptr ? behind : ReadUnlikely(likely, p, end);
}

const char* EventShapes::ReadUnlikely(size_t tried_first, const char* p, const char* end) {
  static_assert(kMaxShapes <= 64);
  uint64_t tried = uint64_t{1} << tried_first;  // a bit for each shape
  const auto attempt = [&](size_t index) -> const char* {
    const uint64_t bit = uint64_t{1} << index;
    if (index >= shapes_.size() || (tried & bit) != 0) return nullptr;
    tried |= bit;
    return TryAs(index, p, end);
  };
  uint8_t followers[kFollowers];
  std::copy_n(shapes_[last_].followers, kFollowers, followers);
  for (const uint8_t index : followers) {
    if (const char* const behind = attempt(index)) return behind;
  }
  for (size_t index = 0; index < shapes_.size() && tries_ < kMaxTries; ++index) {
    if (const char* const behind = attempt(index)) return behind;
  }
  return nullptr;
}

// Takes a sound event apart. Stricter than the readers: what is not the plainest JSON is not
// learned.
class EventShapes::Speller {
 public:
  Speller(EventReader* reader, const char* p, const char* end)
      : reader_(reader), from_(p), p_(p), end_(end) {}

  bool Run(Shape* shape) {
    shape_ = shape;
    if (!Members(true) || p_ != end_) return false;
    return has_phase_ && Add(Kind::kEnd, EventField::kArg, 0);
  }

 private:
  void Space() { p_ = SkipSpace(p_, end_); }
  bool Is(char c) {
    Space();
    if (p_ >= end_ || *p_ != c) return false;
    ++p_;
    return true;
  }

  // Ends the literal at hand: a value follows.
  bool Add(Kind kind, EventField field, StringId key) {
    Step step;
    step.literal = static_cast<uint32_t>(shape_->text.size());
    step.length = static_cast<uint32_t>(p_ - from_);
    step.kind = kind;
    step.field = field;
    step.key = key;
    shape_->text.append(from_, step.length);
    shape_->steps.push_back(step);
    shape_->args += kind != Kind::kEnd && field == EventField::kArg ? 1 : 0;
    return shape_->text.size() <= kMaxText && shape_->steps.size() <= kMaxSteps;
  }

  bool Members(bool top) {
    if (!Is('{')) return false;
    if (Is('}')) return true;
    do {
      Space();
      ScannedString key;
      if (p_ >= end_ || *p_ != '"') return false;
      p_ = ScanString(p_ + 1, end_, &key);
      if (p_ == nullptr || key.odd || !Is(':')) return false;
      Space();
      if (p_ >= end_ || !Member(key.text(), top)) return false;
    } while (Is(','));
    return Is('}');
  }

  bool Member(std::string_view key, bool top) {
    if (top && key == "args" && *p_ == '{')
      return !std::exchange(has_args_, true) && Members(false);
    const EventField field = top ? FieldOf(key) : EventField::kArg;
    if (field == EventField::kArg) return key != "ph" && Value(field, reader_->InternKey(key));
    // Each field once.
    const unsigned bit = 1u << static_cast<unsigned>(field);
    if ((fields_ & bit) != 0) return false;
    fields_ |= bit;
    return Value(field, 0);
  }

  bool Value(EventField field, StringId key) {
    if (*p_ == '"') return Text(field, key);
    if (*p_ == '[' || *p_ == '{') {
      if (field != EventField::kArg || !Add(Kind::kNested, field, key)) return false;
      const Nested nested = ScanNested(p_, end_, false);
      if (nested.state != NestedState::kSound || nested.flawed) return false;
      from_ = p_ = nested.end;
      return true;
    }
    if (field == EventField::kPhase || field == EventField::kCategory ||
        !Add(KindOfBare(field), field, key)) {
      return false;
    }
    const char* word = p_;
    while (word < end_ && !EndsBareToken(*word)) ++word;
    const std::string_view text = TrimRight({p_, static_cast<size_t>(word - p_)});
    if (text.empty()) return false;
    from_ = p_ = p_ + text.size();
    return true;
  }

  static Kind KindOfBare(EventField field) {
    switch (field) {
      case EventField::kTime:
        return Kind::kTime;
      case EventField::kDuration:
        return Kind::kDuration;
      case EventField::kPid:
        return Kind::kPid;
      case EventField::kTid:
        return Kind::kTid;
      case EventField::kId:
        return Kind::kId;
      case EventField::kArg:
        return Kind::kInteger;
      default:
        return Kind::kWord;
    }
  }

  // Phase and category belong to the spelling; what the reader made of them is known.
  bool Text(EventField field, StringId key) {
    ++p_;
    const bool spelled = field == EventField::kPhase || field == EventField::kCategory;
    if (!spelled && !Add(Kind::kText, field, key)) return false;
    ScannedString string;
    const char* const behind = ScanString(p_, end_, &string);
    if (behind == nullptr) return false;
    if (!spelled) {
      from_ = p_ = string.end;
      ++p_;
      return true;
    }
    p_ = behind;
    if (string.odd) return false;
    has_phase_ |= field == EventField::kPhase;
    return true;
  }

  EventReader* reader_;
  const char* from_;  // where the literal at hand begins
  const char* p_;
  const char* const end_;
  Shape* shape_ = nullptr;
  unsigned fields_ = 0;
  bool has_args_ = false, has_phase_ = false;
};

void EventShapes::Learn(const char* p, const char* end) {
  const RawEvent& event = reader_->event();
  if (!reader_->sound() || !reader_->mended().empty()) return;
  Shape shape;
  shape.phase = event.phase;
  shape.category = event.category;
  if (!Speller(reader_, p, p + TrimRight({p, static_cast<size_t>(end - p)}).size()).Run(&shape)) {
    return;
  }
  size_t index = shapes_.size();
  if (index < kMaxShapes) {
    shapes_.push_back(std::move(shape));
  } else {
    const auto oldest =
        std::min_element(shapes_.begin(), shapes_.end(),
                         [](const Shape& a, const Shape& b) { return a.used < b.used; });
    index = static_cast<size_t>(oldest - shapes_.begin());
    *oldest = std::move(shape);
  }
  Follow(index);
}

}  // namespace emberline
