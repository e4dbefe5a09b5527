#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <unordered_set>

#include "base/hash.h"

namespace emberline {
namespace {

// The longest chain of keys in one place of a table.
template <typename Set>
size_t LongestChain(const Set& set) {
  size_t longest = 0;
  for (size_t b = 0; b < set.bucket_count(); ++b) longest = std::max(longest, set.bucket_size(b));
  return longest;
}

}  // namespace

TEST_CASE("numbers made to meet in one place of a table do not") {
  std::unordered_set<uint64_t, NumberHash> numbers;
  numbers.reserve(20'000);
  const uint64_t places = numbers.bucket_count();
  for (uint64_t i = 0; i < 20'000; ++i) numbers.insert(i * places);
  REQUIRE(numbers.bucket_count() == places);
  // Of 20,000 keys in as many places, hardly ever more than 8 share one.
  CHECK(LongestChain(numbers) < 24);
}

TEST_CASE("pairs and texts that differ in few bits spread") {
  struct Hash {
    size_t operator()(uint64_t hash) const { return hash; }
  };
  std::unordered_set<uint64_t, Hash> pairs, texts;
  for (uint64_t i = 0; i < 200; ++i) {
    for (uint64_t k = 0; k < 200; ++k) pairs.insert(HashPair(i, k << 57));
  }
  CHECK(pairs.size() == 200 * 128);  // k << 57 keeps seven bits of k
  CHECK(LongestChain(pairs) < 24);
  for (size_t length = 0; length < 70; ++length) {
    for (size_t at = 0; at < length; ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string text(length, 'n');
        text[at] = static_cast<char>(text[at] ^ 1 << bit);
        texts.insert(HashText(text) & 0xFFFFFFFF);
      }
    }
    texts.insert(HashText(std::string(length, 'n')) & 0xFFFFFFFF);
  }
  // 19,390 texts among 2^32 hashes: a few may share one.
  CHECK(texts.size() > 19'380);
}

}  // namespace emberline
