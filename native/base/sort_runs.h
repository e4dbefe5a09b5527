// Sorting of what is nearly in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/near.h"
#include "base/scratch_vector.h"

namespace emberline {

namespace sort_runs_detail {

// Merges the sorted halves of `rows`, of which the second begins at `middle`. Looks for where they
// overlap from the middle outward, so that a short overlap of long halves costs little.
template <typename Row, typename Before>
void MergeHalves(std::span<Row> rows, size_t middle, Before&& before, ScratchVector<Row>* scratch) {
  if (!before(rows[middle], rows[middle - 1])) return;
  // Rows of the first half from `from` on come behind the first row of the second half.
  const auto half = rows.begin() + static_cast<ptrdiff_t>(middle);
  const auto from = PartitionPointNear(rows.begin(), half, half,
                                       [&](const Row& row) { return !before(*half, row); });
  // Rows of the second half before `to` come before the last row of the first half.
  const auto to = PartitionPointNear(half, rows.end(), half,
                                     [&](const Row& row) { return before(row, *(half - 1)); });
  if (half - from <= to - half) {
    scratch->assign(from, half);
    auto first = scratch->begin();
    auto second = half;
    auto out = from;
    while (first != scratch->end()) {
      if (second != to && before(*second, *first)) {
        *out++ = *second++;
      } else {
        *out++ = *first++;
      }
    }
  } else {
    scratch->assign(half, to);
    auto first = half;
    auto second = scratch->end();
    auto out = to;
    while (second != scratch->begin()) {
      if (first != from && before(*(second - 1), *(first - 1))) {
        *--out = *--first;
      } else {
        *--out = *--second;
      }
    }
  }
}

}  // namespace sort_runs_detail

// Sorts `rows` by `before`, a strict weak order, and keeps the order of equal ones. Finds the runs
// that are in order already and merges neighbors: linear where few rows are out of place or none
// far from it, as recorders leave them, and never worse than n log n.
template <typename Row, typename Before>
void SortRuns(std::span<Row> rows, Before&& before) {
  ScratchVector<uint32_t> borders;  // where runs begin, and the end
  for (size_t i = 1; i < rows.size(); ++i) {
    if (before(rows[i], rows[i - 1])) {
      if (borders.empty()) borders.push_back(0);
      borders.push_back(static_cast<uint32_t>(i));
    }
  }
  if (borders.empty()) return;
  borders.push_back(static_cast<uint32_t>(rows.size()));
  ScratchVector<Row> scratch;
  while (borders.size() > 2) {
    size_t kept = 0;
    for (size_t run = 0; run + 1 < borders.size(); run += 2) {
      const uint32_t begin = borders[run];
      if (run + 2 < borders.size()) {
        sort_runs_detail::MergeHalves(rows.subspan(begin, borders[run + 2] - begin),
                                      borders[run + 1] - begin, before, &scratch);
      }
      borders[kept++] = begin;
    }
    borders[kept++] = static_cast<uint32_t>(rows.size());
    borders.resize(kept);
  }
}

}  // namespace emberline
