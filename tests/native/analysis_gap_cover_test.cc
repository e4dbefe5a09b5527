#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <random>
#include <vector>

#include "analysis/gap_cover.h"

namespace emberline {
namespace {

// What of the gaps lies in a stretch, added up one by one.
uint64_t CoveredOf(const std::vector<Interval>& gaps, Interval stretch) {
  uint64_t sum = 0;
  for (const Interval& gap : gaps) {
    const Ns from = std::max(gap.begin, stretch.begin), to = std::min(gap.end, stretch.end);
    if (to > from) sum += static_cast<uint64_t>(to - from);
  }
  return sum;
}

}  // namespace

TEST_CASE("gaps that overlap and lie in any order are added up") {
  std::mt19937_64 random(11);
  const auto below = [&](int64_t limit) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(limit));
  };
  // Times of today since 1970, of which even two do not fit into a sum, and small ones of any sign.
  for (const Ns origin : {Ns{0}, Ns{-500}, Ns{6'000'000'000'000'000'000}}) {
    for (int round = 0; round < 50; ++round) {
      std::vector<Interval> gaps(static_cast<size_t>(below(20)));
      GapCover cover;
      for (Interval& gap : gaps) {
        gap.begin = origin + below(1000);
        gap.end = gap.begin + below(300);
        cover.Add(gap);
      }
      cover.Sort();
      Ns from = origin - 10;
      uint64_t before = cover.Before(from);
      CHECK(before == 0);
      while (from < origin + 1400) {
        const Ns to = from + below(100);
        const uint64_t now = cover.Before(to);
        CHECK(now - before == CoveredOf(gaps, {from, to}));
        before = now;
        from = to;
      }
    }
  }
}

TEST_CASE("no gaps cover nothing") {
  GapCover cover;
  cover.Sort();
  CHECK(cover.Before(std::numeric_limits<Ns>::min()) == 0);
  CHECK(cover.Before(std::numeric_limits<Ns>::max()) == 0);
}

}  // namespace emberline
