// One object of the event list: from text to fields and args. The only place that knows how an
// event is spelled; what it means is decided in event_sink.h.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/string_pool.h"
#include "ingest/trace_event/decimal.h"
#include "ingest/trace_event/scan.h"
#include "store/args.h"
#include "store/problems.h"
#include "store/trace_store.h"

namespace emberline {

// The fields of an event as recorded.
struct EventFields {
  char phase = '\0';  // 0 when absent or not one character
  char scope = 't';
  bool has_name = false, has_ts = false, has_dur = false, has_id = false;
  bool has_fraction = false;  // ts or dur had a fraction of a microsecond
  TimeText ts_state = TimeText::kInvalid, dur_state = TimeText::kInvalid;
  StringId name = 0;
  StringId category = 0;
  RecordedId pid, tid;  // the empty text when absent
  Ns ts = 0, dur = 0;
  uint64_t id = 0;  // the number, or a hash of the text
};

struct RawEvent : EventFields {
  std::string id_text;        // as recorded, empty when it is a decimal number
  std::vector<ArgItem> args;  // keys of the event that have no field above come with them
};

// What a key of an event means.
enum class EventField : uint8_t {
  kScope,
  kPhase,
  kTime,
  kDuration,
  kPid,
  kTid,
  kCategory,
  kName,
  kId,
  kBinding,  // which slice a flow binds to; its time says the same
  kArg       // none of these: it is kept with the args
};
EventField FieldOf(std::string_view key);

// One value as it stands in the text: a text (without its quotes), something bare, or an array or
// object that is kept as text.
struct Token {
  enum class Kind { kText, kBare, kNested };
  Kind kind = Kind::kBare;
  std::string_view text;
  const char* at = nullptr;  // where the value begins
  bool odd = false;          // kText, kNested: holds more than plain ASCII on one line
  bool checked = true;       // kNested: known to be sound
};

class EventReader {
 public:
  enum class Status { kOk, kNeedMore, kBad, kTooDeep };

  explicit EventReader(StringPool* strings);

  // An event whose tokens are found elsewhere: Begin(), then each field and each member of "args".
  // Afterwards event() and mended() hold it.
  void Begin();
  void TakeField(std::string_view key, const Token& token) {
    const EventField field = FieldOf(key);
    field == EventField::kArg ? TakeArg(key, token) : TakeField(field, token);
  }
  void TakeArg(std::string_view key, const Token& token) {
    if (key.size() <= 3) NoteArg(key);
    TakeValue(InternKey(key), token, &event_.args.emplace_back());
  }

  // For one who knows the keys beforehand, each field once and no "ph" among the args: the begin of
  // an event whose phase and category are known and which has so many args, to be filled; then its
  // fields but for kArg, and its args by the ids of their keys.
  RawEvent* BeginAs(char phase, StringId category, size_t args) {
    BeginFields();
    phase_seen_ = true;
    event_.phase = phase;
    event_.category = category;
    if (event_.args.size() != args) event_.args.resize(args);
    return &event_;
  }
  void TakeField(EventField field, const Token& token);
  // Writes all of `*item`.
  void TakeValue(StringId key, const Token& token, ArgItem* item);
  StringId InternKey(std::string_view key);
  StringPool& strings() { return *strings_; }

  // False when a value is no sound array or object, or the args are an event of their own: then
  // the text was damaged, and what was taken is no event.
  bool sound() const { return !unsound_ && args_seen_ != (kSawPhase | kSawEventField); }

  // Whether the event says what it is ("ph").
  bool has_phase() const { return phase_seen_; }

  // Reads the object at `p` ('{'). On kOk *next stands behind it and event() holds it. kNeedMore:
  // the text ends inside the object. kBad: it is malformed. `lenient`: mends raw quotes in texts
  // at the price of looking ahead; meant for what was kBad without, up to where another event
  // begins.
  Status Read(const char* p, const char* end, bool lenient, const char** next);
  const RawEvent& event() const { return event_; }
  // Mended damage of the last event read: kind and position.
  const std::vector<std::pair<ProblemKind, const char*>>& mended() const { return mended_; }

  // Bytes in which the last Read looked for the ends of texts, for those who bound lenient reading.
  uint64_t lenient_bytes() const { return lenient_bytes_; }

  // Reads any object into items, with the same tolerance; for values outside the event list.
  Status ReadObject(const char* p, const char* end, std::vector<ArgItem>* items, const char** next);

 private:
  struct CachedKey {
    std::string_view text;
    StringId id = 0;
  };

  enum : uint8_t { kSawPhase = 1, kSawEventField = 2 };

  void BeginFields();
  void NoteArg(std::string_view key) {
    if (key == "ph") args_seen_ |= kSawPhase;
    if (key == "ts" || key == "pid" || key == "tid") args_seen_ |= kSawEventField;
  }
  // Checks an array or object that is kept under `id`; each text only once.
  void CheckNested(const Token& token, StringId id);

  template <typename Member>
  Status ReadMembers(const char* p, const char* end, const char** next, Member&& member);
  // The value at `p`, of any kind.
  Status ReadToken(const char* p, const char* end, Token* token, const char** next);
  Status ReadText(const char* p, const char* end, Token* token, const char** next);
  // The text of a token as valid UTF-8 without escapes; what is mended on the way is reported.
  std::string_view Clean(const Token& token);
  // The same for what is kept as a text: numbers need no look at their letters, bare words do.
  std::string_view CleanText(const Token& token);
  RecordedId TakeId(const Token& token);
  void TakePhase(const Token& token);
  void TakeEventId(const Token& token);
  void Report(const CleanProblems& problems, const char* at);

  StringPool* strings_;
  RawEvent event_;
  bool lenient_ = false;
  bool unsound_ = false;
  bool phase_seen_ = false;
  uint32_t fields_ = 0;       // of the event so far
  uint32_t phase_field_ = 0;  // fields_ and the args at its "ph"
  size_t phase_args_ = 0;
  uint8_t args_seen_ = 0;
  uint64_t lenient_bytes_ = 0;
  std::vector<std::pair<ProblemKind, const char*>> mended_;
  std::string scratch_;
  std::array<CachedKey, 256> keys_;
  std::vector<bool> sound_nested_;  // by id: the text is a sound array or object
};

}  // namespace emberline
