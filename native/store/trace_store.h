// The frozen, columnar form of one trace file. Built by TraceBuilder (store/builder.h),
// never changed afterwards; any thread may read it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/flat_column.h"
#include "base/message.h"
#include "base/packed_column.h"
#include "base/packed_table.h"
#include "base/string_pool.h"
#include "base/types.h"
#include "store/arg_roles.h"
#include "store/args.h"

namespace emberline {

// What a slice is, whatever the recorder called its category (SEMANTICS.md, Slices).
enum class SliceKind : uint8_t {
  kCpuOp,              // cpu_op, Operator
  kUserAnnotation,     // user_annotation; host ranges, ProfilerStep#N among them
  kGpuUserAnnotation,  // gpu_user_annotation, gpu_user_Annotation, User: projections on a device
  kKernel,
  kMemcpy,
  kMemset,
  kRuntime,  // cuda_runtime, xpu_runtime, mtia_runtime, privateuse1_runtime, glow_runtime, ...
  kDriver,   // cuda_driver, xpu_driver, privateuse1_driver
  kPythonFunction,
  kOverhead,
  kSync,  // cuda_sync, xpu_sync, and events of MTIA
  kCudaEvent,
  kTraceSpan,   // cat "Trace": the span of the capture
  kCollective,  // collective_comm
  // A collective that the recorder wrote as one operation on a device. The tasks that it is made
  // of are kDerived.
  kCommunication,
  // Ranges on a device that repeat, sum up or split work of other rows. No figure counts them.
  kDerived,
  kDeviceOther,  // device work of other back ends: hpu_op, mtia_ccp_events, ...
  kHostOther,    // any other category on a host track
};
inline constexpr int kSliceKindCount = static_cast<int>(SliceKind::kHostOther) + 1;

// Stable lower-camel name of a kind, for JSON ("cpuOp", "kernel", ...).
const char* SliceKindName(SliceKind kind);

// Work that computes: copies and sets apart.
inline bool IsKernel(SliceKind k) {
  return k == SliceKind::kKernel || k == SliceKind::kDeviceOther || k == SliceKind::kCommunication;
}

// Kernel, copy, set, other device work: what makes a device busy (annotations, syncs do not).
inline bool IsDeviceWork(SliceKind k) {
  return IsKernel(k) || k == SliceKind::kMemcpy || k == SliceKind::kMemset;
}
inline bool IsLaunchApi(SliceKind k) { return k == SliceKind::kRuntime || k == SliceKind::kDriver; }

enum class TrackKind : uint8_t {
  kHostThread,
  kDeviceStream,  // a stream (or queue) of a device
  kOverhead,      // the profiler's own overhead
  kSpan,          // "Spans"/"Traces" rows
  kOther,
  kAsync,         // asynchronous events of one category of a process; `tid` is the category
  kGraphCapture,  // calls of another trace that recorded a device graph (TraceStore::AddCapture)
};

// A process or thread id as recorded: an integer, or an interned string.
struct RecordedId {
  bool is_text = false;
  int64_t number = 0;  // when !is_text
  StringId text = 0;   // when is_text
  bool operator==(const RecordedId&) const = default;
  auto operator<=>(const RecordedId&) const = default;
};

struct Track {
  TrackKind kind = TrackKind::kOther;
  RecordedId pid;
  RecordedId tid;
  int64_t device = -1;  // device ordinal of a kDeviceStream; -1 otherwise
  int64_t stream = -1;  // stream id of a kDeviceStream; -1 otherwise or not a number
  // Name of the recorder's layer that a device row belongs to when it is no stream, such as
  // "HCCL"; 0 for streams and host rows.
  StringId layer = 0;
  // Track of the same host thread under another process id: what runs here runs inside its
  // slices. kNone for nearly all.
  TrackIndex same_thread = kNone;
  StringId process_name = 0;  // from metadata; 0 when absent
  StringId process_labels = 0;
  StringId thread_name = 0;
  int64_t process_sort_index = 0;
  int64_t thread_sort_index = 0;
  SliceIndex first = 0;  // slices [first, last) lie on this track
  SliceIndex last = 0;
  uint16_t max_depth = 0;  // deepest nesting of its slices, 0 when none nest
};

// A category as recorded and what it means.
struct CategoryInfo {
  StringId raw = 0;
  SliceKind kind = SliceKind::kHostOther;
  // Correlations count anew in each space: recorders of two devices may share a trace.
  uint8_t correlation_space = 0;
};

struct Instant {
  Ns ts = 0;
  StringId name = 0;
  uint16_t category = 0;     // index into categories()
  TrackIndex track = kNone;  // kNone for process- and global-scoped ones without a known track
  // 't' thread, 'p' process, 'g' global; of events that are no instants but have a moment alone,
  // the phase as recorded: 'N', 'O', 'D' objects, 'v', 'V' memory dumps, 'P' samples, 'c' clock
  // marks.
  char scope = 't';
  uint64_t args = 0;  // handle for ArgsAt(); 0 = none
};

// One allocator record ("[memory]"), parsed from its instant.
struct MemoryRecord {
  Ns ts = 0;
  uint64_t address = 0;
  int64_t bytes = 0;        // > 0 allocation, < 0 release
  int32_t device_type = 0;  // c10::DeviceType as recorded: 0 CPU, 1 CUDA, 6 HIP, 12 XPU, ...
  int32_t device_id = -1;
  int64_t total_allocated = -1;  // bytes after this record; -1 when not recorded
  int64_t total_reserved = -1;
  TrackIndex track = kNone;  // host thread
  bool operator==(const MemoryRecord&) const = default;
};
// Memory records in a container of structs that keeps each member as a column.
template <template <typename, auto...> class Columns>
using MemoryColumns =
    Columns<MemoryRecord, &MemoryRecord::ts, &MemoryRecord::address, &MemoryRecord::bytes,
            &MemoryRecord::device_type, &MemoryRecord::device_id, &MemoryRecord::total_allocated,
            &MemoryRecord::total_reserved, &MemoryRecord::track>;
using MemoryTable = MemoryColumns<PackedTable>;

struct CounterSample {
  Ns ts = 0;
  StringId name = 0;
  RecordedId pid;
  uint64_t args = 0;  // one number per series
};

enum class FlowPhase : uint8_t { kStart, kStep, kEnd };
// What an arrow says, where its format tells.
enum class FlowRole : uint8_t {
  kOther,
  kLaunch,   // from a call to the device work that it launched
  kForward,  // from a forward operator to its backward
};
struct FlowPoint {
  uint64_t id = 0;  // hash of category and recorded id (string or integer, normalised);
                    // ids count per category, so equal ids mean one flow
  Ns ts = 0;
  StringId name = 0;
  uint16_t category = 0;  // index into categories()
  FlowPhase phase = FlowPhase::kStart;
  FlowRole role = FlowRole::kOther;
  TrackIndex track = kNone;
  SliceIndex slice = kNone;  // the slice of `track` that encloses (host) or begins at (device) ts
};

// What an asynchronous slice has beyond others: it belongs to an id, not to a thread.
struct AsyncSlice {
  uint32_t event_index = 0;  // of the slice
  RecordedId id;             // as recorded; the text of id2 where that is given
  RecordedId tid;            // thread of its begin
  bool nestable = true;      // b, e; else the older S, F
};

// One kind of problem found while reading; problems of one kind are counted together.
struct Problem {
  std::string kind;     // stable id, lower camel: "truncated", "invalidUtf8", "negativeDuration"
  std::string message;  // what it means for the reader, one sentence
  uint64_t count = 0;
  uint64_t first_offset = 0;  // byte offset in the inflated text
  // True when figures must not be read without it: every view shows the message.
  bool notice = false;
  MessageArgs arguments;  // the values that `message` names; its code is `kind`
};

struct DeviceProperties {
  int64_t id = 0;
  std::string name;
  int64_t total_global_mem = 0;  // bytes; 0 unknown
  int compute_major = 0, compute_minor = 0;
  int64_t num_sms = 0;  // multiprocessors / CUs; 0 unknown
  int64_t warp_size = 0;
  int64_t max_threads_per_block = 0;
  int64_t max_threads_per_sm = 0;
  int64_t regs_per_sm = 0;
  int64_t shared_mem_per_sm = 0;
  std::vector<std::pair<std::string, std::string>> all;  // every key as recorded, value as text
};

struct DistributedInfo {
  std::string backend;
  int64_t rank = -1;
  int64_t world_size = -1;
  std::string raw;  // the whole object as JSON
};

// What the file says about itself, besides its events.
struct TraceMetadata {
  int64_t schema_version = 0;  // 0 unknown
  std::string trace_name;
  std::string trace_id;
  std::string display_time_unit;
  std::optional<int64_t> base_time_ns;  // baseTimeNanoseconds
  std::vector<DeviceProperties> devices;
  std::optional<DistributedInfo> distributed;
  // record_shapes, with_stack, profile_memory, with_modules, with_flops when recorded.
  std::map<std::string, bool> profiler_flags;
  // Every other top-level key with its value as JSON text (long values are cut at 64 KiB).
  std::vector<std::pair<std::string, std::string>> others;
  bool bare_array = false;
};

struct ReadCounts {
  uint64_t events = 0;  // objects in traceEvents
  uint64_t slices = 0;  // X, and matched B/E and b/e pairs count as two events, one slice
  uint64_t paired = 0;  // events consumed as the second half of a pair (E, e)
  uint64_t instants = 0;
  uint64_t memory = 0;  // instants that became memory records
  uint64_t counters = 0;
  uint64_t flows = 0;
  uint64_t metadata = 0;
  uint64_t dropped = 0;  // events that are in none of the tables; each one is a problem
  uint64_t file_bytes = 0;
  uint64_t text_bytes = 0;  // after inflating
  // Events by what they are: durations (X, B, E) under their raw category ("" when absent), others
  // under phase and category: "M", "i cpu_instant_event", "s ac2g", "C".
  std::map<std::string, uint64_t> by_category;
};

// The calls of another trace that recorded a device graph, with what stood around them. Outer
// slices come before inner ones; times are relative to the capture's begin.
struct CapturedTree {
  struct Arg {
    ArgRole role;
    std::string text;
    bool json = false;  // an array or object; else a string
  };
  struct Slice {
    std::string name;
    std::string category;  // as recorded
    SliceKind kind = SliceKind::kHostOther;
    Ns start = 0, duration = 0;
    uint32_t parent = kNone;  // in `slices`
    uint32_t thread = 0;      // slices of one thread are neighbors, as those of a track are
    std::vector<Arg> args;
  };
  std::vector<Slice> slices;
  std::vector<uint32_t> calls;  // per node of the graph, in order: the launch in `slices`
};

// A file of captures beside the trace, and what came of it.
struct CaptureSource {
  std::string file;     // its name, for people
  uint64_t graphs = 0;  // graphs of this trace that it recorded
  uint64_t work = 0;    // their device slices
  std::string reason;   // why it could not be used; "" when it could
};

// Device work with the call of a capture that recorded it.
struct CapturedWork {
  SliceIndex work = kNone;
  SliceIndex call = kNone;
  auto operator<=>(const CapturedWork&) const = default;
};

class TraceBuilder;

class TraceStore {
 public:
  TraceStore() { FindArgKeys(); }  // empty; filled by TraceBuilder

  // --- Slices: parallel columns. Rows of a track are contiguous: start ascending, longer first.
  // The slices of the file. They come first.
  uint32_t slice_count() const { return all_slice_count() - captured_slices_; }
  // With those of graph captures behind them. Those ran elsewhere at another time, so sums over
  // time leave them out; they say who recorded a graph that runs in this trace.
  uint32_t all_slice_count() const { return static_cast<uint32_t>(start_.size()); }
  Ns start(SliceIndex i) const { return start_[i]; }
  Ns duration(SliceIndex i) const { return duration_[i]; }
  Ns end(SliceIndex i) const { return start_[i] + duration_[i]; }
  StringId name_id(SliceIndex i) const { return name_[i]; }
  std::string_view name(SliceIndex i) const { return strings_.Get(name_[i]); }
  SliceKind kind(SliceIndex i) const { return categories_[category_[i]].kind; }
  uint16_t category(SliceIndex i) const { return category_[i]; }
  TrackIndex track(SliceIndex i) const { return track_[i]; }
  // Innermost slice of the same track that contains this one; kNone at top level. Slices that
  // overlap without nesting (device streams, damaged files) are siblings. Recorders that cut times
  // to whole microseconds cut both ends separately, so in such a trace a child may end up to 1 us
  // after its parent.
  SliceIndex parent(SliceIndex i) const { return parent_[i]; }
  // Nesting depth on host tracks; sub-lane on device tracks, so that nothing overpaints.
  uint16_t depth(SliceIndex i) const { return depth_[i]; }
  // Position of the event in the file, 0-based: a stable id that survives re-reading.
  uint32_t event_index(SliceIndex i) const { return event_index_[i]; }

  // --- Args by what they mean, whatever the format calls them. Of several keys that play a role,
  // the first with a value counts. Decodes on demand: cheap, but not free; cache in a local where
  // it is used twice.
  // False when no slice has such an arg: then a loop over all of them can be left out.
  bool HasArg(ArgRole role) const { return arg_keys_[static_cast<int>(role)][0] != kNone; }
  std::optional<ArgValue> Arg(SliceIndex i, ArgRole role) const;
  std::optional<int64_t> ArgInt(SliceIndex i, ArgRole role) const;  // also from numeric text
  std::optional<double> ArgNumber(SliceIndex i, ArgRole role) const;
  std::string_view ArgText(SliceIndex i, ArgRole role) const;  // text or raw JSON; "" when absent
  StringId ArgTextId(SliceIndex i, ArgRole role) const;        // its id; 0 when absent
  // The keys that play a role in this trace, in order; kNone behind the last one.
  static constexpr int kMaxArgKeys = 4;
  using ArgKeys = std::array<StringId, kMaxArgKeys>;
  const ArgKeys& ArgKeysOf(ArgRole role) const { return arg_keys_[static_cast<int>(role)]; }
  // Args by their key as recorded: for showing them, and for tests.
  std::optional<ArgValue> Arg(SliceIndex i, std::string_view key) const;
  std::optional<int64_t> ArgInt(SliceIndex i,
                                std::string_view key) const;  // also from numeric text
  std::optional<double> ArgNumber(SliceIndex i, std::string_view key) const;
  std::string_view ArgText(SliceIndex i,
                           std::string_view key) const;  // text or raw JSON; "" when absent
  // As the four above with the key's id from strings().Find(): for loops.
  std::optional<ArgValue> Arg(SliceIndex i, StringId key) const;
  std::optional<int64_t> ArgInt(SliceIndex i, StringId key) const;
  std::optional<double> ArgNumber(SliceIndex i, StringId key) const;
  std::string_view ArgText(SliceIndex i, StringId key) const;
  // All args in the order of the file.
  std::vector<std::pair<StringId, ArgValue>> Args(SliceIndex i) const { return ArgsAt(args_[i]); }
  std::vector<std::pair<StringId, ArgValue>> ArgsAt(uint64_t handle) const;  // 0 gives none

  // --- The rest.
  const std::vector<Track>& tracks() const { return tracks_; }
  const std::vector<CategoryInfo>& categories() const { return categories_; }
  const FlatColumn<Instant>& instants() const { return instants_; }        // by ts; memory excluded
  const MemoryTable& memory() const { return memory_; }                    // by ts, file order
  const FlatColumn<CounterSample>& counters() const { return counters_; }  // by name, then ts
  const FlatColumn<FlowPoint>& flows() const { return flows_; }            // by id, then ts
  // Args of a flow point as recorded; 0 when it has none, which is usual.
  uint64_t FlowArgs(const FlowPoint& point) const;
  // The id behind a slice of a kAsync track; null for others.
  const AsyncSlice* AsyncOf(SliceIndex i) const;
  const StringPool& strings() const { return strings_; }
  const TraceMetadata& metadata() const { return metadata_; }
  const std::vector<Problem>& problems() const { return problems_; }
  const ReadCounts& counts() const { return counts_; }
  // First start and last end of the recorded work: slices, instants, memory records and counters,
  // without the capture's own span and markers (kTraceSpan, "Record Window End"; they may lie
  // outside, and thus start below 0) and without durations of more than 7 days. Times are relative
  // to base_ns(): begin is 0 for a non-empty trace.
  Interval extent() const { return extent_; }
  // Absolute time of 0 in ns as the file counts it (its ts, plus baseTimeNanoseconds if any).
  int64_t base_ns() const { return base_ns_; }
  size_t MemoryBytes() const;

  // Device work of this trace with the call of a capture that recorded it, by work (AddCapture).
  const FlatColumn<CapturedWork>& captured_work() const { return captured_work_; }
  // Capture files that explained graphs of this trace.
  const std::vector<CaptureSource>& capture_sources() const { return capture_sources_; }

  // Adds the calls that recorded a graph as a track of its own, and ties work of this trace to
  // them. Only before the store is shared: the one exception to its being frozen.
  void AddCapture(const CapturedTree& tree,
                  const std::vector<std::pair<SliceIndex, uint32_t>>& work);
  void SetCaptureSources(std::vector<CaptureSource> sources) {
    capture_sources_ = std::move(sources);
  }

 private:
  friend class TraceBuilder;
  friend class StoreImage;
  friend class ArgInts;
  void FindArgKeys();
  // The key under which an arg of the role is added. The importer has named one.
  StringId KeyFor(ArgRole role);
  static uint64_t FlowKey(const FlowPoint& point);
  struct FlowArg {
    uint64_t key = 0;  // FlowKey()
    uint64_t args = 0;
    auto operator<=>(const FlowArg&) const = default;
  };
  std::shared_ptr<const void> backing_;  // what the columns show when they own nothing
  PackedColumn<Ns> start_, duration_;
  PackedColumn<StringId> name_;
  PackedColumn<uint16_t> category_;
  PackedColumn<TrackIndex> track_;
  PackedColumn<SliceIndex> parent_;
  PackedColumn<uint16_t> depth_;
  PackedColumn<uint32_t> event_index_;
  PackedColumn<uint64_t> args_;  // handle (store/args.h); 0 = none
  ArgTable arg_table_;
  // What the importer named, and which of these keys occur.
  std::vector<std::pair<ArgRole, std::string>> arg_names_;
  std::array<ArgKeys, kArgRoleCount> arg_keys_ = {};
  std::vector<Track> tracks_;
  std::vector<CategoryInfo> categories_;
  FlatColumn<Instant> instants_;
  MemoryTable memory_;
  FlatColumn<CounterSample> counters_;
  FlatColumn<FlowPoint> flows_;
  FlatColumn<FlowArg> flow_args_;  // by key
  FlatColumn<AsyncSlice> async_;   // by event_index
  uint32_t captured_slices_ = 0;
  FlatColumn<CapturedWork> captured_work_;
  std::vector<CaptureSource> capture_sources_;
  StringPool strings_;
  TraceMetadata metadata_;
  std::vector<Problem> problems_;
  ReadCounts counts_;
  Interval extent_;
  int64_t base_ns_ = 0;
};

}  // namespace emberline
