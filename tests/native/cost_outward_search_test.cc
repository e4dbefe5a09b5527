// The search around operators finds what climbing step by step finds, and climbs nothing twice
// where operators nest deep.
#include <algorithm>
#include <random>
#include <vector>

#include "cost/outward_search.h"
#include "drawn.h"

using namespace emberline;
using namespace emberline::drawn;

TEST_CASE("what stands around operators is found in steps that grow with them", "[cost]") {
  const bool deep = GENERATE(false, true);
  const bool shuffled = GENERATE(false, true);
  constexpr int kOps = 3000;
  const int levels = deep ? kOps : 6;
  CAPTURE(levels, shuffled);
  Drawing d;
  std::vector<int> ops;
  for (int i = 0; i < kOps; ++i) {
    const int level = i % levels, tower = i / levels;
    ops.push_back(d.Op(i % 701 == 5 || level == 2 ? "node" : "aten::op", tower * 2 * levels + level,
                       2 * (levels - level) - 1));
  }
  const Loaded m = Load(d);
  std::vector<SliceIndex> order;
  for (const int op : ops) order.push_back(m.At(op));
  REQUIRE(m->op[order[1]] == order[0]);
  std::mt19937 random(1);
  if (shuffled) std::shuffle(order.begin(), order.end(), random);

  OutwardSearch search(*m);
  uint64_t looked_at = 0;
  const auto is_node = [&](SliceIndex op) { return m->store().name(op) == "node"; };
  for (const SliceIndex op : order) {
    SliceIndex expected = op;
    while (expected != kNone && !is_node(expected)) expected = m->op[expected];
    REQUIRE(search.From(op, [&](SliceIndex at) {
      ++looked_at;
      return is_node(at);
    }) == expected);
  }
  CHECK(search.From(kNone, is_node) == kNone);
  CHECK(looked_at <= 12 * uint64_t{kOps} + 4096);
}
