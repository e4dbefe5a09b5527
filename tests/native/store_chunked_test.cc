// Columns that grow in chunks: what was pushed is there again, across chunks and the steps in which
// they get their pages.
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/heap.h"
#include "store/chunked.h"

namespace emberline {
namespace {

template <typename T>
void Fill(ChunkedColumn<T>* column, size_t rows) {
  for (size_t i = column->size(); i < rows; ++i) column->Push(static_cast<T>(i * 7919));
}

template <typename T>
bool Holds(const ChunkedColumn<T>& column, size_t rows) {
  if (column.size() != rows) return false;
  for (size_t i = 0; i < rows; ++i) {
    if (column[i] != static_cast<T>(i * 7919)) return false;
  }
  return true;
}

TEST_CASE("a chunked column holds what was pushed, whatever its size and its rows'") {
  ChunkedColumn<uint16_t> narrow;
  ChunkedColumn<int64_t> wide;
  for (const size_t rows :
       {size_t{1}, size_t{8191}, size_t{8192}, size_t{8193}, size_t{65536}, size_t{65537},
        size_t{131072}, size_t{1} << 20, (size_t{1} << 20) + 1}) {
    Fill(&narrow, rows);
    Fill(&wide, rows);
    CHECK(Holds(narrow, rows));
    CHECK(Holds(wide, rows));
  }
}

TEST_CASE("rows pushed after a chunked column was shrunk, freed or exchanged go to their places") {
  ChunkedColumn<uint32_t> column;
  Fill(&column, 200'000);
  column.Shrink(70'000);
  CHECK(Holds(column, 70'000));
  Fill(&column, 140'000);
  CHECK(Holds(column, 140'000));

  ChunkedColumn<uint32_t> other;
  Fill(&other, 10);
  other = std::move(column);
  Fill(&other, 140'010);
  CHECK(Holds(other, 140'010));

  other.Free();
  CHECK(other.size() == 0);
  Fill(&other, 100'000);
  CHECK(Holds(other, 100'000));
}

TEST_CASE("rows of several columns stay together, across blocks") {
  using Table = ChunkedTable<int64_t, uint32_t, uint16_t>;
  Table table;
  const auto value = [](size_t row) { return static_cast<int64_t>(row * 7919); };
  const auto holds = [&](size_t row, size_t as) {
    return std::as_const(table).At<0>(row) == value(as) &&
           table.At<1>(row) == static_cast<uint32_t>(value(as)) &&
           table.At<2>(row) == static_cast<uint16_t>(value(as));
  };
  const auto all_hold = [&](size_t first) {
    size_t held = 0;
    for (size_t row = first; row < table.size(); ++row) held += holds(row, row);
    return held == table.size() - first;
  };
  // Short tables lie elsewhere, and the third is of several blocks.
  for (const size_t rows : {size_t{100}, size_t{20'000}, size_t{500'000}}) {
    for (size_t row = table.size(); row < rows; ++row) {
      table.Push(value(row), static_cast<uint32_t>(value(row)), static_cast<uint16_t>(value(row)));
    }
    REQUIRE(table.size() == rows);
    CHECK(all_hold(0));
  }

  // Stretches are arrays, and all rows are in one.
  size_t next = 3, same = 0;
  Table::EachStretch(next, table.size(), [&](size_t from, size_t to) {
    CHECK(from == next);
    const uint32_t* const values = &table.At<1>(from);
    for (size_t k = 0; k < to - from; ++k) same += values[k] == table.At<1>(from + k);
    next = to;
  });
  CHECK(next == table.size());
  CHECK(same == table.size() - 3);

  table.Copy(400'000, 17);
  CHECK(holds(17, 400'000));
  CHECK(holds(18, 18));

  table.FreeBefore(300'000);
  table.FreeBefore(400'000);
  CHECK(all_hold(400'000));
  table.Free();
  CHECK(table.size() == 0);
  table.Push(1, 2, 3);
  CHECK(table.At<2>(0) == 3);
}

TEST_CASE("taking the pages of a block changes nothing in it, nor beside it") {
  constexpr size_t kSize = 3 * 4096;
  unsigned char block[kSize];
  for (const auto& [from, bytes] :
       {std::pair<size_t, size_t>{0, kSize}, {1, kSize - 2}, {5000, 10}, {4096, 0}}) {
    std::memset(block, 0xA5, kSize);
    TakePages(block + from, bytes);
    size_t same = 0;
    for (const unsigned char byte : block) same += byte == 0xA5;
    CHECK(same == kSize);
  }
}

}  // namespace
}  // namespace emberline
