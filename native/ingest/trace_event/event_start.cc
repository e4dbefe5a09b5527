#include "ingest/trace_event/event_start.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "ingest/trace_event/header.h"
#include "ingest/trace_event/nested.h"
#include "ingest/trace_event/scan.h"

namespace emberline {
namespace {

constexpr std::string_view kPhaseKey = "\"ph\"";
constexpr size_t kMaxKey = 256;
// A damaged object is searched so far for its phase.
constexpr size_t kMaxDamaged = 4096;

bool StartsWith(const char* p, const char* end, std::string_view text) {
  return static_cast<size_t>(end - p) >= text.size() &&
         std::memcmp(p, text.data(), text.size()) == 0;
}

// Whether "ph" at `p` is a key with a phase: one letter.
bool HasPhase(const char* p, const char* end) {
  p = SkipSpace(p + kPhaseKey.size(), end);
  if (p >= end || *p != ':') return false;
  p = SkipSpace(p + 1, end);
  return end - p > 2 && p[0] == '"' && p[2] == '"' &&
         ((p[1] >= 'a' && p[1] <= 'z') || (p[1] >= 'A' && p[1] <= 'Z'));
}

// Whether an entry of a list may stand behind `before`.
bool MayFollow(char before) {
  return before == ',' || before == '}' || before == ']' || before == '[' || before == '{';
}

// Whether a key "ph" stands behind `p`, where an object is damaged, and in front of the next one.
// Behind a key of the header it is another's: that of the first event.
bool FindsPhaseBehindDamage(const char* p, const char* end) {
  if (static_cast<size_t>(end - p) > kMaxDamaged) end = p + kMaxDamaged;
  // The quote in front of it may open a key, although it was taken for the end of a text.
  if (p[-1] == '"' && FindKey(p - 1, end).of_header) return false;
  for (char before = '\0'; p < end; ++p) {
    if (*p == '{' && (before == ',' || before == '}')) return false;
    if (*p == '"') {
      if (StartsWith(p, end, kPhaseKey)) return true;
      if (FindKey(p, end).of_header) return false;
    }
    if (!IsSpace(*p)) before = *p;
  }
  return false;
}

// kMissing: the object is sound and has what only events have, but no phase.
enum class Phase { kNone, kMissing, kSound, kDamaged };

// Walks over the members of the object whose first key stands at `p`, up to "ph". *reached: how
// far.
Phase FindPhase(const char* p, const char* end, const char** reached) {
  bool named = false, placed = false;  // on a thread or in time
  for (;;) {
    *reached = p;
    if (p >= end) return Phase::kDamaged;  // larger than what is looked at
    if (*p == '}') return named && placed ? Phase::kMissing : Phase::kNone;
    if (*p != '"') break;
    if (StartsWith(p, end, "\"traceEvents\"")) return Phase::kNone;
    named |= StartsWith(p, end, "\"name\"");
    for (const std::string_view key : {"\"ts\"", "\"pid\"", "\"tid\""}) {
      placed |= StartsWith(p, end, key);
    }
    if (StartsWith(p, end, kPhaseKey)) {
      return HasPhase(p, end) ? Phase::kSound : Phase::kDamaged;
    }
    ScannedString string;
    p = ScanString(p + 1, end, &string);
    if (p == nullptr) break;
    p = SkipSpace(p, end);
    if (p >= end || *p != ':') break;
    p = SkipSpace(p + 1, end);
    if (p >= end) break;
    if (*p == '"') {
      p = ScanString(p + 1, end, &string);
      if (p == nullptr) break;
    } else if (*p == '{' || *p == '[') {
      const Nested nested = ScanNested(p, end, false);
      if (nested.state == NestedState::kNeedMore) {
        *reached = end;
        return Phase::kDamaged;
      }
      if (nested.state != NestedState::kSound) break;
      p = nested.end;
    } else {
      p = std::find_if(p, end, [](char c) { return c == ',' || c == '}' || c == '"'; });
    }
    p = SkipSpace(p, end);
    if (p < end && *p == ',') p = SkipSpace(p + 1, end);
  }
  return FindsPhaseBehindDamage(*reached, end) ? Phase::kDamaged : Phase::kNone;
}

}  // namespace

bool BeginsEvent(const char* p, const char* end, char before, bool thorough, uint64_t* searched) {
  if (static_cast<size_t>(end - p) > kLookAhead) end = p + kLookAhead;
  const char* const key = SkipSpace(p + 1, end);
  if (key >= end || *key != '"') return false;
  if (StartsWith(key, end, kPhaseKey)) return HasPhase(key, end) || MayFollow(before);
  // A trace, whatever stands in it.
  if (!thorough || before == ':' || FindKey(key, end).of_header) return false;
  const char* reached = key;
  const Phase phase = FindPhase(key, end, &reached);
  *searched += static_cast<uint64_t>(reached - p);
  switch (phase) {
    case Phase::kSound:
      return true;
    case Phase::kDamaged:
      return MayFollow(before);
    case Phase::kMissing:
      // It is dropped as an event without a phase, and counted as one.
      return before == ',';
    case Phase::kNone:
      break;
  }
  return false;
}

KeyAt FindKey(const char* p, const char* end) {
  KeyAt result;
  const char* const from = p + 1;
  const char* const limit = static_cast<size_t>(end - from) > kMaxKey ? from + kMaxKey : end;
  for (p = from; p < limit && *p != '"' && *p != '\n' && *p != '\\'; ++p) {
  }
  if (p >= limit || *p != '"') return result;
  const std::string_view key(from, static_cast<size_t>(p - from));
  p = SkipSpace(p + 1, end);
  if (p >= end || *p != ':') return result;
  result.found = true;
  for (const char* field :
       {"ph", "pid", "tid", "ts", "dur", "cat", "args", "name", "id", "s", "bp"}) {
    result.of_event |= key == field;
  }
  result.of_header = HeaderReader::IsKnownKey({from, key.size() + 1});
  return result;
}

}  // namespace emberline
