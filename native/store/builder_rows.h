// Rows of a TraceBuilder, in the order of the file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/packed_rows.h"
#include "store/trace_store.h"

namespace emberline {

// Where the events of a table begin, as byte offsets in the text.
class OffsetRows : public PackedRows<uint64_t> {
 public:
  // Calls `visit(row, offset)` for each row.
  template <typename Visit>
  void Each(Visit&& visit) const {
    EachBlock(0, size(), [&](size_t from, size_t to) {
      const auto offsets = Read<0>(from, to);
      for (size_t row = from; row < to; ++row) visit(row, offsets[row - from]);
    });
  }
};

// Allocator records; tracks are provisional.
class MemoryRows {
 public:
  void Push(const MemoryRecord& r) {
    rows_.Push(r.ts, r.address, r.bytes, r.device_type, r.device_id, r.total_allocated,
               r.total_reserved, r.track);
  }
  MemoryRecord At(size_t row) const {
    return {.ts = ts(row),
            .address = rows_.At<kAddress>(row),
            .bytes = rows_.At<kBytes>(row),
            .device_type = rows_.At<kDeviceType>(row),
            .device_id = rows_.At<kDeviceId>(row),
            .total_allocated = rows_.At<kAllocated>(row),
            .total_reserved = rows_.At<kReserved>(row),
            .track = track(row)};
  }
  Ns ts(size_t row) const { return rows_.At<kTs>(row); }
  int64_t bytes(size_t row) const { return rows_.At<kBytes>(row); }
  TrackIndex track(size_t row) const { return rows_.At<kTrack>(row); }
  // Time, sizes and sums of sizes.
  void SetFigures(size_t row, const MemoryRecord& r) {
    rows_.Set<kTs>(row, r.ts);
    rows_.Set<kBytes>(row, r.bytes);
    rows_.Set<kAllocated>(row, r.total_allocated);
    rows_.Set<kReserved>(row, r.total_reserved);
  }
  void PushFrom(const MemoryRows& other, size_t row) { rows_.PushFrom(other.rows_, row); }
  size_t size() const { return rows_.size(); }
  void Free() { rows_.Free(); }

 private:
  enum Column : size_t {
    kTs,
    kAddress,
    kBytes,
    kDeviceType,
    kDeviceId,
    kAllocated,
    kReserved,
    kTrack
  };
  PackedRows<Ns, uint64_t, int64_t, int32_t, int32_t, int64_t, int64_t, TrackIndex> rows_;
};

// Flows, each with the number of its thread instead of a track and a slice.
class FlowRows {
  using Rows = PackedRows<uint64_t, Ns, StringId, uint16_t, FlowPhase, FlowRole, uint32_t>;

 public:
  static constexpr size_t kBlockRows = Rows::kBlockRows;
  void Push(const FlowPoint& f, uint32_t thread) {
    rows_.Push(f.id, f.ts, f.name, f.category, f.phase, f.role, thread);
  }
  // Calls `visit(from, to)` for the rows [first, last), those of a block at once.
  template <typename Visit>
  static void EachBlock(size_t first, size_t last, Visit&& visit) {
    Rows::EachBlock(first, last, visit);
  }
  // Calls `visit(row, flow, thread)` for the rows [from, to), which lie in one block.
  template <typename Visit>
  void EachOfBlock(size_t from, size_t to, Visit&& visit) const {
    const auto ids = rows_.Read<kId>(from, to);
    const auto times = rows_.Read<kTs>(from, to);
    const auto names = rows_.Read<kName>(from, to);
    const auto categories = rows_.Read<kCategory>(from, to);
    const auto phases = rows_.Read<kPhase>(from, to);
    const auto roles = rows_.Read<kRole>(from, to);
    const auto threads = rows_.Read<kThread>(from, to);
    for (size_t k = 0; k < to - from; ++k) {
      visit(from + k,
            FlowPoint{.id = ids[k],
                      .ts = times[k],
                      .name = names[k],
                      .category = categories[k],
                      .phase = phases[k],
                      .role = roles[k]},
            threads[k]);
    }
  }
  // Calls `visit(id)` for the rows [first, last).
  template <typename Visit>
  void EachId(size_t first, size_t last, Visit&& visit) const {
    Rows::EachBlock(first, last, [&](size_t from, size_t to) {
      const auto ids = rows_.Read<kId>(from, to);
      for (size_t k = 0; k < to - from; ++k) visit(ids[k]);
    });
  }
  size_t size() const { return rows_.size(); }
  void Free() { rows_.Free(); }

 private:
  enum Column : size_t { kId, kTs, kName, kCategory, kPhase, kRole, kThread };
  Rows rows_;
};

}  // namespace emberline
