#include "store/builder.h"

#include <algorithm>
#include <utility>

#include "base/case.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "base/release.h"

namespace emberline {
namespace {

constexpr size_t kMaxCategories = 65'000;
constexpr int kThreadMemoBits = 8;
constexpr size_t kThreadMemo = size_t{1} << kThreadMemoBits;

uint64_t HashId(const RecordedId& id) {
  return id.is_text ? HashPair(id.text, 1) : HashNumber(static_cast<uint64_t>(id.number));
}

bool StartsWithIgnoreCase(std::string_view text, std::string_view lower) {
  return EqualsLower(text.substr(0, lower.size()), lower);
}

bool IsDeviceLabel(std::string_view text) {
  for (const char* prefix : {"gpu", "mtia", "xpu", "hpu", "npu", "aiu", "mlu", "device"}) {
    if (StartsWithIgnoreCase(text, prefix)) return true;
  }
  return false;
}

}  // namespace

size_t TraceBuilder::IdHash::operator()(const RecordedId& id) const { return HashId(id); }

uint64_t TraceBuilder::HashKey(const ThreadKey& key) {
  return HashPair(HashId(key.pid), HashId(key.tid));
}

TraceBuilder::TraceBuilder() : store_(std::make_shared<TraceStore>()) {
  thread_memo_.assign(kThreadMemo, kNone);
  thread_table_.assign(kThreadMemo, kNone);
}

TraceBuilder::~TraceBuilder() = default;

void TraceBuilder::NameArg(ArgRole role, std::string_view key) {
  store_->arg_names_.emplace_back(role, key);
}

uint16_t TraceBuilder::Category(StringId raw, SliceKind kind, uint8_t correlation_space) {
  const uint64_t key = uint64_t{raw} << 8 | static_cast<uint64_t>(kind);
  const auto found = category_index_.find(key);
  if (found != category_index_.end()) return found->second;
  auto& categories = store_->categories_;
  if (categories.size() >= kMaxCategories && raw != 0) return Category(0, kind);
  const uint16_t index = static_cast<uint16_t>(categories.size());
  categories.push_back({raw, kind, correlation_space});
  category_index_.emplace(key, index);
  return index;
}

uint32_t TraceBuilder::Thread(const RecordedId& pid, const RecordedId& tid) {
  const ThreadKey key{pid, tid};
  // Recorders write a thread's events one after the other.
  if (last_thread_ != kNone && threads_[last_thread_].key == key) return last_thread_;
  const uint64_t mark = static_cast<uint64_t>(pid.number) * 31 + pid.text +
                        static_cast<uint64_t>(tid.number) + tid.text;
  uint32_t& memo = thread_memo_[(mark * 0x9E3779B97F4A7C15ull) >> (64 - kThreadMemoBits)];
  if (memo != kNone && threads_[memo].key == key) return last_thread_ = memo;
  const uint64_t hash = HashKey(key);
  uint32_t& slot = thread_table_[ThreadSlot(key, hash)];
  memo = slot;
  if (slot == kNone) {
    memo = slot = static_cast<uint32_t>(threads_.size());
    threads_.emplace_back();
    threads_.back().key = key;
    if (threads_.size() * 2 > thread_table_.size()) GrowThreadTable();
  }
  return last_thread_ = memo;
}

// The slot that holds the thread's number, or the empty one where it belongs.
size_t TraceBuilder::ThreadSlot(const ThreadKey& key, uint64_t hash) const {
  const size_t mask = thread_table_.size() - 1;
  size_t slot = hash & mask;
  while (thread_table_[slot] != kNone && threads_[thread_table_[slot]].key != key) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

void TraceBuilder::GrowThreadTable() {
  thread_table_.assign(thread_table_.size() * 2, kNone);
  for (uint32_t i = 0; i < threads_.size(); ++i) {
    const ThreadKey& key = threads_[i].key;
    thread_table_[ThreadSlot(key, HashKey(key))] = i;
  }
}

TrackIndex TraceBuilder::TrackOf(uint32_t thread, Domain domain) {
  TrackIndex& track = threads_[thread].tracks[static_cast<int>(domain)];
  if (track != kNone) return track;
  track = static_cast<TrackIndex>(provisional_.size());
  provisional_.push_back({thread, domain, kNone});
  ProcessInfo& process = processes_[threads_[thread].key.pid];
  process.has_host_track |= domain == Domain::kHost;
  process.has_device_track |= domain == Domain::kDevice;
  return track;
}

TrackIndex TraceBuilder::HostTrack(int64_t pid, int64_t tid) {
  return TrackOf(Thread({.number = pid}, {.number = tid}), Domain::kHost);
}

TrackIndex TraceBuilder::DeviceTrack(int64_t device, int64_t stream) {
  return TrackOf(Thread({.number = device}, {.number = stream}), Domain::kDevice);
}

uint32_t TraceBuilder::AddSlice(TrackIndex track, uint16_t category, StringId name, Ns start,
                                Ns duration, uint64_t arg_handle, uint32_t event_index) {
  const uint32_t row = slice_count();
  slices_.Push(arg_handle, name, track, event_index, category);
  times_.Push(start, duration);
  slice_offsets_.Push(offset_);
  return row;
}

void TraceBuilder::AddInstant(const Instant& instant, bool marker) {
  store_->instants_.push_back(instant);
  instant_is_marker_.push_back(marker);
  instant_offsets_.Push(offset_);
}

void TraceBuilder::AddMemory(const MemoryRecord& record) {
  memory_.Push(record);
  memory_offsets_.Push(offset_);
}

void TraceBuilder::AddCounter(const CounterSample& sample) {
  store_->counters_.push_back(sample);
  counter_offsets_.Push(offset_);
}

void TraceBuilder::AddFlow(const FlowPoint& flow, uint32_t thread, uint64_t arg_handle) {
  if (arg_handle != 0) flow_args_.emplace_back(static_cast<uint32_t>(flows_.size()), arg_handle);
  FlowPoint of_thread = flow;
  of_thread.track = thread;
  flows_.Push(of_thread);
}

bool TraceBuilder::SetProcessText(const RecordedId& pid, std::string_view key, StringId value) {
  ProcessInfo& process = processes_[pid];
  if (key == "process_name") {
    process.name = value;
    return true;
  }
  if (key == "process_labels") {
    (IsDeviceLabel(strings().Get(value)) ? process.device_labels : process.host_labels) = value;
    return true;
  }
  return false;
}

bool TraceBuilder::SetProcessSortIndex(const RecordedId& pid, int64_t value) {
  ProcessInfo& process = processes_[pid];
  // Device rows are sorted behind all processes, from 5,000,000 or 16,777,216 on.
  if (value >= 5'000'000) {
    process.device_sort_index = value;
    process.device_seen = true;
  } else {
    process.host_sort_index = value;
    process.host_seen = true;
  }
  return true;
}

bool TraceBuilder::SetThreadName(uint32_t thread, StringId value) {
  ThreadInfo& info = threads_[thread];
  const std::string_view text = strings().Get(value);
  if (StartsWithIgnoreCase(text, "stream")) {
    info.device_name = value;
    return true;
  }
  // One thread may be named twice, by its process and by its role: the role says more.
  if (strings().Get(info.host_name).find("autograd") == std::string_view::npos ||
      text.find("autograd") != std::string_view::npos) {
    info.host_name = value;
  }
  return true;
}

bool TraceBuilder::SetThreadSortIndex(uint32_t thread, int64_t value) {
  threads_[thread].sort_index = value;
  threads_[thread].has_sort_index = true;
  return true;
}

std::vector<TraceBuilder::Process> TraceBuilder::Processes() const {
  std::vector<Process> processes;
  processes.reserve(processes_.size());
  for (const auto& [pid, info] : processes_) {
    processes.push_back({pid, info.name, info.host_labels, info.device_labels,
                         info.device_seen ? info.device_sort_index : info.host_sort_index});
  }
  std::sort(processes.begin(), processes.end(),
            [](const Process& a, const Process& b) { return a.pid < b.pid; });
  return processes;
}

void TraceBuilder::SetProcessRole(const RecordedId& pid, const ProcessRole& role) {
  roles_[pid] = role;
}

TraceBuilder::ProcessRole TraceBuilder::RoleOf(const RecordedId& pid) const {
  const auto found = roles_.find(pid);
  return found == roles_.end() ? ProcessRole() : found->second;
}

StringId TraceBuilder::track_thread_name(TrackIndex t) const {
  const ThreadInfo& thread = threads_[provisional_[t].thread];
  return thread.host_name != 0 ? thread.host_name : thread.device_name;
}

Result<std::shared_ptr<const TraceStore>> TraceBuilder::Finalize(const CancelToken& cancel) {
  const Error cancelled = Cancelled();
  SettleDomains();
  MakeTracks();
  const bool many =
      slice_count() + memory_.size() + store_->instants_.size() + flows_.size() >= kManyRows;
  UnpackTimes();
  const Extent extent = FindExtent();
  ScratchVector<uint32_t> order;
  RunAll(
      many, [&] { MendTimes(extent); }, [&] { order = SortByTrack(); });
  bool placed = false;
  RunAll(
      many, [&] { placed = SortByTime(&order, cancel) && PlaceSlices(order, cancel); },
      [&] { PlaceRest(); });
  Release(order);
  if (!placed || !PlaceFlows(cancel)) return cancelled;
  store_->arg_table_.Freeze();
  store_->FindArgKeys();
  SettleStreams();
  problems_.AppendTo(store_->problems_);
  std::shared_ptr<const TraceStore> done = std::move(store_);
  store_ = std::make_shared<TraceStore>();
  return done;
}

}  // namespace emberline
