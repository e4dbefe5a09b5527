// Packed rows: what was appended or written is there again, whatever it is and wherever it lies.
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "base/packed_rows.h"
#include "store/trace_store.h"

namespace emberline {
namespace {

using Rows = PackedRows<int64_t, uint64_t, uint32_t, int32_t, uint16_t, FlowPhase>;
using Row = std::tuple<int64_t, uint64_t, uint32_t, int32_t, uint16_t, FlowPhase>;

Row At(const Rows& rows, size_t row) {
  return {rows.At<0>(row), rows.At<1>(row), rows.At<2>(row),
          rows.At<3>(row), rows.At<4>(row), rows.At<5>(row)};
}

void Push(Rows* rows, const Row& row) {
  std::apply([&](auto... values) { rows->Push(values...); }, row);
}

// How many rows differ.
size_t Different(const Rows& rows, const std::vector<Row>& expected) {
  if (rows.size() != expected.size()) return SIZE_MAX;
  size_t different = 0;
  for (size_t row = 0; row < rows.size(); ++row) different += At(rows, row) != expected[row];
  return different;
}

// Values of all widths, near each other for a while: an edge of its type now and then.
class Values {
 public:
  template <typename T>
  T Next() {
    if (random_() % 200 == 0) {
      constexpr T kEdges[] = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T{0},
                              static_cast<T>(-1)};
      return kEdges[random_() % 4];
    }
    if (random_() % 300 == 0) {
      base_ = random_();
      bits_ = random_() % 64;
    }
    return static_cast<T>(base_ + (random_() >> (63 - bits_)));
  }
  Row NextRow() {
    return {Next<int64_t>(), Next<uint64_t>(), Next<uint32_t>(),
            Next<int32_t>(), Next<uint16_t>(), static_cast<FlowPhase>(random_() % 3)};
  }
  size_t Below(size_t limit) { return random_() % limit; }

 private:
  std::mt19937_64 random_{7};
  uint64_t base_ = 0;
  unsigned bits_ = 3;
};

TEST_CASE("packed rows hold what was appended, in blocks and behind them") {
  Values values;
  Rows rows;
  std::vector<Row> expected;
  for (const size_t count : {0, 1, 127, 128, 129, 256, 1000, 40'000}) {
    while (expected.size() < count) {
      expected.push_back(values.NextRow());
      Push(&rows, expected.back());
    }
    CHECK(Different(rows, expected) == 0);
  }

  // Those of a block at once, from wherever one begins.
  size_t next = 77, different = 0, largest = 0;
  Rows::EachBlock(next, rows.size(), [&](size_t from, size_t to) {
    CHECK(from == next);
    const auto first = rows.Read<0>(from, to);
    const auto fifth = rows.Read<4>(from, to);
    for (size_t row = from; row < to; ++row) {
      different += first[row - from] != std::get<0>(expected[row]);
      different += fifth[row - from] != std::get<4>(expected[row]);
    }
    largest = std::max(largest, to - from);
    next = to;
  });
  CHECK(next == rows.size());
  CHECK(different == 0);
  CHECK(largest == Rows::kBlockRows);
}

TEST_CASE("packed rows that are written later hold what was written, and their neighbors stay") {
  Values values;
  Rows rows;
  std::vector<Row> expected;
  for (size_t row = 0; row < 10'000; ++row) {
    expected.push_back(values.NextRow());
    Push(&rows, expected.back());
    // As rows are while a trace is read: sometimes one of those before.
    const size_t other = values.Below(expected.size());
    if (row % 3 != 0) continue;
    std::get<0>(expected[other]) = values.Next<int64_t>();
    rows.Set<0>(other, std::get<0>(expected[other]));
    std::get<4>(expected[other]) = values.Next<uint16_t>();
    rows.Set<4>(other, std::get<4>(expected[other]));
    std::get<3>(expected[other]) = std::get<3>(expected[row]);
    rows.Set<3>(other, std::get<3>(expected[other]));
  }
  CHECK(Different(rows, expected) == 0);
}

TEST_CASE("packed rows are moved and copied one by one, and begin anew once they were freed") {
  Values values;
  Rows rows;
  std::vector<Row> expected;
  for (size_t row = 0; row < 1000; ++row) {
    expected.push_back(values.NextRow());
    Push(&rows, expected.back());
  }
  Rows some;
  std::vector<Row> kept;
  for (size_t row = 0; row < rows.size(); row += 3) {
    some.PushFrom(rows, row);
    kept.push_back(expected[row]);
  }
  CHECK(Different(some, kept) == 0);

  rows = std::move(some);
  CHECK(Different(rows, kept) == 0);
  kept.push_back(expected[0]);
  Push(&rows, kept.back());
  CHECK(Different(rows, kept) == 0);

  rows.Free();
  CHECK(rows.size() == 0);
  Push(&rows, expected[5]);
  CHECK(At(rows, 0) == expected[5]);
}

}  // namespace
}  // namespace emberline
