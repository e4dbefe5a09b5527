#include "ingest/trace_event/event_batch.h"

#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "ingest/trace_event/header.h"
#include "ingest/trace_event/nested.h"
#include "ingest/trace_event/scan.h"
#include "ingest/trace_event/window.h"

namespace emberline {
namespace {

using simdjson::ondemand::object;
using simdjson::ondemand::value;

static_assert(Window::kPadding >= simdjson::SIMDJSON_PADDING);

// Text that is indexed for one event of an unknown spelling, with those behind it.
constexpr size_t kLeastPiece = 4096;

// simdjson finds tokens but looks into them only when asked: what they must not be, is checked
// here. Arrays and objects are left to the reader, which knows those that it has seen before.
bool ToToken(value& from, Token* token) {
  const std::string_view raw = from.raw_json_token();
  const char* const at = raw.data();
  const char next = at[raw.size()];  // begins the token behind this one
  const bool ends = next == ',' || next == '}';
  switch (*at) {
    case '"': {
      // A text that a colon follows would be skipped like a key, with what is behind it.
      if (!ends) return false;
      ScannedString string;
      if (ScanString(at + 1, at + raw.size(), &string) == nullptr) return false;
      *token = {Token::Kind::kText, string.text(), at + 1, string.odd};
      return true;
    }
    case '{':
    case '[': {
      std::string_view nested;
      // An object that does not begin with a key would be skipped without its closing brace.
      if (*at == '{' && next != '"' && next != '}') return false;
      if (from.raw_json().get(nested)) return false;
      nested = TrimRight(nested);
      *token = {Token::Kind::kNested, nested, at, IsOdd(nested), false};
      return true;
    }
    case ',':
    case ':':
    case '}':
    case ']':
      return false;
    default:
      // Control characters pass for white space, but not here.
      if (IsSpace(*at)) return false;
      *token = {Token::Kind::kBare, TrimRight(raw), at, false};
      // A quote right behind a bare word begins no token here.
      return ends && !token->text.empty() && token->text.find('"') == std::string_view::npos;
  }
}

// Calls `member(key, value)` for each member, until it returns false.
template <typename Member>
bool EachMember(object& members, Member&& member) {
  for (auto field : members) {
    std::string_view key;
    value inner;
    if (field.escaped_key().get(key) || field.value().get(inner)) return false;
    // Keys with escapes are rare enough for the other reader.
    if (key.find('\\') != std::string_view::npos || !member(key, inner)) return false;
  }
  return true;
}

bool ReadEvent(object& event, EventReader* reader) {
  reader->Begin();
  Token token;
  bool first = true;
  return EachMember(event, [&](std::string_view key, value& field) {
    // A trace, whatever stands in it. The quote behind the key tells that it is whole.
    if (std::exchange(first, false) && HeaderReader::IsKnownKey({key.data(), key.size() + 1})) {
      return false;
    }
    if (key == "args" && *field.raw_json_token().data() == '{') {
      object args;
      return !field.get_object().get(args) &&
             EachMember(args, [&](std::string_view name, value& arg) {
               if (!ToToken(arg, &token)) return false;
               reader->TakeArg(name, token);
               return true;
             });
    }
    if (!ToToken(field, &token)) return false;
    // Only args are checked when they are taken.
    if (token.kind == Token::Kind::kNested) token.checked = IsSoundNested(token.text);
    if (token.kind == Token::Kind::kNested && !token.checked) return false;
    reader->TakeField(key, token);
    return true;
  });
}

}  // namespace

struct EventBatch::Parser {
  simdjson::ondemand::parser json;
};

EventBatch::EventBatch(EventReader* reader)
    : reader_(reader),
      shapes_(reader),
      piece_bytes_(kLeastPiece),
      parser_(std::make_unique<Parser>()) {}

EventBatch::~EventBatch() = default;

const char* EventBatch::ReadList(const char* list, size_t size, const TakeEvent& take) {
  const char* reached = list + 1;
  bool learned = false;
  simdjson::ondemand::document document;
  simdjson::ondemand::array events;
  if (parser_->json.iterate(list, size, size + Window::kPadding).get(document) ||
      document.get_array().get(events)) {
    return reached;
  }
  for (auto element : events) {
    value entry;
    object event;
    if (element.get(entry)) break;
    const char* const at = entry.raw_json_token().data();
    const char* behind = nullptr;
    if (entry.get_object().get(event) || !ReadEvent(event, reader_) || !reader_->sound() ||
        document.current_location().get(behind)) {
      break;
    }
    if (!std::exchange(learned, true)) shapes_.Learn(at, behind);
    if (!take(at)) break;
    reached = behind;
  }
  return reached;
}

char* EventBatch::ReadIndexed(char* first, char* stop, const TakeEvent& take) {
  char* const list = first - 1;
  const char before = *list, behind = *stop;
  *list = '[';
  *stop = ']';
  const char* const reached = ReadList(list, static_cast<size_t>(stop + 1 - list), take);
  *list = before;
  *stop = behind;
  return first + (reached - first);
}

// The event that follows behind one, when it does so as in any list.
EventBatch::Place EventBatch::Behind(char* event_end, const char* stop) {
  Place place;
  place.behind = event_end;
  const char* p = SkipSpace(event_end, stop);
  if (p >= stop || *p != ',') return place;
  p = SkipSpace(p + 1, stop);
  if (p < stop && *p == '{') place.next = event_end + (p - event_end);
  return place;
}

void EventBatch::ReadKnown(const char* stop, const TakeEvent& take, Place* place) {
  while (place->next != nullptr) {
    const char* const behind = shapes_.Read(place->next, stop);
    if (behind == nullptr) return;
    if (!take(place->next)) {
      place->told_to_end = true;
      return;
    }
    *place = Behind(place->next + (behind - place->next), stop);
  }
}

const char* EventBatch::Read(char* first, char* stop, const TakeEvent& take) {
  Place place{first, first, false};
  for (;;) {
    const char* const from = place.next;
    ReadKnown(stop, take, &place);
    if (place.told_to_end) return place.behind;
    if (place.next == nullptr) {
      return SkipSpace(place.behind, stop) == stop ? stop : place.behind;
    }
    // An index is worth the more the fewer events are known.
    piece_bytes_ = place.next - from >= static_cast<ptrdiff_t>(kLeastPiece)
                       ? kLeastPiece
                       : std::min(2 * piece_bytes_, kMaxBytes);
    char* end = stop;
    if (static_cast<size_t>(stop - place.next) > piece_bytes_) {
      const char* const border = LastEventBorder(place.next, place.next + piece_bytes_);
      if (border != nullptr) end = place.next + (border - place.next);
    }
    char* const reached = ReadIndexed(place.next, end, take);
    if (reached == end && end == stop) return stop;
    if (reached != end) return reached == place.next ? place.behind : reached;
    place = Behind(end, stop);
    if (place.next == nullptr) return place.behind;
  }
}

}  // namespace emberline
