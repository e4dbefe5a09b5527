#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "base/packed_table.h"

namespace emberline {
namespace {

enum class Color : uint8_t { kRed, kGreen };
struct Dot {
  int64_t time = 0;
  uint64_t address = 0;
  uint32_t index = kNone;
  int32_t device = -1;
  Color color = Color::kRed;
  int other = 5;  // not kept
  bool operator==(const Dot&) const = default;
};
using DotTable =
    PackedTable<Dot, &Dot::time, &Dot::address, &Dot::index, &Dot::device, &Dot::color>;

DotTable PackedDots(const std::vector<Dot>& rows) {
  DotTable table;
  table.Pack(rows.size(), [&](auto column, size_t row) {
    const Dot& r = rows[row];
    return std::get<column>(std::tuple(r.time, r.address, r.index, r.device, r.color));
  });
  return table;
}

}  // namespace

static_assert(DotTable::NumberOf<&Dot::time>() == 0);
static_assert(DotTable::NumberOf<&Dot::index>() == 2);
static_assert(DotTable::NumberOf<&Dot::color>() == 4);

TEST_CASE("a packed table gives back the rows that it was made of") {
  std::mt19937_64 random(11);
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{127}, size_t{128}, size_t{129}, size_t{3000}}) {
    CAPTURE(size);
    std::vector<Dot> rows(size);
    for (size_t i = 0; i < size; ++i) {
      rows[i].time = static_cast<int64_t>(i * 10 + random() % 10) - 50;
      rows[i].address = random() % 3 == 0 ? random() : 0x7f0000000000 + random() % 4096;
      rows[i].index = random() % 4 == 0 ? kNone : static_cast<uint32_t>(random() % 70'000);
      rows[i].device = static_cast<int32_t>(random() % 3) - 1;
      rows[i].color = random() % 2 == 0 ? Color::kRed : Color::kGreen;
    }
    const DotTable table = PackedDots(rows);
    REQUIRE(table.size() == size);
    CHECK(table.empty() == (size == 0));
    size_t next = 0;
    for (const Dot& row : table) REQUIRE(row == rows[next++]);
    CHECK(next == size);
    for (size_t i = 0; i < size; i += 7) {
      REQUIRE(table[i] == rows[i]);
      REQUIRE(table.At<&Dot::index>(i) == rows[i].index);
      REQUIRE(table.At<&Dot::color>(i) == rows[i].color);
    }
    size_t columns = 0, bytes = 0;
    table.EachColumn([&](size_t number, const auto& column) {
      CHECK(number == columns++);
      CHECK(column.size() == size);
      bytes += column.MemoryBytes();
    });
    CHECK(columns == 5);
    CHECK(table.MemoryBytes() == bytes);
    if (size == 3000) CHECK(bytes < size * sizeof(Dot) / 2);
  }
}

}  // namespace emberline
