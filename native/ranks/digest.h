// What is kept of one trace of a job: tens of kilobytes that hold every figure of the distributed
// views and add up over ranks. Times are ns since the trace's start unless a name says otherwise.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ranks/collectives.h"
#include "ranks/sketch.h"

namespace emberline {

// Changes whenever a digest means something else. Digests of another version are refused.
inline constexpr int64_t kDigestVersion = 14;

// Which kinds of work ran at a moment: bits of an index into DeviceTime::combinations.
inline constexpr size_t kComputation = 1, kCommunicationBit = 2, kMemory = 4;

// Each struct lists its members once, for writing and reading alike (digest_file.cc).

struct DeviceInfo {
  int64_t ordinal = 0;
  std::string kind, name;  // "GPU", "NVIDIA A100"
  int64_t memory_bytes = 0;
  int64_t multiprocessors = 0;
  template <typename A>
  void Members(A& a) {
    a(ordinal, kind, name, memory_bytes, multiprocessors);
  }
};

// Where the time of a device went, over a step or the whole trace.
struct DeviceTime {
  int64_t device = -1;   // ordinal; -1: the host stands for it, in a trace without device work
  int64_t step = -1;     // index into RankDigest::steps; -1: the whole trace
  Ns length = 0;         // of the step; of the trace, from the device's first work to its last
  Ns computation = 0;    // some kernel computes and none communicates
  Ns overlap = 0;        // both
  Ns communication = 0;  // exposed: some kernel communicates and none computes
  Ns busy = 0;           // any work, copies included
  // Time by the set of kinds that run; [0] is idle time within `length`.
  std::array<Ns, 8> combinations{};
  Ns other() const { return length - computation - overlap - communication; }
  template <typename A>
  void Members(A& a) {
    a(device, step, length, computation, overlap, communication, busy);
    for (Ns& part : combinations) a(part);
  }
};

struct StepDigest {
  std::string name;
  int64_t number = -1;  // of ProfilerStep#N; -1 where steps were not recorded
  Ns begin = 0, end = 0;
  bool partial = false;
  template <typename A>
  void Members(A& a) {
    a(name, number, begin, end, partial);
  }
};

// What a rank did before a collective, since its collective before: the largest parts.
struct Activity {
  uint8_t where = 0;  // ActivityKind
  std::string name;   // operator, kernel, function or range
  std::string place;  // "train.py:12 (forward)"; "" unknown
  Ns time = 0;
  template <typename A>
  void Members(A& a) {
    a(where, name, place, time);
  }
};
enum ActivityKind : uint8_t { kDeviceActivity, kHostActivity, kCommunicationActivity };

struct CollectiveDigest {
  uint32_t group = 0;  // in RankDigest::groups
  uint8_t op = 0;      // CollectiveOp
  bool host_only = false;
  bool coalesced = false;
  std::string library, recorded, dtype;
  int64_t sequence = -1;
  int64_t in_elements = -1, out_elements = -1, bytes = -1;
  int64_t peer = -1;
  std::vector<ExchangePart> parts;      // as in Collective
  std::vector<int64_t> sent, received;  // as in Collective
  bool parts_cut = false;
  int64_t device = -1;
  int64_t step = -1;  // index into RankDigest::steps; -1 outside
  Ns start = 0, duration = 0;
  Ns launched = -1;  // start of the launching call; -1 unknown
  int64_t slice = -1;
  std::string operation;  // operator that asked for it
  std::string place;
  // Of its time, what its device did nothing else in; and of the time between the start of the call
  // before on its device and its own, what calls ran in and nothing else did.
  Ns exposed = 0, exposed_before = 0;
  Ns since = 0;  // time between the collective before and this one, which `before` explains
  std::vector<Activity> before;
  template <typename A>
  void Members(A& a) {
    a(group, op, host_only, coalesced, library, recorded, dtype, sequence, in_elements,
      out_elements, bytes, peer, parts, sent, received, parts_cut, device, step, duration, slice,
      operation, place, exposed, exposed_before, since, before);
    a.Delta(start);
    a.Offset(launched, start);
  }
};

// A device's idle time by cause.
struct IdleDigest {
  int64_t device = 0;
  int64_t stream = -1;  // of HTA's classes; -1: no stream of the device runs anything
  std::string cause;    // "hostWait", "kernelWait", "other" of a stream; else GapReasonName()
  uint64_t count = 0;
  Ns time = 0;
  SquareSum squares;
  Ns shortest = 0, longest = 0;
  Ns lower = 0, median = 0, upper = 0;  // quartiles, exact: between two gaps, in proportion
  std::string host;                     // what the host did in the longest: a name
  std::string place;                    // and where
  template <typename A>
  void Members(A& a) {
    a(device, stream, cause, count, time, squares, shortest, longest, lower, median, upper, host,
      place);
  }
};

struct LaunchDigest {
  int64_t device = 0;
  Stat call, work, delay;   // ns: of the call, of the work, from the call's end to the work's start
  Stat avoidable;           // of the delay: what passed while the stream had nothing to do
  uint64_t short_work = 0;  // shorter than its call, which took at most 50 us
  uint64_t slow_calls = 0;  // calls above 50 us
  uint64_t long_delays = 0;  // delays above 100 us
  // Calls that launched several works, any of them on this device; not in the others.
  uint64_t graph_launches = 0;
  uint64_t graph_work = 0;  // of these, on this device
  template <typename A>
  void Members(A& a) {
    a(device, call, work, delay, avoidable, short_work, slow_calls, long_delays, graph_launches,
      graph_work);
  }
};

// Waiting launches with which a queue is full, so that the next call waits: CUDA takes 1,024 for
// each stream, less two.
inline constexpr int64_t kFullQueue = 1022;

// Launches on a stream whose work has not begun.
struct QueueDigest {
  int64_t device = 0, stream = 0;
  Stat points;  // length after each launch and each begin
  Sketch time;  // ns at each length
  Ns full = 0;  // with at least kFullQueue. Exact: just below it, no launch waits
  template <typename A>
  void Members(A& a) {
    a(device, stream, points, time, full);
  }
};

struct CopyDigest {
  int64_t device = 0;
  std::string kind;  // "Memcpy DtoH", "Memset"
  uint64_t count = 0;
  int64_t bytes = -1;  // -1: not recorded
  Ns time = 0, busy = 0;
  Ns sized_busy = 0;  // of those whose bytes are known
  // Of the sum of the bandwidths of the copies that run, at each change where it is not 0.
  uint64_t points = 0;
  int64_t rate_sum = 0, rate_max = 0;  // kB/s
  template <typename A>
  void Members(A& a) {
    a(device, kind, count, bytes, time, busy, sized_busy, points, rate_sum, rate_max);
  }
};

// Kernels that an operator launches one after the other.
struct SequenceDigest {
  int64_t device = 0;  // of the first kernel
  std::string operation;
  std::vector<std::string> kernels;
  uint64_t count = 0;
  Ns device_time = 0, host_time = 0;
  template <typename A>
  void Members(A& a) {
    a(device, operation, kernels, count, device_time, host_time);
  }
};

// Device work that calls of an operator launched themselves, in the order of the launches.
struct OperatorKernelsDigest {
  int64_t device = 0;  // of the first
  std::string operation;
  std::vector<std::string> kernels;  // the first 64 of each call
  uint64_t launched = 0;             // by each call
  uint64_t count = 0;                // of calls
  Ns time = 0;                       // of the work
  // From the operator's start to that of its first launching call, and from there to the start of
  // the work of that call; both summed over the calls.
  Ns call_delay = 0, call_delay_max = 0;
  Ns start_delay = 0, start_delay_max = 0;
  template <typename A>
  void Members(A& a) {
    a(device, operation, kernels, launched, count, time, call_delay, call_delay_max, start_delay,
      start_delay_max);
  }
};

// A range that the program named, on the host or as the recorder projects it on a device.
struct AnnotationDigest {
  int64_t device = -1;  // -1: the host
  std::string name;
  uint64_t count = 0;
  Ns sum = 0, min = 0, max = 0;  // of ranges; one inside another of its name counts twice
  SquareSum squares;
  // Device work launched in the range on the host, or running in it on the device, and in none
  // inside of it.
  uint64_t work = 0;
  Ns work_time = 0;
  template <typename A>
  void Members(A& a) {
    a(device, name, count, sum, min, max, squares, work, work_time);
  }
};

// How the time on critical paths is summed.
enum PathGrouping : uint8_t { kPathParts, kPathOperators, kPathLines, kPathKernels };
inline constexpr int kPathGroupingCount = kPathKernels + 1;

// Time on the critical paths of the whole steps.
struct PathDigest {
  uint8_t by = kPathParts;  // PathGrouping
  std::string kind;         // PathKindName(); "" of sums over kinds
  std::string name, place;
  int64_t ordinal = -1;  // device of parts and kernels; -1: the host, or all devices
  std::string devices;   // of operators and lines: those their work on the path ran on, "0, 1"
  uint64_t count = 0;
  Ns time = 0;
  Ns host = 0, device = 0;  // of `time`; the rest is launches, gaps and synchronization
  Ns whole = 0;             // length of the paths: that of the steps
  Ns without = -1;          // of the steps, if it took no time; -1 not known
  template <typename A>
  void Members(A& a) {
    a(by, kind, name, place, ordinal, devices, count, time, host, device, whole, without);
  }
};

// A hardware counter of the kernels of an operator.
struct CounterDigest {
  int64_t device = -1;    // -1 not known
  std::string operation;  // the innermost; "" not known
  std::string outer;      // the outermost around it
  std::string kernel;
  std::string counter;  // as recorded, or kCountedFlops
  uint64_t count = 0;
  int64_t sum = 0, min = 0, max = 0;  // bits of doubles
  template <typename A>
  void Members(A& a) {
    a(device, operation, outer, kernel, counter, count, sum, min, max);
  }
};
// Floating point operations, added up from counters of instructions.
inline constexpr const char* kCountedFlops = "flops";

struct KernelPart {
  int64_t device = 0;
  std::string name;
  std::string kind;  // "computation", "communication" or "memory"
  uint64_t count = 0;
  Ns sum = 0, min = 0, max = 0;
  SquareSum squares;  // of the durations
  template <typename A>
  void Members(A& a) {
    a(device, name, kind, count, sum, min, max, squares);
  }
};

struct RankDigest {
  std::string file_id;  // of the file's content: see FileId()
  std::string path;
  std::string worker;
  std::string node;  // name of the machine as far as the worker's name tells
  int64_t rank = -1, world_size = -1;
  std::string backend;
  int64_t process = -1;
  std::vector<std::pair<std::string, std::string>> versions;  // what the file says of its software
  std::vector<DeviceInfo> devices;
  int64_t base_ns = 0;  // absolute time of 0
  Ns end = 0;           // of the recording
  uint64_t events = 0, dropped = 0, file_bytes = 0;
  bool incomplete = false;           // a part of the file could not be read: see IsIncomplete()
  std::vector<std::string> notices;  // what figures must not be read without
  bool has_steps = false;
  std::vector<StepDigest> steps;
  std::vector<CollectiveGroup> groups;
  std::vector<CollectiveDigest> collectives;  // by start
  std::vector<DeviceTime> times;
  std::vector<IdleDigest> idle;
  std::vector<LaunchDigest> launches;
  std::vector<QueueDigest> queues;
  std::vector<CopyDigest> copies;
  std::vector<SequenceDigest> sequences;
  std::vector<OperatorKernelsDigest> operator_kernels;  // those with the most work of each device
  std::vector<AnnotationDigest> annotations;  // the longest of the host, and of each device
  std::vector<KernelPart> kernels;            // the largest of each device
  std::vector<PathDigest> critical_path;
  std::vector<CounterDigest> counters;
  template <typename A>
  void Members(A& a) {
    a(file_id, path, worker, node, rank, world_size, backend, process, versions, devices, base_ns,
      end, events, dropped, file_bytes, incomplete, notices, has_steps, steps, groups);
    a.BeginDelta();
    a(collectives, times, idle, launches, queues, copies, sequences, operator_kernels, annotations,
      kernels, critical_path, counters);
  }
};

// The durations of a kernel, copy or memset in one trace, in ns.
struct KernelStat {
  uint32_t trace = 0;  // in JobDigest::ranks
  Stat stat;
  template <typename A>
  void Members(A& a) {
    a(trace, stat);
  }
};

// Digests of any number of traces of a job. Merging is associative and commutative.
struct JobDigest {
  std::vector<RankDigest> ranks;  // by rank, then file id
  // By kind of work ("computation", "communication", "memory") and name; each by trace. Apart, so
  // that those of traces which a job leaves out can be left out, whatever they were merged with.
  std::map<std::pair<std::string, std::string>, std::vector<KernelStat>> kernels;
  template <typename A>
  void Members(A& a) {
    a(ranks, kernels);
  }
  // An estimate for caches.
  size_t MemoryBytes() const;
};

}  // namespace emberline
