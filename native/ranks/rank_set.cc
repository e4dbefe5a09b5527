#include "ranks/rank_set.h"

#include <algorithm>
#include <iterator>

namespace emberline {

RankSet::RankSet(const std::vector<int64_t>& ranks) {
  for (const int64_t rank : ranks) {
    Run* run = runs_.empty() ? nullptr : &runs_.back();
    if (run != nullptr && run->count == 1) run->stride = rank - run->first;
    if (run != nullptr && rank == run->last() + run->stride) {
      ++run->count;
    } else {
      Add(rank, 1, 1);
    }
  }
  runs_.shrink_to_fit();
}

void RankSet::Add(int64_t first, int64_t stride, int64_t count) {
  runs_.push_back({first, stride, count, static_cast<int64_t>(size())});
}

int64_t RankSet::operator[](size_t index) const {
  const auto place = static_cast<int64_t>(index);
  const Run& run = *std::prev(
      std::upper_bound(runs_.begin(), runs_.end(), place,
                       [](int64_t number, const Run& other) { return number < other.before; }));
  return run.first + run.stride * (place - run.before);
}

std::vector<int64_t> RankSet::All() const {
  std::vector<int64_t> all;
  all.reserve(size());
  for (const Run& run : runs_) {
    for (int64_t i = 0; i < run.count; ++i) all.push_back(run.first + run.stride * i);
  }
  return all;
}

RankSet RankSet::Without(const std::vector<int64_t>& ranks) const {
  RankSet left;
  auto next = ranks.begin();
  for (const Run& run : runs_) {
    int64_t begin = 0;  // in the run
    const auto add = [&](int64_t end) {
      const int64_t count = end - begin;
      if (count > 0) {
        left.Add(run.first + run.stride * begin, count > 1 ? run.stride : 1, count);
      }
    };
    next = std::lower_bound(next, ranks.end(), run.first);
    for (; next != ranks.end() && *next <= run.last(); ++next) {
      if ((*next - run.first) % run.stride != 0) continue;
      const int64_t at = (*next - run.first) / run.stride;
      add(at);
      begin = at + 1;
    }
    add(run.count);
  }
  return left;
}

std::strong_ordering RankSet::operator<=>(const RankSet& other) const {
  const auto [mine, theirs] =
      std::mismatch(runs_.begin(), runs_.end(), other.runs_.begin(), other.runs_.end());
  if (mine == runs_.end() || theirs == other.runs_.end()) {
    return (mine != runs_.end()) <=> (theirs != other.runs_.end());
  }
  if (mine->first != theirs->first) return mine->first <=> theirs->first;
  // The runs differ, so what follows their first ranks does: at once, or behind the shorter of
  // them.
  const int64_t both =
      mine->stride == theirs->stride ? std::min(mine->count, theirs->count) : int64_t{1};
  const auto behind = [both](auto run, auto end) -> int64_t {
    if (both < run->count) return run->first + run->stride * both;
    return ++run == end ? -1 : run->first;  // the shorter list comes first
  };
  return behind(mine, runs_.end()) <=> behind(theirs, other.runs_.end());
}

bool RankSet::Count() {
  const Run* before = nullptr;
  int64_t counted = 0;
  for (Run& run : runs_) {
    if (run.first < 0 || run.stride < 1 || run.count < 1 || run.count > kMostRanks - counted) {
      return false;
    }
    if (run.first > kLargestRank || run.stride > kLargestRank || run.last() > kLargestRank) {
      return false;
    }
    if (run.count == 1 && run.stride != 1) return false;
    if (before != nullptr && (before->count == 1 || run.first <= before->last() ||
                              run.first == before->last() + before->stride)) {
      return false;
    }
    run.before = counted;
    counted += run.count;
    before = &run;
  }
  return true;
}

}  // namespace emberline
