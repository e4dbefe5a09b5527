// Tables that are never whole: a row is made when a page shows it, and a query makes only the cells
// that decide it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "analysis/select_rows.h"
#include "analysis/table.h"
#include "base/cancel.h"
#include "base/hash.h"
#include "base/result.h"

namespace emberline {

// What tells which rows have the same cell in a column: rows whose numbers are equal have equal
// cells. The converse need not hold.
using Alike = std::pair<uint64_t, uint64_t>;
struct AlikeHash {
  size_t operator()(const Alike& alike) const {
    return static_cast<size_t>(HashPair(alike.first, alike.second));
  }
};

// Belongs to one thread: cells may be remembered.
class LazyTable {
 public:
  virtual ~LazyTable() = default;
  // One of the same rows and columns for another thread. What tells rows of both apart or calls
  // them alike holds among all of them that are alive.
  virtual std::unique_ptr<LazyTable> Another() const = 0;
  virtual size_t row_count() const = 0;
  virtual const std::vector<Column>& columns() const = 0;
  virtual Cell CellAt(size_t row, size_t column) const = 0;
  // Whether AlikeAt() may be asked of the column.
  virtual bool HasAlike(size_t column) const = 0;
  virtual Alike AlikeAt(size_t row, size_t column) const = 0;
  // These rows with all of their cells.
  virtual Table Make(std::span<const uint32_t> rows) const = 0;
};

// The rows that a query finds, as OrderRows() finds those of the whole table. Errors: kCancelled,
// and those of OrderRows(). Rows that are many are looked at on two threads, where there are cores
// for them; `side_by_side` says whether.
Result<std::vector<uint32_t>> OrderRows(const LazyTable& table, const TableQuery& query,
                                        const CancelToken& cancel);
Result<std::vector<uint32_t>> OrderRows(const LazyTable& table, const TableQuery& query,
                                        const CancelToken& cancel, bool side_by_side);

// The page of a query, in pieces: of `order`, which is OrderRows() of its sort and filter; null
// where it has neither. Costs no more than its own rows. Errors: kCancelled.
Result<RowCounts> VisitTable(const LazyTable& table, const std::vector<uint32_t>* order,
                             const TableQuery& query, const CancelToken& cancel,
                             const VisitRows& visit);

}  // namespace emberline
