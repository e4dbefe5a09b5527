// How events are spelled. A recorder writes its events with a few format strings, so that the same
// text stands between the values of an event as in earlier events of its kind. Such an event is
// read in one pass over its text: no index of its tokens is needed, and no key is looked up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/trace_event/event_reader.h"

namespace emberline {

// Used by the reading thread. An event that it reads is what EventReader::Read makes of the same
// text; what it does not know or what is not sound is left to others.
class EventShapes {
 public:
  explicit EventShapes(EventReader* reader) : reader_(reader) {}

  // Reads the event at `p` ('{') if it is spelled like one that was learned. Returns what stands
  // behind it, and the reader holds it; null when it is not known or does not end before `end`.
  // Reads up to Window::kPadding bytes behind `end`.
  const char* Read(const char* p, const char* end);

  // Remembers how the event in [p, end) is spelled, which the reader holds and found sound. Only
  // plain spellings are learned, and at most kMaxShapes: the one that was used longest ago makes
  // room.
  void Learn(const char* p, const char* end);

  static constexpr size_t kMaxShapes = 64;

 private:
  // What is expected of a value. A number that is spelled in another way is read as a kWord is.
  enum class Kind : uint8_t {
    kText,
    kNested,
    kTime,
    kDuration,
    kPid,
    kTid,
    kId,
    kInteger,  // of an arg
    kWord,     // anything else without quotes
    kEnd       // of the event: no value follows
  };
  // The text in front of a value, and what becomes of the value.
  struct Step {
    uint32_t literal = 0;  // where it begins in Shape::text
    uint32_t length = 0;
    Kind kind = Kind::kEnd;
    EventField field = EventField::kArg;
    StringId key = 0;         // of kArg
    StringId last_value = 0;  // the text of the event before, which is often repeated
  };
  static constexpr size_t kFollowers = 4;
  struct Shape {
    std::string text;  // all literals, one behind the other
    std::vector<Step> steps;
    uint8_t followers[kFollowers] = {};  // which shapes came next, the last one first
    uint64_t used = 0;                   // number of the event that was last spelled so
    char phase = '\0';
    StringId category = 0;
    size_t args = 0;  // how many of the values are args
  };
  class Speller;

  // Behind the text in front of the step's value; null when another one stands at `p`.
  static const char* SkipLiteral(const Shape& shape, const Step& step, const char* p,
                                 const char* end);
  // The event whose first value stands at `p`.
  const char* ReadAs(Shape* shape, const char* p, const char* end);
  // Each takes the value at `p`, that of an arg into `*item`, and returns what stands behind it.
  const char* TakeWord(const Step& step, const char* p, const char* end, ArgItem* item);
  const char* TakeText(Step* step, const char* p, const char* end, RawEvent* event, ArgItem* item);
  const char* TakeNested(Step* step, const char* p, const char* end, ArgItem* item);
  void Follow(size_t index);
  // Read() with one shape alone, and with all but the one that was tried first.
  const char* TryAs(size_t index, const char* p, const char* end);
  const char* ReadUnlikely(size_t tried_first, const char* p, const char* end);

  EventReader* reader_;
  std::vector<Shape> shapes_;
  size_t last_ = 0;  // the shape of the event before
  uint64_t events_ = 0;
  int tries_ = 0;  // shapes that the event at hand began like
};

}  // namespace emberline
