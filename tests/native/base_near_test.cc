// Binary search that begins near the answer: against the standard library's, and by what it asks.
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "base/near.h"

namespace emberline {
namespace {

TEST_CASE("from any place the same answer is found") {
  for (int size = 0; size < 40; ++size) {
    std::vector<int> values;
    for (int i = 0; i < size; ++i) values.push_back(i / 3);
    for (int limit = -1; limit < size / 3 + 2; ++limit) {
      const auto holds = [limit](int value) { return value < limit; };
      const auto expected = std::partition_point(values.begin(), values.end(), holds);
      for (int near = 0; near <= size; ++near) {
        REQUIRE(PartitionPointNear(values.begin(), values.end(), values.begin() + near, holds) ==
                expected);
      }
    }
  }
}

TEST_CASE("an answer nearby is found at once, one far away in the logarithm of the distance") {
  std::vector<int> values(1 << 20);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i);
  const auto asked = [&](int limit, int near) {
    int count = 0;
    const auto found = PartitionPointNear(values.begin(), values.end(), values.begin() + near,
                                          [&](int value) { return ++count, value < limit; });
    CHECK(found - values.begin() == limit);
    return count;
  };
  CHECK(asked(5001, 5000) <= 3);
  CHECK(asked(4999, 5000) <= 4);
  CHECK(asked(1 << 19, 0) <= 2 * 20 + 2);
  CHECK(asked(0, (1 << 20) - 1) <= 2 * 20 + 2);
}

}  // namespace
}  // namespace emberline
