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
    const uint64_t at = TimeRange::Apart(begin_, from);
    // Nearly always it is the span of the time before, and dividing takes longer than all else.
    if (at - last_at_ >= gap_) {
      last_ = at / gap_;
      last_at_ = last_ * gap_;
    }
    Span& span = spans_[last_];
    span.range.Add(from, to);
    ++span.count;
  }
  // What another one with the same spans has seen.
  void Add(const TimeGroups& other) {
    for (size_t i = 0; i < spans_.size(); ++i) {
      const Span& span = other.spans_[i];
      // Where nothing was seen, the range begins behind its end, and adds nothing.
      spans_[i].range.Add(span.range.begin, span.range.end);
      spans_[i].count += span.count;
    }
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
  uint64_t last_ = 0, last_at_ = 0;  // the span of the last time, and where it begins
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
