#include "analysis/table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/errors.h"
#include "analysis/select_rows.h"
#include "analysis/table_query.h"
#include "base/case.h"
#include "base/mangled.h"
#include "base/natural_order.h"

namespace emberline {
namespace {

std::optional<double> NumberOf(const Cell& cell) {
  if (const auto* i = std::get_if<int64_t>(&cell)) return static_cast<double>(*i);
  if (const auto* d = std::get_if<double>(&cell)) {
    if (std::isnan(*d)) return std::nullopt;
    return *d;
  }
  if (const auto* b = std::get_if<bool>(&cell)) return *b ? 1.0 : 0.0;
  return std::nullopt;
}

}  // namespace

bool IsEmptyCell(const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return true;
  const auto* d = std::get_if<double>(&cell);
  return d != nullptr && std::isnan(*d);
}

int CompareCells(const Cell& a, const Cell& b) {
  const auto* ta = std::get_if<std::string>(&a);
  const auto* tb = std::get_if<std::string>(&b);
  if (ta != nullptr && tb != nullptr) return CompareNaturally(*ta, *tb);
  if (ta != nullptr) return 1;
  if (tb != nullptr) return -1;
  const auto* ia = std::get_if<int64_t>(&a);
  const auto* ib = std::get_if<int64_t>(&b);
  if (ia != nullptr && ib != nullptr) return *ia < *ib ? -1 : *ia > *ib ? 1 : 0;
  const double x = NumberOf(a).value_or(0), y = NumberOf(b).value_or(0);
  return x < y ? -1 : x > y ? 1 : 0;
}

namespace {

// Sorts by cells that all hold a T or nothing, side by side in memory instead of row by row. False,
// and nothing changed, where some hold something else.
template <typename T>
bool SortByNumbers(const Table& table, size_t column, bool descending,
                   std::vector<uint32_t>* order) {
  struct Keyed {
    T value;
    uint32_t at;  // in the order so far
  };
  std::vector<Keyed> keyed;
  std::vector<uint32_t> empty;
  keyed.reserve(order->size());
  for (uint32_t at = 0; at < order->size(); ++at) {
    const Cell& cell = table.rows[(*order)[at]][column];
    if (IsEmptyCell(cell)) {
      empty.push_back((*order)[at]);
    } else if (const T* value = std::get_if<T>(&cell)) {
      keyed.push_back({*value, at});
    } else {
      return false;
    }
  }
  std::sort(keyed.begin(), keyed.end(), [descending](const Keyed& a, const Keyed& b) {
    if (a.value != b.value) return descending ? a.value > b.value : a.value < b.value;
    return a.at < b.at;
  });
  std::vector<uint32_t> sorted;
  sorted.reserve(order->size());
  for (const Keyed& key : keyed) sorted.push_back((*order)[key.at]);
  sorted.insert(sorted.end(), empty.begin(), empty.end());
  *order = std::move(sorted);
  return true;
}

void SortRows(const Table& table, size_t column, bool descending, std::vector<uint32_t>* order) {
  if (SortByNumbers<int64_t>(table, column, descending, order) ||
      SortByNumbers<double>(table, column, descending, order)) {
    return;
  }
  std::stable_sort(order->begin(), order->end(), [&](uint32_t x, uint32_t y) {
    const Cell& a = table.rows[x][column];
    const Cell& b = table.rows[y][column];
    const bool ea = IsEmptyCell(a), eb = IsEmptyCell(b);
    if (ea || eb) return !ea && eb;
    const int c = CompareCells(a, b);
    return descending ? c > 0 : c < 0;
  });
}

// Stands between the alternatives of a word: no text that is typed holds it.
constexpr char kOr = '\x1f';

// Splits at blanks; "double quotes" keep a phrase together. A bar outside quotes becomes kOr.
std::vector<std::string> SplitWords(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false, any = false;
  for (char c : text) {
    if (c == '"') {
      quoted = !quoted;
      any = true;
    } else if (!quoted && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
      if (any) words.push_back(std::move(word));
      word.clear();
      any = false;
    } else {
      word += c == '|' && !quoted ? kOr : c;
      any = true;
    }
  }
  if (any) words.push_back(std::move(word));
  return words;
}

int FindColumn(std::span<const Column> columns, std::string_view key) {
  for (size_t i = 0; i < columns.size(); ++i) {
    const std::string& k = columns[i].key;
    if (k.size() == key.size() && std::equal(k.begin(), k.end(), key.begin(),
                                             [](char a, char b) { return Lower(a) == Lower(b); })) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

std::vector<std::string> Alternatives(std::string_view text) {
  std::vector<std::string> words;
  for (size_t from = 0;;) {
    const size_t bar = text.find(kOr, from);
    const std::string_view word = text.substr(from, bar - from);
    if (!word.empty()) words.push_back(LowerText(word));
    if (bar == std::string_view::npos) break;
    from = bar + 1;
  }
  if (words.empty()) words.emplace_back();
  return words;
}

// What looks like "key:word" with a key that is no column is a plain word: operator names hold
// colons, kernel names hold angle brackets.
Term ParseTerm(std::span<const Column> columns, const std::string& word) {
  Term term;
  term.words = Alternatives(word);
  const size_t at = word.find_first_of(":<>=");
  if (at == std::string::npos || at == 0) return term;
  const int column = FindColumn(columns, std::string_view(word).substr(0, at));
  if (column < 0) return term;
  if (word[at] == ':' || word[at] == '=') {
    term.kind = word[at] == ':' ? Term::Kind::kColumnWord : Term::Kind::kColumnIs;
    term.column = column;
    term.words = Alternatives(std::string_view(word).substr(at + 1));
    return term;
  }
  std::string_view rest = std::string_view(word).substr(at + 1);
  if (rest.starts_with('=')) {
    term.or_equal = true;
    rest.remove_prefix(1);
  }
  double number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc() || end != rest.data() + rest.size()) {
    term.or_equal = false;
    return term;
  }
  term.kind = word[at] == '>' ? Term::Kind::kGreater : Term::Kind::kLess;
  term.column = column;
  term.number = number;
  return term;
}

std::string CellText(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* b = std::get_if<bool>(&cell)) return *b ? "true yes" : "false no";
  if (const auto* i = std::get_if<int64_t>(&cell)) return std::to_string(*i);
  if (const auto* d = std::get_if<double>(&cell)) return std::to_string(*d);
  return {};
}

// A mangled name is found by what pages show of it, too.
bool ContainsAny(std::string_view text, const std::vector<std::string>& words) {
  const std::string demangled = DemangledName(text);
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return ContainsLower(text, word) || ContainsLower(demangled, word);
  });
}

bool Matches(const Table& table, const std::vector<Cell>& row, const Term& term) {
  if (term.column >= 0) return term.Finds(row[static_cast<size_t>(term.column)]);
  for (size_t c = 0; c < row.size(); ++c) {
    if (term.Asks(table.columns, c) && term.Finds(row[c])) return true;
  }
  return false;
}

}  // namespace

bool Term::Asks(std::span<const Column> columns, size_t index) const {
  if (column >= 0) return static_cast<size_t>(column) == index;
  // What is not shown would make a match that nobody understands.
  return !columns[index].hidden;
}

bool Term::Finds(const Cell& cell) const {
  const auto* text = std::get_if<std::string>(&cell);
  switch (kind) {
    case Kind::kWord:
      return text != nullptr && ContainsAny(*text, words);
    case Kind::kColumnWord:
      return ContainsAny(text != nullptr ? *text : CellText(cell), words);
    case Kind::kColumnIs:
      return std::find(words.begin(), words.end(), LowerText(CellText(cell))) != words.end();
    case Kind::kGreater:
    case Kind::kLess: {
      const auto found = NumberOf(cell);
      if (!found) return false;
      if (or_equal && *found == number) return true;
      return kind == Kind::kGreater ? *found > number : *found < number;
    }
  }
  return false;
}

const char* ColumnRoleName(ColumnRole role) {
  switch (role) {
    case ColumnRole::kKey:
      return "key";
    case ColumnRole::kMeasure:
      return "measure";
    case ColumnRole::kFact:
      return "fact";
    case ColumnRole::kLink:
      return "link";
  }
  return "fact";
}

int Table::ColumnIndex(const std::string& key) const {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].key == key) return static_cast<int>(i);
  }
  return -1;
}

Result<SortBy> SortOf(std::span<const Column> columns, const TableQuery& query) {
  SortBy sort;
  if (query.sort.empty()) return sort;
  std::string key = query.sort;
  if (key[0] == '-') {
    sort.descending = true;
    key.erase(0, 1);
  }
  sort.column = FindColumn(columns, key);
  if (sort.column < 0) {
    std::string keys;
    for (const Column& column : columns) keys += (keys.empty() ? "" : ", ") + column.key;
    return MakeError(errors::kNoSuchColumn, {{"column", key}, {"columns", keys}});
  }
  return sort;
}

std::vector<Term> TermsOf(std::span<const Column> columns, const TableQuery& query) {
  std::vector<Term> terms;
  for (const std::string& word : SplitWords(query.filter)) {
    terms.push_back(ParseTerm(columns, word));
  }
  return terms;
}

Result<std::vector<uint32_t>> OrderRows(const Table& table, const TableQuery& query) {
  const Result<SortBy> sort = SortOf(table.columns, query);
  if (!sort.ok()) return sort.error();
  const std::vector<Term> terms = TermsOf(table.columns, query);

  std::vector<uint32_t> order;
  order.reserve(table.rows.size());
  for (uint32_t i = 0; i < table.rows.size(); ++i) {
    const bool keep = std::all_of(terms.begin(), terms.end(), [&](const Term& term) {
      return Matches(table, table.rows[i], term);
    });
    if (keep) order.push_back(i);
  }
  if (sort->column >= 0) {
    SortRows(table, static_cast<size_t>(sort->column), sort->descending, &order);
  }
  return order;
}

SelectedRows CutRows(std::span<const uint32_t> order, const TableQuery& query) {
  SelectedRows selected;
  selected.total_rows = order.size();
  const uint64_t begin = std::min<uint64_t>(query.offset, order.size());
  const uint64_t count = std::min<uint64_t>(query.limit, order.size() - begin);
  const auto cut = order.subspan(begin, count);
  selected.rows.assign(cut.begin(), cut.end());
  return selected;
}

Result<SelectedRows> SelectRows(const Table& table, const TableQuery& query) {
  const Result<std::vector<uint32_t>> order = OrderRows(table, query);
  if (!order.ok()) return order.error();
  return CutRows(*order, query);
}

Result<TablePage> QueryTable(const Table& table, const TableQuery& query) {
  const Result<SelectedRows> selected = SelectRows(table, query);
  if (!selected.ok()) return selected.error();
  TablePage page;
  page.table.columns = table.columns;
  page.unfiltered_rows = table.rows.size();
  page.total_rows = selected->total_rows;
  page.table.rows.reserve(selected->rows.size());
  for (const uint32_t row : selected->rows) page.table.rows.push_back(table.rows[row]);
  return page;
}

double NumberIn(const Table& table, const std::vector<Cell>& row, const std::string& key) {
  const int column = table.ColumnIndex(key);
  if (column < 0) return 0;
  const Cell& cell = row[static_cast<size_t>(column)];
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  if (const auto* count = std::get_if<int64_t>(&cell)) return static_cast<double>(*count);
  return 0;
}

std::string TextIn(const Table& table, const std::vector<Cell>& row, const std::string& key) {
  const int column = table.ColumnIndex(key);
  const auto* text =
      column < 0 ? nullptr : std::get_if<std::string>(&row[static_cast<size_t>(column)]);
  return text != nullptr ? *text : std::string();
}

}  // namespace emberline
