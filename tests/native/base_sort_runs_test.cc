// Sorting what is nearly in order: against the standard library's sort, and by the comparisons that
// it takes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "base/sort_runs.h"

namespace emberline {
namespace {

// Sorts the numbers of rows by their values and returns how many comparisons that took.
size_t Sort(const std::vector<int>& values, std::vector<uint32_t>* rows) {
  rows->resize(values.size());
  std::iota(rows->begin(), rows->end(), 0u);
  size_t compared = 0;
  SortRuns(std::span(*rows), [&](uint32_t a, uint32_t b) {
    ++compared;
    return values[a] < values[b];
  });
  return compared;
}

std::vector<uint32_t> Expected(const std::vector<int>& values) {
  std::vector<uint32_t> rows(values.size());
  std::iota(rows.begin(), rows.end(), 0u);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](uint32_t a, uint32_t b) { return values[a] < values[b]; });
  return rows;
}

TEST_CASE("runs are sorted as the standard library's stable sort does it") {
  std::mt19937 random(7);
  const auto below = [&](size_t n) { return static_cast<int>(random() % n); };
  std::vector<uint32_t> rows;
  for (size_t round = 0; round < 2000; ++round) {
    std::vector<int> values(random() % 70);
    const int kind = below(5);
    for (size_t i = 0; i < values.size(); ++i) {
      const int at = static_cast<int>(i);
      switch (kind) {
        case 0:  // anything
          values[i] = below(1000);
          break;
        case 1:  // many equal
          values[i] = below(4);
          break;
        case 2:  // nearly in order
          values[i] = at + below(6);
          break;
        case 3:  // backward
          values[i] = -at / 2;
          break;
        default:  // several runs
          values[i] = at % 17;
      }
    }
    Sort(values, &rows);
    REQUIRE(rows == Expected(values));
  }
}

TEST_CASE("sorting takes few comparisons where little is out of order") {
  constexpr int kRows = 1 << 16;
  std::vector<uint32_t> rows;
  std::vector<int> values(kRows);
  std::iota(values.begin(), values.end(), 0);
  CHECK(Sort(values, &rows) < kRows);

  // Each row up to eight places from its own, as of operators that are written when they end.
  std::mt19937 random(11);
  for (int i = 0; i < kRows; ++i) values[i] = i + static_cast<int>(random() % 8);
  CHECK(Sort(values, &rows) < 8 * kRows);
  CHECK(rows == Expected(values));

  // Two runs, one behind the other: only their border is looked at.
  for (int i = 0; i < kRows; ++i) values[i] = (i + kRows / 2) % kRows;
  CHECK(Sort(values, &rows) < 3 * kRows);

  for (int i = 0; i < kRows; ++i) values[i] = static_cast<int>(random() % 100'000);
  CHECK(Sort(values, &rows) < 2 * 16 * kRows);  // n log n
  CHECK(rows == Expected(values));
}

}  // namespace
}  // namespace emberline
