#include "ingest/trace_event/event_queue.h"

#include <algorithm>
#include <span>
#include <system_error>
#include <utility>

#include "base/cores.h"
#include "base/prefetch.h"

namespace emberline {
namespace {

// A trace in which every so many events is one for the reader gains nothing from a second thread.
constexpr uint64_t kLeastPlain = 64;
constexpr uint64_t kFewDirect = 4096;

// Entry::flags.
enum EntryFlag : unsigned {
  kNameFlag = 1 << 0,
  kTimeFlag = 1 << 1,
  kDurationFlag = 1 << 2,
  kIdFlag = 1 << 3,
  kFractionFlag = 1 << 4,
  kPidTextFlag = 1 << 5,
  kTidTextFlag = 1 << 6,
  kDropFlag = 1 << 7,  // of a Drop()
};
constexpr unsigned kTsStateShift = 8, kDurStateShift = 10, kStateMask = 3;
static_assert(static_cast<unsigned>(TimeText::kOutOfRange) <= kStateMask);

uint64_t IdNumber(const RecordedId& id) {
  return id.is_text ? uint64_t{id.text} : static_cast<uint64_t>(id.number);
}

RecordedId IdFrom(uint64_t number, bool is_text) {
  RecordedId id;
  id.is_text = is_text;
  if (is_text) {
    id.text = static_cast<StringId>(number);
  } else {
    id.number = static_cast<int64_t>(number);
  }
  return id;
}

}  // namespace

EventQueue::Entry EventQueue::Packed(const EventFields& fields) {
  Entry entry;
  entry.phase = fields.phase;
  entry.scope = fields.scope;
  const unsigned flags = (fields.has_name ? kNameFlag : 0u) | (fields.has_ts ? kTimeFlag : 0u) |
                         (fields.has_dur ? kDurationFlag : 0u) | (fields.has_id ? kIdFlag : 0u) |
                         (fields.has_fraction ? kFractionFlag : 0u) |
                         (fields.pid.is_text ? kPidTextFlag : 0u) |
                         (fields.tid.is_text ? kTidTextFlag : 0u) |
                         static_cast<unsigned>(fields.ts_state) << kTsStateShift |
                         static_cast<unsigned>(fields.dur_state) << kDurStateShift;
  entry.flags = static_cast<uint16_t>(flags);
  entry.name = fields.name;
  entry.category = fields.category;
  entry.pid = IdNumber(fields.pid);
  entry.tid = IdNumber(fields.tid);
  entry.ts = fields.ts;
  entry.dur = fields.dur;
  entry.id = fields.id;
  return entry;
}

void EventQueue::Unpack(const Entry& entry, EventFields* fields) {
  const unsigned flags = entry.flags;
  fields->phase = entry.phase;
  fields->scope = entry.scope;
  fields->has_name = (flags & kNameFlag) != 0;
  fields->has_ts = (flags & kTimeFlag) != 0;
  fields->has_dur = (flags & kDurationFlag) != 0;
  fields->has_id = (flags & kIdFlag) != 0;
  fields->has_fraction = (flags & kFractionFlag) != 0;
  fields->ts_state = static_cast<TimeText>(flags >> kTsStateShift & kStateMask);
  fields->dur_state = static_cast<TimeText>(flags >> kDurStateShift & kStateMask);
  fields->name = entry.name;
  fields->category = entry.category;
  fields->pid = IdFrom(entry.pid, (flags & kPidTextFlag) != 0);
  fields->tid = IdFrom(entry.tid, (flags & kTidTextFlag) != 0);
  fields->ts = entry.ts;
  fields->dur = entry.dur;
  fields->id = entry.id;
}

EventQueue::EventQueue(EventSink* sink, StringPool* strings, uint64_t alone)
    : sink_(sink), alone_(alone), memory_name_(strings->Intern("[memory]")) {
  if (UsableCores() < 2) alone_ = kNone;
}

EventQueue::~EventQueue() { Stop(); }

void EventQueue::Finish() {
  Drain();
  Stop();
  beside_ = false;
  room_.reset();
}

void EventQueue::Stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

// True when it was known already.
bool EventQueue::Mark(std::vector<bool>* known, StringId id) {
  if (id >= known->size()) known->resize(std::max<size_t>(id + 1, 2 * size_t{id}));
  const bool was = (*known)[id];
  (*known)[id] = true;
  return was;
}

bool EventQueue::IsPlain(const RawEvent& event) {
  bool plain = Mark(&categories_, event.category);
  switch (event.phase) {
    case 'X':
    case 'B':
    case 'E':
    case 'C':
      return plain;
    case 's':
    case 't':
    case 'f':
      return Mark(&flow_names_, event.name) && plain;
    case 'i':
    case 'I':
    case 'R':
      // Numbers of a memory record may be texts.
      return plain && (event.name != memory_name_ ||
                       std::none_of(event.args.begin(), event.args.end(), [](const ArgItem& item) {
                         return item.type == ArgType::kText;
                       }));
    default:
      return false;
  }
}

// Lets another thread file, if one is to be had.
void EventQueue::Begin() {
  alone_ = kNone;
  // All batches in one block, which stands on few large pages, of which those are taken that are
  // used.
  room_ = Owned<std::byte>(AllocateScratch(kBatches * kBatchBytes));
  std::byte* room = room_.get();
  for (Batch& batch : batches_) {
    batch.entries = reinterpret_cast<Entry*>(room);
    batch.args = reinterpret_cast<ArgItem*>(room + kBatchEvents * sizeof(Entry));
    room += kBatchBytes;
    free_.push_back(&batch);
  }
  try {
    thread_ = std::thread([this] { Run(); });
    beside_ = true;
  } catch (const std::system_error&) {
    room_.reset();
  }
}

void EventQueue::Take(const RawEvent& event, uint64_t offset) {
  const size_t args = event.args.size();
  // A batch takes all of an event's.
  const bool plain = IsPlain(event) && args <= kBatchArgs;
  ++taken_;
  if (!beside_) {
    sink_->Take(event, offset);
    if (taken_ >= alone_) Begin();
    return;
  }
  if (!plain) {
    Drain();
    sink_->Take(event, offset);
    if (++direct_ > kFewDirect && direct_ > taken_ / kLeastPlain) beside_ = false;
    return;
  }
  Entry entry = Packed(event);
  if (event.phase == 'C' && event.has_id) {
    // The name is a new string, and texts of ids do not go along.
    entry.name = sink_->CounterName(event);
    entry.flags &= static_cast<uint16_t>(~kIdFlag);
  }
  entry.offset = offset;
  entry.args = static_cast<uint32_t>(args);
  if (filling_ != nullptr && filling_->arg_count + args > kBatchArgs) Flush();
  Append(entry);
  ArgItem* const behind =
      std::copy_n(event.args.data(), args, filling_->args + filling_->arg_count);
  filling_->arg_count += args;
  PrefetchToWrite(behind, args);
  if (filling_->entry_count == kBatchEvents) Flush();
}

void EventQueue::Drop(ProblemKind kind, uint64_t offset, uint64_t count) {
  taken_ += count;
  if (!beside_) return sink_->Drop(kind, offset, count);
  if (count == 0) return;
  Entry entry;
  entry.scope = static_cast<char>(kind);
  entry.flags = kDropFlag;
  entry.id = count;
  entry.offset = offset;
  Append(entry);
  if (filling_->entry_count == kBatchEvents) Flush();
}

void EventQueue::Append(const Entry& entry) {
  if (filling_ == nullptr) {
    std::unique_lock lock(mutex_);
    if (free_.empty()) {
      changed_.wait(lock, [this] { return free_.size() >= kWorthFilling || failure_; });
    }
    if (failure_) std::rethrow_exception(failure_);
    filling_ = free_.back();
    free_.pop_back();
  }
  Entry* const at = filling_->entries + filling_->entry_count++;
  *at = entry;
  PrefetchToWrite(at, 1);
}

void EventQueue::Flush() {
  if (filling_ == nullptr) return;
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    full_[head_] = std::exchange(filling_, nullptr);
    head_ = (head_ + 1) % kBatches;
    ++filled_;
    // A filing thread that sleeps began to when none was filled.
    wake = filled_ == kWorthFiling;
  }
  if (wake) changed_.notify_all();
}

void EventQueue::Drain() {
  if (!beside_) return;
  Flush();
  std::unique_lock lock(mutex_);
  draining_ = true;
  changed_.notify_all();
  changed_.wait(lock, [this] { return filled_ == 0 || failure_; });
  draining_ = false;
  if (failure_) std::rethrow_exception(failure_);
}

void EventQueue::Run() {
  // On this thread's stack: what both threads write at each event must not share a cache line.
  RawEvent event;
  std::unique_lock lock(mutex_);
  for (;;) {
    if (filled_ == 0) {
      changed_.wait(
          lock, [this] { return stop_ || filled_ >= kWorthFiling || (draining_ && filled_ > 0); });
    }
    if (stop_) return;
    Batch* const batch = full_[tail_];
    lock.unlock();
    std::exception_ptr failure;
    try {
      File(*batch, &event);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    free_.push_back(batch);
    tail_ = (tail_ + 1) % kBatches;
    --filled_;
    failure_ = failure;
    // A reader that sleeps began to when none was free, or in Drain().
    if (failure_ || (draining_ ? filled_ == 0 : free_.size() == kWorthFilling)) {
      changed_.notify_all();
    }
    if (failure_) return;
  }
}

void EventQueue::File(Batch& batch, RawEvent* event) {
  // The reader writes next to the member at each event.
  EventSink* const sink = sink_;
  const ArgItem* args = batch.args;
  for (const Entry& entry : std::span(batch.entries, batch.entry_count)) {
    PrefetchToRead(&entry, 1);
    PrefetchToRead(args, entry.args);
    if ((entry.flags & kDropFlag) != 0) {
      sink->Drop(static_cast<ProblemKind>(entry.scope), entry.offset, entry.id);
      continue;
    }
    Unpack(entry, event);
    event->args.assign(args, args + entry.args);
    args += entry.args;
    sink->Take(*event, entry.offset);
  }
  batch.entry_count = batch.arg_count = 0;
}

}  // namespace emberline
