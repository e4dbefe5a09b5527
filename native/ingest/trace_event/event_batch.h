// Sound events, many at a time. simdjson finds where each of their tokens stands; what it rejects
// is left to the tolerant EventReader::Read.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "ingest/trace_event/event_reader.h"

namespace emberline {

class EventBatch {
 public:
  // The most text of one batch: its index then stays in the processor's caches.
  static constexpr size_t kMaxBytes = 1 << 18;

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
  const char* ReadList(const char* list, size_t size, const TakeEvent& take);

  EventReader* reader_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace emberline
