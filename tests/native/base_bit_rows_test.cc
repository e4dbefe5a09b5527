#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "base/bit_rows.h"

namespace emberline {

TEST_CASE("rows that a bit names have values of their own") {
  std::mt19937 random(3);
  for (const size_t rows :
       {size_t{0}, size_t{1}, size_t{63}, size_t{64}, size_t{65}, size_t{5000}}) {
    for (const unsigned one_in : {1u, 2u, 70u, 100'000u}) {
      CAPTURE(rows, one_in);
      BitColumn which;
      which.assign(rows, false);
      for (size_t row = 0; row < rows; ++row) which.Set(row, random() % one_in == 0);
      BitRows<int> values(which, -1);
      std::map<size_t, int> expected;
      for (size_t row = 0; row < rows; ++row) {
        REQUIRE(values.Has(row) == which[row]);
        if (which[row]) expected[row] = -1;
      }
      REQUIRE(values.values().size() == expected.size());
      for (auto& [row, value] : expected) {
        if (random() % 3 == 0) value = values[row] = static_cast<int>(random() % 1000);
      }
      auto next = values.values().begin();
      for (const auto& [row, value] : expected) {
        REQUIRE(values[row] == value);
        REQUIRE(*next++ == value);
      }
    }
  }
}

}  // namespace emberline
