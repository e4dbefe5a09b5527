#include "store/builder.h"

#include <algorithm>
#include <cassert>
#include <cctype>
#include <charconv>
#include <limits>
#include <numeric>
#include <optional>
#include <ranges>
#include <utility>

#include "base/case.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "base/saturating.h"

namespace emberline {
namespace {

constexpr Ns kSecond = 1'000'000'000;
// No capture lasts that long; a longer duration comes from one bad time stamp.
constexpr Ns kAbsurdDuration = 7 * 24 * 3600 * kSecond;
// An event at exactly 0 while the rest lies this much later lost its time stamp.
constexpr Ns kLostStampGap = 60 * kSecond;
// Of all durations, and of all sizes; far beyond any recording.
constexpr int64_t kMaxSum = std::numeric_limits<int64_t>::max() / 2;
constexpr size_t kMaxCategories = 65'000;
constexpr size_t kThreadMemo = 256;
// Overlaps that do not nest are searched and spread over this many levels at most, so that a
// hostile file cannot make layout quadratic.
constexpr size_t kMaxCrossing = 256;

// Any sum of the values fits into 64 bits afterwards: when all of them together are larger than
// kMaxSum, which only damage explains, each is cut to its share of it. Returns the most that a
// value may be then, and nothing when all of them fit.
template <typename At>
std::optional<int64_t> MostOfSum(size_t count, At&& at) {
  uint64_t sum = 0;
  const auto magnitude = [](int64_t value) {
    const auto bits = static_cast<uint64_t>(value);
    return value < 0 ? 0 - bits : bits;
  };
  bool fits = true;
  for (size_t i = 0; i < count && fits; ++i) {
    fits = !__builtin_add_overflow(sum, magnitude(at(i)), &sum) && sum <= uint64_t{kMaxSum};
  }
  if (fits) return std::nullopt;
  return kMaxSum / static_cast<int64_t>(count);
}

// Cuts `value` to at most `most`, of either sign; true when it was larger.
bool Cut(const std::optional<int64_t>& most, int64_t* value) {
  if (!most || (*value <= *most && *value >= -*most)) return false;
  *value = *value < 0 ? -*most : *most;
  return true;
}

uint64_t HashId(const RecordedId& id) {
  return id.is_text ? HashPair(id.text, 1) : HashNumber(static_cast<uint64_t>(id.number));
}

bool StartsWithIgnoreCase(std::string_view text, std::string_view lower) {
  return EqualsLower(text.substr(0, lower.size()), lower);
}

// Number at the end of a text such as "[TP00] 3", or -1.
int64_t TrailingNumber(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(text[begin - 1]))) --begin;
  int64_t value = -1;
  std::from_chars(text.data() + begin, text.data() + text.size(), value);
  return value;
}

// Stream number of a device row: its tid, or the number in "stream 7 annotations".
int64_t StreamOf(const RecordedId& tid, const StringPool& strings) {
  if (!tid.is_text) return tid.number;
  const std::string_view text = strings.Get(tid.text);
  if (!StartsWithIgnoreCase(text, "stream ")) return -1;
  int64_t value = -1;
  std::from_chars(text.data() + 7, text.data() + text.size(), value);
  return value;
}

bool IsDeviceLabel(std::string_view text) {
  for (const char* prefix : {"gpu", "mtia", "xpu", "hpu", "npu", "aiu", "mlu", "device"}) {
    if (StartsWithIgnoreCase(text, prefix)) return true;
  }
  return false;
}

TrackKind KindOf(Domain domain) {
  switch (domain) {
    case Domain::kHost:
      return TrackKind::kHostThread;
    case Domain::kDevice:
      return TrackKind::kDeviceStream;
    case Domain::kOverhead:
      return TrackKind::kOverhead;
    case Domain::kSpan:
      return TrackKind::kSpan;
    case Domain::kUnknown:
      return TrackKind::kOther;
    case Domain::kAsync:
      return TrackKind::kAsync;
  }
  return TrackKind::kOther;
}

// Moves `column` into `out` in the order of `order`, and frees it.
template <typename T>
void Permute(ChunkedColumn<T>& column, const std::vector<uint32_t>& order, std::vector<T>& out) {
  // Assigned from a view, so that the memory is written once.
  const auto sorted =
      std::views::transform(order, [&column](uint32_t row) { return std::as_const(column)[row]; });
  out.assign(sorted.begin(), sorted.end());
  column.Free();
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

StringPool& TraceBuilder::strings() { return store_->strings_; }
const StringPool& TraceBuilder::strings() const { return store_->strings_; }
TraceMetadata& TraceBuilder::metadata() { return store_->metadata_; }
ReadCounts& TraceBuilder::counts() { return store_->counts_; }
ArgTable& TraceBuilder::args() { return store_->arg_table_; }

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
  const uint64_t hash = HashKey(key);
  uint32_t& memo = thread_memo_[hash & (kThreadMemo - 1)];
  if (memo != kNone && threads_[memo].key == key) return memo;
  uint32_t& slot = thread_table_[ThreadSlot(key, hash)];
  memo = slot;
  if (slot == kNone) {
    memo = slot = static_cast<uint32_t>(threads_.size());
    threads_.emplace_back();
    threads_.back().key = key;
    if (threads_.size() * 2 > thread_table_.size()) GrowThreadTable();
  }
  return memo;
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
  start_.Push(start);
  duration_.Push(duration);
  name_.Push(name);
  category_.Push(category);
  track_.Push(track);
  event_index_.Push(event_index);
  args_.Push(arg_handle);
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
  FlowPoint stored = flow;
  stored.track = thread;
  flows_.Push(stored);
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

// Tracks of unknown domain join the track of the same thread whose domain is known; otherwise the
// process decides, by its other tracks and its label.
void TraceBuilder::SettleDomains() {
  for (ThreadInfo& thread : threads_) {
    const TrackIndex unknown = thread.tracks[static_cast<int>(Domain::kUnknown)];
    if (unknown == kNone) continue;
    const bool on_host = thread.tracks[static_cast<int>(Domain::kHost)] != kNone;
    const bool on_device = thread.tracks[static_cast<int>(Domain::kDevice)] != kNone;
    const ProcessInfo& process = processes_[thread.key.pid];
    Domain domain = RoleOf(thread.key.pid).domain;
    if (domain != Domain::kUnknown) {
      // Its name told.
    } else if (on_host != on_device) {
      domain = on_host ? Domain::kHost : Domain::kDevice;
    } else if (process.has_host_track != process.has_device_track) {
      domain = process.has_host_track ? Domain::kHost : Domain::kDevice;
    } else if (process.device_labels != 0 && process.host_labels == 0) {
      domain = Domain::kDevice;
    } else if (thread.tracks[static_cast<int>(Domain::kSpan)] != kNone) {
      domain = Domain::kSpan;
    } else if (!thread.key.pid.is_text || on_host) {
      domain = Domain::kHost;
    }
    provisional_[unknown].domain = domain;
  }
}

// Makes the final tracks, sorted for display: host, device, overhead, spans, others; within these
// by the recorder's sort indexes, then by ids.
void TraceBuilder::MakeTracks() {
  auto& tracks = store_->tracks_;
  const StringPool& pool = store_->strings_;
  tracks.reserve(provisional_.size());
  for (ThreadInfo& thread : threads_) {
    for (const TrackIndex p : thread.tracks) {
      if (p == kNone) continue;
      ProvisionalTrack& provisional = provisional_[p];
      const Domain domain = provisional.domain;
      // A settled track joins the one that its thread already has in the domain.
      TrackIndex& own = thread.tracks[static_cast<int>(domain)];
      if (own != p && own != kNone && provisional_[own].final != kNone) {
        provisional.final = provisional_[own].final;
        continue;
      }
      Track track;
      track.kind = KindOf(domain);
      track.pid = thread.key.pid;
      track.tid = thread.key.tid;
      const ProcessInfo& process = processes_[track.pid];
      const bool on_device = domain == Domain::kDevice;
      if (on_device) {
        track.device =
            track.pid.is_text ? TrailingNumber(pool.Get(track.pid.text)) : track.pid.number;
        const ProcessRole role = RoleOf(track.pid);
        if (role.device >= 0) track.device = role.device;
        if (role.layer) {
          track.layer = process.name;
        } else {
          track.stream = StreamOf(track.tid, pool);
        }
      }
      track.process_name = process.name;
      const StringId preferred = on_device ? process.device_labels : process.host_labels;
      const StringId other = on_device ? process.host_labels : process.device_labels;
      track.process_labels = preferred != 0 ? preferred : other;
      const bool device_sort =
          on_device ? process.device_seen : process.device_seen && !process.host_seen;
      track.process_sort_index = device_sort ? process.device_sort_index : process.host_sort_index;
      const StringId name = on_device ? thread.device_name : thread.host_name;
      track.thread_name = name != 0 ? name : on_device ? thread.host_name : thread.device_name;
      track.thread_sort_index = thread.sort_index;
      provisional.final = static_cast<TrackIndex>(tracks.size());
      own = p;
      tracks.push_back(track);
    }
  }
  std::vector<uint32_t> order(tracks.size());
  std::iota(order.begin(), order.end(), 0);
  const auto compare_ids = [&](const RecordedId& a, const RecordedId& b) {
    if (a.is_text != b.is_text) return a.is_text ? 1 : -1;
    if (a.is_text) {
      const int c = pool.Get(a.text).compare(pool.Get(b.text));
      return c < 0 ? -1 : c > 0 ? 1 : 0;
    }
    return a.number < b.number ? -1 : a.number > b.number ? 1 : 0;
  };
  std::sort(order.begin(), order.end(), [&](uint32_t x, uint32_t y) {
    const Track& a = tracks[x];
    const Track& b = tracks[y];
    if (a.kind != b.kind) return a.kind < b.kind;
    if (a.process_sort_index != b.process_sort_index) {
      return a.process_sort_index < b.process_sort_index;
    }
    if (const int c = compare_ids(a.pid, b.pid)) return c < 0;
    if (a.thread_sort_index != b.thread_sort_index)
      return a.thread_sort_index < b.thread_sort_index;
    if (const int c = compare_ids(a.tid, b.tid)) return c < 0;
    return x < y;
  });
  std::vector<TrackIndex> rank(tracks.size());
  for (uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  for (ProvisionalTrack& p : provisional_) p.final = rank[p.final];
  // In place, cycle by cycle: there may be millions.
  for (uint32_t i = 0; i < rank.size(); ++i) {
    while (rank[i] != i) {
      std::swap(tracks[i], tracks[rank[i]]);
      std::swap(rank[i], rank[rank[i]]);
    }
  }
  PairThreads();
}

// Host rows that belong to the threads of another process point to these.
void TraceBuilder::PairThreads() {
  constexpr int kHost = static_cast<int>(Domain::kHost);
  if (roles_.empty()) return;
  for (const ThreadInfo& thread : threads_) {
    if (thread.tracks[kHost] == kNone) continue;
    const std::optional<RecordedId> owner = RoleOf(thread.key.pid).threads_of;
    if (!owner || *owner == thread.key.pid) continue;
    const ThreadKey key{*owner, thread.key.tid};
    const uint32_t found = thread_table_[ThreadSlot(key, HashKey(key))];
    if (found == kNone) continue;
    const TrackIndex same = threads_[found].tracks[kHost];
    if (same == kNone) continue;
    store_->tracks_[provisional_[thread.tracks[kHost]].final].same_thread =
        provisional_[same].final;
  }
}

// Finds the profile's start and extent from what was recorded, mends what has no end or no time,
// and sets zero_.
void TraceBuilder::FindExtent() {
  TraceStore& store = *store_;
  const uint32_t slices = slice_count();
  constexpr Ns kNever = std::numeric_limits<Ns>::max();
  struct Range {
    Ns begin = kNever, end = std::numeric_limits<Ns>::min();
    void Add(Ns from, Ns to) {
      begin = std::min(begin, from);
      end = std::max(end, to);
    }
    bool empty() const { return begin == kNever; }
  };
  Range work, all;
  bool zero_seen = false;
  for (uint32_t i = 0; i < slices; ++i) {
    const Ns start = start_[i];
    const Ns duration = duration_[i] == kUnfinished ? 0 : duration_[i];
    const Ns end = SaturatingAdd(start, duration);
    if (start == 0) {
      zero_seen = true;
      continue;
    }
    all.Add(start, end);
    if (store.categories_[category_[i]].kind == SliceKind::kTraceSpan) continue;
    work.Add(start, duration > kAbsurdDuration ? start : end);
  }
  const auto add_point = [&](Ns ts, bool marker) {
    if (ts == 0) {
      zero_seen = true;
      return;
    }
    all.Add(ts, ts);
    if (!marker) work.Add(ts, ts);
  };
  for (size_t i = 0; i < store.instants_.size(); ++i) {
    add_point(store.instants_[i].ts, instant_is_marker_[i]);
  }
  for (size_t i = 0; i < memory_.size(); ++i) add_point(memory_[i].ts, false);
  for (const CounterSample& sample : store.counters_) add_point(sample.ts, false);

  Range range = work.empty() ? all : work;
  const bool zero_is_lost = !range.empty() && range.begin > kLostStampGap;
  if (zero_seen && !zero_is_lost) range.Add(0, 0);
  if (range.empty()) range.Add(0, 0);
  if (zero_seen && !zero_is_lost) {
    for (uint32_t i = 0; i < slices; ++i) {
      if (start_[i] != 0 || duration_[i] == kUnfinished || duration_[i] > kAbsurdDuration) continue;
      if (store.categories_[category_[i]].kind == SliceKind::kTraceSpan) continue;
      range.Add(0, duration_[i]);
    }
  }

  // Times stay so near to the profile's start that every difference and every end is representable.
  constexpr Ns kFarthest = std::numeric_limits<Ns>::max() / 4;
  least_ = SaturatingAdd(range.begin, -kFarthest);
  most_ = SaturatingAdd(range.begin, kFarthest);
  range.end = std::min(range.end, most_);
  const auto mend_point = [&](Ns& ts, uint64_t offset) {
    if (zero_is_lost && ts == 0) {
      ts = range.begin;
      problems_.Add(ProblemKind::kLostTimestamp, offset);
    }
    ts = std::clamp(ts, least_, most_);
  };
  slice_offsets_.Each([&](size_t i, uint64_t offset) {
    mend_point(start_[i], offset);
    if (duration_[i] == kUnfinished) duration_[i] = std::max<Ns>(0, range.end - start_[i]);
    if (duration_[i] > kAbsurdDuration) problems_.Add(ProblemKind::kAbsurdDuration, offset);
    duration_[i] = std::min(duration_[i], kFarthest);
  });
  const auto longest = MostOfSum(slices, [&](size_t i) { return duration_[i]; });
  if (longest) {
    slice_offsets_.Each([&](size_t i, uint64_t offset) {
      if (Cut(longest, &duration_[i])) problems_.Add(ProblemKind::kAbsurdDuration, offset);
    });
  }
  const auto largest = MostOfSum(memory_.size(), [&](size_t i) { return memory_[i].bytes; });
  memory_offsets_.Each([&](size_t i, uint64_t offset) {
    MemoryRecord& record = memory_[i];
    if (Cut(largest, &record.bytes)) problems_.Add(ProblemKind::kAbsurdSize, offset);
    record.total_allocated = std::min(record.total_allocated, kMaxSum);
    record.total_reserved = std::min(record.total_reserved, kMaxSum);
    mend_point(record.ts, offset);
  });
  instant_offsets_.Each(
      [&](size_t i, uint64_t offset) { mend_point(store.instants_[i].ts, offset); });
  counter_offsets_.Each(
      [&](size_t i, uint64_t offset) { mend_point(store.counters_[i].ts, offset); });
  for (Offsets* offsets :
       {&slice_offsets_, &instant_offsets_, &memory_offsets_, &counter_offsets_}) {
    offsets->Free();
  }
  zero_ = range.begin;
  store.extent_ = {0, range.end - range.begin};
  store.base_ns_ = SaturatingAdd(zero_, store.metadata_.base_time_ns.value_or(0));
}

// Sorts slices by (track, start, longest first, file order) and moves every column into the store.
bool TraceBuilder::SortSlices(const CancelToken& cancel) {
  TraceStore& store = *store_;
  const uint32_t n = slice_count();
  const size_t track_count = store.tracks_.size();
  std::vector<uint32_t> begin(track_count + 1, 0);
  for (uint32_t i = 0; i < n; ++i) {
    track_[i] = provisional_[track_[i]].final;
    ++begin[track_[i] + 1];
  }
  for (size_t t = 0; t < track_count; ++t) begin[t + 1] += begin[t];
  std::vector<uint32_t> order(n);
  {
    std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
    for (uint32_t i = 0; i < n; ++i) order[next[track_[i]]++] = i;
  }
  if (cancel.cancelled()) return false;
  struct Key {
    Ns start;
    Ns duration;
    uint32_t row;
  };
  const auto before = [](const Key& a, const Key& b) {
    if (a.start != b.start) return a.start < b.start;
    if (a.duration != b.duration) return a.duration > b.duration;
    return a.row < b.row;
  };
  std::vector<Key> keys;
  for (size_t t = 0; t < track_count; ++t) {
    keys.clear();
    bool sorted = true;
    for (uint32_t i = begin[t]; i < begin[t + 1]; ++i) {
      const uint32_t row = order[i];
      keys.push_back({start_[row], duration_[row], row});
      if (keys.size() > 1 && sorted) sorted = before(keys[keys.size() - 2], keys.back());
    }
    if (!sorted) {
      std::sort(keys.begin(), keys.end(), before);
      for (uint32_t i = begin[t]; i < begin[t + 1]; ++i) order[i] = keys[i - begin[t]].row;
    }
    store.tracks_[t].first = begin[t];
    store.tracks_[t].last = begin[t + 1];
    if (cancel.cancelled()) return false;
  }
  keys = {};
  RunBoth(
      n >= kManyRows,
      [&] {
        Permute(start_, order, store.start_);
        for (Ns& start : store.start_) start -= zero_;
        Permute(duration_, order, store.duration_);
        Permute(event_index_, order, store.event_index_);
      },
      [&] {
        Permute(args_, order, store.args_);
        Permute(name_, order, store.name_);
        Permute(track_, order, store.track_);
        Permute(category_, order, store.category_);
      });
  if (cancel.cancelled()) return false;
  // Categories without a known meaning are device work where they lie on a device.
  std::vector<uint16_t> on_device(store.categories_.size(), 0xffff);
  for (uint32_t i = 0; i < n; ++i) {
    uint16_t& category = store.category_[i];
    if (store.categories_[category].kind != SliceKind::kHostOther ||
        store.tracks_[store.track_[i]].kind != TrackKind::kDeviceStream) {
      continue;
    }
    uint16_t& other = on_device[category];
    if (other == 0xffff) other = Category(store.categories_[category].raw, SliceKind::kDeviceOther);
    category = other;
  }
  return true;
}

// Parents and depths. Active slices are kept in order of their start; the one on top is nearly
// always the parent, deeper ones matter only where ranges cross.
bool TraceBuilder::Nest(const CancelToken& cancel) {
  TraceStore& store = *store_;
  const uint32_t n = store.slice_count();
  store.parent_.resize(n, kNone);
  store.depth_.resize(n, 0);
  const Ns slack = fractional_times_ ? 0 : 1000;
  std::vector<SliceIndex> active;
  std::vector<Ns> lane_end;
  for (Track& track : store.tracks_) {
    active.clear();
    lane_end.clear();
    // Asynchronous slices nest within their id; those of other ids only run at the same time.
    const bool by_id = track.kind == TrackKind::kAsync;
    const auto same_id = [&](SliceIndex a, SliceIndex b) {
      return !by_id || store.AsyncOf(a)->id == store.AsyncOf(b)->id;
    };
    for (SliceIndex i = track.first; i < track.last; ++i) {
      if (i % kCancelStride == 0 && cancel.cancelled()) return false;
      const Ns start = store.start_[i];
      const Ns end = store.end(i);
      while (!active.empty() && store.end(active.back()) <= start) active.pop_back();
      SliceIndex parent = kNone;
      size_t seen = 0;
      for (size_t k = active.size(); k-- > 0 && seen < kMaxCrossing; ++seen) {
        const Ns parent_end = store.end(active[k]);
        if (parent_end > start && end <= parent_end + slack && same_id(active[k], i)) {
          parent = active[k];
          break;
        }
      }
      size_t lane = parent == kNone ? 0 : store.depth_[parent] + size_t{1};
      const size_t last_lane = lane + kMaxCrossing;
      while (lane < lane_end.size() && lane_end[lane] > start && lane < last_lane) ++lane;
      lane = std::min<size_t>(lane, std::numeric_limits<uint16_t>::max());
      // Points take room too: two of them at one time must not hide each other.
      const Ns occupied = std::max(end, start + 1);
      if (lane >= lane_end.size()) lane_end.resize(lane + 1, std::numeric_limits<Ns>::min());
      lane_end[lane] = std::max(lane_end[lane], occupied);
      store.parent_[i] = parent;
      store.depth_[i] = static_cast<uint16_t>(lane);
      track.max_depth = std::max(track.max_depth, store.depth_[i]);
      if (end > start) active.push_back(i);
    }
  }
  return true;
}

void TraceBuilder::PlaceRest() {
  TraceStore& store = *store_;
  for (Instant& instant : store.instants_) {
    instant.ts -= zero_;
    if (instant.track != kNone) instant.track = provisional_[instant.track].final;
  }
  std::stable_sort(store.instants_.begin(), store.instants_.end(),
                   [](const Instant& a, const Instant& b) { return a.ts < b.ts; });
  store.instants_.shrink_to_fit();
  store.memory_.resize(memory_.size());
  for (size_t i = 0; i < memory_.size(); ++i) {
    store.memory_[i] = memory_[i];
    MemoryRecord& record = store.memory_[i];
    record.ts -= zero_;
    if (record.track != kNone) record.track = provisional_[record.track].final;
  }
  memory_.Free();
  const auto earlier = [](const MemoryRecord& a, const MemoryRecord& b) { return a.ts < b.ts; };
  if (!std::is_sorted(store.memory_.begin(), store.memory_.end(), earlier)) {
    std::stable_sort(store.memory_.begin(), store.memory_.end(), earlier);
  }
  for (CounterSample& sample : store.counters_) sample.ts -= zero_;
  const StringPool& pool = store.strings_;
  std::stable_sort(store.counters_.begin(), store.counters_.end(),
                   [&](const CounterSample& a, const CounterSample& b) {
                     if (a.name != b.name) return pool.Get(a.name) < pool.Get(b.name);
                     return a.ts < b.ts;
                   });
  store.counters_.shrink_to_fit();
}

// The slice that a flow touches: on the thread's host or device track, one that starts exactly at
// its time (recorders copy the time), else the innermost around it.
SliceIndex TraceBuilder::FindFlowSlice(const FlowPoint& flow, const ThreadInfo& thread,
                                       TrackIndex* track) const {
  // Flows that do not go from forward to backward belong to launches.
  const bool launch = flow.role != FlowRole::kForward;
  const TraceStore& store = *store_;
  SliceIndex best = kNone;
  int best_score = -1;
  *track = kNone;
  for (const TrackIndex p : thread.tracks) {
    if (p == kNone) continue;
    const TrackIndex t = provisional_[p].final;
    const Track& candidate = store.tracks_[t];
    if (*track == kNone) *track = t;
    const auto first = store.start_.begin() + candidate.first;
    const auto last = store.start_.begin() + candidate.last;
    const auto after = std::upper_bound(first, last, flow.ts);
    SliceIndex i = static_cast<SliceIndex>(after - store.start_.begin());
    // Among slices that start at the time, launch flows belong to calls and device work, forward
    // to backward flows to operators; the innermost one wins, which is met first.
    constexpr int kScanned = 64;
    bool exact = false;
    for (int k = 0; k < kScanned && i > candidate.first && store.start_[i - 1] == flow.ts; ++k) {
      --i;
      exact = true;
      const SliceKind kind = store.kind(i);
      int score = 2;
      if (launch ? IsLaunchApi(kind) || IsDeviceWork(kind) : kind == SliceKind::kCpuOp) score = 4;
      if (kind == SliceKind::kGpuUserAnnotation || kind == SliceKind::kPythonFunction) score = 1;
      if (score > best_score) {
        best_score = score;
        best = i;
        *track = t;
      }
    }
    if (exact || best_score >= 1 || after == first) continue;
    // Innermost around the time: the last one that started, or the first of its parents that lasts.
    SliceIndex around = static_cast<SliceIndex>(after - store.start_.begin()) - 1;
    for (int k = 0; k < kScanned && around != kNone && store.end(around) < flow.ts; ++k) {
      around = store.parent_[around];
    }
    if (around != kNone && store.end(around) >= flow.ts && best_score < 0) {
      best_score = 0;
      best = around;
      *track = t;
    }
  }
  return best;
}

bool TraceBuilder::PlaceFlows(const CancelToken& cancel) {
  TraceStore& store = *store_;
  const size_t n = flows_.size();
  store.flows_.resize(n);
  for (size_t i = 0; i < n; ++i) {
    if (i % kCancelStride == 0 && cancel.cancelled()) return false;
    FlowPoint flow = flows_[i];
    const ThreadInfo& thread = threads_[flow.track];
    flow.ts = std::clamp(flow.ts, least_, most_) - zero_;
    flow.slice = FindFlowSlice(flow, thread, &flow.track);
    store.flows_[i] = flow;
  }
  flows_.Free();
  for (const auto& [row, args] : flow_args_) {
    store.flow_args_.emplace_back(TraceStore::FlowKey(store.flows_[row]), args);
  }
  flow_args_ = {};
  std::sort(store.flow_args_.begin(), store.flow_args_.end());
  std::sort(store.flows_.begin(), store.flows_.end(), [](const FlowPoint& a, const FlowPoint& b) {
    if (a.id != b.id) return a.id < b.id;
    if (a.ts != b.ts) return a.ts < b.ts;
    if (a.phase != b.phase) return a.phase < b.phase;
    return a.slice < b.slice;
  });
  return true;
}

Result<std::shared_ptr<const TraceStore>> TraceBuilder::Finalize(const CancelToken& cancel) {
  const Error cancelled{ErrorKind::kCancelled, "Reading the trace was cancelled.", "", {}};
  SettleDomains();
  MakeTracks();
  FindExtent();
  bool nested = false;
  RunBoth(
      slice_count() + memory_.size() + store_->instants_.size() >= kManyRows,
      [&] { nested = SortSlices(cancel) && Nest(cancel); }, [&] { PlaceRest(); });
  if (!nested || !PlaceFlows(cancel)) return cancelled;
  store_->arg_table_.Freeze();
  store_->FindArgKeys();
  problems_.AppendTo(store_->problems_);
  std::shared_ptr<const TraceStore> done = std::move(store_);
  store_ = std::make_shared<TraceStore>();
  return done;
}

}  // namespace emberline
