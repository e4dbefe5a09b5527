// A place in the text of a trace, what stands there, and where reading can go on behind damage.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cancel.h"
#include "ingest/trace_event/event_start.h"
#include "ingest/trace_event/window.h"

namespace emberline {

// One event is no larger.
inline constexpr size_t kMaxEventBytes = 16 << 20;

class Cursor {
 public:
  Cursor(ByteSource* source, const CancelToken& cancel) : window_(source), cancel_(cancel) {}

  Window& window() { return window_; }
  const char* pos() const { return window_.pos(); }
  const char* end() const { return window_.end(); }
  uint64_t offset() const { return window_.offset(); }
  bool cancelled() { return cancel_.cancelled(); }

  bool Fill() { return !cancelled() && window_.Refill(); }
  // Makes so many bytes lie at hand, or what is left of the text.
  void Ahead(size_t bytes) {
    while (window_.available() < bytes && Fill()) {
    }
  }
  // End of what is looked at from here; afterwards that much is at hand.
  const char* LookAhead();
  bool IsLast(const char* p) const { return p >= window_.end(); }
  // Next byte that is no white space, without taking it; -1 at the end.
  int Peek();
  void Take(size_t bytes = 1) { window_.set_pos(window_.pos() + bytes); }

  // What is looked for behind damage: always an event; in the list its end as well, elsewhere any
  // key that recorders write into the header.
  enum class In { kList, kHeader };
  struct Place {
    enum class Kind { kNothing, kEvent, kListEnd, kHeaderKey };
    Kind kind = Kind::kNothing;
    size_t distance = 0;  // from pos(); of kNothing: how far was looked
    uint64_t phases = 0;  // "ph" in between: of events that are passed over
    bool border = false;  // an object or a list ends in front of it, so that it is an entry's begin
    // GoToNext() only: entries right in front of it, with where they begin in the text.
    uint64_t silent_objects = 0, silent_others = 0;
    uint64_t first_object = 0, first_other = 0;
  };
  // The first such place at least `from` and less than `limit` bytes behind pos(), which stays.
  Place FindNext(size_t from, size_t limit, In in);
  // Goes to the first such place, or to the end of the text. `distance` of what it returns is that
  // of the last step only.
  Place GoToNext(size_t from, In in);
  // Whether an event begins within kLookAhead behind `p`, which is at hand.
  bool HasEventNear(const char* p);

  // Looking ahead in order to mend is bounded: a file that needs more of that than a few times what
  // was read before is hostile.
  bool MayLookFurther() const;
  void CountLookedThrough(uint64_t bytes) { looked_through_ += bytes; }

 private:
  bool EndsList(const char* p, char before);
  void FindSilent(Place* place);

  Window window_;
  const CancelToken& cancel_;
  uint64_t looked_through_ = 0;  // bytes
};

}  // namespace emberline
