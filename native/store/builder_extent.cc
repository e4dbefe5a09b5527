// The extent of a trace, and times and sizes that only damage explains.
#include <algorithm>
#include <limits>
#include <optional>

#include "base/saturating.h"
#include "store/builder.h"

namespace emberline {
namespace {

constexpr Ns kSecond = 1'000'000'000;
// No capture lasts that long; a longer duration comes from one bad time stamp.
constexpr Ns kAbsurdDuration = 7 * 24 * 3600 * kSecond;
// An event at exactly 0 while the rest lies this much later lost its time stamp.
constexpr Ns kLostStampGap = 60 * kSecond;
// Of all durations, and of all sizes; far beyond any recording.
constexpr int64_t kMaxSum = std::numeric_limits<int64_t>::max() / 2;

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

}  // namespace

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

}  // namespace emberline
