// CONTRACT. A typed table: the common form of every tabular result. Sorting, filtering, paging and
// the definitions of columns live here once, for the command line and the editor alike.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"

namespace emberline {

enum class Unit : uint8_t { kNone, kCount, kUs, kNs, kBytes, kRatio, kGbPerS, kFlops };
const char* UnitName(Unit unit);  // "", "count", "us", "ns", "bytes", "ratio", "gbPerS", "flops"

enum class CellType : uint8_t { kText, kInteger, kNumber, kBool };

struct Column {
  std::string key;         // camelCase with its unit: "deviceSelfUs"
  std::string title;       // "Device self"
  std::string definition;  // one or two sentences: what the number means
  CellType type = CellType::kText;
  Unit unit = Unit::kNone;
  bool hidden = false;  // carried for links, not shown
};

// Empty cell: monostate (JSON null).
using Cell = std::variant<std::monostate, bool, int64_t, double, std::string>;

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;            // each as long as columns
  int ColumnIndex(const std::string& key) const;  // -1 when absent
};

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

// Filters, sorts (stable; empty cells last in both directions) and cuts. Errors: kInvalidArgument
// names the keys there are.
Result<TablePage> QueryTable(const Table& table, const TableQuery& query);

}  // namespace emberline
