// Rows of a TraceBuilder, in the order of the file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/packed_rows.h"
#include "base/packed_structs.h"
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

// Tracks are provisional.
using MemoryRows = MemoryColumns<PackedStructs>;
// `track` holds the number of the thread; slices are not known yet.
using FlowRows =
    PackedStructs<FlowPoint, &FlowPoint::id, &FlowPoint::ts, &FlowPoint::name, &FlowPoint::category,
                  &FlowPoint::phase, &FlowPoint::role, &FlowPoint::track>;

}  // namespace emberline
