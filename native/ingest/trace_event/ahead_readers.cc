#include "ingest/trace_event/ahead_readers.h"

#include <algorithm>
#include <cstring>
#include <system_error>

#include "base/prefetch.h"
#include "ingest/trace_event/event_batch.h"
#include "ingest/trace_event/scan.h"
#include "ingest/trace_event/window.h"

namespace emberline {
namespace {

constexpr size_t kMostThreads = 4;
// So many bytes of strings a thread keeps before it begins anew: enough for the names that a trace
// repeats, and little beside a trace whose strings are all different.
constexpr size_t kMostNameBytes = 4 << 20;

}  // namespace

struct AheadReaders::Reader {
  std::shared_ptr<Names> names = std::make_shared<Names>();
  EventReader events{&names->pool};
  EventBatch batch{&events};
};

size_t AheadReaders::ThreadsFor(size_t cores) {
  return cores < 4 ? 0 : std::min(cores - 2, kMostThreads);
}

// More pieces than threads, so that each finds one to read while the oldest is still taken or read.
AheadReaders::AheadReaders(size_t threads) : slots_(2 * threads + 4) {
  threads_.reserve(threads);
  try {
    for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
  } catch (const std::system_error&) {
    // No more threads are to be had.
  }
}

AheadReaders::~AheadReaders() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void AheadReaders::Offer(const char* first, const char* stop, uint64_t offset) {
  Slot& slot = slots_[offered_ % slots_.size()];
  const auto size = static_cast<size_t>(stop - first);
  // A batch lends the bytes in front and behind for brackets.
  slot.text.resize(1 + size + 1 + Window::kPadding);
  slot.text[0] = ',';
  std::memcpy(slot.text.data() + 1, first, size + 1);
  std::memset(slot.text.data() + 1 + size + 1, 0, Window::kPadding);
  slot.piece.offset = offset;
  slot.piece.size = size;
  {
    const std::lock_guard lock(mutex_);
    slot.done = false;
    ++offered_;
  }
  changed_.notify_all();
}

void AheadReaders::Run() {
  std::unique_ptr<Reader> reader;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || begun_ < offered_; });
    if (stop_) return;
    Slot& slot = slots_[begun_++ % slots_.size()];
    lock.unlock();
    slot.failure = nullptr;
    try {
      if (reader == nullptr || reader->names->incomplete ||
          reader->names->pool.MemoryBytes() > kMostNameBytes) {
        reader = std::make_unique<Reader>();
      }
      Read(reader.get(), &slot);
    } catch (...) {
      slot.failure = std::current_exception();
      reader = nullptr;  // what it added to its strings, nobody knows
    }
    lock.lock();
    slot.done = true;
    changed_.notify_all();
  }
}

void AheadReaders::Read(Reader* reader, Slot* slot) {
  Piece& piece = slot->piece;
  piece.events.clear();
  piece.mended.clear();
  slot->fields.clear();
  slot->args.clear();
  slot->id_texts.clear();
  slot->added.clear();
  char* const first = slot->text.data() + 1;
  char* const stop = first + piece.size;
  const EventReader& events = reader->events;
  const StringPool& strings = reader->names->pool;
  slot->names = reader->names;
  slot->names_before = strings.size();
  StringId names = strings.size();
  const char* const reached = reader->batch.Read(first, stop, [&](const char* at) {
    const RawEvent& event = events.event();
    names = strings.size();
    for (const auto& [kind, place] : events.mended()) {
      piece.mended.push_back(
          {static_cast<uint32_t>(piece.events.size()), kind, static_cast<uint32_t>(place - first)});
    }
    piece.events.push_back(
        {static_cast<uint32_t>(at - first), events.has_phase(), *SkipSpace(at + 1, stop) != '}'});
    uint32_t id_text = 0;
    if (!event.id_text.empty()) {
      slot->id_texts.push_back(event.id_text);
      id_text = static_cast<uint32_t>(slot->id_texts.size());
    }
    slot->fields.push_back({event, static_cast<uint32_t>(event.args.size()), id_text, names});
    PrefetchToWrite(&slot->fields.back(), 1);
    slot->args.insert(slot->args.end(), event.args.begin(), event.args.end());
    PrefetchToWrite(slot->args.data() + slot->args.size(), event.args.size());
    return true;
  });
  piece.reached = static_cast<size_t>(reached - first);
  slot->all_added = strings.size() == names;
  for (StringId id = slot->names_before; id < names; ++id) slot->added.push_back(strings.Get(id));
}

void AheadReaders::AwaitFront() {
  Slot& slot = Front();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return slot.done; });
}

void AheadReaders::Drop() {
  AwaitFront();
  if (Front().names != nullptr) Front().names->incomplete = true;
  Release();
}

bool AheadReaders::DropBefore(uint64_t offset) {
  bool dropped = false;
  while (!IsIdle() && Front().piece.offset < offset) {
    Drop();
    dropped = true;
  }
  return dropped;
}

const AheadReaders::Piece* AheadReaders::At(uint64_t offset) {
  if (IsIdle() || Front().piece.offset != offset) return nullptr;
  AwaitFront();
  Slot& slot = Front();
  if (slot.failure) std::rethrow_exception(slot.failure);
  if (slot.names->incomplete) {
    Drop();
    return nullptr;
  }
  if (!slot.all_added || slot.piece.reached != slot.piece.size) slot.names->incomplete = true;
  next_event_ = next_arg_ = 0;
  return &slot.piece;
}

const RawEvent& AheadReaders::Take(StringPool* strings) {
  const Slot& slot = Front();
  const Fields& from = slot.fields[next_event_++];
  std::vector<StringId>& ids = slot.names->ids;
  while (ids.size() < from.names) {
    // The empty text is the first of all pools.
    ids.push_back(ids.empty() ? 0 : strings->Intern(slot.added[ids.size() - slot.names_before]));
  }
  EventFields& fields = event_;
  fields = from.fields;
  fields.name = ids[fields.name];
  fields.category = ids[fields.category];
  if (fields.pid.is_text) fields.pid.text = ids[fields.pid.text];
  if (fields.tid.is_text) fields.tid.text = ids[fields.tid.text];
  const ArgItem* const args = slot.args.data() + next_arg_;
  PrefetchToRead(&from, 1);
  PrefetchToRead(args, from.args);
  next_arg_ += from.args;
  event_.args.assign(args, args + from.args);
  for (ArgItem& item : event_.args) {
    item.key = ids[item.key];
    if (item.type == ArgType::kText || item.type == ArgType::kJson) item.text = ids[item.text];
  }
  event_.id_text.clear();
  if (from.id_text > 0) event_.id_text = slot.id_texts[from.id_text - 1];
  return event_;
}

void AheadReaders::Release() {
  Front().names.reset();
  ++taken_;
}

}  // namespace emberline
