// How tables are built: each column beside the function that gives its cell, so that neither can
// drift from the other.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/lazy_table.h"
#include "analysis/table.h"
#include "analysis/text_cell.h"
#include "base/types.h"

namespace emberline {

// Microseconds with the precision of nanoseconds.
inline double Micros(Ns ns) { return static_cast<double>(ns) / 1000.0; }
inline Cell TimeCell(Ns ns) { return Micros(ns); }
// Part of a whole; 0 of nothing.
inline Cell ShareCell(double part, double whole) { return whole > 0 ? part / whole : 0.0; }
inline Cell TextOrEmpty(std::string_view text) { return text.empty() ? Cell() : TextCell(text); }
template <typename T>
Cell OptionalCell(const std::optional<T>& value) {
  return value ? Cell(*value) : Cell();
}

// What says which row this is.
Column TextKey(const char* key, const char* title, const char* definition);
Column IntegerKey(const char* key, const char* title, const char* definition,
                  Unit unit = Unit::kNone);
// What says more about a row.
Column TextFact(const char* key, const char* title, const char* definition);
Column IntegerFact(const char* key, const char* title, const char* definition,
                   Unit unit = Unit::kNone);
Column FlagFact(const char* key, const char* title, const char* definition);
// A moment, in microseconds since the profile's start.
Column MomentFact(const char* key, const char* title, const char* definition);
// What was measured. Durations, counts and bytes of rows that become one add up unless `merge` says
// otherwise.
Column Duration(const char* key, const char* title, const char* definition,
                Merge merge = Merge::kSum);
Column Count(const char* key, const char* title, const char* definition, Merge merge = Merge::kSum);
Column ByteCount(const char* key, const char* title, const char* definition,
                 Merge merge = Merge::kSum);
// A part of a whole, 0 to 1.
Column Share(const char* key, const char* title, const char* definition);
// Any other quotient or mean.
Column Quotient(const char* key, const char* title, const char* definition,
                Unit unit = Unit::kNone);
// What leads elsewhere.
Column Link(const char* key, const char* title, const char* definition, CellType type);

// The same column, not shown when `hidden`.
inline Column HiddenIf(bool hidden, Column column) {
  column.hidden = column.hidden || hidden;
  return column;
}

// Columns of rows of type Row. What the functions refer to must outlive the builder.
template <typename Row>
class TableBuilder {
 public:
  using CellOf = std::function<Cell(const Row&)>;
  using CellsOf = std::function<void(const Row&, std::vector<Cell>&)>;
  using AlikeOf = std::function<Alike(const Row&)>;

  TableBuilder& Add(Column column, CellOf cell) {
    return Add(std::move(column), std::move(cell), AlikeOf());
  }
  // With what tells which rows have the same cell, for columns whose cells take longer to make or
  // to compare than that: see LazyTable.
  TableBuilder& Add(Column column, CellOf cell, AlikeOf alike) {
    source_of_.push_back(cells_.size());
    columns_.push_back(std::move(column));
    cells_.push_back({std::move(cell), std::move(alike), nullptr, columns_.size() - 1, 1});
    return *this;
  }
  // A member of the row: nanoseconds where the column's unit is the microsecond.
  TableBuilder& Add(Column column, int64_t Row::*member) {
    if (column.unit == Unit::kUs) {
      return Add(std::move(column), [member](const Row& row) { return TimeCell(row.*member); });
    }
    return Add(std::move(column), [member](const Row& row) { return Cell(row.*member); });
  }
  TableBuilder& Add(Column column, bool Row::*member) {
    return Add(std::move(column), [member](const Row& row) { return Cell(row.*member); });
  }
  template <typename T>
  TableBuilder& Add(Column column, std::optional<T> Row::*member) {
    return Add(std::move(column), [member](const Row& row) { return OptionalCell(row.*member); });
  }
  // The column only where `condition` holds.
  template <typename Source>
  TableBuilder& AddIf(bool condition, Column column, Source&& source) {
    return condition ? Add(std::move(column), std::forward<Source>(source)) : *this;
  }
  // Several columns whose cells are made together; `cells` appends one for each.
  TableBuilder& AddAll(std::vector<Column> columns, CellsOf cells) {
    source_of_.insert(source_of_.end(), columns.size(), cells_.size());
    cells_.push_back({nullptr, nullptr, std::move(cells), columns_.size(), columns.size()});
    for (Column& column : columns) columns_.push_back(std::move(column));
    return *this;
  }

  const std::vector<Column>& columns() const { return columns_; }
  // One cell of a row.
  Cell CellAt(const Row& row, size_t column) const {
    const Source& source = cells_[source_of_[column]];
    if (source.cell) return source.cell(row);
    std::vector<Cell> cells;
    source.append(row, cells);
    return std::move(cells[column - source.first]);
  }
  bool HasAlike(size_t column) const { return cells_[source_of_[column]].alike != nullptr; }
  Alike AlikeAt(const Row& row, size_t column) const {
    return cells_[source_of_[column]].alike(row);
  }

  // The table of `rows`, in their order.
  template <typename Rows>
  Table Make(const Rows& rows) const {
    Table table;
    table.columns = columns_;
    table.rows.reserve(rows.size());
    for (const Row& row : rows) {
      std::vector<Cell>& cells = table.rows.emplace_back();
      cells.reserve(columns_.size());
      for (const Source& source : cells_) {
        if (source.cell) {
          cells.push_back(source.cell(row));
        } else {
          source.append(row, cells);
        }
      }
    }
    return table;
  }

 private:
  struct Source {
    CellOf cell;  // of one column
    AlikeOf alike;
    CellsOf append;    // of several
    size_t first = 0;  // column
    size_t columns = 1;
  };

  std::vector<Column> columns_;
  std::vector<Source> cells_;
  std::vector<size_t> source_of_;  // by column
};

}  // namespace emberline
