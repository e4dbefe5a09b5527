// Fills a TraceStore: rows are appended in the file's order, Finalize sorts, nests and freezes.
#pragma once

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "base/scratch_vector.h"
#include "store/builder_rows.h"
#include "store/far_times.h"
#include "store/problems.h"
#include "store/trace_store.h"

namespace emberline {

// Which row of a viewer an event belongs to. Process ids alone do not tell: device 1 and a process
// with id 1 may stand in one file.
enum class Domain : uint8_t { kHost, kDevice, kOverhead, kSpan, kUnknown, kAsync };
inline constexpr int kDomainCount = 6;

class TraceBuilder {
 public:
  // Duration of a slice whose end was not recorded: Finalize lets it last to the end of the trace.
  static constexpr Ns kUnfinished = std::numeric_limits<Ns>::min();

  TraceBuilder();
  ~TraceBuilder();
  TraceBuilder(const TraceBuilder&) = delete;
  TraceBuilder& operator=(const TraceBuilder&) = delete;

  StringPool& strings() { return store_->strings_; }
  const StringPool& strings() const { return store_->strings_; }
  TraceMetadata& metadata() { return store_->metadata_; }
  ReadCounts& counts() { return store_->counts_; }
  // What was wrong with the trace; Finalize adds what only all events together show, and puts
  // everything into the store.
  Problems& problems() { return problems_; }
  ArgTable& args() { return store_->arg_table_; }
  // An arg key of the format plays `role`. Keys that play the same one are asked in the order in
  // which they were named, at most TraceStore::kMaxArgKeys of them.
  void NameArg(ArgRole role, std::string_view key);

  // Where the event begins whose rows are added from now on, as a byte offset in the text.
  void SetOffset(uint64_t offset) { offset_ = offset; }

  // The category of (raw text, meaning); made on first sight. When there are more than 65,000, the
  // rest share one without text.
  uint16_t Category(StringId raw, SliceKind kind, uint8_t correlation_space = 0);
  // Number of the pair (pid, tid).
  uint32_t Thread(const RecordedId& pid, const RecordedId& tid);
  // The track of a thread in a domain. Indexes are provisional: Finalize sorts tracks and remaps.
  // kUnknown is settled there, when all processes are known.
  TrackIndex TrackOf(uint32_t thread, Domain domain);
  // The track of a host thread, or of a stream of a device, for formats that tell which it is.
  TrackIndex HostTrack(int64_t pid, int64_t tid);
  TrackIndex DeviceTrack(int64_t device, int64_t stream);

  // Times are as recorded, in ns; Finalize makes them relative. Returns the provisional row.
  uint32_t AddSlice(TrackIndex track, uint16_t category, StringId name, Ns start, Ns duration,
                    uint64_t arg_handle, uint32_t event_index);
  uint32_t slice_count() const { return static_cast<uint32_t>(slices_.size()); }
  Ns slice_start(uint32_t row) const { return times_.At<kStart>(row); }
  StringId slice_name(uint32_t row) const { return slices_.At<kName>(row); }
  uint64_t slice_args(uint32_t row) const { return slices_.At<kArgs>(row); }
  // Where the slice's event begins, as SetOffset() said.
  uint64_t slice_offset(uint32_t row) const { return slice_offsets_.At<0>(row); }
  void SetDuration(uint32_t row, Ns duration) { times_.Set<kDuration>(row, duration); }
  void SetArgs(uint32_t row, uint64_t handle) { slices_.Set<kArgs>(row, handle); }

  // `marker`: a mark of the recorder itself, which does not count for the extent.
  void AddInstant(const Instant& instant, bool marker);
  void AddMemory(const MemoryRecord& record);
  void AddCounter(const CounterSample& sample);
  // The track of `flow` is ignored: it is found by thread and time.
  void AddFlow(const FlowPoint& flow, uint32_t thread, uint64_t arg_handle = 0);
  // The id behind a slice that was added to a track of Domain::kAsync. Slices come in the file's
  // order.
  void AddAsync(const AsyncSlice& slice) { store_->async_.push_back(slice); }

  // Metadata of a process ("process_name", "process_labels", "process_sort_index") or a thread
  // ("thread_name", "thread_sort_index"). The last one wins, but a name that says more stays.
  // Returns false for other keys.
  bool SetProcessText(const RecordedId& pid, std::string_view key, StringId value);
  bool SetProcessSortIndex(const RecordedId& pid, int64_t value);
  bool SetThreadName(uint32_t thread, StringId value);
  bool SetThreadSortIndex(uint32_t thread, int64_t value);

  // --- What a dialect learns once all events were taken (ingest/trace_event/dialect.h).
  struct Process {
    RecordedId pid;
    StringId name = 0;
    StringId host_labels = 0, device_labels = 0;  // both where ids of a device and a process meet
    int64_t sort_index = 0;
  };
  std::vector<Process> Processes() const;  // by pid
  // What the rows of a process are where its name tells more than categories and labels.
  struct ProcessRole {
    Domain domain = Domain::kUnknown;  // of rows whose categories leave it open
    int64_t device = -1;               // ordinal of a kDevice; -1: the process id is the ordinal
    bool layer = false;                // rows of a kDevice are no streams: see Track::layer
    // Process whose threads these rows belong to (Track::same_thread); none when no value.
    std::optional<RecordedId> threads_of;
  };
  void SetProcessRole(const RecordedId& pid, const ProcessRole& role);
  uint32_t track_count() const { return static_cast<uint32_t>(provisional_.size()); }
  const RecordedId& track_pid(TrackIndex t) const {
    return threads_[provisional_[t].thread].key.pid;
  }
  StringId track_thread_name(TrackIndex t) const;
  Domain track_domain(TrackIndex t) const { return provisional_[t].domain; }
  TrackIndex slice_track(uint32_t row) const { return slices_.At<kTrack>(row); }
  const CategoryInfo& slice_category(uint32_t row) const {
    return store_->categories_[slices_.At<kCategory>(row)];
  }
  uint16_t slice_category_index(uint32_t row) const { return slices_.At<kCategory>(row); }
  uint32_t category_count() const { return static_cast<uint32_t>(store_->categories_.size()); }
  const CategoryInfo& category(uint32_t c) const { return store_->categories_[c]; }
  // Keeps the recorded category and says what it means for this row.
  void SetKind(uint32_t row, SliceKind kind) {
    const CategoryInfo info = slice_category(row);
    slices_.Set<kCategory>(row, Category(info.raw, kind, info.correlation_space));
  }

  // True when a recorded time had a fraction of a microsecond: then times are exact, else both ends
  // of a slice were cut to whole microseconds and nesting allows for 1 us.
  void SetFractionalTimes() { fractional_times_ = true; }

  // Sorts, nests and freezes; the builder is empty afterwards. `base_time_ns` of the metadata is
  // added to base_ns(). Errors: kCancelled.
  Result<std::shared_ptr<const TraceStore>> Finalize(const CancelToken& cancel = {});

 private:
  struct ThreadKey {
    RecordedId pid, tid;
    bool operator==(const ThreadKey&) const = default;
  };
  struct ThreadInfo {
    ThreadKey key;
    TrackIndex tracks[kDomainCount] = {kNone, kNone, kNone, kNone, kNone, kNone};
    StringId host_name = 0, device_name = 0;
    int64_t sort_index = 0;
    bool has_sort_index = false;
  };
  struct ProcessInfo {
    StringId name = 0;
    StringId host_labels = 0, device_labels = 0;
    int64_t host_sort_index = 0, device_sort_index = 0;
    bool host_seen = false, device_seen = false;  // sort index recorded
    bool has_host_track = false, has_device_track = false;
  };
  struct ProvisionalTrack {
    uint32_t thread = 0;
    Domain domain = Domain::kUnknown;
    TrackIndex final = kNone;
  };
  struct IdHash {
    size_t operator()(const RecordedId& id) const;
  };

  static uint64_t HashKey(const ThreadKey& key);
  size_t ThreadSlot(const ThreadKey& key, uint64_t hash) const;
  void GrowThreadTable();
  ProcessRole RoleOf(const RecordedId& pid) const;
  void SettleDomains();
  void MakeTracks();
  void PairThreads();
  struct Extent {
    TimeRange range;
    Ns latest = 0;              // what lasts longer than that, absurdly long, has no sound duration
    bool zero_is_lost = false;  // a time of 0 is no time
  };
  void UnpackTimes();
  Extent FindExtent();
  void MendTimes(Extent extent);
  template <typename Visit>
  void EachSliceTime(size_t first, size_t last, Visit&& visit) const;
  template <typename Visit>
  void EachPointTime(Visit&& visit) const;
  std::optional<TimeRange> FindBulk(const TimeRange& times, Ns gap) const;
  // 0 where a duration is not known: of an absurd one, too, is not known what it was.
  static Ns Known(Ns duration);
  void LeaveOutFarTimes(const TimeRange& times);
  bool LeaveOutMisplacedTimes(const TimeRange& times);
  // `order`, here and below: rows by their place in the store.
  ScratchVector<uint32_t> SortByTrack();
  bool SortByTime(ScratchVector<uint32_t>* order, const CancelToken& cancel);
  bool PlaceSlices(const ScratchVector<uint32_t>& order, const CancelToken& cancel);
  void PackTracks();
  void SettleDeviceWork(const ScratchVector<uint32_t>& order);
  void SettleStreams();
  // Of asynchronous tracks, or of the others, which need no more of a slice than its times.
  void NestTrack(Track* track, const CancelToken& cancel);
  bool Nest(bool async, size_t threads, const CancelToken& cancel);
  void PlaceRest();
  void PlaceMemory();
  bool PlaceFlows(const CancelToken& cancel);
  template <typename Visit>
  void EachPlacedFlows(size_t first, size_t last, const CancelToken& cancel, Visit&& visit) const;
  // `hints`: by track, where the flow before it was found.
  SliceIndex FindFlowSlice(const FlowPoint& flow, const ThreadInfo& thread,
                           std::vector<SliceIndex>* hints, TrackIndex* track) const;

  // Slices in the order of the file, their tracks provisional.
  enum SliceColumn : size_t { kArgs, kName, kTrack, kEventIndex, kCategory };
  using Slices = PackedRows<uint64_t, StringId, TrackIndex, uint32_t, uint16_t>;
  enum TimeColumn : size_t { kStart, kDuration };
  using SliceTimes = PackedRows<Ns, Ns>;

  template <typename IsFar, typename Keep>
  size_t LeaveOut(OffsetRows* offsets, IsFar&& is_far, Keep&& keep);
  template <typename Slice, typename Point, typename Record, typename Sample>
  void LeaveOutRows(Slice&& slice, Point&& instant, Record&& record, Sample&& sample);

  std::shared_ptr<TraceStore> store_;
  Problems problems_;
  uint64_t offset_ = 0;
  // Until Finalize has looked for problems.
  OffsetRows slice_offsets_, instant_offsets_, memory_offsets_, counter_offsets_;
  Slices slices_;
  SliceTimes times_;                      // of slices_, until UnpackTimes()
  ScratchVector<Ns> starts_, durations_;  // and from then on, until PlaceSlices()
  MemoryRows memory_;
  FlowRows flows_;
  std::vector<std::pair<uint32_t, uint64_t>> flow_args_;  // row of flows_, handle
  std::vector<bool> instant_is_marker_;

  std::vector<ThreadInfo> threads_;
  // Numbers of threads_ by their key: open addressing, kNone marks an empty slot. Hostile files
  // have millions of threads, and nodes of a map would take more memory than the threads
  // themselves.
  std::vector<uint32_t> thread_table_;
  uint32_t last_thread_ = kNone;  // the answer of Thread() before
  // Direct-mapped: recent answers of Thread(), by what is quickly known of the ids.
  std::vector<uint32_t> thread_memo_;
  std::unordered_map<RecordedId, ProcessInfo, IdHash> processes_;
  std::unordered_map<RecordedId, ProcessRole, IdHash> roles_;  // of few processes
  std::vector<ProvisionalTrack> provisional_;
  std::unordered_map<uint64_t, uint16_t> category_index_;
  bool fractional_times_ = false;
  Ns zero_ = 0;              // recorded time of the profile's start
  Ns least_ = 0, most_ = 0;  // recorded times are kept within these
};

}  // namespace emberline
