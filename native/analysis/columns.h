// How tables are built: each column beside the function that gives its cell, so that neither can
// drift from the other.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

  TableBuilder& Add(Column column, CellOf cell) {
    columns_.push_back(std::move(column));
    cells_.push_back({[cell = std::move(cell)](const Row& row, std::vector<Cell>& cells) {
                        cells.push_back(cell(row));
                      },
                      1});
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
    cells_.push_back({std::move(cells), columns.size()});
    for (Column& column : columns) columns_.push_back(std::move(column));
    return *this;
  }

  // The table of `rows`, in their order. `wanted`, one flag for each column, leaves the cells of
  // the others empty; without flags all are made.
  template <typename Rows>
  Table Make(const Rows& rows, const std::vector<bool>& wanted = {}) const {
    std::vector<bool> made;  // by entry of cells_
    size_t column = 0;
    for (const Source& source : cells_) {
      bool any = wanted.empty();
      for (size_t end = column + source.columns; column < end; ++column) {
        any = any || wanted[column];
      }
      made.push_back(any);
    }
    Table table;
    table.columns = columns_;
    table.rows.reserve(rows.size());
    for (const Row& row : rows) {
      std::vector<Cell>& cells = table.rows.emplace_back();
      cells.reserve(columns_.size());
      for (size_t i = 0; i < cells_.size(); ++i) {
        if (made[i]) {
          cells_[i].append(row, cells);
        } else {
          cells.resize(cells.size() + cells_[i].columns);
        }
      }
    }
    return table;
  }

 private:
  struct Source {
    CellsOf append;
    size_t columns = 1;
  };

  std::vector<Column> columns_;
  std::vector<Source> cells_;
};

}  // namespace emberline
