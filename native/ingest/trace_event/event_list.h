// The list of events: sound ones in batches, damaged ones one by one, and what stands between them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "ingest/read_trace.h"
#include "ingest/trace_event/ahead_readers.h"
#include "ingest/trace_event/cursor.h"
#include "ingest/trace_event/event_batch.h"
#include "ingest/trace_event/event_queue.h"
#include "ingest/trace_event/event_reader.h"
#include "store/problems.h"

namespace emberline {

class EventList {
 public:
  // `step` is called now and then while events are read. Of the options it wants how many threads
  // read ahead of this one, once the sink has help of its own, and how much text is a batch.
  EventList(Cursor* cursor, StringPool* strings, Problems* problems, EventQueue* sink,
            const ReadOptions& options, std::function<void()> step);

  enum class Left {
    kClosed,     // behind its closing bracket
    kHeader,     // at a key or a brace that does not belong to the list
    kEndOfText,  // cut off in the list or in an event, or cancelled
  };
  // Reads from behind the opening bracket, or from an event, to where the list ends: where nothing
  // follows that is like an event.
  Left Read();
  // Behind the last Read(): gives back what reading ahead took.
  void Finish() { ahead_.reset(); }

 private:
  // Reads the sound events at hand, the next one first; false when that one has to be read alone.
  bool ReadBatch();
  // Hands out the text that follows, as long as the readers ahead have room.
  void OfferPieces();
  // Takes what was read ahead of the text at hand; null when nothing was.
  const AheadReaders::Piece* FindPiece();
  void TakePiece(const AheadReaders::Piece& piece);
  // False when it was damaged and the cursor moved on to the next one.
  bool ReadOneEvent();
  bool LeaveOutDeep();
  EventReader::Status ReadStrictly(const char** next);
  void GiveUp(ProblemKind kind);
  void LosePart(ProblemKind kind, uint64_t offset, uint64_t phases);
  // The event that was read, from `begin` on.
  void TakeEvent(const char* begin);
  void NotePhase(bool has_phase, bool has_members);
  void TakeMended(ProblemKind kind, uint64_t offset);
  // What an entry is that is no event: one that was taken, a bracket too many that was skipped, a
  // part of something damaged, or no entry at all.
  enum class Entry { kTaken, kStray, kFragment, kHeader };
  Entry ReadEntry(int first, uint64_t* phases);
  Entry ReadWord(const char* end);
  void SkipFragment();
  void CountSilent(const Cursor::Place& next);
  void SkipStray();
  bool IsStrayBrace();
  bool ClosesList();
  Left AtBrace(bool* stray);
  bool FollowsHeaderKey(const char* p, const char* end);

  Cursor& cursor_;
  StringPool& strings_;
  Problems& problems_;
  EventReader events_;
  EventBatch batch_;
  EventQueue& sink_;
  const size_t batch_bytes_;
  const size_t ahead_threads_;
  std::optional<AheadReaders> ahead_;
  uint64_t offer_from_ = 0;   // where the next piece begins
  uint64_t offer_after_ = 0;  // none is offered before reading gets here
  uint64_t offer_rest_;       // so many bytes are read alone when a piece was of no use
  std::function<void()> step_;
  // Events that were counted although they have no "ph", since the last one that has: damage may
  // have cut it off, and what it was cut from is not counted again.
  uint64_t without_phase_ = 0;
  bool empty_ = false;             // the last of these has no members
  bool cut_ = false;               // the text ended, or no more events can be numbered
  uint64_t one_by_one_until_ = 0;  // where the next batch may begin
  uint64_t next_step_ = 0;
};

}  // namespace emberline
