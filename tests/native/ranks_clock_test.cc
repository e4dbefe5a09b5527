// How fast a clock goes wrong, by the ends of collectives.

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "ranks/line_fit.h"

namespace emberline {
namespace {

// Calls every 1.3 ms, by a clock that runs fast by `ppb` and is ahead by 5 us, some ns off each.
std::vector<ClockOffset> Points(int count, int64_t ppb, Ns noise, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<ClockOffset> points;
  for (int i = 0; i < count; ++i) {
    const Ns at = 1'300'000 * Ns{i + 1};
    const auto ahead =
        static_cast<Ns>(std::llround(static_cast<double>(at) * 1e-9 * static_cast<double>(ppb)));
    const Ns off = noise == 0 ? 0 : static_cast<Ns>(random() % (2 * noise + 1)) - noise;
    points.push_back({at, 5000 + ahead + off});
  }
  return points;
}

TEST_CASE("four calls tell the rate of a clock, as far as jitter does not hide it") {
  for (const int64_t ppb : {5'000'000, -5'000'000, 20'000'000, -20'000'000}) {
    for (const int count : {4, 5, 8, 11, 12, 40}) {
      const ClockFit exact = FitClock(Points(count, ppb, 0, 1));
      CHECK(std::abs(exact.drift_ppb - ppb) <= 1);
      CHECK(std::abs(exact.offset - 5000) <= 2);
    }
    // A hundredth of what the clock goes wrong by in a recording.
    CHECK(std::abs(FitClock(Points(6, ppb, 300, 2)).drift_ppb - ppb) < 200'000);
    // As much as that: nothing is certain.
    CHECK(FitClock(Points(4, ppb, std::abs(ppb) / 500, 2)).drift_ppb == 0);
  }
  for (const int count : {0, 1, 2, 3}) {
    CHECK(FitClock(Points(count, 5'000'000, 0, 1)).drift_ppb == 0);
  }
  CHECK(FitClock(Points(40, 80'000'000, 0, 1)).drift_ppb == 0);  // that is no clock
}

TEST_CASE("jitter alone is hardly ever taken for a rate") {
  int taken = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const int count = 4 + static_cast<int>(seed % 12);
    if (FitClock(Points(count, 0, 3000, seed)).drift_ppb != 0) ++taken;
  }
  CHECK(taken <= 2);
}

TEST_CASE("one call that is far off makes a rate of few calls uncertain, and of many not") {
  auto few = Points(6, 5'000'000, 0, 1);
  few[2].offset += 400'000;
  CHECK(FitClock(few).drift_ppb == 0);
  auto many = Points(20, 5'000'000, 0, 1);
  many[2].offset += 400'000;
  CHECK(std::abs(FitClock(many).drift_ppb - 5'000'000) <= 1);
}

TEST_CASE("what could be chance chooses among the rates that are known") {
  const auto points = Points(4, 500'000, 100, 3);
  REQUIRE(FitClock(points).drift_ppb == 0);
  CHECK(FitClock(points, {-450'000, 450'000}).drift_ppb == 450'000);
  CHECK(FitClock(Points(4, 0, 100, 3), {-450'000, 450'000}).drift_ppb == 0);
}

}  // namespace
}  // namespace emberline
