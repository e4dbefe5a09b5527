#include "ingest/trace_event/event_queue.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/cores.h"
#include "base/prefetch.h"
#include "base/release.h"

namespace emberline {
namespace {

// A trace in which every so many events is one for the reader gains nothing from a second thread.
constexpr uint64_t kLeastPlain = 64;
constexpr uint64_t kFewDirect = 4096;

}  // namespace

EventQueue::EventQueue(EventSink* sink, StringPool* strings, uint64_t alone)
    : sink_(sink), alone_(alone), memory_name_(strings->Intern("[memory]")) {
  if (UsableCores() < 2) alone_ = kNone;
}

EventQueue::~EventQueue() {
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

void EventQueue::Take(const RawEvent& event, uint64_t offset) {
  const bool plain = IsPlain(event);
  ++taken_;
  if (!beside_) {
    sink_->Take(event, offset);
    if (taken_ < alone_) return;
    alone_ = kNone;
    try {
      thread_ = std::thread([this] { Run(); });
      beside_ = true;
    } catch (const std::system_error&) {
      // No thread is to be had.
    }
    return;
  }
  if (!plain) {
    Drain();
    sink_->Take(event, offset);
    if (++direct_ > kFewDirect && direct_ > taken_ / kLeastPlain) beside_ = false;
    return;
  }
  Entry& entry = Append(offset);
  entry.fields = event;
  if (event.phase == 'C' && event.has_id) {
    // The name is a new string, and texts of ids do not go along.
    entry.fields.name = sink_->CounterName(event);
    entry.fields.has_id = false;
  }
  entry.args = static_cast<uint32_t>(event.args.size());
  std::vector<ArgItem>& args = filling_->args;
  args.insert(args.end(), event.args.begin(), event.args.end());
  PrefetchToWrite(args.data() + args.size(), event.args.size());
  if (filling_->entries.size() >= kBatchEvents || filling_->args.size() >= kBatchArgs) Flush();
}

void EventQueue::Drop(ProblemKind kind, uint64_t offset, uint64_t count) {
  taken_ += count;
  if (!beside_) return sink_->Drop(kind, offset, count);
  if (count == 0) return;
  Entry& entry = Append(offset);
  entry.problem = kind;
  entry.dropped = count;
  if (filling_->entries.size() >= kBatchEvents) Flush();
}

EventQueue::Entry& EventQueue::Append(uint64_t offset) {
  if (filling_ == nullptr) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return filled_ < kBatches || failure_; });
    if (failure_) std::rethrow_exception(failure_);
    filling_ = &ring_[head_];
  }
  Entry& entry = filling_->entries.emplace_back();
  PrefetchToWrite(&entry, 1);
  entry.offset = offset;
  return entry;
}

void EventQueue::Flush() {
  if (filling_ == nullptr) return;
  filling_ = nullptr;
  {
    const std::lock_guard lock(mutex_);
    head_ = (head_ + 1) % kBatches;
    ++filled_;
  }
  changed_.notify_all();
}

void EventQueue::Drain() {
  if (!beside_) return;
  Flush();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return filled_ == 0 || failure_; });
  if (failure_) std::rethrow_exception(failure_);
}

void EventQueue::Run() {
  // On this thread's stack: what both threads write at each event must not share a cache line.
  RawEvent event;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || filled_ > 0; });
    if (stop_) return;
    Batch& batch = ring_[tail_];
    lock.unlock();
    std::exception_ptr failure;
    try {
      File(batch, &event);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    tail_ = (tail_ + 1) % kBatches;
    --filled_;
    failure_ = failure;
    changed_.notify_all();
    if (failure_) return;
  }
}

void EventQueue::File(Batch& batch, RawEvent* event) {
  // The reader writes next to the member at each event.
  EventSink* const sink = sink_;
  const ArgItem* args = batch.args.data();
  for (const Entry& entry : batch.entries) {
    PrefetchToRead(&entry, 1);
    PrefetchToRead(args, entry.args);
    if (entry.dropped > 0) {
      sink->Drop(entry.problem, entry.offset, entry.dropped);
      continue;
    }
    static_cast<EventFields&>(*event) = entry.fields;
    event->args.assign(args, args + entry.args);
    args += entry.args;
    sink->Take(*event, entry.offset);
  }
  batch.entries.clear();
  batch.args.clear();
  // One huge event shall not hold its memory to the end.
  if (batch.args.capacity() > 2 * kBatchArgs) Release(batch.args);
}

}  // namespace emberline
