#include "ingest/trace_event/cursor.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ingest/trace_event/scan.h"
#include "ingest/trace_event/silent_entries.h"

namespace emberline {
namespace {

constexpr uint64_t kBudgetFactor = 4;
constexpr uint64_t kBudgetBase = 1 << 22;

const char* Limited(const char* p, const char* end) {
  return static_cast<size_t>(end - p) > kLookAhead ? p + kLookAhead : end;
}

}  // namespace

const char* Cursor::LookAhead() {
  // One byte more tells whether the text ends there.
  Ahead(kLookAhead + 1);
  return Limited(window_.pos(), window_.end());
}

int Cursor::Peek() {
  for (;;) {
    const char* p = SkipSpace(window_.pos(), window_.end());
    window_.set_pos(p);
    if (p < window_.end()) return static_cast<unsigned char>(*p);
    if (!Fill()) return -1;
  }
}

bool Cursor::MayLookFurther() const {
  return looked_through_ < kBudgetBase + kBudgetFactor * window_.offset();
}

bool Cursor::HasEventNear(const char* p) {
  const char* const end = Limited(p, window_.end());
  const bool thorough = MayLookFurther();
  char before = '\0';
  for (const char* q = p; q < end; ++q) {
    if (*q == '{' && BeginsEvent(q, end, before, thorough, &looked_through_)) return true;
    if (!IsSpace(*q)) before = *q;
  }
  looked_through_ += static_cast<uint64_t>(end - p);
  return false;
}

// Whether the ']' at `p`, amid damaged text, is the end of the list: the end of the file or a key
// of the header follows.
bool Cursor::EndsList(const char* p, char before) {
  const char* const end = Limited(p, window_.end());
  const char* after = SkipSpace(p + 1, end);
  if (after < end && *after == '}') {
    after = SkipSpace(after + 1, end);
    return IsLast(after) && before == '}';
  }
  if (IsLast(after)) return before == '}';
  if (after >= end || *after != ',') return false;
  after = SkipSpace(after + 1, end);
  if (after >= end || *after != '"') return false;
  const KeyAt key = FindKey(after, end);
  if (key.of_header) return true;
  return key.found && !key.of_event && before == '}' && !HasEventNear(after);
}

Cursor::Place Cursor::FindNext(size_t from, size_t limit, In in) {
  Place place;
  // The last two bytes that are no white space.
  char before = '\0', earlier = '\0';
  for (const char* p = window_.pos() + std::min(from, window_.available());
       p > window_.pos() && earlier == '\0';) {
    if (!IsSpace(*--p)) (before == '\0' ? before : earlier) = *p;
  }
  size_t distance = from;
  const bool thorough = MayLookFurther();
  for (;;) {
    // Each place is judged with the same text behind it, however the text comes.
    if (!window_.at_end() && window_.available() <= distance + kLookAhead && distance < limit) {
      if (Fill()) continue;
    }
    size_t sure = window_.available();
    if (!window_.at_end()) sure -= std::min(sure, kLookAhead);
    const char* const stop = window_.pos() + std::max(distance, std::min(sure, limit));
    const char* const end = window_.end();
    const char* p = window_.pos() + distance;
    for (; p < stop; ++p) {
      const char c = *p;
      if (IsSpace(c)) continue;
      if (c == '{') {
        if (BeginsEvent(p, end, before, thorough, &looked_through_)) {
          place.kind = Place::Kind::kEvent;
          const char last = before == ',' ? earlier : before;
          place.border = last == '}' || last == ']' || last == '[' || last == ',';
          break;
        }
      } else if (c == '"') {
        if (end - p >= 4 && std::memcmp(p, "\"ph\"", 4) == 0) ++place.phases;
        const bool may_be =
            in == In::kHeader || (before == ',' && (earlier == ']' || earlier == '}'));
        if (may_be && FindKey(p, Limited(p, end)).of_header) {
          place.kind = Place::Kind::kHeaderKey;
          break;
        }
      } else if (c == ']' && in == In::kList && EndsList(p, before)) {
        place.kind = Place::Kind::kListEnd;
        break;
      }
      earlier = std::exchange(before, c);
    }
    distance = static_cast<size_t>(p - window_.pos());
    place.distance = distance;
    if (place.kind != Place::Kind::kNothing || distance >= limit || window_.at_end() ||
        cancelled()) {
      return place;
    }
  }
}

// Looks for entries in front of `place`.
void Cursor::FindSilent(Place* place) {
  const char* const begin = window_.pos();
  const char* end = begin + place->distance;
  if (place->kind == Place::Kind::kNothing) {
    // The end of the list, if it is one, lies in front.
    for (const char bracket : {'}', ']'}) {
      while (end > begin && IsSpace(end[-1])) --end;
      if (end > begin && end[-1] == bracket) --end;
    }
  }
  const SilentEntries silent = FindSilentEntries(begin, end);
  place->silent_objects = silent.objects;
  place->silent_others = silent.others;
  if (silent.objects > 0) place->first_object = window_.OffsetOf(silent.first_object);
  if (silent.others > 0) place->first_other = window_.OffsetOf(silent.first_other);
}

Cursor::Place Cursor::GoToNext(size_t from, In in) {
  uint64_t phases = 0;
  for (;;) {
    Place place = FindNext(from, kMaxEventBytes, in);
    place.phases = phases += place.phases;
    if (in == In::kList) FindSilent(&place);
    Take(place.distance);
    if (place.kind != Place::Kind::kNothing || cancelled()) return place;
    if (window_.at_end() && window_.available() == 0) return place;
    from = 0;
  }
}

}  // namespace emberline
