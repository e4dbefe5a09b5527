// Scalar types that every area shares.
//
// They are names for integers, not classes. Nearly all uses of an id index a column or a range of
// rows, so nearly all would unwrap a class, and from there on the compiler sees a plain number
// again: the mistakes that it could find are in the few places where ids are only passed on. Times
// change their unit in two places, `Micros()` (analysis/columns.h) and members whose name says so.
#pragma once

#include <cstdint>
#include <limits>

namespace emberline {

// Time in integer nanoseconds, relative to the profile's start unless a name says otherwise.
using Ns = int64_t;

// Index of a slice in TraceStore (rows are sorted by track, then start, then longest first).
using SliceIndex = uint32_t;
// Index of a track in TraceStore::tracks().
using TrackIndex = uint32_t;
// Id of an interned string; 0 is always the empty string.
using StringId = uint32_t;

inline constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

// Half-open interval of time [begin, end).
struct Interval {
  Ns begin = 0;
  Ns end = 0;
  Ns Length() const { return end > begin ? end - begin : 0; }
  bool operator==(const Interval&) const = default;
};

}  // namespace emberline
