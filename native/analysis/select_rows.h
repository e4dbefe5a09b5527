// The rows of a table that a query wants, without a copy of the table.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analysis/table.h"
#include "base/result.h"

namespace emberline {

struct SelectedRows {
  std::vector<uint32_t> rows;  // indexes into Table::rows, sorted, filtered and cut
  uint64_t total_rows = 0;     // after filtering, before cutting
};

// The rows that a query finds, filtered and sorted (stable; empty cells last in both directions).
// Errors: kInvalidArgument names the keys there are.
Result<std::vector<uint32_t>> OrderRows(const Table& table, const TableQuery& query);

// The page of a query whose rows are known.
SelectedRows CutRows(std::span<const uint32_t> order, const TableQuery& query);

// Both. Errors as above.
Result<SelectedRows> SelectRows(const Table& table, const TableQuery& query);

// A table that is never whole is handed out in pieces: `visit` is called with one after the other,
// at least once, until it returns false. All pieces have the same columns.
using VisitRows = std::function<bool(const Table& piece)>;
struct RowCounts {
  uint64_t total_rows = 0;  // after filtering, before cutting
  uint64_t unfiltered_rows = 0;
};

}  // namespace emberline
