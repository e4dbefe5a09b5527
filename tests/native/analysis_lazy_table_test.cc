#include <catch2/catch.hpp>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>

#include "analysis/row_table.h"
#include "lazy_tables.h"

using namespace emberline;

namespace {

struct Row {
  int64_t name = 0, count = 0;
  double number = 0;
  int kind = 0;
};

// Columns of all kinds: texts that are alike and texts that are not, cells that are empty, numbers
// of one kind and of two.
class Drawn : public RowTable<Row> {
 public:
  Drawn(size_t rows, uint32_t seed, bool wide) : seed_(seed), wide_(wide) {
    std::mt19937_64 random(seed);
    // Among them some that only their last bits tell apart.
    const double numbers[] = {0.0,
                              -0.0,
                              1.5,
                              std::nextafter(1.5, 2.0),
                              std::nextafter(1.5, 1.0),
                              1.5 + 0x1p-40,
                              -1.5,
                              1e300,
                              -1e-300,
                              std::numeric_limits<double>::infinity(),
                              -std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()};
    for (size_t i = 0; i < rows; ++i) {
      Row row;
      row.name = static_cast<int64_t>(random() % 9);
      row.count = wide ? static_cast<int64_t>(random()) : static_cast<int64_t>(random() % 5) - 2;
      row.number = random() % 3 == 0 ? numbers[random() % std::size(numbers)]
                                     : static_cast<double>(static_cast<int64_t>(random() % 64)) / 8;
      row.kind = static_cast<int>(random() % 4);
      rows_.push_back(row);
    }
    constexpr const char* kNames[] = {"mm", "MM", "aten::mm", "Aten::add", "zeta",
                                      "",   "a",  "aten::mm", "B"};
    table_.Add(
        TextKey("name", "Name", ""),
        [kNames](const Row& row) { return TextOrEmpty(kNames[row.name]); },
        // As where what is alike is known by its address, which others have elsewhere.
        [this](const Row& row) {
          return Alike(static_cast<uint64_t>(row.name), reinterpret_cast<uintptr_t>(this));
        });
    table_.Add(TextFact("text", "Text", ""), [kNames](const Row& row) {
      return row.kind == 0 ? Cell() : TextCell(kNames[row.name] + std::to_string(row.count % 3));
    });
    // What all begin with is longer than what orders them; some end there, and some differ in case.
    table_.Add(TextFact("path", "Path", ""), [kNames](const Row& row) {
      const std::string common = row.kind == 1 ? "/Home/shared/" : "/home/Shared/";
      const std::string end = row.kind == 3 ? "" : kNames[row.name] + std::to_string(row.count);
      return row.kind == 0 ? Cell() : TextCell(common + end);
    });
    Column hidden = TextFact("hidden", "Hidden", "");
    hidden.hidden = true;
    table_.Add(std::move(hidden), [](const Row&) { return TextCell("mm"); });
    table_.Add(Count("count", "Count", ""), &Row::count);
    table_.Add(Duration("number", "Number", ""), [](const Row& row) { return Cell(row.number); });
    table_.Add(FlagFact("flag", "Flag", ""),
               [](const Row& row) { return row.kind == 1 ? Cell() : Cell(row.kind > 1); });
    table_.Add(Quotient("either", "Either", ""), [](const Row& row) {
      return row.kind == 0 ? Cell(row.count) : row.kind == 1 ? Cell() : Cell(row.number);
    });
    table_.Add(
        Count("place", "Place", ""),
        [](const Row& row) { return row.kind == 2 ? Cell() : Cell(int64_t{row.kind}); },
        [](const Row& row) { return Alike(0, static_cast<uint64_t>(row.kind)); });
    table_.AddAll(
        {Link("slice", "Slice", "", CellType::kInteger), Link("file", "File", "", CellType::kText)},
        [](const Row& row, std::vector<Cell>& cells) {
          cells.emplace_back(row.count);
          cells.push_back(row.kind == 3 ? Cell() : TextCell("mm.py"));
        });
  }
  size_t row_count() const override { return rows_.size(); }
  std::unique_ptr<LazyTable> Another() const override {
    return std::make_unique<Drawn>(rows_.size(), seed_, wide_);
  }

 private:
  Row RowAt(size_t at) const override { return rows_[at]; }

  std::vector<Row> rows_;
  const uint32_t seed_;
  const bool wide_;
};

}  // namespace

TEST_CASE("a table that is never whole is ordered like the whole one", "[table]") {
  // NaN is no value that equals itself: it is compared as an empty cell, so rows count.
  const std::vector<std::string> filters = {"",        "mm",        "MM|zeta",  "mm aten",
                                            "count<1", "name=mm|b", "flag:yes", "number>=1.5 a"};
  for (const size_t rows : {0, 1, 7, 255, 256, 3000}) {
    for (const bool wide : {false, true}) {
      Drawn table(rows, static_cast<uint32_t>(rows) + 1, wide);
      for (size_t column = 0; column < table.columns().size(); ++column) {
        std::vector<uint32_t> all(rows);
        std::iota(all.begin(), all.end(), 0);
        const Table whole = table.Make(all);
        for (const std::string& filter : filters) {
          for (const char* sign : {"", "-"}) {
            const TableQuery query{sign + table.columns()[column].key, filter};
            INFO(rows << " rows, " << query.sort << " where " << filter);
            const auto expected = OrderRows(whole, query);
            REQUIRE(expected.ok());
            for (const bool side_by_side : {false, true}) {
              const auto order = OrderRows(table, query, {}, side_by_side);
              REQUIRE(order.ok());
              CHECK(*order == *expected);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("a table that is never whole names the columns there are, and can be cancelled",
          "[table]") {
  const Drawn table(5000, 3, false);
  const auto wrong = OrderRows(table, {"-size"}, {});
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error().kind == ErrorKind::kInvalidArgument);
  CHECK(wrong.error().hint.find("either") != std::string::npos);
  CancelToken cancel;
  cancel.Cancel();
  for (const char* sort : {"name", "text", "number", "either"}) {
    for (const bool side_by_side : {false, true}) {
      const auto cancelled = OrderRows(table, {sort, "mm"}, cancel, side_by_side);
      REQUIRE_FALSE(cancelled.ok());
      CHECK(cancelled.error().kind == ErrorKind::kCancelled);
      CHECK_FALSE(OrderRows(table, {sort}, cancel, side_by_side).ok());
    }
  }
}
