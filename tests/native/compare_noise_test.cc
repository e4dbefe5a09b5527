// Student's t and Welch's test against figures from tables and by hand.
#include <catch2/catch.hpp>
#include <cmath>

#include "compare/noise.h"

using namespace emberline;

TEST_CASE("noise: quantiles of Student's t") {
  // Two-sided 95 %, from printed tables.
  CHECK(StudentT975(1) == Approx(12.7062).epsilon(1e-5));
  CHECK(StudentT975(2) == Approx(4.30265).epsilon(1e-5));
  CHECK(StudentT975(5) == Approx(2.57058).epsilon(1e-5));
  CHECK(StudentT975(10) == Approx(2.22814).epsilon(1e-5));
  CHECK(StudentT975(30) == Approx(2.04227).epsilon(1e-5));
  CHECK(StudentT975(1e6) == Approx(1.95997).epsilon(1e-5));
}

TEST_CASE("noise: samples") {
  const Sample sample = SampleOf({1, 2, 3, 4});
  CHECK(sample.mean == Approx(2.5));
  CHECK(sample.Variance() == Approx(5.0 / 3));
  // What was absent in half of the steps was zero there.
  const Sample filled = WithZeros(SampleOf({2, 4}), 4), direct = SampleOf({2, 4, 0, 0});
  CHECK(filled.mean == Approx(direct.mean));
  CHECK(filled.Variance() == Approx(direct.Variance()));
}

TEST_CASE("noise: differences") {
  const Difference none = Compare(SampleOf({5}), SampleOf({6, 7}));
  CHECK(!none.noise);
  CHECK(!none.Significant());
  const Difference same = Compare(SampleOf({5, 5}), SampleOf({5, 5}));
  CHECK(same.noise == 0.0);
  CHECK(same.Significant() == false);
  const Difference exact = Compare(SampleOf({5, 5}), SampleOf({6, 6}));
  CHECK(exact.Significant() == true);
  // Unequal spreads: s^2 = 1 and 16, n = 3 each; 2.2479 degrees of freedom by Welch.
  const Difference welch = Compare(SampleOf({9, 10, 11}), SampleOf({16, 20, 24}));
  CHECK(welch.delta == Approx(10));
  CHECK(*welch.noise == Approx(StudentT975(2.2490272) * std::sqrt(17.0 / 3)).epsilon(1e-6));
}

TEST_CASE("noise: one value of each side") {
  // Spreads of single values are those of the sides: s^2 = 1 and 16, n = 3 each.
  const Sample a = SampleOf({9, 10, 11}), b = SampleOf({16, 20, 24});
  const Difference single = CompareSingle(a, b, 7);
  CHECK(single.delta == 7);
  CHECK(*single.noise == Approx(StudentT975(2.2490272) * std::sqrt(17.0)).epsilon(1e-6));
  CHECK(single.Significant() == false);
  CHECK(CompareSingle(a, b, 20).Significant() == true);
  CHECK(*CompareSingle(b, a, -7).noise == Approx(*single.noise));
  CHECK(!CompareSingle(SampleOf({5}), b, 7).noise);
  CHECK(!CompareSingle(Sample(), b, 7).noise);
}
