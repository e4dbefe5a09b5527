// The memory view: allocator records paired, attributed and sampled. Mistakes of the plugin's that
// are mended here are listed in tests/oracles/README.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/lazy_table.h"
#include "analysis/stack_of.h"
#include "analysis/table.h"
#include "base/byte_size.h"
#include "base/cancel.h"
#include "base/packed_column.h"
#include "base/result.h"
#include "model/model.h"

namespace emberline {

// Longest chain of operators that is followed; deeper nesting only occurs in made-up files.
inline constexpr int kMaxOperatorChain = 128;

// A record with its owner: what ran on its thread when the allocator was called.
struct MemoryOwner {
  SliceIndex op = kNone;      // innermost listed operator
  SliceIndex parent = kNone;  // the listed operator around it
  SliceIndex within = kNone;  // innermost slice of any kind; stacks are looked up from here
};

// An allocation with its release, or one of the two alone.
struct MemoryEvent {
  uint32_t allocation = kNone;  // index into TraceStore::memory(), kNone for a lone release
  uint32_t release = kNone;     // kNone while still open at the end of the recording
  int64_t bytes = 0;            // size, positive
};

struct MemoryDevice {
  std::string name;            // "CPU", "GPU 0", "XPU 1", ...; see MemoryDeviceNames
  std::string allocator_name;  // the same by PyTorch's number
  int32_t type = 0;            // c10::DeviceType
  int32_t id = -1;
  std::vector<uint32_t> records;    // indexes into TraceStore::memory(), by time
  std::vector<MemoryEvent> events;  // in order of their first record
  // Totals were not recorded (PyTorch before 1.10): the curve counts from 0 at the first record.
  bool relative = false;
  // Addresses were recorded, so that releases find their allocations (PyTorch 1.10 and newer).
  bool has_addresses = false;
  // Parallel to `records`: bytes after each record where totals are relative; else empty.
  std::vector<int64_t> running;
  bool has_reserved = false;  // recorded
  // Bytes after the record at a position of `records`; `memory` is TraceStore::memory().
  int64_t AllocatedAt(const MemoryTable& memory, size_t at) const {
    return relative ? running[at] : memory.At<&MemoryRecord::total_allocated>(records[at]);
  }
  // Of a device with has_reserved.
  int64_t ReservedAt(const MemoryTable& memory, size_t at) const {
    return std::max<int64_t>(0, memory.At<&MemoryRecord::total_reserved>(records[at]));
  }
  int64_t peak_allocated = 0;
  int64_t peak_reserved = 0;
  uint32_t peak = kNone;            // position in `records` of the first record at the peak
  std::optional<int64_t> capacity;  // bytes of the device, where its properties tell
};

// What the allocator's device is called by PyTorch: "CPU", "GPU 0", "XPU 1". `type` is
// c10::DeviceType.
std::string MemoryDeviceName(int32_t type, int32_t id);

// What the allocator's devices are called in the rest of the trace. ROCm numbers kernels by agent,
// where the CPUs come first, and PyTorch by GPU (B60): its GPU 0 may be the GPU 2 of the kernels.
class MemoryDeviceNames {
 public:
  explicit MemoryDeviceNames(const Model& model);
  std::string Of(int32_t type, int32_t id) const {
    return MemoryDeviceName(type, OrdinalOf(type, id));
  }
  // That of Model::devices; `id` where there is no doubt, or too much.
  int32_t OrdinalOf(int32_t type, int32_t id) const;

 private:
  int32_t id_ = -1, ordinal_ = -1;  // of the only GPU, where the numbers differ
};

// One for each record. Neighbors were made close to each other.
class MemoryOwners {
 public:
  MemoryOwners() = default;
  explicit MemoryOwners(const std::vector<MemoryOwner>& owners);
  size_t size() const { return op_.size(); }
  MemoryOwner operator[](size_t record) const {
    return {op_[record], parent_[record], within_[record]};
  }
  size_t MemoryBytes() const { return HeapBytesOf(op_, parent_, within_); }

 private:
  PackedColumn<SliceIndex> op_, parent_, within_;
};

struct MemoryData {
  std::vector<MemoryDevice> devices;  // devices with the most bytes first, the CPU last
  MemoryOwners owners;                // parallel to TraceStore::memory()
  // Index of the device called `name`, here or by PyTorch; the first when empty; -1 when there is
  // none of that name.
  int Find(const std::string& name) const;
};

// Pairs and attributes all records. Linear in records and slices. Errors: kCancelled.
Result<MemoryData> AnalyzeMemory(const Model& model, const CancelToken& cancel);

// A curve for drawing: steps, so values hold until the next point.
struct MemoryCurve {
  std::vector<Ns> times;
  std::vector<int64_t> allocated;
  std::vector<int64_t> reserved;  // empty when not recorded
  uint64_t records = 0;           // records it stands for
};

// At most about `points` points inside [range.begin, range.end], each bucket's extrema kept, so
// that no peak is lost (B63: sampling precedes drawing as steps).
MemoryCurve SampleMemory(const MemoryData& data, const Model& model, int device, Interval range,
                         uint32_t points);

// The device's events that touch the range (both ends included), as indexes into
// MemoryDevice::events, and their table. `data`, `model` and `events` must outlive it.
std::vector<uint32_t> ListMemoryEvents(const MemoryData& data, const Model& model, int device,
                                       Interval range);
std::unique_ptr<LazyTable> MemoryEvents(const MemoryData& data, const Model& model, int device,
                                        std::span<const uint32_t> events);
// The whole table of them.
Table MemoryEventsTable(const MemoryData& data, const Model& model, int device, Interval range);

// Sums per operator over the records in the range. `calls` counts every call of the operator in the
// range (B31); a record counts once for each name on its chain of operators.
Table MemoryStatisticsTable(const MemoryData& data, const Model& model, int device, Interval range);

enum class PeakGrouping { kOperator, kLine, kModule };
// What was alive at the device's peak. Bytes the records do not explain stand in a row of their
// own. Empty without addresses: nothing then says what was released.
Table MemoryPeakTable(const MemoryData& data, const Model& model, int device, PeakGrouping by);

}  // namespace emberline
