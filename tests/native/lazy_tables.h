// A table that is never whole against the same table made whole.
#pragma once

#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "analysis/lazy_table.h"
#include "analysis/select_rows.h"

namespace emberline {

// Every sort in both directions, alone and behind each filter, gives the rows that it gives of the
// whole table; rows that are alike in a column have one cell there; pieces are the page.
inline void CheckAgainstWhole(const LazyTable& lazy, const std::vector<std::string>& filters) {
  std::vector<uint32_t> all(lazy.row_count());
  std::iota(all.begin(), all.end(), 0);
  const Table whole = lazy.Make(all);
  REQUIRE(whole.columns.size() == lazy.columns().size());
  for (size_t column = 0; column < whole.columns.size(); ++column) {
    const std::string& key = whole.columns[column].key;
    INFO(key);
    CHECK(key == lazy.columns()[column].key);
    std::map<Alike, Cell> cells;
    for (const uint32_t row : all) {
      const Cell cell = lazy.CellAt(row, column);
      REQUIRE(cell == whole.rows[row][column]);
      if (!lazy.HasAlike(column)) continue;
      REQUIRE(cells.try_emplace(lazy.AlikeAt(row, column), cell).first->second == cell);
    }
    for (const std::string& filter : filters) {
      for (const char* sign : {"", "-"}) {
        TableQuery query;
        query.sort = sign + key;
        query.filter = filter;
        INFO(query.sort << " where " << filter);
        const auto expected = OrderRows(whole, query);
        REQUIRE(expected.ok());
        for (const bool side_by_side : {false, true}) {
          const auto order = OrderRows(lazy, query, {}, side_by_side);
          REQUIRE(order.ok());
          CHECK(*order == *expected);
        }
      }
    }
  }
  TableQuery page;
  page.sort = whole.columns.front().key;
  page.offset = 1;
  page.limit = 5000;
  const auto order = OrderRows(lazy, page, {});
  REQUIRE(order.ok());
  const auto expected = QueryTable(whole, page);
  REQUIRE(expected.ok());
  std::vector<std::vector<Cell>> rows;
  const auto counts = VisitTable(lazy, &*order, page, {}, [&](const Table& piece) {
    rows.insert(rows.end(), piece.rows.begin(), piece.rows.end());
    return true;
  });
  REQUIRE(counts.ok());
  CHECK(rows == expected->table.rows);
  CHECK(counts->total_rows == expected->total_rows);
  CHECK(counts->unfiltered_rows == expected->unfiltered_rows);
}

}  // namespace emberline
