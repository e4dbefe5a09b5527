#include "analysis/lazy_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/table_query.h"
#include "base/errors.h"
#include "base/natural_order.h"

namespace emberline {
namespace {

constexpr size_t kPiece = 2048;  // rows between two looks at whether somebody cancelled

Error Cancelled() { return MakeError(errors::kCancelled); }

template <typename T>
using ByAlike = std::unordered_map<Alike, T, AlikeHash>;

// Which rows a word of a filter keeps. Cells that are alike are looked at once.
class Matcher {
 public:
  Matcher(const LazyTable& table, Term term) : table_(table), term_(std::move(term)) {
    for (size_t c = 0; c < table.columns().size(); ++c) {
      // Other columns hold no text.
      const bool text = table.columns()[c].type == CellType::kText;
      if (term_.Asks(table.columns(), c) && (text || term_.column >= 0)) {
        columns_.push_back({c, table.HasAlike(c), {}});
      }
    }
    // What is known already is looked at first.
    std::stable_partition(columns_.begin(), columns_.end(),
                          [](const Asked& asked) { return asked.has_alike; });
  }

  bool Keeps(size_t row) {
    return std::any_of(columns_.begin(), columns_.end(), [&](Asked& asked) {
      if (!asked.has_alike) return term_.Finds(table_.CellAt(row, asked.column));
      const auto [it, added] = asked.known.try_emplace(table_.AlikeAt(row, asked.column));
      if (added) it->second = term_.Finds(table_.CellAt(row, asked.column));
      return it->second;
    });
  }

 private:
  struct Asked {
    size_t column;
    bool has_alike;
    ByAlike<bool> known;
  };
  const LazyTable& table_;
  const Term term_;
  std::vector<Asked> columns_;
};

// A row by a number that is as large as its place in the order.
struct Keyed {
  uint64_t key;
  uint32_t row;
};

// By key, rows of the same key as they are. Byte by byte from the last on; bytes that all keys have
// in common, as most of them are, cost nothing.
void SortStably(std::vector<Keyed>& keyed) {
  constexpr size_t kFew = 256;
  if (keyed.size() < kFew) {
    std::stable_sort(keyed.begin(), keyed.end(),
                     [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
    return;
  }
  constexpr int kBits = 11, kDigits = 6;
  constexpr size_t kValues = size_t{1} << kBits;
  std::vector<std::array<uint32_t, kValues>> counts(kDigits);
  for (const Keyed& entry : keyed) {
    for (int digit = 0; digit < kDigits; ++digit) {
      ++counts[digit][(entry.key >> (digit * kBits)) & (kValues - 1)];
    }
  }
  const auto room = std::make_unique_for_overwrite<Keyed[]>(keyed.size());
  std::span<Keyed> from = keyed, to(room.get(), keyed.size());
  for (int digit = 0; digit < kDigits; ++digit) {
    std::array<uint32_t, kValues>& count = counts[digit];
    if (count[(from.front().key >> (digit * kBits)) & (kValues - 1)] == from.size()) continue;
    uint32_t at = 0;
    for (uint32_t& first : count) at += std::exchange(first, at);
    for (const Keyed& entry : from) {
      to[count[(entry.key >> (digit * kBits)) & (kValues - 1)]++] = entry;
    }
    std::swap(from, to);
  }
  if (from.data() != keyed.data()) std::copy(from.begin(), from.end(), keyed.begin());
}

constexpr uint64_t kSign = uint64_t{1} << 63;
uint64_t KeyOf(int64_t value) { return static_cast<uint64_t>(value) ^ kSign; }
uint64_t KeyOf(double value) {
  const auto bits = std::bit_cast<uint64_t>(value + 0.0);  // no zero is less than the other
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

// The place of a cell in the order of its kind; nothing for cells of other kinds.
template <typename T>
std::optional<uint64_t> KeyOfCell(const Cell& cell) {
  const T* value = std::get_if<T>(&cell);
  return value == nullptr ? std::nullopt : std::optional(KeyOf(*value));
}

// Sorts the rows of a column in place.
class Sorter {
 public:
  Sorter(const LazyTable& table, SortBy sort, const CancelToken& cancel)
      : table_(table),
        column_(static_cast<size_t>(sort.column)),
        descending_(sort.descending),
        cancel_(cancel) {}

  // False when cancelled.
  bool Sort(std::vector<uint32_t>& rows) {
    if (table_.HasAlike(column_)) return SortAlike(rows);
    std::vector<Keyed> keyed;
    std::vector<uint32_t> empty;
    keyed.reserve(rows.size());
    std::optional<size_t> kind;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i % kPiece == 0 && cancel_.cancelled()) return false;
      const Cell cell = table_.CellAt(rows[i], column_);
      if (IsEmptyCell(cell)) {
        empty.push_back(rows[i]);
        continue;
      }
      if (!kind) kind = cell.index();
      const auto key = cell.index() != *kind                  ? std::nullopt
                       : std::holds_alternative<double>(cell) ? KeyOfCell<double>(cell)
                                                              : KeyOfCell<int64_t>(cell);
      if (!key) return SortCells(rows);
      keyed.push_back({descending_ ? ~*key : *key, rows[i]});
    }
    SortStably(keyed);
    Put(keyed, empty, rows);
    return true;
  }

 private:
  static void Put(const std::vector<Keyed>& keyed, const std::vector<uint32_t>& empty,
                  std::vector<uint32_t>& rows) {
    for (size_t i = 0; i < keyed.size(); ++i) rows[i] = keyed[i].row;
    std::copy(empty.begin(), empty.end(), rows.begin() + static_cast<ptrdiff_t>(keyed.size()));
  }

  // PlacesOf() for texts, in the order of CompareCells(): by their natural keys, then as they are.
  // What these begin with in common decides nothing; the eight bytes behind that mostly decide all.
  std::vector<uint32_t> PlacesOfTexts(const std::vector<Cell>& cells) const {
    struct Head {
      uint64_t bytes;
      uint32_t at;
    };
    std::vector<std::string> natural(cells.size());
    std::vector<Head> order;
    size_t common = std::string::npos;
    for (uint32_t at = 0; at < cells.size(); ++at) {
      if (IsEmptyCell(cells[at])) continue;
      natural[at] = NaturalKey(std::get<std::string>(cells[at]));
      const std::string& first = order.empty() ? natural[at] : natural[order.front().at];
      const size_t most = std::min({common, natural[at].size(), first.size()});
      common = static_cast<size_t>(std::mismatch(first.begin(),
                                                 first.begin() + static_cast<ptrdiff_t>(most),
                                                 natural[at].begin())
                                       .first -
                                   first.begin());
      order.push_back({0, at});
    }
    for (Head& head : order) {
      for (size_t i = 0; i < sizeof(head.bytes); ++i) {
        const size_t at = common + i;
        const auto byte = at < natural[head.at].size() ? natural[head.at][at] : '\0';
        head.bytes = head.bytes << 8 | static_cast<unsigned char>(byte);
      }
    }
    const auto compare = [&](const Head& x, const Head& y) {
      if (x.bytes != y.bytes) return x.bytes < y.bytes ? -1 : 1;
      const int c = natural[x.at].compare(natural[y.at]);
      return c != 0
                 ? c
                 : std::get<std::string>(cells[x.at]).compare(std::get<std::string>(cells[y.at]));
    };
    std::sort(order.begin(), order.end(), [&](const Head& x, const Head& y) {
      return descending_ ? compare(x, y) > 0 : compare(x, y) < 0;
    });
    // Empty ones behind all others.
    std::vector<uint32_t> places(cells.size(), static_cast<uint32_t>(order.size()));
    uint32_t place = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      if (i > 0 && compare(order[i - 1], order[i]) != 0) ++place;
      places[order[i].at] = place;
    }
    return places;
  }

  // The places of cells in their order, equal ones in the same; empty ones come last.
  std::vector<uint32_t> PlacesOf(const std::vector<Cell>& cells) const {
    if (std::all_of(cells.begin(), cells.end(), [](const Cell& cell) {
          return std::holds_alternative<std::string>(cell) || IsEmptyCell(cell);
        })) {
      return PlacesOfTexts(cells);
    }
    std::vector<uint32_t> order(cells.size()), places(cells.size());
    std::iota(order.begin(), order.end(), 0);
    const auto compare = [&](uint32_t x, uint32_t y) {
      const bool no_x = IsEmptyCell(cells[x]), no_y = IsEmptyCell(cells[y]);
      if (no_x || no_y) return static_cast<int>(no_x) - static_cast<int>(no_y);
      const int c = CompareCells(cells[x], cells[y]);
      return descending_ ? static_cast<int>(c < 0) - static_cast<int>(c > 0) : c;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t x, uint32_t y) { return compare(x, y) < 0; });
    for (size_t i = 1; i < order.size(); ++i) {
      places[order[i]] = places[order[i - 1]] + (compare(order[i - 1], order[i]) < 0 ? 1 : 0);
    }
    return places;
  }

  // Makes and compares each different cell once.
  bool SortAlike(std::vector<uint32_t>& rows) const {
    ByAlike<uint32_t> numbers;
    std::vector<Cell> cells;
    std::vector<Keyed> keyed;
    keyed.reserve(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i % kPiece == 0 && cancel_.cancelled()) return false;
      const auto [it, added] = numbers.try_emplace(table_.AlikeAt(rows[i], column_),
                                                   static_cast<uint32_t>(cells.size()));
      if (added) cells.push_back(table_.CellAt(rows[i], column_));
      keyed.push_back({it->second, rows[i]});
    }
    const std::vector<uint32_t> places = PlacesOf(cells);
    for (Keyed& entry : keyed) entry.key = places[entry.key];
    SortStably(keyed);
    Put(keyed, {}, rows);
    return true;
  }

  bool SortCells(std::vector<uint32_t>& rows) const {
    std::vector<Cell> cells;
    cells.reserve(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i % kPiece == 0 && cancel_.cancelled()) return false;
      cells.push_back(table_.CellAt(rows[i], column_));
    }
    const std::vector<uint32_t> places = PlacesOf(cells);
    std::vector<Keyed> keyed(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) keyed[i] = {places[i], rows[i]};
    SortStably(keyed);
    Put(keyed, {}, rows);
    return true;
  }

  const LazyTable& table_;
  const size_t column_;
  const bool descending_;
  const CancelToken& cancel_;
};

}  // namespace

Result<std::vector<uint32_t>> OrderRows(const LazyTable& table, const TableQuery& query,
                                        const CancelToken& cancel) {
  const Result<SortBy> sort = SortOf(table.columns(), query);
  if (!sort.ok()) return sort.error();
  std::vector<Matcher> matchers;
  for (Term& term : TermsOf(table.columns(), query)) matchers.emplace_back(table, std::move(term));
  std::vector<uint32_t> rows;
  if (matchers.empty()) {
    rows.resize(table.row_count());
    std::iota(rows.begin(), rows.end(), 0);
  } else {
    for (size_t row = 0; row < table.row_count(); ++row) {
      if (row % kPiece == 0 && cancel.cancelled()) return Cancelled();
      const bool keep = std::all_of(matchers.begin(), matchers.end(),
                                    [&](Matcher& matcher) { return matcher.Keeps(row); });
      if (keep) rows.push_back(static_cast<uint32_t>(row));
    }
  }
  if (sort->column >= 0 && !Sorter(table, *sort, cancel).Sort(rows)) return Cancelled();
  return rows;
}

Result<RowCounts> VisitTable(const LazyTable& table, const std::vector<uint32_t>* order,
                             const TableQuery& query, const CancelToken& cancel,
                             const VisitRows& visit) {
  RowCounts counts;
  counts.unfiltered_rows = table.row_count();
  counts.total_rows = order == nullptr ? counts.unfiltered_rows : order->size();
  const size_t begin = static_cast<size_t>(std::min<uint64_t>(query.offset, counts.total_rows));
  const size_t end =
      begin + static_cast<size_t>(std::min<uint64_t>(query.limit, counts.total_rows - begin));
  std::vector<uint32_t> rows;
  for (size_t from = begin; from == begin || from < end; from += kPiece) {
    if (cancel.cancelled()) return Cancelled();
    const size_t to = std::min(from + kPiece, end);
    rows.resize(to - from);
    if (order == nullptr) {
      std::iota(rows.begin(), rows.end(), static_cast<uint32_t>(from));
    } else {
      std::copy(order->begin() + static_cast<ptrdiff_t>(from),
                order->begin() + static_cast<ptrdiff_t>(to), rows.begin());
    }
    if (!visit(table.Make(rows))) break;
  }
  return counts;
}

}  // namespace emberline
