// Numbers that are small in nearly every trace.
#include <catch2/catch.hpp>

#include "base/number_column.h"
#include "base/release.h"

using namespace emberline;

TEST_CASE("a column of numbers says what was written, narrow, wide and packed", "[base]") {
  NumberColumn column;
  column.assign(1000, kNone);
  std::vector<uint32_t> written(1000, kNone);
  const auto check = [&] {
    REQUIRE(column.size() == written.size());
    for (size_t i = 0; i < written.size(); ++i) {
      if (column[i] != written[i]) FAIL("row " << i);
    }
  };
  const auto set = [&](size_t row, uint32_t value) {
    column.Set(row, value);
    written[row] = value;
  };
  for (size_t i = 0; i < 1000; i += 3) set(i, static_cast<uint32_t>(i));
  check();
  set(500, 70'000);  // more than two bytes hold
  check();
  column.Pack();
  check();
  column.Pack();
  check();
}

TEST_CASE("a packed column of numbers keeps nothing of what it was made of", "[base]") {
  constexpr size_t kRows = 100'000;
  NumberColumn column;
  column.assign(kRows, kNone);
  CHECK(column.MemoryBytes() <= 2 * kRows + 100);
  column.Set(7, 70'000);
  CHECK(column.MemoryBytes() <= 4 * kRows + 100);
  column.Pack();
  CHECK(column.MemoryBytes() <= kRows);
}

TEST_CASE("what is released takes no room", "[base]") {
  std::vector<int> numbers(1000);
  Release(numbers);
  CHECK(numbers.capacity() == 0);
}
