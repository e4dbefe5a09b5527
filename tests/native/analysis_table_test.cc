#include <catch2/catch.hpp>

#include "analysis/columns.h"
#include "analysis/intervals.h"
#include "analysis/table.h"

using namespace emberline;

namespace {

Table Drawn() {
  Table t;
  t.columns = {TextKey("name", "Name", ""), Count("calls", "Calls", ""), Duration("us", "Time", ""),
               FlagFact("eligible", "Eligible", "")};
  t.rows = {{std::string("aten::mm"), int64_t{3}, 10.5, true},
            {std::string("Zeta"), int64_t{1}, Cell(), false},
            {std::string("aten::add"), int64_t{7}, 2.0, false},
            {std::string("void foo<float>(int)"), int64_t{7}, 99.0, Cell()}};
  return t;
}

std::vector<std::string> Names(const Table& table, const TableQuery& query) {
  const auto page = QueryTable(table, query);
  REQUIRE(page.ok());
  std::vector<std::string> names;
  for (const auto& row : page->table.rows) names.push_back(std::get<std::string>(row[0]));
  return names;
}

using V = std::vector<std::string>;

}  // namespace

TEST_CASE("tables sort both ways, empty cells last, ties in their order", "[table]") {
  const Table t = Drawn();
  CHECK(Names(t, {"us"}) == V{"aten::add", "aten::mm", "void foo<float>(int)", "Zeta"});
  CHECK(Names(t, {"-us"}) == V{"void foo<float>(int)", "aten::mm", "aten::add", "Zeta"});
  CHECK(Names(t, {"-calls"}) == V{"aten::add", "void foo<float>(int)", "aten::mm", "Zeta"});
  CHECK(Names(t, {"name"}) == V{"aten::add", "aten::mm", "void foo<float>(int)", "Zeta"});
  CHECK(Names(t, {""}).front() == "aten::mm");
  const auto wrong = QueryTable(t, {"-size"});
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error().kind == ErrorKind::kInvalidArgument);
  CHECK(wrong.error().hint.find("eligible") != std::string::npos);
}

TEST_CASE("tables filter by alternatives and by a whole cell", "[table]") {
  const Table t = Drawn();
  CHECK(Names(t, {"", "mm|zeta"}) == V{"aten::mm", "Zeta"});
  CHECK(Names(t, {"", "name=aten::mm|\"void foo<float>(int)\""}) ==
        V{"aten::mm", "void foo<float>(int)"});
  CHECK(Names(t, {"", "name=aten"}).empty());
  CHECK(Names(t, {"", "calls=7"}) == V{"aten::add", "void foo<float>(int)"});
  CHECK(Names(t, {"", "\"mm|zeta\""}).empty());  // a bar in quotes is itself
  CHECK(Names(t, {"", "mm|"}) == V{"aten::mm"});
  CHECK(Names(t, {"", "|"}).size() == 4);
}

TEST_CASE("tables filter without regard to case (B56)", "[table]") {
  const Table t = Drawn();
  CHECK(Names(t, {"", "ATEN"}) == V{"aten::mm", "aten::add"});
  CHECK(Names(t, {"", "aten add"}) == V{"aten::add"});
  CHECK(Names(t, {"", "aten::mm"}) == V{"aten::mm"});  // "aten" is no column
  CHECK(Names(t, {"", "foo<float>"}) == V{"void foo<float>(int)"});
  CHECK(Names(t, {"", "name:zet"}) == V{"Zeta"});
  CHECK(Names(t, {"", "calls>3"}) == V{"aten::add", "void foo<float>(int)"});
  CHECK(Names(t, {"", "calls>=3"}).size() == 3);
  CHECK(Names(t, {"", "us<50"}) == V{"aten::mm", "aten::add"});
  CHECK(Names(t, {"", "eligible:true"}) == V{"aten::mm"});
  CHECK(Names(t, {"", "\"foo<float>(int)\""}).size() == 1);
  CHECK(Names(t, {"", "nothing"}).empty());
}

TEST_CASE("tables page", "[table]") {
  const Table t = Drawn();
  const auto page = QueryTable(t, {"name", "aten", 1, 1});
  REQUIRE(page.ok());
  CHECK(page->total_rows == 2);
  CHECK(page->unfiltered_rows == 4);
  REQUIRE(page->table.rows.size() == 1);
  CHECK(std::get<std::string>(page->table.rows[0][0]) == "aten::mm");
  CHECK(QueryTable(t, {"", "", 10, 5})->table.rows.empty());
  CHECK(t.ColumnIndex("us") == 2);
  CHECK(t.ColumnIndex("none") == -1);
}

TEST_CASE("interval sets", "[intervals]") {
  const IntervalSet a = Unite({{30, 40}, {0, 10}, {10, 20}, {35, 50}, {60, 60}});
  CHECK(a == IntervalSet{{0, 20}, {30, 50}});
  const IntervalSet b = Unite({{5, 8}, {15, 35}, {45, 100}});
  CHECK(Intersect(a, b) == IntervalSet{{5, 8}, {15, 20}, {30, 35}, {45, 50}});
  CHECK(Subtract(a, b) == IntervalSet{{0, 5}, {8, 15}, {35, 45}});
  CHECK(Subtract(b, a) == IntervalSet{{20, 30}, {50, 100}});
  CHECK(Subtract(a, {}) == a);
  CHECK(Subtract(a, a).empty());
  CHECK(LengthOf(a) == 40);
  CHECK(IntervalLengths(a).Within({15, 33}) == 8);
  CHECK(IntervalLengths(a).Within({50, 60}) == 0);
  CHECK(LengthOf(Intersect(a, b)) + LengthOf(Subtract(a, b)) == LengthOf(a));
}

TEST_CASE("lengths within ranges that overlap, end at edges or hold nothing", "[intervals]") {
  const IntervalLengths lengths({{0, 20}, {30, 50}, {60, 61}});
  CHECK(lengths.Within({-5, 100}) == 41);
  CHECK(lengths.Within({10, 40}) == 20);
  CHECK(lengths.Within({20, 30}) == 0);
  CHECK(lengths.Within({30, 50}) == 20);
  CHECK(lengths.Within({35, 36}) == 1);
  CHECK(lengths.Within({61, 90}) == 0);
  CHECK(lengths.Within({40, 40}) == 0);
  CHECK(lengths.Within({40, 10}) == 0);
  CHECK(IntervalLengths({}).Within({0, 10}) == 0);
}
