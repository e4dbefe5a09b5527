// Sound events, many at a time: those that are spelled like others before in one pass, the others
// with simdjson, which finds where each of their tokens stands. What it rejects is left to the
// tolerant EventReader::Read.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "ingest/trace_event/event_reader.h"
#include "ingest/trace_event/event_shapes.h"

namespace emberline {

class EventBatch {
 public:
  // The most text of one batch: its index then stays in the processor's caches. Each thread that
  // reads has room for what simdjson needs to index so much, which is nearly six times as large.
  static constexpr size_t kMaxBytes = 1 << 16;

  explicit EventBatch(EventReader* reader);
  ~EventBatch();

  // Called with each event in the reader, and where it begins; false ends the batch before it.
  using TakeEvent = std::function<bool(const char* at)>;

  // Reads the events of a list in [first, stop): `first` is the '{' of an event and `stop` the
  // comma behind one. The bytes first[-1] and *stop are lent for brackets meanwhile, and
  // Window::kPadding bytes behind `stop` can be read. Returns where it ended: `stop` when all
  // events were sound, otherwise behind the last one that was taken (`first` when none was).
  const char* Read(char* first, char* stop, const TakeEvent& take);

 private:
  struct Parser;
  // Where reading ended, between two events or behind the last one.
  struct Place {
    char* behind = nullptr;    // the last event that was taken
    char* next = nullptr;      // the '{' of the next one; null when none follows
    bool told_to_end = false;  // by `take`
  };
  // Reads events from `place.next` on, as long as their spelling is known.
  void ReadKnown(const char* stop, const TakeEvent& take, Place* place);
  // Reads the events in [first, stop) with simdjson and learns how the first one is spelled.
  char* ReadIndexed(char* first, char* stop, const TakeEvent& take);
  const char* ReadList(const char* list, size_t size, const TakeEvent& take);
  static Place Behind(char* event_end, const char* stop);

  EventReader* reader_;
  EventShapes shapes_;
  size_t piece_bytes_;  // how much is indexed at an event whose spelling is not known
  std::unique_ptr<Parser> parser_;
};

}  // namespace emberline
