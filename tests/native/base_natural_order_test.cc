#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/natural_order.h"

namespace emberline {

TEST_CASE("texts are sorted as a reader sorts them") {
  const std::vector<std::string> sorted = {
      "",        "0",        "1",      "01x",  "2",     "10",     "a",       "layer.2",
      "Layer.2", "layer.10", "layerx", "rank", "rank2", "rank10", "rank10a", "rank 3"};
  std::vector<std::string> shuffled = sorted;
  std::sort(shuffled.begin(), shuffled.end(),
            [](const auto& a, const auto& b) { return CompareNaturally(a, b) < 0; });
  for (size_t i = 0; i < shuffled.size(); ++i) {
    CHECK(CompareNaturally(shuffled[i], shuffled[i]) == 0);
    for (size_t j = i + 1; j < shuffled.size(); ++j) {
      INFO(shuffled[i] << " and " << shuffled[j]);
      CHECK(CompareNaturally(shuffled[i], shuffled[j]) < 0);
      CHECK(CompareNaturally(shuffled[j], shuffled[i]) > 0);
      CHECK(NaturalKey(shuffled[i]) <= NaturalKey(shuffled[j]));
    }
  }
  const auto place = [&](std::string_view text) {
    return std::find(shuffled.begin(), shuffled.end(), text) - shuffled.begin();
  };
  CHECK(place("rank2") < place("rank10"));
  CHECK(place("layer.2") < place("layer.10"));
  CHECK(place("2") < place("10"));
  CHECK(place("Layer.2") < place("layer.2"));
  CHECK(NaturalKey("a007") == NaturalKey("A7"));
  const std::string ones(300, '1'), twos(300, '2');
  CHECK(CompareNaturally(ones, twos) < 0);
  CHECK(NaturalKey(ones) < NaturalKey(twos));
}

}  // namespace emberline
