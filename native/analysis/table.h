// A typed table: the common form of every tabular result. Sorting, filtering and paging live here
// once, for the command line and the editor alike. Tables are built with analysis/columns.h.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/unit.h"

namespace emberline {

enum class CellType : uint8_t { kText, kInteger, kNumber, kBool };

// What a column is for, so that any table can be compared, merged and linked without knowing it.
enum class ColumnRole : uint8_t {
  kKey,      // says which row this is: all keys together differ from row to row. Tables of single
             // events have none
  kMeasure,  // a number that was measured
  kFact,     // says more about the row: its shapes, its state
  kLink,     // leads to the timeline or to code; carried, not shown
};
const char* ColumnRoleName(ColumnRole role);  // "key", "measure", "fact", "link"

// What a measure of two rows that become one is. A share or a mean of both is not known from them.
enum class Merge : uint8_t { kNone, kSum, kMin, kMax };

struct Column {
  std::string key;         // camelCase with its unit: "deviceSelfUs"
  std::string title;       // "Device self"
  std::string definition;  // one or two sentences: what the number means
  CellType type = CellType::kText;
  Unit unit = Unit::kNone;
  ColumnRole role = ColumnRole::kFact;
  Merge merge = Merge::kNone;
  bool hidden = false;  // not shown: a link, or a measure that this trace does not have
};

// Empty cell: monostate (JSON null).
using Cell = std::variant<std::monostate, bool, int64_t, double, std::string>;

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;            // each as long as columns
  int ColumnIndex(const std::string& key) const;  // -1 when absent
};

// The number in a row's column `key`; 0 where there is none.
double NumberIn(const Table& table, const std::vector<Cell>& row, const std::string& key);
// The text there; "" where there is none.
std::string TextIn(const Table& table, const std::vector<Cell>& row, const std::string& key);

struct TableQuery {
  std::string sort;    // column key, "-" before it for descending; "" keeps the order
  std::string filter;  // words: a row stays when each is in some shown text cell, case-insensitive;
                       // "a|b" takes either, "quotes" keep a phrase together; "key:word" looks in
                       // one column, "key=text" wants all of its cell, "key>number" and
                       // "key<number" compare
  uint64_t offset = 0;
  uint64_t limit = UINT64_MAX;
};

struct TablePage {
  Table table;              // the rows of the page
  uint64_t total_rows = 0;  // after filtering
  uint64_t unfiltered_rows = 0;
};

// The rows that a query finds: filtered, sorted (stable; empty cells last in both directions) and
// cut. Errors: kInvalidArgument names the keys there are.
Result<TablePage> QueryTable(const Table& table, const TableQuery& query);

}  // namespace emberline
