// Hands events from the thread that reads the text to the one that files them into columns, so that
// both halves of loading run side by side. What comes out is the same as without it.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/cores.h"
#include "base/heap.h"
#include "ingest/trace_event/event_sink.h"

namespace emberline {

// Used by the reading thread; owns the filing thread. While that one runs, the sink and what it
// fills are its own, and strings are the reader's: an event whose meaning has to be looked up in a
// string is filed by the reader, when the other thread has nothing left to do. These are few: the
// first of each category, metadata, asynchronous events.
class EventQueue {
 public:
  // `alone`: so many events are filed by the reader before it gets help; a short trace is done by
  // then. Nothing is gained on a single core, and no thread is started there.
  EventQueue(EventSink* sink, StringPool* strings, uint64_t alone);
  // Lets go what was not filed yet: of a reader that gave up.
  ~EventQueue();
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  // As of EventSink, in the same order. May throw what the sink threw.
  void Take(const RawEvent& event, uint64_t offset);
  void Drop(ProblemKind kind, uint64_t offset, uint64_t count = 1);
  bool CanTakeMore(uint64_t count = 1) const { return taken_ + count < kNone; }
  // Whether another thread files: the trace is long enough to gain from threads.
  bool helped() const { return beside_; }
  // Files everything that was taken. Afterwards the sink is the reader's, until the next Take().
  void Drain();
  // Does so and ends the other thread: no event follows. Gives back what the queue took.
  void Finish();

 private:
  // An event's fields in one cache line, as each line that another core wrote takes long to come.
  struct alignas(kCacheLine) Entry {
    char phase = '\0';
    char scope = '\0';   // of a Drop(): the kind of the problem
    uint16_t flags = 0;  // see event_queue.cc
    uint32_t args = 0;   // how many of the batch's, behind those of the entry before
    StringId name = 0, category = 0;
    uint64_t pid = 0, tid = 0;  // the number, or that of the text
    Ns ts = 0, dur = 0;
    uint64_t id = 0;  // of a Drop(): how many
    uint64_t offset = 0;
  };
  static_assert(sizeof(Entry) == kCacheLine);
  struct alignas(kApart) Batch {
    Entry* entries = nullptr;  // room for kBatchEvents
    ArgItem* args = nullptr;   // room for kBatchArgs
    size_t entry_count = 0, arg_count = 0;
  };
  // Enough that either thread goes on while the other one waits for memory for some milliseconds.
  static constexpr size_t kBatches = 32;
  static constexpr size_t kBatchEvents = 1024;
  static constexpr size_t kBatchArgs = 1 << 13;
  static constexpr size_t kBatchBytes = kBatchEvents * sizeof(Entry) + kBatchArgs * sizeof(ArgItem);
  // A thread that had nothing to do sleeps until there are so many batches for it: waking takes as
  // long as filing some hundred events.
  static constexpr size_t kWorthFiling = 4, kWorthFilling = kBatches / 2;

  static Entry Packed(const EventFields& fields);
  static void Unpack(const Entry& entry, EventFields* fields);
  // Whether the sink can file the event without looking into a string.
  bool IsPlain(const RawEvent& event);
  static bool Mark(std::vector<bool>* known, StringId id);
  void Begin();
  void Stop();
  void Append(const Entry& entry);
  void Flush();
  void Run();
  // `event` is its thread's, to be filled.
  void File(Batch& batch, RawEvent* event);

  EventSink* sink_;
  uint64_t alone_;
  const StringId memory_name_;
  uint64_t taken_ = 0;                         // events and what was dropped
  uint64_t direct_ = 0;                        // filed by the reader since the other thread began
  std::vector<bool> categories_, flow_names_;  // by id: the sink knows what it means
  bool beside_ = false;                        // another thread files

  OwnedBlock<std::byte> room_;  // of all batches, while another thread files
  std::array<Batch, kBatches> batches_;
  Batch* filling_ = nullptr;  // of the reader
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_, as all below. Of the free ones the last is filled next: its memory is still
  // in the caches.
  std::vector<Batch*> free_;
  std::array<Batch*, kBatches> full_ = {};  // a ring, in the order of the file
  size_t head_ = 0, tail_ = 0, filled_ = 0;
  bool draining_ = false, stop_ = false;
  std::exception_ptr failure_;
};

}  // namespace emberline
