// Which times of a trace lie so far from the others that only damage explains them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/types.h"

namespace emberline {

// What recorded times span, in ns.
struct TimeRange {
  Ns begin = std::numeric_limits<Ns>::max(), end = std::numeric_limits<Ns>::min();
  void Add(Ns from, Ns to) {
    begin = std::min(begin, from);
    end = std::max(end, to);
  }
  bool empty() const { return begin == std::numeric_limits<Ns>::max(); }
  // How far `to` lies behind `from`, which may be more than a time can be.
  static uint64_t Apart(Ns from, Ns to) {
    return static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
  }
  bool IsLongerThan(Ns length) const {
    return !empty() && Apart(begin, end) > static_cast<uint64_t>(length);
  }
  bool Holds(Ns ts) const { return ts >= begin && ts <= end; }
};

// Finds the groups into which times fall where nothing happens for `gap` ns between them. Takes
// memory for each gap that fits into `within`, so that nothing has to be sorted.
class TimeGroups {
 public:
  TimeGroups(const TimeRange& within, Ns gap)
      : begin_(within.begin),
        gap_(static_cast<uint64_t>(gap)),
        spans_(TimeRange::Apart(within.begin, within.end) / gap_ + 1) {}

  void Add(Ns from, Ns to) {
    Span& span = spans_[TimeRange::Apart(begin_, from) / gap_];
    span.range.Add(from, to);
    ++span.count;
    ++total_;
  }

  // The group of most events, where those of all others are few; nothing where there is one group.
  std::optional<TimeRange> Bulk() const;

 private:
  struct Span {
    TimeRange range;
    uint64_t count = 0;
  };
  Ns begin_;
  uint64_t gap_;
  std::vector<Span> spans_;
  uint64_t total_ = 0;
};

// An event where the file has it. Recorders write the events of one `key` (a thread's operators,
// say) in the order in which they began or ended.
struct PlacedTime {
  uint64_t key = 0;
  Ns from = 0, to = 0;
};

// Finds events whose time contradicts their place in the file: alone between two others of their
// key, neither of which is far, and which are in order, as nearly all events of the key are. After
// a true pause, however long, all that follows in time follows in the file as well.
class MisplacedTimes {
 public:
  // First pass: the keys of what is far.
  void AddFar(uint64_t key) { keys_.try_emplace(key); }
  bool empty() const { return keys_.empty(); }
  // Second pass: all rows of a table, in the file's order.
  void Add(uint32_t row, const PlacedTime& time, bool far);
  // The rows that are misplaced, ascending.
  std::vector<uint32_t> Rows() const;

 private:
  struct Key {
    std::optional<PlacedTime> before;  // the last event that is not far
    uint32_t far_since = 0, far_row = 0;
    uint64_t pairs = 0, begun_earlier = 0, ended_earlier = 0;
    std::vector<uint32_t> rows;
  };
  std::unordered_map<uint64_t, Key> keys_;
};

}  // namespace emberline
