// What a query asks of the cells of a table: shared by tables that are whole and those that are
// not.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/table.h"
#include "base/result.h"

namespace emberline {

struct SortBy {
  int column = -1;  // -1: not sorted
  bool descending = false;
};
// Errors: kInvalidArgument names the keys there are.
Result<SortBy> SortOf(std::span<const Column> columns, const TableQuery& query);

// A word of a filter; a row stays when each finds something.
struct Term {
  enum class Kind { kWord, kColumnWord, kColumnIs, kGreater, kLess } kind = Kind::kWord;
  std::vector<std::string> words;  // lower case; one of them must fit
  int column = -1;
  double number = 0;
  bool or_equal = false;
  // Whether the term looks at cells of this column.
  bool Asks(std::span<const Column> columns, size_t index) const;
  // Whether a cell of a column that it looks at is what it wants.
  bool Finds(const Cell& cell) const;
};
std::vector<Term> TermsOf(std::span<const Column> columns, const TableQuery& query);

// Nothing, or no number: such cells stand last in both directions.
bool IsEmptyCell(const Cell& cell);
// Three-way comparison of two cells that are not empty: text without regard to case first, so that
// a table reads alphabetically, then by bytes, so that the order is total.
int CompareCells(const Cell& a, const Cell& b);

}  // namespace emberline
