// Tables that are never whole, of columns that a TableBuilder holds.
#pragma once

#include <span>
#include <vector>

#include "analysis/columns.h"
#include "analysis/lazy_table.h"

namespace emberline {

// A lazy table whose cells come from a Row, which is small and made anew for each question. Who
// derives from it adds the columns to `table_`, and says which rows there are.
template <typename Row>
class RowTable : public LazyTable {
 public:
  const std::vector<Column>& columns() const override { return table_.columns(); }
  Cell CellAt(size_t row, size_t column) const override {
    return table_.CellAt(RowAt(row), column);
  }
  bool HasAlike(size_t column) const override { return table_.HasAlike(column); }
  Alike AlikeAt(size_t row, size_t column) const override {
    return table_.AlikeAt(RowAt(row), column);
  }
  Table Make(std::span<const uint32_t> wanted) const override {
    std::vector<Row> rows;
    rows.reserve(wanted.size());
    for (const uint32_t row : wanted) rows.push_back(RowAt(row));
    return table_.Make(rows);
  }

 protected:
  virtual Row RowAt(size_t at) const = 0;

  TableBuilder<Row> table_;
};

}  // namespace emberline
