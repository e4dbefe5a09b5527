#include "analysis/timeline_series.h"

#include <algorithm>
#include <utility>

namespace emberline {
namespace {

constexpr int kFirstShift = 3;

}  // namespace

TimelineSeries::TimelineSeries(Reduce reduce, KeptVector<Ns> ns, KeptVector<double> value)
    : reduce_(reduce), ns_(std::move(ns)), value_(std::move(value)) {
  // Of points of one time the last one holds.
  size_t kept = static_cast<size_t>(std::adjacent_find(ns_.begin(), ns_.end()) - ns_.begin());
  for (size_t i = kept; i < ns_.size(); ++i) {
    if (kept == 0 || ns_[kept - 1] != ns_[i]) ++kept;
    ns_[kept - 1] = ns_[i];
    value_[kept - 1] = value_[i];
  }
  ns_.resize(kept);
  value_.resize(kept);
  // Few points too many cost less than copying all of them.
  if (ns_.capacity() - kept > kept / 4) ns_.shrink_to_fit();
  if (value_.capacity() - kept > kept / 4) value_.shrink_to_fit();
  for (const double v : value_) max_value_ = std::max(max_value_, v);
  if (reduce_ == Reduce::kMean) {
    integral_.resize(ns_.size());
    for (size_t i = 1; i < ns_.size(); ++i) {
      integral_[i] = integral_[i - 1] + value_[i - 1] * static_cast<double>(ns_[i] - ns_[i - 1]);
    }
    return;
  }
  for (int shift = kFirstShift; (size_t{1} << shift) <= value_.size(); ++shift) {
    const size_t runs = value_.size() >> shift;
    std::vector<std::pair<double, double>> level(runs);
    for (size_t r = 0; r < runs; ++r) {
      if (shift == kFirstShift) {
        const auto [low, high] =
            std::minmax_element(value_.begin() + static_cast<ptrdiff_t>(r << shift),
                                value_.begin() + static_cast<ptrdiff_t>((r + 1) << shift));
        level[r] = {*low, *high};
      } else {
        const auto& below = levels_.back();
        level[r] = {std::min(below[2 * r].first, below[2 * r + 1].first),
                    std::max(below[2 * r].second, below[2 * r + 1].second)};
      }
    }
    levels_.push_back(std::move(level));
  }
}

int64_t TimelineSeries::HoldingAt(Ns at) const {
  return std::upper_bound(ns_.begin(), ns_.end(), at) - ns_.begin() - 1;
}

double TimelineSeries::IntegralTo(Ns at) const {
  const int64_t i = HoldingAt(at);
  if (i < 0) return 0;
  const size_t p = static_cast<size_t>(i);
  return integral_[p] + value_[p] * static_cast<double>(at - ns_[p]);
}

double TimelineSeries::Mean(Interval window) const {
  if (ns_.empty() || window.Length() == 0 || reduce_ != Reduce::kMean) return 0;
  return (IntegralTo(window.end) - IntegralTo(window.begin)) / static_cast<double>(window.Length());
}

std::pair<double, double> TimelineSeries::Extremes(size_t first, size_t last) const {
  double low = value_[first], high = value_[first];
  const auto take = [&](const std::pair<double, double>& run) {
    low = std::min(low, run.first);
    high = std::max(high, run.second);
  };
  while (first < last) {
    // The largest aligned run that begins here and ends inside.
    int best = -1;
    for (size_t k = 0; k < levels_.size(); ++k) {
      const size_t length = size_t{1} << (k + kFirstShift);
      if (first % length != 0 || first + length > last) break;
      best = static_cast<int>(k);
    }
    if (best < 0) {
      take({value_[first], value_[first]});
      ++first;
    } else {
      take(levels_[static_cast<size_t>(best)][first >> (best + kFirstShift)]);
      first += size_t{1} << (best + kFirstShift);
    }
  }
  return {low, high};
}

TimelineSeries::Points TimelineSeries::Query(Interval window, int64_t pixels) const {
  Points out;
  if (ns_.empty() || window.Length() == 0 || pixels <= 0) return out;
  const bool extremes = reduce_ == Reduce::kExtremes;
  const auto add = [&](Ns ns, double value, double low) {
    if (!out.ns.empty() && out.ns.back() == ns) {
      out.value.back() = value;
      if (extremes) out.low.back() = low;
    } else if (out.value.empty() || out.value.back() != value ||
               (extremes && out.low.back() != low)) {
      out.ns.push_back(ns);
      out.value.push_back(value);
      if (extremes) out.low.push_back(low);
    }
  };
  const int64_t holding = HoldingAt(window.begin);
  const auto first = static_cast<size_t>(holding + 1);
  const auto last =
      static_cast<size_t>(std::lower_bound(ns_.begin(), ns_.end(), window.end) - ns_.begin());
  const double begin_value = holding < 0 ? 0 : value_[static_cast<size_t>(holding)];
  if (last <= first || static_cast<int64_t>(last - first) <= 2 * pixels) {
    add(window.begin, begin_value, begin_value);
    for (size_t i = first; i < last; ++i) add(ns_[i], value_[i], value_[i]);
    return out;
  }
  const double width = static_cast<double>(window.Length()) / static_cast<double>(pixels);
  const auto edge = [&](int64_t pixel) {
    return pixel == pixels ? window.end
                           : window.begin + static_cast<Ns>(width * static_cast<double>(pixel));
  };
  size_t at = first;
  double held = begin_value;
  for (int64_t pixel = 0; pixel < pixels; ++pixel) {
    const Interval column{edge(pixel), edge(pixel + 1)};
    if (column.Length() == 0) continue;
    const auto next = static_cast<size_t>(
        std::lower_bound(ns_.begin() + static_cast<ptrdiff_t>(at),
                         ns_.begin() + static_cast<ptrdiff_t>(last), column.end) -
        ns_.begin());
    if (next == at) {
      add(column.begin, held, held);
    } else if (!extremes) {
      const double mean = Mean(column);
      add(column.begin, mean, mean);
    } else {
      auto [low, high] = Extremes(at, next);
      // The value from before still holds in this column, unless it changes right at its edge.
      if (ns_[at] > column.begin) {
        low = std::min(low, held);
        high = std::max(high, held);
      }
      add(column.begin, high, low);
    }
    if (next > at) held = value_[next - 1];
    at = next;
  }
  return out;
}

namespace {

using Change = std::pair<Ns, double>;

// The sum after each time at which something changes, of changes in order of time.
class Summing {
 public:
  Summing(KeptVector<Ns>* ns, KeptVector<double>* value) : ns_(*ns), value_(*value) {}
  void Take(const Change& change) {
    if (any_ && change.first != at_) Finish();
    any_ = true;
    at_ = change.first;
    sum_ += change.second;
    if (change.second > 0) ++open_;
    if (change.second < 0 && open_ > 0) --open_;
  }
  // Ends a time.
  void Finish() {
    if (!any_) return;
    if (open_ == 0) sum_ = 0;
    ns_.push_back(at_);
    value_.push_back(sum_);
  }

 private:
  KeptVector<Ns>& ns_;
  KeptVector<double>& value_;
  bool any_ = false;
  Ns at_ = 0;
  double sum_ = 0;
  size_t open_ = 0;  // positive changes without their negative: a sum of zero is exactly zero
};

}  // namespace

void SumChanges(std::vector<Change> changes, KeptVector<Ns>* ns, KeptVector<double>* value) {
  const auto earlier = [](const Change& a, const Change& b) { return a.first < b.first; };
  ns->reserve(changes.size());
  value->reserve(changes.size());
  Summing sums(ns, value);
  // Work of one stream comes in order, so that its beginnings are in order, and its ends.
  bool in_order = true;
  for (size_t i = 2; i < changes.size() && in_order; ++i) {
    in_order = !earlier(changes[i], changes[i - 2]);
  }
  if (!in_order) {
    std::stable_sort(changes.begin(), changes.end(), earlier);
    for (const Change& change : changes) sums.Take(change);
  } else {
    for (size_t even = 0, odd = 1; even < changes.size();) {
      // Of one time, what was given first goes first.
      const bool left = odd >= changes.size() || earlier(changes[even], changes[odd]) ||
                        (changes[even].first == changes[odd].first && even < odd);
      size_t& next = left ? even : odd;
      sums.Take(changes[next]);
      next += 2;
      if (even >= changes.size()) {
        for (; odd < changes.size(); odd += 2) sums.Take(changes[odd]);
      }
    }
  }
  sums.Finish();
}

}  // namespace emberline
