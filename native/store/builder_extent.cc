// The extent of a trace, and times and sizes that only damage explains.
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/saturating.h"
#include "store/builder.h"
#include "store/far_times.h"

namespace emberline {
namespace {

constexpr Ns kSecond = 1'000'000'000;
// No capture lasts that long: what reaches so far beyond everything else has a damaged time.
constexpr Ns kAbsurd = 7 * 24 * 3600 * kSecond;
// Nearer than this to all others, a misplaced time is left as it is: it stretches little.
constexpr Ns kNear = 10 * kSecond;
// How many times the others' span a misplaced time must lie away from them.
constexpr uint64_t kFarSpans = 10;
// Gaps between times are told apart to this share of what all of them span.
constexpr uint64_t kGapsInSpan = 4096;
// A track whose events mostly lie apart has another clock, where it has events enough to tell.
constexpr uint32_t kTrackTells = 16;
// An event at exactly 0 while the rest lies this much later lost its timestamp.
constexpr Ns kLostStampGap = 60 * kSecond;
// Of all durations, and of all sizes; far beyond any recording.
constexpr int64_t kMaxSum = std::numeric_limits<int64_t>::max() / 2;

// Any sum of the values fits into 64 bits afterwards: when all of them together are larger than
// kMaxSum, which only damage explains, each is cut to its share of it.
class Sum {
 public:
  void Add(int64_t value) {
    const auto bits = static_cast<uint64_t>(value);
    // What does not fit stays so: no single value is larger than 2^63.
    if (sum_ <= uint64_t{kMaxSum}) sum_ += value < 0 ? 0 - bits : bits;
    ++count_;
  }
  // The most that a value may be, and nothing when all of them fit.
  std::optional<int64_t> Most() const {
    if (sum_ <= uint64_t{kMaxSum}) return std::nullopt;
    return kMaxSum / count_;
  }

 private:
  uint64_t sum_ = 0;
  int64_t count_ = 0;
};

// Cuts `value` to at most `most`, of either sign; true when it was larger.
bool Cut(const std::optional<int64_t>& most, int64_t* value) {
  if (!most || (*value <= *most && *value >= -*most)) return false;
  *value = *value < 0 ? -*most : *most;
  return true;
}

bool IsAbsurd(Ns start, Ns duration, Ns latest) {
  return duration > kAbsurd && SaturatingAdd(start, duration) > latest;
}

// Which categories are the capture's own span, for loops that ask for every row.
std::vector<uint8_t> AreTraceSpans(const std::vector<CategoryInfo>& categories) {
  std::vector<uint8_t> are(categories.size());
  for (size_t c = 0; c < are.size(); ++c) are[c] = categories[c].kind == SliceKind::kTraceSpan;
  return are;
}

}  // namespace

Ns TraceBuilder::Known(Ns duration) {
  return duration == kUnfinished || duration > kAbsurd ? 0 : duration;
}

// Calls `visit(from, to, row)` for the slices of the rows [first, last) that count for the extent,
// all but those that begin at 0.
template <typename Visit>
void TraceBuilder::EachSliceTime(size_t first, size_t last, Visit&& visit) const {
  const std::vector<uint8_t> is_span = AreTraceSpans(store_->categories_);
  Slices::EachBlock(first, last, [&](size_t from, size_t to) {
    const auto categories = slices_.Read<kCategory>(from, to);
    for (size_t row = from; row < to; ++row) {
      const Ns start = starts_[row];
      if (start == 0 || is_span[categories[row - from]] != 0) continue;
      visit(start, SaturatingAdd(start, Known(durations_[row])), row);
    }
  });
}

// Calls `visit(ts, track)` for everything else that counts for the extent, all but times that are
// 0.
template <typename Visit>
void TraceBuilder::EachPointTime(Visit&& visit) const {
  const TraceStore& store = *store_;
  for (size_t i = 0; i < store.instants_.size(); ++i) {
    const Instant& instant = store.instants_[i];
    if (instant.ts != 0 && !instant_is_marker_[i]) visit(instant.ts, instant.track);
  }
  for (size_t i = 0; i < memory_.size(); ++i) {
    const MemoryRecord record = memory_[i];
    if (record.ts != 0) visit(record.ts, record.track);
  }
  for (const CounterSample& sample : store.counters_) {
    if (sample.ts != 0) visit(sample.ts, kNone);
  }
}

// Where most of what counts for the extent lies, if that is apart from the rest by `gap` ns. Times
// that count lie within `times`.
std::optional<TimeRange> TraceBuilder::FindBulk(const TimeRange& times, Ns gap) const {
  const uint32_t n = slice_count();
  std::vector<TimeGroups> parts(PartsOf(n), TimeGroups(times, gap));
  RunParts(parts.size(), n, [&](size_t part, size_t first, size_t last) {
    EachSliceTime(first, last, [&](Ns from, Ns to, size_t /*row*/) { parts[part].Add(from, to); });
  });
  TimeGroups& groups = parts.front();
  EachPointTime([&](Ns ts, TrackIndex /*track*/) { groups.Add(ts, ts); });
  for (size_t part = 1; part < parts.size(); ++part) groups.Add(parts[part]);
  return groups.Bulk();
}

// Leaves out the rows of a table that are `far`; calls `keep(row)` for the others. Returns how many
// were left out.
template <typename IsFar, typename Keep>
size_t TraceBuilder::LeaveOut(OffsetRows* offsets, IsFar&& is_far, Keep&& keep) {
  const size_t before = offsets->size();
  OffsetRows kept;
  offsets->Each([&](size_t i, uint64_t offset) {
    if (is_far(i)) {
      problems_.Add(ProblemKind::kFarTime, offset);
      ++counts().dropped;
      return;
    }
    keep(i);
    kept.Push(offset);
  });
  *offsets = std::move(kept);
  return before - offsets->size();
}

// Leaves out the rows of each table for which its predicate, asked in the order of the file, holds.
template <typename Slice, typename Point, typename Record, typename Sample>
void TraceBuilder::LeaveOutRows(Slice&& slice, Point&& instant, Record&& record, Sample&& sample) {
  TraceStore& store = *store_;
  Slices kept_slices;
  counts().slices -= LeaveOut(&slice_offsets_, slice, [&](size_t row) {
    starts_[kept_slices.size()] = starts_[row];
    durations_[kept_slices.size()] = durations_[row];
    kept_slices.PushFrom(slices_, row);
  });
  slices_ = std::move(kept_slices);
  starts_.resize(slices_.size());
  durations_.resize(slices_.size());

  auto& instants = store.instants_;
  size_t points = 0;
  counts().instants -= LeaveOut(&instant_offsets_, instant, [&](size_t row) {
    instants[points] = instants[row];
    instant_is_marker_[points++] = instant_is_marker_[row];
  });
  instants.resize(points);
  instant_is_marker_.resize(points);

  MemoryRows kept_memory;
  counts().memory -=
      LeaveOut(&memory_offsets_, record, [&](size_t row) { kept_memory.PushFrom(memory_, row); });
  memory_ = std::move(kept_memory);

  auto& counters = store.counters_;
  size_t samples = 0;
  counts().counters -=
      LeaveOut(&counter_offsets_, sample, [&](size_t row) { counters[samples++] = counters[row]; });
  counters.resize(samples);
}

// Leaves out events whose timestamps lie so far from nearly all others that only damage explains
// it, wherever they stand. Times that count lie within `times`.
void TraceBuilder::LeaveOutFarTimes(const TimeRange& times) {
  const std::optional<TimeRange> bulk = FindBulk(times, kAbsurd);
  if (!bulk) return;
  struct OfTrack {
    uint32_t events = 0, far = 0;
    bool has_other_clock() const { return events >= kTrackTells && far > events / 2; }
  };
  std::vector<OfTrack> tracks(provisional_.size());
  const auto count = [&](Ns ts, TrackIndex track) {
    if (track == kNone) return;
    ++tracks[track].events;
    tracks[track].far += !bulk->Holds(ts);
  };
  EachSliceTime(0, slice_count(),
                [&](Ns from, Ns /*to*/, size_t row) { count(from, slices_.At<kTrack>(row)); });
  EachPointTime(count);
  const auto is_far = [&](Ns ts, TrackIndex track) {
    return ts != 0 && !bulk->Holds(ts) && (track == kNone || !tracks[track].has_other_clock());
  };
  const auto& instants = store_->instants_;
  LeaveOutRows(
      [&](size_t i) {
        return store_->categories_[slices_.At<kCategory>(i)].kind != SliceKind::kTraceSpan &&
               is_far(starts_[i], slices_.At<kTrack>(i));
      },
      [&](size_t i) { return !instant_is_marker_[i] && is_far(instants[i].ts, instants[i].track); },
      [&](size_t i) { return is_far(memory_[i].ts, memory_[i].track); },
      [&](size_t i) { return is_far(store_->counters_[i].ts, kNone); });
}

// Leaves out events that lie nearer than that, but apart from nearly all others, and whose place in
// the file says that their time is damaged. Times that count lie within `times`. Returns whether
// there were any.
bool TraceBuilder::LeaveOutMisplacedTimes(const TimeRange& times) {
  const auto gap = static_cast<Ns>(
      std::max(uint64_t{kNear}, TimeRange::Apart(times.begin, times.end) / kGapsInSpan));
  const std::optional<TimeRange> bulk = FindBulk(times, gap);
  if (!bulk) return false;
  const uint64_t least =
      std::max(static_cast<uint64_t>(gap), kFarSpans * TimeRange::Apart(bulk->begin, bulk->end));
  const auto is_far = [&](Ns ts) {
    return ts < bulk->begin ? TimeRange::Apart(ts, bulk->begin) > least
                            : ts > bulk->end && TimeRange::Apart(bulk->end, ts) > least;
  };
  // `at(row)`: nothing for a row that does not count.
  const auto misplaced = [&](size_t count, auto&& at) {
    MisplacedTimes found;
    for (size_t i = 0; i < count; ++i) {
      const std::optional<PlacedTime> time = at(i);
      if (time && is_far(time->from)) found.AddFar(time->key);
    }
    for (size_t i = 0; i < count && !found.empty(); ++i) {
      const std::optional<PlacedTime> time = at(i);
      if (time) found.Add(static_cast<uint32_t>(i), *time, is_far(time->from));
    }
    return found.Rows();
  };
  // What one thread or stream did, by category.
  const auto key = [](TrackIndex track, uint16_t category) {
    return uint64_t{track} << 16 | category;
  };
  const auto moment = [](Ns ts, uint64_t of) {
    return ts == 0 ? std::nullopt : std::optional(PlacedTime{of, ts, ts});
  };
  const TraceStore& store = *store_;
  const auto slices = misplaced(slice_count(), [&](size_t i) -> std::optional<PlacedTime> {
    const Ns start = starts_[i];
    if (start == 0 || store.categories_[slices_.At<kCategory>(i)].kind == SliceKind::kTraceSpan)
      return {};
    return PlacedTime{key(slices_.At<kTrack>(i), slices_.At<kCategory>(i)), start,
                      SaturatingAdd(start, Known(durations_[i]))};
  });
  const auto instants = misplaced(store.instants_.size(), [&](size_t i) {
    const Instant& instant = store.instants_[i];
    return instant_is_marker_[i] ? std::nullopt
                                 : moment(instant.ts, key(instant.track, instant.category));
  });
  const auto records = misplaced(
      memory_.size(), [&](size_t i) { return moment(memory_[i].ts, key(memory_[i].track, 0)); });
  const auto samples = misplaced(store.counters_.size(), [&](size_t i) {
    return moment(store.counters_[i].ts, store.counters_[i].name);
  });
  const auto among = [](const std::vector<uint32_t>& rows) {
    return [&rows, next = size_t{0}](size_t i) mutable {
      const bool is = next < rows.size() && rows[next] == i;
      next += is;
      return is;
    };
  };
  if (slices.empty() && instants.empty() && records.empty() && samples.empty()) return false;
  LeaveOutRows(among(slices), among(instants), among(records), among(samples));
  return true;
}

// Times are mended, compared and sorted in full width.
void TraceBuilder::UnpackTimes() {
  const auto unpack = [this]<size_t kColumn>(ScratchVector<Ns>* times) {
    times->reserve(times_.size());
    SliceTimes::EachBlock(0, times_.size(), [&](size_t from, size_t to) {
      const auto block = times_.Read<kColumn>(from, to);
      times->insert(times->end(), block.begin(), block.begin() + (to - from));
    });
  };
  RunAll(
      times_.size() >= kManyRows, [&] { unpack.template operator()<kStart>(&starts_); },
      [&] { unpack.template operator()<kDuration>(&durations_); });
  times_.Free();
}

// Finds the profile's start and extent from what was recorded, and leaves out what has no place in
// it.
TraceBuilder::Extent TraceBuilder::FindExtent() {
  TraceStore& store = *store_;
  struct Seen {
    TimeRange work, all;
    bool zero = false;    // some time is 0
    bool longer = false;  // some duration is judged when the rest is known
    void Add(Ns begin, Ns end, bool is_work) {
      all.Add(begin, end);
      if (is_work) work.Add(begin, end);
    }
    void AddPoint(Ns ts, bool is_work) {
      if (ts == 0) {
        zero = true;
      } else {
        Add(ts, ts, is_work);
      }
    }
    // An empty range begins behind its end, and adds nothing.
    void Add(const Seen& other) {
      work.Add(other.work.begin, other.work.end);
      all.Add(other.all.begin, other.all.end);
      zero |= other.zero;
      longer |= other.longer;
    }
  };
  const std::vector<uint8_t> is_span = AreTraceSpans(store.categories_);
  const auto find_slices = [&](size_t first, size_t last) {
    Seen found;
    Slices::EachBlock(first, last, [&](size_t from, size_t to) {
      const auto categories = slices_.Read<kCategory>(from, to);
      for (size_t row = from; row < to; ++row) {
        const Ns start = starts_[row], duration = durations_[row];
        found.longer |= duration > kAbsurd;
        if (start == 0) {
          found.zero = true;
          continue;
        }
        found.Add(start, SaturatingAdd(start, Known(duration)),
                  is_span[categories[row - from]] == 0);
      }
    });
    return found;
  };
  const auto find = [&] {
    const uint32_t n = slice_count();
    std::vector<Seen> parts(PartsOf(n));
    RunParts(parts.size(), n, [&](size_t part, size_t first, size_t last) {
      parts[part] = find_slices(first, last);
    });
    Seen found;
    for (const Seen& part : parts) found.Add(part);
    for (size_t i = 0; i < store.instants_.size(); ++i) {
      found.AddPoint(store.instants_[i].ts, !instant_is_marker_[i]);
    }
    for (size_t i = 0; i < memory_.size(); ++i) found.AddPoint(memory_[i].ts, true);
    for (const CounterSample& sample : store.counters_) found.AddPoint(sample.ts, true);
    return found;
  };
  Seen seen = find();
  if (seen.work.IsLongerThan(kAbsurd)) {
    LeaveOutFarTimes(seen.work);
    seen = find();
  }
  // What is left spans less, so that smaller gaps can be told apart.
  while (seen.work.IsLongerThan(kNear) && LeaveOutMisplacedTimes(seen.work)) seen = find();
  Extent extent;
  TimeRange& range = extent.range;
  range = seen.work.empty() ? seen.all : seen.work;
  extent.zero_is_lost = !range.empty() && range.begin > kLostStampGap;
  if (seen.zero && !extent.zero_is_lost) range.Add(0, 0);
  if (range.empty()) range.Add(0, 0);
  // What lasts longer is sound where other events lie as far, or nearly.
  extent.latest = SaturatingAdd(range.end, kAbsurd);
  // Slices that were not counted to their ends yet.
  for (uint32_t i = 0; (seen.zero || seen.longer) && i < slice_count(); ++i) {
    const Ns start = starts_[i], duration = durations_[i];
    const bool counted = start == 0 ? !extent.zero_is_lost : duration > kAbsurd;
    if (!counted || duration == kUnfinished || IsAbsurd(start, duration, extent.latest)) continue;
    if (store.categories_[slices_.At<kCategory>(i)].kind == SliceKind::kTraceSpan) continue;
    range.Add(start, SaturatingAdd(start, duration));
  }
  return extent;
}

// Mends what has no end or no time, and sets zero_.
void TraceBuilder::MendTimes(Extent extent) {
  TraceStore& store = *store_;
  TimeRange& range = extent.range;
  // Times stay so near to the profile's start that every difference and every end is representable.
  constexpr Ns kFarthest = std::numeric_limits<Ns>::max() / 4;
  least_ = SaturatingAdd(range.begin, -kFarthest);
  most_ = SaturatingAdd(range.begin, kFarthest);
  range.end = std::min(range.end, most_);
  const auto mend_point = [&](Ns& ts, auto&& offset) {
    if (extent.zero_is_lost && ts == 0) {
      ts = range.begin;
      problems_.Add(ProblemKind::kLostTimestamp, offset());
    }
    ts = std::clamp(ts, least_, most_);
  };
  Sum durations_sum;
  for (size_t row = 0; row < starts_.size(); ++row) {
    Ns& start = starts_[row];
    Ns& duration = durations_[row];
    // It is looked for only where it is told.
    const auto offset = [&] { return slice_offsets_.At<0>(row); };
    mend_point(start, offset);
    if (duration == kUnfinished) {
      duration = std::max<Ns>(0, range.end - start);
    } else if (IsAbsurd(start, duration, extent.latest)) {
      duration = 0;
      problems_.Add(ProblemKind::kAbsurdDuration, offset());
    }
    duration = std::min(duration, kFarthest);
    durations_sum.Add(duration);
  }
  if (const auto longest = durations_sum.Most()) {
    slice_offsets_.Each([&](size_t row, uint64_t offset) {
      if (Cut(longest, &durations_[row])) problems_.Add(ProblemKind::kAbsurdDuration, offset);
    });
  }
  Sum sizes_sum;
  for (size_t i = 0; i < memory_.size(); ++i) sizes_sum.Add(memory_[i].bytes);
  const auto largest = sizes_sum.Most();
  memory_offsets_.Each([&](size_t i, uint64_t offset) {
    const MemoryRecord recorded = memory_[i];
    MemoryRecord record = recorded;
    if (Cut(largest, &record.bytes)) problems_.Add(ProblemKind::kAbsurdSize, offset);
    record.total_allocated = std::min(record.total_allocated, kMaxSum);
    record.total_reserved = std::min(record.total_reserved, kMaxSum);
    mend_point(record.ts, [&] { return offset; });
    if (record != recorded) memory_.Set(i, record);
  });
  instant_offsets_.Each([&](size_t i, uint64_t offset) {
    mend_point(store.instants_[i].ts, [&] { return offset; });
  });
  counter_offsets_.Each([&](size_t i, uint64_t offset) {
    mend_point(store.counters_[i].ts, [&] { return offset; });
  });
  for (OffsetRows* offsets :
       {&slice_offsets_, &instant_offsets_, &memory_offsets_, &counter_offsets_}) {
    offsets->Free();
  }
  zero_ = range.begin;
  store.extent_ = {0, range.end - range.begin};
  store.base_ns_ = SaturatingAdd(zero_, store.metadata_.base_time_ns.value_or(0));
}

}  // namespace emberline
