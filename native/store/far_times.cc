#include "store/far_times.h"

namespace emberline {
namespace {

// Events that lie apart from the others are damaged where they are few: at most one of so many.
// More of them count from another moment, as those of a device with a clock of its own do.
constexpr uint64_t kFewOf = 4;
// A key tells an order where so many pairs of neighbors show one, and at most one of so many
// contradicts it.
constexpr uint64_t kOrderTells = 16;

}  // namespace

std::optional<TimeRange> TimeGroups::Bulk() const {
  TimeRange group, bulk;
  uint64_t total = 0, count = 0, most = 0;
  for (const Span& span : spans_) {
    if (span.count == 0) continue;
    total += span.count;
    // Within a group something may last longer than to the next event.
    if (span.range.begin > group.end && TimeRange::Apart(group.end, span.range.begin) > gap_) {
      group = {};
      count = 0;
    }
    group.Add(span.range.begin, span.range.end);
    count += span.count;
    if (count > most) {
      most = count;
      bulk = group;
    }
  }
  if (most == total || (total - most) * kFewOf > total) return std::nullopt;
  return bulk;
}

void MisplacedTimes::Add(uint32_t row, const PlacedTime& time, bool far) {
  const auto found = keys_.find(time.key);
  if (found == keys_.end()) return;
  Key& key = found->second;
  if (far) {
    ++key.far_since;
    key.far_row = row;
    return;
  }
  if (key.before) {
    const bool began_earlier = time.from < key.before->from,
               ended_earlier = time.to < key.before->to;
    ++key.pairs;
    key.begun_earlier += began_earlier;
    key.ended_earlier += ended_earlier;
    if (key.far_since == 1 && !(began_earlier && ended_earlier)) key.rows.push_back(key.far_row);
  }
  key.far_since = 0;
  key.before = time;
}

std::vector<uint32_t> MisplacedTimes::Rows() const {
  std::vector<uint32_t> rows;
  for (const auto& [id, key] : keys_) {
    const uint64_t earlier = std::min(key.begun_earlier, key.ended_earlier);
    if (key.pairs < kOrderTells || earlier * kOrderTells > key.pairs) continue;
    rows.insert(rows.end(), key.rows.begin(), key.rows.end());
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace emberline
