// Costs of kernels, packed, against what they were packed from.
#include <catch2/catch.hpp>
#include <limits>
#include <random>
#include <vector>

#include "cost/kernel_costs.h"

using namespace emberline;

namespace {

Amount Drawn(std::mt19937_64& random) {
  switch (random() % 5) {
    case 0:
      return Amount::Unknown(reasons::kNoCostedLaunch);
    case 1:
      return Amount::Unknown(reasons::kZeroSize);
    case 2:
      return std::numeric_limits<int64_t>::max() - static_cast<int64_t>(random() % 3);
    default:
      return static_cast<int64_t>(random() % 4096);
  }
}

}  // namespace

TEST_CASE("packed costs of kernels are what they were", "[costs]") {
  std::mt19937_64 random(7);
  const std::vector<OpCost> costs(5);
  for (const size_t size : {0, 1, 127, 128, 129, 5000}) {
    std::vector<KernelCost> kernels(size);
    for (KernelCost& k : kernels) {
      k.kernel = static_cast<SliceIndex>(random() % kNone);
      k.owner = random() % 3 == 0 ? kNone : static_cast<SliceIndex>(random() % 100000);
      k.cost = random() % 4 == 0 ? nullptr : &costs[random() % costs.size()];
      k.call = static_cast<uint32_t>(random() % 1000);
      k.helper = random() % 2 == 0;
      k.matrix_call = random() % 2 == 0;
      k.flops = Drawn(random);
      k.read_bytes = Drawn(random);
      k.written_bytes = Drawn(random);
    }
    KernelCosts packed;
    packed.Pack(kernels);
    REQUIRE(packed.size() == size);
    size_t i = 0;
    for (const KernelCost& k : packed) {
      const KernelCost& was = kernels[i];
      const auto equal = [](const Amount& a, const Amount& b) {
        return a.value() == b.value() && a.why() == b.why();
      };
      const bool same = k.kernel == was.kernel && k.owner == was.owner && k.cost == was.cost &&
                        k.call == was.call && k.helper == was.helper &&
                        k.matrix_call == was.matrix_call && equal(k.flops, was.flops) &&
                        equal(k.read_bytes, was.read_bytes) &&
                        equal(k.written_bytes, was.written_bytes);
      REQUIRE(same);
      REQUIRE(packed.kernel(i) == was.kernel);
      REQUIRE(packed.owner(i) == was.owner);
      REQUIRE(packed.cost(i) == was.cost);
      ++i;
    }
    CHECK(i == size);
  }
}
