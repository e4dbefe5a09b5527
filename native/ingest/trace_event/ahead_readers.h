// Pieces of the event list, read on threads of their own ahead of the thread that reads the list.
// That one takes them as they are where it would begin to read a batch at the same place, so what
// is read is the same as without them; where damage leads it elsewhere, they are dropped.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/cores.h"
#include "base/string_pool.h"
#include "ingest/trace_event/event_reader.h"

namespace emberline {

// Used by the reading thread, which alone calls it; owns the threads that read ahead. Each of them
// has strings of its own; the reading thread puts the trace's in their place.
class AheadReaders {
 public:
  struct Event {
    uint32_t at = 0;  // bytes behind the piece's first
    bool has_phase = false;
    bool has_members = true;
  };
  struct Mended {
    uint32_t event = 0;  // number in the piece
    ProblemKind kind = ProblemKind::kTruncated;
    uint32_t at = 0;  // bytes behind the piece's first
  };
  // A stretch of the list, from an event's '{' to the comma behind an event, and what it holds.
  struct Piece {
    uint64_t offset = 0;  // of its first byte in the text of the trace
    size_t size = 0;      // bytes up to the comma
    size_t reached = 0;   // `size` when all events are sound, else behind the last one that is
    std::vector<Event> events;
    std::vector<Mended> mended;  // in the events' order
  };

  // How many threads read ahead on a machine with so many cores. One each inflates, takes what was
  // read, and files it; with less than four cores these have enough to do.
  static size_t ThreadsFor(size_t cores);

  // Starts `threads` of them, or as many as are to be had.
  explicit AheadReaders(size_t threads);
  ~AheadReaders();
  AheadReaders(const AheadReaders&) = delete;
  AheadReaders& operator=(const AheadReaders&) = delete;

  // Whether another piece can be offered.
  bool HasRoom() const { return !threads_.empty() && offered_ - taken_ < slots_.size(); }
  // Whether none is on its way.
  bool IsIdle() const { return offered_ == taken_; }
  // Has the piece [first, stop) read, which is copied: it begins at `offset` of the trace's text,
  // with the '{' of an event, and a comma behind an event stands at `stop`.
  void Offer(const char* first, const char* stop, uint64_t offset);

  // Drops the pieces that begin in front of `offset`; false when there are none.
  bool DropBefore(uint64_t offset);
  // The piece that begins at `offset`, once it is read; null when none does, or it is of no use.
  // May throw what reading it threw. Its events are to be taken, all of them one after the other.
  const Piece* At(uint64_t offset);
  // The next event of the piece that At() returned, with strings of `strings`. Those that are new
  // come in the order in which they stand in the text. Valid until the next call.
  const RawEvent& Take(StringPool* strings);
  // Lets go the piece that At() returned.
  void Release();

 private:
  // The strings of one thread, up to a size at which it begins anew.
  struct Names {
    StringPool pool;            // the thread's
    std::vector<StringId> ids;  // by id in the pool, those of the trace; the reading thread's
    // Set by the reading thread when it does not take all that a piece added: the trace shall not
    // know strings that no event holds, nor in another order than that of the text, so that no
    // later piece of these strings is taken, and the thread begins anew.
    std::atomic<bool> incomplete = false;
  };
  // What is read of an event, with the thread's strings.
  struct Fields {
    EventFields fields;
    uint32_t args = 0;     // how many of the slot's, behind those of the event before
    uint32_t id_text = 0;  // one more than its number among the slot's; 0: none
    StringId names = 0;    // so many strings the thread had then
  };
  // Each is filled by one thread while others fill theirs.
  struct alignas(kApart) Slot {
    Piece piece;
    std::vector<Fields> fields;  // of the piece's events
    std::vector<ArgItem> args;
    std::vector<std::string> id_texts;
    std::vector<char> text;  // with a byte in front, and padding behind
    std::shared_ptr<Names> names;
    StringId names_before = 0;
    std::vector<std::string_view> added;  // to the names, by this piece's events
    bool all_added = false;               // nothing else was added to them
    std::exception_ptr failure;
    bool done = false;  // guarded by mutex_
  };
  struct Reader;

  void Run();
  static void Read(Reader* reader, Slot* slot);
  Slot& Front() { return slots_[taken_ % slots_.size()]; }
  void AwaitFront();
  void Drop();

  std::vector<Slot> slots_;
  std::vector<std::thread> threads_;
  uint64_t offered_ = 0;  // written by the reading thread alone, with mutex_ held
  // The reading thread's, as all up to mutex_.
  uint64_t taken_ = 0;
  size_t next_event_ = 0;  // of the piece at hand, that is taken next
  size_t next_arg_ = 0;
  RawEvent event_;
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t begun_ = 0;  // guarded by mutex_
  bool stop_ = false;   // guarded by mutex_
};

}  // namespace emberline
