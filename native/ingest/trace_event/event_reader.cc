#include "ingest/trace_event/event_reader.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "ingest/trace_event/nested.h"

namespace emberline {
namespace {

// A raw quote is looked for at most this far.
constexpr size_t kLenientLimit = 1 << 16;
constexpr size_t kMaxBareKey = 64;

// A bare token: up to what can follow a value. Null when the text ends first.
const char* ScanBare(const char* p, const char* end) {
  while (p < end && !EndsBareToken(*p)) ++p;
  return p < end ? p : nullptr;
}

bool IsDigits(std::string_view text) {
  const size_t sign = !text.empty() && text[0] == '-' ? 1 : 0;
  if (text.size() <= sign || text.size() > 20) return false;
  for (const char c : text.substr(sign)) {
    if (c < '0' || c > '9') return false;
  }
  return true;
}

uint64_t HashOfId(std::string_view text) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return h;
}

}  // namespace

// Of an event that says nothing: its ids are the empty text.
constexpr EventFields kNoFields = [] {
  EventFields fields;
  fields.pid.is_text = fields.tid.is_text = true;
  return fields;
}();

EventReader::EventReader(StringPool* strings) : strings_(strings) {}

StringId EventReader::InternKey(std::string_view key) {
  uint64_t word = 0;
  std::memcpy(&word, key.data(), key.size() < 8 ? key.size() : 8);
  const uint64_t h = (word ^ key.size() * 0x9E3779B97F4A7C15ull) * 0xD6E8FEB86659FD93ull;
  CachedKey& cached = keys_[h >> 56];
  if (cached.text == key && cached.id != 0) return cached.id;
  cached.id = strings_->Intern(key);
  cached.text = strings_->Get(cached.id);
  return cached.id;
}

void EventReader::Report(const CleanProblems& problems, const char* at) {
  if (problems.bad_escape) mended_.emplace_back(ProblemKind::kBadEscape, at);
  if (problems.control) mended_.emplace_back(ProblemKind::kControlCharacter, at);
  if (problems.invalid_utf8) mended_.emplace_back(ProblemKind::kInvalidUtf8, at);
}

// `p` stands behind the opening quote.
EventReader::Status EventReader::ReadText(const char* p, const char* end, Token* token,
                                          const char** next) {
  ScannedString string;
  if (lenient_) {
    bool more = false;
    size_t searched = 0;
    const char* close = FindPlausibleEnd(p, end, kLenientLimit, &more, &searched);
    lenient_bytes_ += searched;
    if (close == nullptr) return more ? Status::kNeedMore : Status::kBad;
    string.begin = p;
    string.end = close;
    string.odd = true;
    if (std::memchr(p, '"', static_cast<size_t>(close - p)) != nullptr) {
      ScannedString strict;
      if (ScanString(p, end, &strict) == nullptr || strict.end != close) {
        mended_.emplace_back(ProblemKind::kRawQuote, p);
      }
    }
    *next = close + 1;
  } else {
    *next = ScanString(p, end, &string);
    if (*next == nullptr) return Status::kNeedMore;
  }
  *token = {Token::Kind::kText, string.text(), p, string.odd};
  return Status::kOk;
}

EventReader::Status EventReader::ReadToken(const char* p, const char* end, Token* token,
                                           const char** next) {
  if (*p == '"') return ReadText(p + 1, end, token, next);
  if (*p == '{' || *p == '[') {
    const Nested nested = ScanNested(p, end, lenient_);
    switch (nested.state) {
      case NestedState::kSound:
        break;
      case NestedState::kNeedMore:
        return Status::kNeedMore;
      case NestedState::kTooDeep:
        return Status::kTooDeep;
      case NestedState::kBroken:
      case NestedState::kHoldsEvent:
        return Status::kBad;
    }
    *next = nested.end;
    *token = {Token::Kind::kNested, {p, static_cast<size_t>(*next - p)}, p, nested.odd};
    if (nested.flawed) mended_.emplace_back(ProblemKind::kInvalidToken, p);
    if (nested.raw_quote) mended_.emplace_back(ProblemKind::kRawQuote, p);
    return Status::kOk;
  }
  *next = ScanBare(p, end);
  if (*next == nullptr) return Status::kNeedMore;
  *token = {Token::Kind::kBare, TrimRight({p, static_cast<size_t>(*next - p)}), p, false};
  return Status::kOk;
}

std::string_view EventReader::Clean(const Token& token) {
  if (!token.odd) return token.text;
  CleanProblems problems;
  const std::string_view text = token.kind == Token::Kind::kNested
                                    ? CleanNested(token.text, &scratch_, &problems)
                                    : CleanString(token.text, &scratch_, &problems);
  Report(problems, token.at);
  return text;
}

std::string_view EventReader::CleanText(const Token& token) {
  if (token.kind != Token::Kind::kBare) return Clean(token);
  CleanProblems problems;
  const std::string_view text = CleanString(token.text, &scratch_, &problems);
  Report(problems, token.at);
  return text;
}

RecordedId EventReader::TakeId(const Token& token) {
  RecordedId id;
  id.is_text = false;
  const bool bare = token.kind == Token::Kind::kBare;
  const std::string_view text = Clean(token);
  // Rows of old recorders are called "stream 7" where newer ones write 7.
  std::string_view digits = text;
  if (digits.substr(0, 7) == "stream ") digits.remove_prefix(7);
  if (IsDigits(digits) && ParseInt64(digits, &id.number)) return id;
  double real = 0;
  if (bare && ParseDouble(text, &real) &&
      real == static_cast<double>(static_cast<int64_t>(real < 9e15 && real > -9e15 ? real : 0.5))) {
    id.number = static_cast<int64_t>(real);
    return id;
  }
  id.is_text = true;
  id.number = 0;
  id.text = bare && text == "null" ? 0 : strings_->Intern(bare ? CleanText(token) : text);
  return id;
}

void EventReader::TakeValue(StringId key, const Token& token, ArgItem* to) {
  ArgItem& item = *to;
  item = ArgItem();
  item.key = key;
  if (token.kind != Token::Kind::kBare) {
    item.type = token.kind == Token::Kind::kText ? ArgType::kText : ArgType::kJson;
    item.text = strings_->Intern(Clean(token));
    if (!token.checked) CheckNested(token, item.text);
    return;
  }
  const std::string_view text = token.text;
  double real = 0;
  if (ParseInt64(text, &item.number)) {
    item.type = ArgType::kInt;
  } else if (text.empty()) {
    mended_.emplace_back(ProblemKind::kMissingValue, token.at);
  } else if (text == "true") {
    item.type = ArgType::kTrue;
  } else if (text == "false") {
    item.type = ArgType::kFalse;
  } else if (text == "null") {
    item.type = ArgType::kNull;
  } else if (IsDigits(text)) {
    item.type = ArgType::kText;
    item.text = strings_->Intern(text);
  } else if (ParseDouble(text, &real)) {
    item.type = ArgType::kDouble;
    item.real = real;
    const char last = text.back();
    if (last < '0' || last > '9' || text[0] == '.' || text[0] == '+') {
      mended_.emplace_back(ProblemKind::kInvalidToken, token.at);
    }
  } else {
    CleanProblems problems;
    item.type = ArgType::kText;
    item.text = strings_->Intern(CleanString(text, &scratch_, &problems));
    mended_.emplace_back(ProblemKind::kInvalidToken, token.at);
  }
}

void EventReader::CheckNested(const Token& token, StringId id) {
  // What is kept is the text itself only where it is plain.
  if (!token.odd && id < sound_nested_.size() && sound_nested_[id]) return;
  if (!IsSoundNested(token.text)) {
    unsound_ = true;
  } else if (!token.odd) {
    if (id >= sound_nested_.size()) sound_nested_.resize(std::max<size_t>(id + 1, 2 * id));
    sound_nested_[id] = true;
  }
}

// The members of the object at `p`: `member(key, value position, end, next)` reads each value.
template <typename Member>
EventReader::Status EventReader::ReadMembers(const char* p, const char* end, const char** next,
                                             Member&& member) {
  ++p;
  bool comma = true;  // a key may follow
  for (;;) {
    p = SkipSpace(p, end);
    if (p >= end) return Status::kNeedMore;
    if (*p == '}') {
      if (comma && p[-1] != '{') {
        // Only a comma in front of it is wrong, not an empty object with spaces.
        const char* back = p - 1;
        while (IsSpace(*back)) --back;
        if (*back == ',') mended_.emplace_back(ProblemKind::kStrayComma, p);
      }
      *next = p + 1;
      return Status::kOk;
    }
    if (*p == ',') {
      if (comma) mended_.emplace_back(ProblemKind::kStrayComma, p);
      comma = true;
      ++p;
      continue;
    }
    ScannedString key;
    if (*p == '"') {
      p = ScanString(p + 1, end, &key);
      if (p == nullptr) return Status::kNeedMore;
    } else if (lenient_) {
      // A key whose opening quote is missing.
      key.begin = p;
      while (p < end && *p != '"' && *p != ':' && *p != ',' && *p != '}' && !IsSpace(*p) &&
             static_cast<size_t>(p - key.begin) < kMaxBareKey) {
        ++p;
      }
      if (p >= end) return Status::kNeedMore;
      if (p == key.begin) return Status::kBad;
      key.end = p;
      key.odd = true;
      mended_.emplace_back(ProblemKind::kRawQuote, key.begin);
      if (*p == '"') ++p;
    } else {
      return Status::kBad;
    }
    p = SkipSpace(p, end);
    if (p >= end) return Status::kNeedMore;
    if (*p != ':') return Status::kBad;
    if (!comma) mended_.emplace_back(ProblemKind::kStrayComma, key.begin);
    p = SkipSpace(p + 1, end);
    if (p >= end) return Status::kNeedMore;
    std::string clean;
    std::string_view text = key.text();
    if (key.odd) {
      CleanProblems problems;
      text = CleanString(text, &clean, &problems);
      Report(problems, key.begin);
    }
    const Status status = member(text, p, &p);
    if (status != Status::kOk) return status;
    comma = false;
  }
}

void EventReader::Begin() {
  BeginFields();
  event_.args.clear();
}

void EventReader::BeginFields() {
  mended_.clear();
  unsound_ = phase_seen_ = false;
  args_seen_ = 0;
  fields_ = 0;
  static_cast<EventFields&>(event_) = kNoFields;
  event_.id_text.clear();
}

EventField FieldOf(std::string_view key) {
  switch (key.size()) {
    case 1:
      return key == "s" ? EventField::kScope : EventField::kArg;
    case 2:
      if (key == "ph") return EventField::kPhase;
      if (key == "ts") return EventField::kTime;
      if (key == "id") return EventField::kId;
      return key == "bp" ? EventField::kBinding : EventField::kArg;
    case 3:
      if (key == "pid") return EventField::kPid;
      if (key == "tid") return EventField::kTid;
      if (key == "dur") return EventField::kDuration;
      return key == "cat" ? EventField::kCategory : EventField::kArg;
    case 4:
      return key == "name" ? EventField::kName : EventField::kArg;
    default:
      return EventField::kArg;
  }
}

void EventReader::TakeField(EventField field, const Token& token) {
  ++fields_;
  switch (field) {
    case EventField::kScope: {
      const std::string_view text = Clean(token);
      if (text.size() == 1) event_.scope = text[0];
      return;
    }
    case EventField::kPhase:
      return TakePhase(token);
    case EventField::kTime:
      event_.has_ts = true;
      event_.ts_state = ParseMicroseconds(Clean(token), &event_.ts, &event_.has_fraction);
      return;
    case EventField::kDuration:
      event_.has_dur = true;
      event_.dur_state = ParseMicroseconds(Clean(token), &event_.dur, &event_.has_fraction);
      return;
    case EventField::kPid:
      event_.pid = TakeId(token);
      return;
    case EventField::kTid:
      event_.tid = TakeId(token);
      return;
    case EventField::kCategory:
      event_.category = InternKey(CleanText(token));
      return;
    case EventField::kName:
      event_.has_name = true;
      event_.name = strings_->Intern(CleanText(token));
      return;
    case EventField::kId:
      return TakeEventId(token);
    case EventField::kBinding:
    case EventField::kArg:
      return;
  }
}

void EventReader::TakePhase(const Token& token) {
  const std::string_view text = Clean(token);
  if (phase_seen_) {
    // Where nothing of the second's, or the first's, stands between, the same type twice is a part
    // of the text that stands there twice.
    const bool again = fields_ == phase_field_ + 1 && event_.args.size() == phase_args_ &&
                       text.size() == 1 && text[0] == event_.phase;
    mended_.emplace_back(again ? ProblemKind::kRepeatedPhase : ProblemKind::kMergedEvents,
                         token.at);
  }
  phase_seen_ = true;
  phase_field_ = fields_;
  phase_args_ = event_.args.size();
  event_.phase = text.size() == 1 ? text[0] : '\0';
}

void EventReader::TakeEventId(const Token& token) {
  const std::string_view text = Clean(token);
  event_.has_id = !text.empty();
  int64_t number = 0;
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  if (IsDigits(text) && ParseInt64(text, &number)) {
    event_.id = static_cast<uint64_t>(number);
    return;
  }
  event_.id_text.assign(text);
  if (hex && std::from_chars(text.data() + 2, text.data() + text.size(), event_.id, 16).ptr ==
                 text.data() + text.size()) {
    return;
  }
  event_.id = HashOfId(text);
}

EventReader::Status EventReader::Read(const char* p, const char* end, bool lenient,
                                      const char** next) {
  lenient_ = lenient;
  lenient_bytes_ = 0;
  Begin();
  const auto member = [&](std::string_view key, const char* at, const char** after) {
    Token token;
    if (key == "args" && *at == '{') {
      return ReadMembers(at, end, after,
                         [&](std::string_view name, const char* value, const char** behind) {
                           const Status status = ReadToken(value, end, &token, behind);
                           if (status == Status::kOk) TakeArg(name, token);
                           return status;
                         });
    }
    const Status status = ReadToken(at, end, &token, after);
    if (status == Status::kOk) TakeField(key, token);
    return status;
  };
  const Status status = ReadMembers(p, end, next, member);
  return status == Status::kOk && !sound() ? Status::kBad : status;
}

EventReader::Status EventReader::ReadObject(const char* p, const char* end,
                                            std::vector<ArgItem>* items, const char** next) {
  lenient_ = false;
  mended_.clear();
  items->clear();
  return ReadMembers(p, end, next, [&](std::string_view key, const char* at, const char** after) {
    Token token;
    const Status status = ReadToken(at, end, &token, after);
    if (status == Status::kOk) TakeValue(InternKey(key), token, &items->emplace_back());
    return status;
  });
}

}  // namespace emberline
