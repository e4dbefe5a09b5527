// How much of many gaps lies before a time.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/scratch_vector.h"
#include "base/sort_runs.h"
#include "base/types.h"

namespace emberline {

// Gaps that may overlap, as those of several devices do. Not thread-safe.
class GapCover {
 public:
  // None is negative.
  void Add(Interval gap) {
    begins_.times.push_back(gap.begin);
    ends_.times.push_back(gap.end);
  }
  // Once all were added.
  void Sort() {
    SortRuns(std::span(begins_.times), std::less<>());
    SortRuns(std::span(ends_.times), std::less<>());
  }
  // The sum over all gaps of what lies before `time`, ns modulo 2^64, so that differences are right
  // although the sum may not fit. No time may lie before the one that was asked for last: together,
  // all questions pass each gap once.
  uint64_t Before(Ns time) { return begins_.Before(time) - ends_.Before(time); }

 private:
  struct Marks {
    // The sum over all marks before `time` of how long ago they are.
    uint64_t Before(Ns time) {
      for (; passed < times.size() && times[passed] < time; ++passed) {
        sum += static_cast<uint64_t>(times[passed]);
      }
      return passed * static_cast<uint64_t>(time) - sum;
    }
    ScratchVector<Ns> times;
    size_t passed = 0;
    uint64_t sum = 0;  // of those that were passed
  };
  Marks begins_, ends_;
};

}  // namespace emberline
