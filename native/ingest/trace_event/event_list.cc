#include "ingest/trace_event/event_list.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/cores.h"
#include "ingest/trace_event/nested.h"
#include "ingest/trace_event/scan.h"
#include "ingest/trace_event/silent_entries.h"

namespace emberline {

namespace {

// Behind the object at `p`, found by its brackets alone, however deep they go; nullptr where they
// do not match up to `end`.
const char* BehindBrackets(const char* p, const char* end) {
  std::string open;
  for (; p < end; ++p) {
    if (*p == '"') {
      for (++p; p < end && *p != '"'; ++p) {
        if (*p == '\\') ++p;
      }
    } else if (*p == '{' || *p == '[') {
      open += *p;
    } else if (*p == '}' || *p == ']') {
      if (open.empty() || open.back() != (*p == '}' ? '{' : '[')) return nullptr;
      open.pop_back();
      if (open.empty()) return p + 1;
    }
  }
  return nullptr;
}

}  // namespace
namespace {

constexpr uint64_t kStepBytes = 1 << 20;
constexpr uint64_t kMostRest = 64 << 20;

// How many times "ph" stands in the text as a key or value: once in each event.
uint64_t CountPhases(std::string_view text) {
  uint64_t count = 0;
  for (size_t at = text.find("\"ph\""); at != std::string_view::npos;
       at = text.find("\"ph\"", at + 4)) {
    ++count;
  }
  return count;
}

}  // namespace

EventList::EventList(Cursor* cursor, StringPool* strings, Problems* problems, EventQueue* sink,
                     const ReadOptions& options, std::function<void()> step)
    : cursor_(*cursor),
      strings_(*strings),
      problems_(*problems),
      events_(strings),
      batch_(&events_),
      sink_(*sink),
      batch_bytes_(options.batch_bytes.value_or(EventBatch::kMaxBytes)),
      ahead_threads_(options.readers_ahead.value_or(AheadReaders::ThreadsFor(UsableCores()))),
      offer_rest_(batch_bytes_),
      step_(std::move(step)) {}

EventList::Left EventList::Read() {
  bool separated = true;
  uint64_t handled = 0;
  while (!cut_) {
    if (++handled % kCancelStride == 0 && cursor_.cancelled()) break;
    if (cursor_.offset() >= next_step_) {
      step_();
      next_step_ = cursor_.offset() + kStepBytes;
    }
    const int c = cursor_.Peek();
    if (c < 0) break;
    if (c == '{') {
      if (separated && ReadBatch()) {
        if (cursor_.cancelled()) break;
        separated = false;
        continue;
      }
      const char* const end = cursor_.LookAhead();
      if (IsStrayBrace()) {
        SkipStray();
        continue;
      }
      // The beginning of another trace's object.
      if (FollowsHeaderKey(cursor_.pos(), end)) return Left::kHeader;
      if (!separated) problems_.Add(ProblemKind::kStrayComma, cursor_.offset());
      empty_ = false;
      separated = !ReadOneEvent();
    } else if (c == ',') {
      if (separated) problems_.Add(ProblemKind::kStrayComma, cursor_.offset());
      cursor_.Take();
      separated = true;
      // What was cut from an empty one would stand right behind it.
      if (std::exchange(empty_, false)) without_phase_ = 0;
      if (cursor_.Peek() == ']') problems_.Add(ProblemKind::kStrayComma, cursor_.offset());
    } else if (c == ']') {
      if (ClosesList()) {
        cursor_.Take();
        return Left::kClosed;
      }
      SkipStray();
    } else if (c == '}') {
      bool stray = false;
      const Left left = AtBrace(&stray);
      if (!stray) return left;
      SkipStray();
    } else if (c == ':') {
      SkipStray();
    } else {
      const uint64_t offset = cursor_.offset();
      uint64_t phases = 0;
      switch (ReadEntry(c, &phases)) {
        case Entry::kTaken:
          if (separated) {
            sink_.Drop(ProblemKind::kNotAnObject, offset, std::max<uint64_t>(1, phases));
            without_phase_ = phases == 0 ? 1 : 0;
          } else {
            LosePart(ProblemKind::kNotAnObject, offset, phases);
          }
          separated = false;
          break;
        case Entry::kStray:
          break;
        case Entry::kFragment:
          SkipFragment();
          separated = true;
          break;
        case Entry::kHeader:
          problems_.Add(ProblemKind::kBrokenListEnd, offset);
          return Left::kHeader;
      }
    }
  }
  return Left::kEndOfText;
}

void EventList::SkipStray() {
  problems_.Add(ProblemKind::kStrayBracket, cursor_.offset());
  cursor_.Take();
}

// One brace too many in front of an event.
bool EventList::IsStrayBrace() {
  const char* const end = cursor_.LookAhead();
  const char* const next = SkipSpace(cursor_.pos() + 1, end);
  return next < end && *next == '{';
}

// Whether behind the byte at `p` (and a comma) a key stands that no event has, so that the list is
// over.
bool EventList::FollowsHeaderKey(const char* p, const char* end) {
  const bool object = *p == '{';
  p = SkipSpace(p + 1, end);
  if (p < end && *p == ',') {
    p = SkipSpace(p + 1, end);
  } else if (!object) {
    return false;
  }
  if (p >= end || *p != '"') return false;
  const KeyAt key = FindKey(p, end);
  return object ? key.of_header : key.found && !key.of_event;
}

// At a ']' between entries: whether nothing like an event follows.
bool EventList::ClosesList() {
  const char* const end = cursor_.LookAhead();
  const char* after = SkipSpace(cursor_.pos() + 1, end);
  if (after >= end) return true;
  if (*after == '}' && cursor_.IsLast(SkipSpace(after + 1, end))) return true;
  return FollowsHeaderKey(cursor_.pos(), end) ||
         !(cursor_.HasEventNear(after) || EntriesFollow(after, end));
}

// At a '}' between entries: one too many, or the end of the object whose list was not closed, or in
// place of the list's bracket.
EventList::Left EventList::AtBrace(bool* stray) {
  const char* const end = cursor_.LookAhead();
  const char* const after = SkipSpace(cursor_.pos() + 1, end);
  if (after < end && FollowsHeaderKey(cursor_.pos(), end)) {
    problems_.Add(ProblemKind::kBrokenListEnd, cursor_.offset());
    cursor_.Take();
    return Left::kHeader;
  }
  *stray =
      after < end && (*after == ']' || cursor_.HasEventNear(after) || EntriesFollow(after, end));
  if (!*stray) problems_.Add(ProblemKind::kBrokenListEnd, cursor_.offset());
  return Left::kHeader;
}

EventList::Entry EventList::ReadEntry(int first, uint64_t* phases) {
  const char* end = cursor_.LookAhead();
  const char* p = cursor_.pos();
  if (first == '[') {
    Nested nested = ScanNested(p, end, false);
    while (nested.state == NestedState::kNeedMore &&
           cursor_.window().available() < kMaxEventBytes && cursor_.Fill()) {
      nested = ScanNested(cursor_.pos(), cursor_.end(), false);
    }
    if (nested.state != NestedState::kSound) {
      SkipStray();
      return Entry::kStray;
    }
    *phases = CountPhases({cursor_.pos(), static_cast<size_t>(nested.end - cursor_.pos())});
    cursor_.window().set_pos(nested.end);
    return Entry::kTaken;
  }
  if (first != '"') return ReadWord(end);
  const KeyAt key = FindKey(p, end);
  if (key.of_header || (key.found && !key.of_event && !cursor_.HasEventNear(p))) {
    return Entry::kHeader;
  }
  ScannedString string;
  p = ScanString(p + 1, end, &string);
  if (p == nullptr) return Entry::kFragment;
  const char* const after = SkipSpace(p, end);
  if (after < end && *after != ',' && *after != ']') return Entry::kFragment;
  cursor_.window().set_pos(p);
  return Entry::kTaken;
}

// A number, a name or anything else without quotes and brackets.
EventList::Entry EventList::ReadWord(const char* end) {
  const char* const word = std::find_if(cursor_.pos(), end, [](char c) {
    return c == ',' || c == '"' || c == ':' || c == '{' || c == '}' || c == '[' || c == ']';
  });
  if (word < end && *word != ',' && *word != ']') return Entry::kFragment;
  if (word == end && !cursor_.IsLast(end)) return Entry::kFragment;
  cursor_.window().set_pos(word);
  return Entry::kTaken;
}

// What belongs to no entry: the rest of a damaged event, or events whose beginning is damaged.
void EventList::SkipFragment() {
  const uint64_t offset = cursor_.offset();
  const Cursor::Place next = cursor_.GoToNext(0, Cursor::In::kList);
  if (cursor_.offset() != offset) LosePart(ProblemKind::kMalformedEvent, offset, next.phases);
  CountSilent(next);
}

// Counts what was skipped behind something damaged and is no part of it.
void EventList::CountSilent(const Cursor::Place& next) {
  if (next.silent_objects > 0) {
    sink_.Drop(ProblemKind::kMissingPhase, next.first_object, next.silent_objects);
  }
  if (next.silent_others > 0) {
    sink_.Drop(ProblemKind::kNotAnObject, next.first_other, next.silent_others);
  }
}

// Counts a part of something damaged: the events whose "ph" it holds, but for those that were
// counted already when their beginnings were read.
void EventList::LosePart(ProblemKind kind, uint64_t offset, uint64_t phases) {
  const uint64_t counted = std::min(phases, without_phase_);
  without_phase_ -= counted;
  if (phases > counted) {
    sink_.Drop(kind, offset, phases - counted);
  } else {
    problems_.Add(ProblemKind::kStrayText, offset);
  }
}

void EventList::NotePhase(bool has_phase, bool has_members) {
  without_phase_ = has_phase ? 0 : 1;
  if (!has_phase) empty_ = !has_members;
}

void EventList::TakeMended(ProblemKind kind, uint64_t offset) {
  if (kind == ProblemKind::kMergedEvents) {
    sink_.Drop(kind, offset);
  } else {
    problems_.Add(kind, offset);
  }
}

void EventList::TakeEvent(const char* begin) {
  NotePhase(events_.has_phase(), *SkipSpace(begin + 1, cursor_.end()) != '}');
  for (const auto& [kind, at] : events_.mended()) {
    TakeMended(kind, cursor_.window().OffsetOf(at));
  }
}

void EventList::OfferPieces() {
  Window& window = cursor_.window();
  if (window.offset() < offer_after_) return;
  if (ahead_->IsIdle()) offer_from_ = window.offset();
  while (ahead_->HasRoom()) {
    const auto skipped = static_cast<size_t>(offer_from_ - window.offset());
    cursor_.Ahead(skipped + batch_bytes_);
    const char* const first = window.pos() + std::min(skipped, window.available());
    const char* const limit =
        first + std::min(static_cast<size_t>(window.end() - first), batch_bytes_);
    const char* const stop = first < limit ? LastEventBorder(first, limit) : nullptr;
    if (stop == nullptr) {
      offer_after_ = window.OffsetOf(limit);
      return;
    }
    ahead_->Offer(first, stop, offer_from_);
    offer_from_ = window.OffsetOf(SkipSpace(stop + 1, window.end()));
  }
}

const AheadReaders::Piece* EventList::FindPiece() {
  if (ahead_threads_ == 0 || !sink_.helped()) return nullptr;
  if (!ahead_) ahead_.emplace(ahead_threads_);
  const uint64_t offset = cursor_.offset();
  bool useful = !ahead_->DropBefore(offset);
  OfferPieces();
  const AheadReaders::Piece* piece = ahead_->At(offset);
  if (piece != nullptr) {
    if (!sink_.CanTakeMore(piece->events.size())) {
      ahead_->Release();
      return nullptr;
    }
    useful &= piece->reached == piece->size;
    if (useful) offer_rest_ = batch_bytes_;
  }
  if (!useful) {
    // Damage is seldom alone, and what is read ahead of it is of no use: less and less is offered.
    offer_after_ = std::max(offer_after_, offset + offer_rest_);
    offer_rest_ = std::min(2 * offer_rest_, kMostRest);
  }
  return piece;
}

void EventList::TakePiece(const AheadReaders::Piece& piece) {
  auto mended = piece.mended.begin();
  for (uint32_t number = 0; number < piece.events.size(); ++number) {
    const AheadReaders::Event& event = piece.events[number];
    NotePhase(event.has_phase, event.has_members);
    for (; mended != piece.mended.end() && mended->event == number; ++mended) {
      TakeMended(mended->kind, piece.offset + mended->at);
    }
    sink_.Take(ahead_->Take(&strings_), piece.offset + event.at);
  }
}

bool EventList::ReadBatch() {
  Window& window = cursor_.window();
  if (window.offset() < one_by_one_until_) return false;
  if (const AheadReaders::Piece* const piece = FindPiece()) {
    TakePiece(*piece);
    if (piece->reached != piece->size) one_by_one_until_ = piece->offset + piece->size;
    const size_t reached = piece->reached;
    window.set_pos(window.pos() + reached);
    ahead_->Release();
    return reached != 0;
  }
  // A batch needs the byte before it.
  if (window.pos() == window.begin()) return false;
  const char* const first = window.pos();
  const char* const limit = first + std::min(window.available(), batch_bytes_);
  const char* const stop = LastEventBorder(first, limit);
  if (stop == nullptr) {
    one_by_one_until_ = window.OffsetOf(limit);
    return false;
  }
  const char* const reached =
      batch_.Read(window.Mutable(first), window.Mutable(stop), [&](const char* at) {
        if (!sink_.CanTakeMore()) return false;
        TakeEvent(at);
        sink_.Take(events_.event(), window.OffsetOf(at));
        return true;
      });
  // Damage is seldom alone: what is left of the batch is read with tolerance.
  if (reached != stop) one_by_one_until_ = window.OffsetOf(stop);
  window.set_pos(reached);
  return reached != first;
}

// Reads the event at hand as it stands, with as much of the text as it needs. kNeedMore: it is
// larger than events may be, or the text ends.
EventReader::Status EventList::ReadStrictly(const char** next) {
  Window& window = cursor_.window();
  for (;;) {
    // What is done with an event must not depend on how much of the file happens to be at hand.
    const size_t have = window.available();
    const char* const end = window.pos() + std::min(have, kMaxEventBytes);
    const EventReader::Status status = events_.Read(window.pos(), end, false, next);
    if (status != EventReader::Status::kNeedMore || have >= kMaxEventBytes) return status;
    // Each round doubles what is at hand, so that a large event is not read over and over.
    cursor_.Ahead(std::min(have * 2, kMaxEventBytes));
    if (window.available() == have) return status;
  }
}

// Leaves out what stands here, and as many events as it holds the beginnings of.
void EventList::GiveUp(ProblemKind kind) {
  const uint64_t offset = cursor_.offset();
  const Cursor::Place next = cursor_.GoToNext(1, Cursor::In::kList);
  if (kind == ProblemKind::kMalformedEvent && next.phases == 0 &&
      next.kind == Cursor::Place::Kind::kEvent && !next.border && next.silent_objects == 0 &&
      next.silent_others == 0) {
    // The rest of the same event follows, with its "ph", behind a brace too many.
    problems_.Add(ProblemKind::kStrayText, offset);
    return;
  }
  without_phase_ = next.phases == 0 ? 1 : 0;
  sink_.Drop(kind, offset, std::max<uint64_t>(1, next.phases));
  CountSilent(next);
}

// Leaves out an event that nests too deep, and only it where its brackets say where it ends: what
// follows may be an event of which its text alone does not tell that it is one.
bool EventList::LeaveOutDeep() {
  Window& window = cursor_.window();
  const char* behind = nullptr;
  if (cursor_.MayLookFurther()) {
    for (;;) {
      const size_t have = window.available();
      const size_t looked = std::min(have, kMaxEventBytes);
      behind = BehindBrackets(window.pos(), window.pos() + looked);
      if (behind != nullptr || have >= kMaxEventBytes) break;
      // Each round doubles what is at hand.
      cursor_.Ahead(std::min(have * 2, kMaxEventBytes));
      if (window.available() == have) break;
    }
    if (behind == nullptr) cursor_.CountLookedThrough(std::min(window.available(), kMaxEventBytes));
  }
  const size_t phases =
      behind == nullptr ? 0
                        : CountPhases({window.pos(), static_cast<size_t>(behind - window.pos())});
  if (behind == nullptr || phases > 1) {
    GiveUp(ProblemKind::kTooDeep);
    return false;
  }
  without_phase_ = phases == 0 ? 1 : 0;
  sink_.Drop(ProblemKind::kTooDeep, cursor_.offset());
  window.set_pos(behind);
  return true;
}

bool EventList::ReadOneEvent() {
  using Status = EventReader::Status;
  Window& window = cursor_.window();
  if (!sink_.CanTakeMore()) {
    problems_.Add(ProblemKind::kTooManyEvents, window.offset());
    cut_ = true;
    return true;
  }
  const char* next = nullptr;
  const Status status = ReadStrictly(&next);
  if (status == Status::kOk) {
    TakeEvent(window.pos());
    sink_.Take(events_.event(), window.offset());
    window.set_pos(next);
    return true;
  }
  if (status == Status::kTooDeep) return LeaveOutDeep();
  if (status == Status::kNeedMore && window.available() >= kMaxEventBytes) {
    GiveUp(ProblemKind::kOversizedEvent);
    return false;
  }
  // Mended is what reaches no further than to the next event.
  const Cursor::Place border = cursor_.FindNext(1, kMaxEventBytes, Cursor::In::kList);
  if (cursor_.MayLookFurther()) {
    const char* const end = window.pos() + border.distance;
    const bool mended = events_.Read(window.pos(), end, true, &next) == Status::kOk;
    cursor_.CountLookedThrough(events_.lenient_bytes());
    if (mended && CountPhases({window.pos(), static_cast<size_t>(next - window.pos())}) <= 1) {
      TakeEvent(window.pos());
      sink_.Take(events_.event(), window.offset());
      window.set_pos(next);
      return true;
    }
  }
  const bool is_cut = status == Status::kNeedMore && window.at_end() &&
                      border.kind == Cursor::Place::Kind::kNothing;
  if (!is_cut) {
    GiveUp(ProblemKind::kMalformedEvent);
    return false;
  }
  sink_.Drop(ProblemKind::kTruncated, window.offset(), std::max<uint64_t>(1, border.phases));
  window.set_pos(window.end());
  cut_ = true;
  return true;
}

}  // namespace emberline
