#include "analysis/lazy_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/table_query.h"
#include "base/cores.h"
#include "base/distinct.h"
#include "base/natural_order.h"
#include "base/parallel.h"

namespace emberline {
namespace {

constexpr size_t kPiece = 2048;  // rows between two looks at whether somebody cancelled
// From so many rows on another thread saves more than it costs.
constexpr size_t kManyRowsToOrder = 20'000;

// Rows in one part or, side by side, in two, each with the table that its thread asks.
class Parts {
 public:
  Parts(const LazyTable& table, bool side_by_side)
      : table_(table), another_(side_by_side ? table.Another() : nullptr) {}

  size_t count() const { return another_ == nullptr ? 1 : 2; }
  const LazyTable& table(size_t part) const { return part == 0 ? table_ : *another_; }

  // Calls each(part, i) for every i below `rows`, ascending within a part. False when cancelled.
  template <typename Each>
  bool ForEach(size_t rows, const CancelToken& cancel, const Each& each) const {
    const auto run = [&](size_t part, size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        if (i % kPiece == 0 && cancel.cancelled()) return;
        each(part, i);
      }
    };
    RunParts(count(), rows, run);
    return !cancel.cancelled();
  }

 private:
  const LazyTable& table_;
  const std::unique_ptr<LazyTable> another_;
};

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
    std::unordered_map<Alike, bool, AlikeHash> known;
  };
  const LazyTable& table_;
  const Term term_;
  std::vector<Asked> columns_;
};

// By the upper half of the entries, those that are alike in it as they are. Some bits at a time
// from the last on; those that all have in common, as most of them are, cost nothing.
void SortStably(std::vector<uint64_t>& entries) {
  constexpr size_t kFew = 256;
  if (entries.size() < kFew) {
    std::stable_sort(entries.begin(), entries.end(),
                     [](uint64_t a, uint64_t b) { return a >> 32 < b >> 32; });
    return;
  }
  constexpr int kBits = 11, kWidth = 64;
  constexpr size_t kValues = size_t{1} << kBits;
  uint64_t differ = 0;
  for (const uint64_t entry : entries) differ |= entry ^ entries.front();
  const auto room = std::make_unique_for_overwrite<uint64_t[]>(entries.size());
  std::span<uint64_t> from = entries, to(room.get(), entries.size());
  for (int shift = 32; shift < kWidth; shift += kBits) {
    if ((differ >> shift & (kValues - 1)) == 0) continue;
    const auto digit = [&](uint64_t entry) { return entry >> shift & (kValues - 1); };
    std::array<uint32_t, kValues> begins = {};
    for (const uint64_t entry : from) ++begins[digit(entry)];
    uint32_t at = 0;
    for (uint32_t& begin : begins) at += std::exchange(begin, at);
    for (const uint64_t entry : from) to[begins[digit(entry)]++] = entry;
    std::swap(from, to);
  }
  if (from.data() != entries.data()) std::copy(from.begin(), from.end(), entries.begin());
}

// Sorts the first rows, as many as there are keys, by their keys; rows of the same key stay as they
// are. Gives the keys up.
void SortByKeys(std::vector<uint64_t>& keys, std::vector<uint32_t>& rows) {
  if (keys.empty()) return;
  const auto [least_at, most_at] = std::minmax_element(keys.begin(), keys.end());
  const uint64_t least = *least_at;
  if (*most_at - least <= std::numeric_limits<uint32_t>::max()) {
    // Most: the row stands below its key, in one number.
    for (size_t i = 0; i < keys.size(); ++i) keys[i] = (keys[i] - least) << 32 | rows[i];
    SortStably(keys);
    for (size_t i = 0; i < keys.size(); ++i) rows[i] = static_cast<uint32_t>(keys[i]);
    return;
  }
  // Others, as all numbers with a fraction: by the 32 bits that tell most of them apart, then those
  // that are alike in these by the rest.
  const int shift = std::bit_width(*most_at - least) - 32;
  std::vector<uint64_t> entries(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) entries[i] = (keys[i] - least) >> shift << 32 | i;
  SortStably(entries);
  const auto before = [&](uint64_t a, uint64_t b) {
    return keys[static_cast<uint32_t>(a)] < keys[static_cast<uint32_t>(b)];
  };
  for (auto run = entries.begin(); run != entries.end();) {
    const auto end =
        std::find_if(run, entries.end(), [&](uint64_t entry) { return entry >> 32 != *run >> 32; });
    if (!std::is_sorted(run, end, before)) std::stable_sort(run, end, before);
    run = end;
  }
  for (uint64_t& entry : entries) entry = rows[static_cast<uint32_t>(entry)];
  for (size_t i = 0; i < entries.size(); ++i) rows[i] = static_cast<uint32_t>(entries[i]);
}

// Sorts rows by their places, which are numbers from 0 to `cells`; rows of the same place stay as
// they are. How many rows come to each place says where they begin.
void SortByPlaces(std::span<const uint32_t> places, size_t cells, std::vector<uint32_t>& rows) {
  std::vector<uint32_t> next(cells + 1);
  for (const uint32_t place : places) ++next[place];
  std::exclusive_scan(next.begin(), next.end(), next.begin(), uint32_t{0});
  std::vector<uint32_t> sorted(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) sorted[next[places[i]]++] = rows[i];
  rows = std::move(sorted);
}

// Moves the rows at `places`, which ascend, behind all others; each part stays in its order.
void MoveBehind(const std::vector<uint32_t>& places, std::vector<uint32_t>& rows) {
  if (places.empty()) return;
  std::vector<uint32_t> moved;
  moved.reserve(places.size());
  size_t kept = places.front();
  for (size_t i = kept; i < rows.size(); ++i) {
    if (moved.size() < places.size() && i == places[moved.size()]) {
      moved.push_back(rows[i]);
    } else {
      rows[kept++] = rows[i];
    }
  }
  std::copy(moved.begin(), moved.end(), rows.begin() + static_cast<ptrdiff_t>(kept));
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
  Sorter(const Parts& parts, SortBy sort, const CancelToken& cancel)
      : parts_(parts),
        column_(static_cast<size_t>(sort.column)),
        descending_(sort.descending),
        cancel_(cancel) {}

  // False when cancelled.
  bool Sort(std::vector<uint32_t>& rows) {
    if (parts_.table(0).HasAlike(column_)) return SortAlike(rows);
    std::array<Found, 2> found;
    found[0].keys.reserve(rows.size());  // with those of the second behind them
    if (parts_.count() > 1) found[1].keys.reserve(rows.size() / 2 + 1);
    const bool done = parts_.ForEach(rows.size(), cancel_, [&](size_t part, size_t i) {
      FindKey(parts_.table(part).CellAt(rows[i], column_), i, found[part]);
    });
    if (!done) return false;
    auto& [first, second] = found;
    const bool differ = first.kind && second.kind && *first.kind != *second.kind;
    if (differ || first.mixed || second.mixed) return SortCells(rows);
    first.keys.insert(first.keys.end(), second.keys.begin(), second.keys.end());
    first.empty.insert(first.empty.end(), second.empty.begin(), second.empty.end());
    MoveBehind(first.empty, rows);
    SortByKeys(first.keys, rows);
    return true;
  }

 private:
  // What one part of the rows holds. Apart, as each thread writes its own.
  struct alignas(kApart) Found {
    std::vector<uint64_t> keys;
    std::vector<uint32_t> empty;  // numbers of the rows whose cells are empty, ascending
    std::optional<size_t> kind;   // of its other cells
    bool mixed = false;           // ... which are of several kinds, or texts
  };

  // Adds the cell of row number `i`.
  void FindKey(const Cell& cell, size_t i, Found& found) const {
    if (found.mixed) return;
    if (IsEmptyCell(cell)) {
      found.empty.push_back(static_cast<uint32_t>(i));
      return;
    }
    if (!found.kind) found.kind = cell.index();
    const auto key = cell.index() != *found.kind            ? std::nullopt
                     : std::holds_alternative<double>(cell) ? KeyOfCell<double>(cell)
                                                            : KeyOfCell<int64_t>(cell);
    found.mixed = !key;
    if (key) found.keys.push_back(descending_ ? ~*key : *key);
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

  // The places of cells in their order, from 0 to at most their number, equal ones in the same;
  // empty ones come last.
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
    struct alignas(kApart) Different {
      Distinct<Alike, AlikeHash> numbers;
      std::vector<Cell> cells;
    };
    std::array<Different, 2> different;
    const auto keys = std::make_unique_for_overwrite<uint32_t[]>(rows.size());
    const bool done = parts_.ForEach(rows.size(), cancel_, [&](size_t part, size_t i) {
      const LazyTable& table = parts_.table(part);
      auto& [numbers, cells] = different[part];
      keys[i] = numbers.NumberOf(table.AlikeAt(rows[i], column_));
      if (keys[i] == cells.size()) cells.push_back(table.CellAt(rows[i], column_));
    });
    if (!done) return false;
    // What both parts have is compared twice, and comes to the same place.
    std::vector<Cell>& cells = different[0].cells;
    const std::array<size_t, 2> begins = {0, cells.size()};
    std::move(different[1].cells.begin(), different[1].cells.end(), std::back_inserter(cells));
    const std::vector<uint32_t> places = PlacesOf(cells);
    const bool placed = parts_.ForEach(rows.size(), cancel_, [&](size_t part, size_t i) {
      keys[i] = places[begins[part] + keys[i]];
    });
    if (!placed) return false;
    SortByPlaces({keys.get(), rows.size()}, cells.size(), rows);
    return true;
  }

  bool SortCells(std::vector<uint32_t>& rows) const {
    std::vector<Cell> cells(rows.size());
    const bool done = parts_.ForEach(rows.size(), cancel_, [&](size_t part, size_t i) {
      cells[i] = parts_.table(part).CellAt(rows[i], column_);
    });
    if (!done) return false;
    SortByPlaces(PlacesOf(cells), cells.size(), rows);
    return true;
  }

  const Parts& parts_;
  const size_t column_;
  const bool descending_;
  const CancelToken& cancel_;
};

}  // namespace

Result<std::vector<uint32_t>> OrderRows(const LazyTable& table, const TableQuery& query,
                                        const CancelToken& cancel) {
  return OrderRows(table, query, cancel,
                   table.row_count() >= kManyRowsToOrder && UsableCores() > 1);
}

Result<std::vector<uint32_t>> OrderRows(const LazyTable& table, const TableQuery& query,
                                        const CancelToken& cancel, bool side_by_side) {
  const Result<SortBy> sort = SortOf(table.columns(), query);
  if (!sort.ok()) return sort.error();
  const Parts parts(table, side_by_side);
  const std::vector<Term> terms = TermsOf(table.columns(), query);
  std::vector<uint32_t> rows;
  if (terms.empty()) {
    rows.resize(table.row_count());
    std::iota(rows.begin(), rows.end(), 0);
  } else {
    struct alignas(kApart) Filtered {
      std::vector<Matcher> matchers;
      std::vector<uint32_t> rows;
    };
    std::array<Filtered, 2> filtered;
    const bool done = parts.ForEach(table.row_count(), cancel, [&](size_t part, size_t row) {
      auto& [matchers, kept] = filtered[part];
      if (matchers.empty()) {
        // By the thread that asks them, so that what they keep lies apart as well.
        for (const Term& term : terms) matchers.emplace_back(parts.table(part), term);
      }
      const bool keep = std::all_of(matchers.begin(), matchers.end(),
                                    [row](Matcher& matcher) { return matcher.Keeps(row); });
      if (keep) kept.push_back(static_cast<uint32_t>(row));
    });
    if (!done) return Cancelled();
    rows = std::move(filtered[0].rows);
    rows.insert(rows.end(), filtered[1].rows.begin(), filtered[1].rows.end());
  }
  if (sort->column >= 0 && !Sorter(parts, *sort, cancel).Sort(rows)) return Cancelled();
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
