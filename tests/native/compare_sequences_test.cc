// Two lists matched: order kept, nothing matched twice, the same whichever side is the baseline.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "compare/sequences.h"

using namespace emberline;

namespace {

// One element per letter; a digit behind it is its detail.
std::vector<ElementLabel> Labels(const std::string& text) {
  std::vector<ElementLabel> labels;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      labels.back().detail = static_cast<uint64_t>(c);
    } else {
      labels.push_back({StableHash(std::string_view(&c, 1)), 0, 0});
    }
  }
  return labels;
}

std::string Text(const std::vector<Match>& matches) {
  std::string text;
  for (const Match& m : matches) {
    text += std::to_string(m.baseline) + (m.moved ? "~" : "-") + std::to_string(m.candidate) + " ";
  }
  return text;
}

std::string Matched(const std::string& a, const std::string& b) {
  return Text(MatchSequences(Labels(a), Labels(b)));
}

// The length of a longest common subsequence, the slow way.
size_t Longest(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> best(a.size() + 1, std::vector<size_t>(b.size() + 1, 0));
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      best[i][j] =
          a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1 : std::max(best[i - 1][j], best[i][j - 1]);
    }
  }
  return best[a.size()][b.size()];
}

}  // namespace

TEST_CASE("sequences: insertions and removals leave the others matched") {
  CHECK(Matched("abc", "abc") == "0-0 1-1 2-2 ");
  CHECK(Matched("abc", "abxc") == "0-0 1-1 2-3 ");
  CHECK(Matched("abxc", "abc") == "0-0 1-1 3-2 ");
  CHECK(Matched("abc", "").empty());
  CHECK(Matched("", "").empty());
}

TEST_CASE("sequences: a far match does not block what lies before it") {
  // Taking the first equal name in turn would match "x" with the last one and lose the rest.
  CHECK(Matched("xabc", "abcx") == "1-0 2-1 3-2 0~3 ");
}

TEST_CASE("sequences: of several that are called the same, the one with the same detail") {
  CHECK(Matched("l1l2l3", "l1l3") == "0-0 2-1 ");
  CHECK(Matched("l1l3", "l1l2l3") == "0-0 1-2 ");
}

TEST_CASE("sequences: what has moved is matched, when it is the same") {
  CHECK(Matched("abcd", "acbd") == "0-0 2-1 1~2 3-3 ");
}

TEST_CASE("sequences: long lists without anything unique, and with") {
  std::string a, b;
  for (int i = 0; i < 3000; ++i) a += "abc";
  b = a;
  b.insert(4500, "x");
  const std::vector<Match> matches = MatchSequences(Labels(a), Labels(b));
  CHECK(matches.size() == a.size());
}

TEST_CASE("sequences: random lists") {
  std::mt19937 random(7);
  for (int run = 0; run < 300; ++run) {
    const auto draw = [&] {
      std::string text(random() % 40, 'a');
      for (char& c : text) c = static_cast<char>('a' + random() % 5);
      return text;
    };
    const std::string a = draw(), b = draw();
    const std::vector<Match> there = MatchSequences(Labels(a), Labels(b));
    std::vector<Match> back = MatchSequences(Labels(b), Labels(a));
    size_t in_order = 0;
    std::vector<bool> left(a.size()), right(b.size());
    uint32_t last = 0;
    for (const Match& m : there) {
      REQUIRE(a[m.baseline] == b[m.candidate]);
      REQUIRE(!left[m.baseline]);
      REQUIRE(!right[m.candidate]);
      left[m.baseline] = right[m.candidate] = true;
      if (m.moved) continue;
      REQUIRE((in_order == 0 || m.baseline > last));
      last = m.baseline;
      ++in_order;
    }
    CHECK(in_order == Longest(a, b));
    for (Match& m : back) std::swap(m.baseline, m.candidate);
    std::sort(back.begin(), back.end(),
              [](const Match& x, const Match& y) { return x.candidate < y.candidate; });
    CHECK(Text(there) == Text(back));
  }
}
