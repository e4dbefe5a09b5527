// Columns of integers in few bytes: every row reads as it was written.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "base/packed_column.h"

using namespace emberline;

namespace {

template <typename T>
std::vector<T> Read(const PackedColumn<T>& column) {
  return {column.begin(), column.end()};
}

template <typename T>
PackedColumn<T> Packed(const std::vector<T>& rows) {
  PackedColumn<T> column;
  column.Pack(rows.size(), [&](size_t i) { return rows[i]; });
  // A draft reads the same, and is packed in the same way.
  PackedColumn<T> draft;
  draft.assign(rows.size(), T{});
  std::copy(rows.begin(), rows.end(), draft.Draft().begin());
  REQUIRE(Read(draft) == rows);
  draft.Pack();
  REQUIRE(std::ranges::equal(draft.bytes(), column.bytes()));
  REQUIRE(Read(draft) == rows);
  return column;
}

// Rows of a block differ by up to `bits` bits, blocks by all there are; some rows are `rare`.
template <typename T>
std::vector<T> Random(std::mt19937_64& random, size_t size, int bits, T rare) {
  std::vector<T> rows;
  uint64_t base = 0;
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  for (size_t i = 0; i < size; ++i) {
    if (i % 100 == 0) base = random();
    rows.push_back(random() % 50 == 0 ? rare : static_cast<T>(base + (random() & mask)));
  }
  return rows;
}

template <typename T>
void CheckRandom(T rare) {
  std::mt19937_64 random(7);
  for (const size_t size : {size_t{1}, size_t{127}, size_t{128}, size_t{129}, size_t{5000}}) {
    for (int bits = 0; bits <= static_cast<int>(8 * sizeof(T)); ++bits) {
      const std::vector<T> rows = Random<T>(random, size, bits, rare);
      REQUIRE(Read(Packed(rows)) == rows);
    }
  }
}

}  // namespace

TEST_CASE("Every value of every width comes back", "[base]") {
  CheckRandom<int64_t>(std::numeric_limits<int64_t>::min());
  CheckRandom<int64_t>(std::numeric_limits<int64_t>::max());
  CheckRandom<uint64_t>(~uint64_t{0});
  CheckRandom<uint32_t>(kNone);
  CheckRandom<uint32_t>(kNone - 1);
  CheckRandom<uint32_t>(0);
  CheckRandom<uint16_t>(0xffff);
  CheckRandom<uint8_t>(0xff);
}

TEST_CASE("kNone stands beside each distance that a block can have", "[base]") {
  for (const uint32_t most : {0u, 1u, 254u, 255u, 256u, 65534u, 65535u, 65536u, 16777214u,
                              16777215u, 16777216u, kNone - 1}) {
    for (const uint32_t least : {0u, 1u}) {
      if (least > most) continue;
      const std::vector<uint32_t> rows = {least, kNone, most, kNone, least};
      CHECK(Read(Packed(rows)) == rows);
    }
  }
  const std::vector<uint32_t> all(300, kNone);
  CHECK(Read(Packed(all)) == all);
}

TEST_CASE("What rows have in common takes no bytes of each", "[base]") {
  PackedColumn<uint32_t> same = Packed(std::vector<uint32_t>(1'000'000, 5));
  CHECK(same.MemoryBytes() < 200'000);
  std::vector<int64_t> times;
  for (int64_t i = 0; i < 1'000'000; ++i) times.push_back(1'700'000'000'000'000'000 + i * 500);
  CHECK(Packed(times).MemoryBytes() < 2'300'000);
  // One that lies far away costs its own block alone.
  times[500'000] = 0;
  const PackedColumn<int64_t> far = Packed(times);
  CHECK(far.MemoryBytes() < 2'302'000);
  CHECK(far[500'000] == 0);
  CHECK(far[500'001] == times[500'001]);
}

TEST_CASE("Rows are added behind packed ones", "[base]") {
  std::mt19937_64 random(3);
  std::vector<uint32_t> rows;
  PackedColumn<uint32_t> column;
  for (const size_t more : {0u, 1u, 126u, 1u, 1u, 200u, 0u, 56u, 1000u}) {
    const auto added = Random<uint32_t>(random, more, 9, kNone);
    rows.insert(rows.end(), added.begin(), added.end());
    column.Append(added);
    REQUIRE(column.size() == rows.size());
    REQUIRE(Read(column) == rows);
  }
  // Byte for byte what packing them at once gives.
  const PackedColumn<uint32_t> whole = Packed(rows);
  CHECK(std::vector<uint8_t>(column.bytes().begin(), column.bytes().end()) ==
        std::vector<uint8_t>(whole.bytes().begin(), whole.bytes().end()));
}

TEST_CASE("A draft is written in any order, an empty one packs to nothing", "[base]") {
  PackedColumn<int64_t> column;
  column.assign(1000, -1);
  for (size_t i = 0; i < 1000; ++i) column[(i * 7) % 1000] = static_cast<int64_t>(i) << 30;
  column.Pack();
  for (size_t i = 0; i < 1000; ++i) {
    CHECK(std::as_const(column)[(i * 7) % 1000] == static_cast<int64_t>(i) << 30);
  }
  column.assign(0, 0);
  column.Pack();
  CHECK(column.empty());
  CHECK(Read(column).empty());
}

TEST_CASE("A column shows what lies elsewhere, and refuses what is no column", "[base]") {
  std::mt19937_64 random(5);
  const auto rows = Random<uint32_t>(random, 1000, 12, kNone);
  const PackedColumn<uint32_t> made = Packed(rows);
  PackedColumn<uint32_t> shown;
  REQUIRE(shown.Show(made.blocks(), made.bytes()));
  CHECK(Read(shown) == rows);
  CHECK(shown.Show({}, {}));
  CHECK(shown.empty());

  CHECK_FALSE(shown.Show(made.blocks(), made.bytes().first(made.bytes().size() - 1)));
  CHECK_FALSE(shown.Show(made.blocks().first(3), made.bytes()));
  CHECK_FALSE(shown.Show({}, made.bytes()));
  std::vector<PackedColumn<uint32_t>::Block> blocks(made.blocks().begin(), made.blocks().end());
  blocks[2].place |= 0x0f;
  CHECK_FALSE(shown.Show(blocks, made.bytes()));
  blocks[2].place = ~uint64_t{0} << 8;
  CHECK_FALSE(shown.Show(blocks, made.bytes()));
  blocks[2] = made.blocks()[2];
  blocks.back().base = ~uint64_t{0};
  CHECK_FALSE(shown.Show(blocks, made.bytes()));
}
