#include "analysis/intervals.h"

#include <algorithm>
#include <utility>

namespace emberline {

namespace {

// Mostly they come in order, or as what few tracks have one behind the other.
void SortByBegin(std::vector<Interval>* intervals) {
  constexpr size_t kFewRuns = 16;
  const auto earlier = [](const Interval& a, const Interval& b) { return a.begin < b.begin; };
  std::vector<size_t> ends;  // of the runs that are in order
  for (size_t i = 1; i <= intervals->size() && ends.size() <= kFewRuns; ++i) {
    if (i == intervals->size() || earlier((*intervals)[i], (*intervals)[i - 1])) ends.push_back(i);
  }
  if (ends.size() > kFewRuns) {
    std::sort(intervals->begin(), intervals->end(), earlier);
    return;
  }
  const auto at = [&](size_t i) { return intervals->begin() + static_cast<std::ptrdiff_t>(i); };
  for (size_t run = 1; run < ends.size(); ++run) {
    std::inplace_merge(at(0), at(ends[run - 1]), at(ends[run]), earlier);
  }
}

}  // namespace

IntervalSet Unite(std::vector<Interval> intervals) {
  std::erase_if(intervals, [](const Interval& i) { return i.end <= i.begin; });
  SortByBegin(&intervals);
  size_t kept = 0;
  for (const Interval& next : intervals) {
    if (kept > 0 && next.begin <= intervals[kept - 1].end) {
      intervals[kept - 1].end = std::max(intervals[kept - 1].end, next.end);
    } else {
      intervals[kept++] = next;
    }
  }
  intervals.resize(kept);
  return intervals;
}

IntervalSet Intersect(const IntervalSet& a, const IntervalSet& b) {
  IntervalSet out;
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const Ns begin = std::max(a[i].begin, b[j].begin);
    const Ns end = std::min(a[i].end, b[j].end);
    if (begin < end) out.push_back({begin, end});
    if (a[i].end < b[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
  return out;
}

IntervalSet Subtract(const IntervalSet& a, const IntervalSet& b) {
  IntervalSet out;
  size_t j = 0;
  for (const Interval& whole : a) {
    Ns begin = whole.begin;
    while (j < b.size() && b[j].end <= begin) ++j;
    size_t k = j;
    for (; k < b.size() && b[k].begin < whole.end; ++k) {
      if (b[k].begin > begin) out.push_back({begin, b[k].begin});
      begin = std::max(begin, b[k].end);
      if (begin >= whole.end) break;
    }
    if (begin < whole.end) out.push_back({begin, whole.end});
    // The last cut may reach into the next interval of `a`.
    j = k;
  }
  return out;
}

Ns LengthOf(const IntervalSet& set) {
  Ns sum = 0;
  for (const Interval& i : set) sum += i.Length();
  return sum;
}

IntervalLengths::IntervalLengths(IntervalSet set) : set_(std::move(set)) {
  before_.reserve(set_.size());
  Ns sum = 0;
  for (const Interval& i : set_) {
    before_.push_back(sum);
    sum += i.Length();
  }
}

Ns IntervalLengths::Before(Ns at) const {
  const auto next = std::partition_point(set_.begin(), set_.end(),
                                         [&](const Interval& i) { return i.begin < at; });
  if (next == set_.begin()) return 0;
  const auto last = static_cast<size_t>(next - set_.begin()) - 1;
  return before_[last] + std::min(set_[last].end, at) - set_[last].begin;
}

Ns IntervalLengths::Within(Interval range) const {
  return range.Length() > 0 ? Before(range.end) - Before(range.begin) : 0;
}

}  // namespace emberline
