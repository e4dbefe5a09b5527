// Members of groups as runs of ranks that lie at equal distances.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "base/archive.h"
#include "ranks/collective_records.h"
#include "ranks/rank_set.h"

namespace emberline {
namespace {

std::vector<int64_t> Drawn(std::mt19937& random) {
  std::set<int64_t> ranks;
  const size_t runs = random() % 4;
  for (size_t i = 0; i < runs; ++i) {
    const auto stride = static_cast<int64_t>(random() % 3 + 1);
    auto rank = static_cast<int64_t>(random() % 12);
    for (size_t count = random() % 5; count > 0; --count, rank += stride) ranks.insert(rank);
  }
  return {ranks.begin(), ranks.end()};
}

std::string Bytes(RankSet ranks) {
  ArchiveWriter writer;
  writer(ranks);
  return writer.Take();
}

// What is read of runs as a file may have them; nothing where they are refused.
bool IsRead(std::vector<RankSet::Run> runs) {
  ArchiveWriter writer;
  writer(runs);
  const std::string bytes = writer.Take();
  ArchiveReader reader(bytes);
  RankSet ranks;
  reader(ranks);
  return reader.ok() && reader.AtEnd();
}

TEST_CASE("a set of ranks is what a list of them is") {
  std::mt19937 random(11);
  for (int round = 0; round < 20'000; ++round) {
    const std::vector<int64_t> one = Drawn(random), other = Drawn(random);
    const RankSet ranks(one), others(other);
    REQUIRE(ranks.All() == one);
    REQUIRE(ranks.size() == one.size());
    REQUIRE(ranks.empty() == one.empty());
    for (size_t i = 0; i < one.size(); ++i) REQUIRE(ranks[i] == one[i]);
    if (!one.empty()) {
      REQUIRE(ranks.front() == one.front());
      REQUIRE(ranks.back() == one.back());
    }
    REQUIRE((ranks <=> others) == (one <=> other));
    REQUIRE((ranks == others) == (one == other));
    std::vector<int64_t> left;
    std::set_difference(one.begin(), one.end(), other.begin(), other.end(),
                        std::back_inserter(left));
    REQUIRE(ranks.Without(other).All() == left);
    RankSet again;
    const std::string bytes = Bytes(ranks);
    ArchiveReader reader(bytes);
    reader(again);
    REQUIRE(reader.ok());
    REQUIRE(again == ranks);
    for (size_t i = 0; i < one.size(); ++i) REQUIRE(again[i] == one[i]);
    const RankSet rest = ranks.Without(other);
    for (size_t i = 0; i < left.size(); ++i) REQUIRE(rest[i] == left[i]);
  }
}

TEST_CASE("ranks at equal distances take the same bytes however many they are") {
  for (const int64_t stride : {1, 8, 512}) {
    std::vector<int64_t> few, many;
    for (int64_t i = 0; i < 10'000; ++i) {
      if (i < 100) few.push_back(3 + i * stride);
      many.push_back(3 + i * stride);
    }
    CHECK(Bytes(RankSet(many)).size() <= Bytes(RankSet(few)).size() + 1);
    CHECK(RankSet(many).runs().size() == 1);
  }
}

TEST_CASE("sets that no digest has are refused") {
  CHECK(IsRead({}));
  CHECK(IsRead({{0, 1, 4}, {8, 1, 4}, {20, 1, 1}}));
  CHECK_FALSE(IsRead({{-1, 1, 1}}));
  CHECK_FALSE(IsRead({{0, 0, 2}}));
  CHECK_FALSE(IsRead({{0, 1, 0}}));
  CHECK_FALSE(IsRead({{0, 3, 1}}));             // one rank has no distance
  CHECK_FALSE(IsRead({{4, 1, 2}, {5, 1, 2}}));  // a rank twice
  CHECK_FALSE(IsRead({{4, 1, 2}, {6, 1, 2}}));  // one run, written as two
  CHECK_FALSE(IsRead({{4, 1, 1}, {6, 1, 1}}));
  CHECK_FALSE(IsRead({{8, 1, 4}, {0, 1, 4}}));
  CHECK(IsRead({{0, 1, RankSet::kMostRanks}}));
  CHECK_FALSE(IsRead({{0, 1, RankSet::kMostRanks + 1}}));
  CHECK_FALSE(IsRead({{0, 1, int64_t{1} << 62}}));
  CHECK_FALSE(IsRead({{0, int64_t{1} << 62, 4}}));
  CHECK_FALSE(IsRead({{int64_t{1} << 62, 1, 1}}));
}

TEST_CASE("a recorded list of ranks that no machine has is not complete") {
  bool complete = false;
  CHECK(RanksOf("[4, 2, 0]", &complete).All() == std::vector<int64_t>{0, 2, 4});
  CHECK(complete);
  CHECK(RanksOf("[0, 1, ..., 9]", &complete).All() == std::vector<int64_t>{0, 1, 9});
  CHECK_FALSE(complete);
  CHECK(RanksOf("[0, 99999999999]", &complete).All() == std::vector<int64_t>{0});
  CHECK_FALSE(complete);
}

}  // namespace
}  // namespace emberline
