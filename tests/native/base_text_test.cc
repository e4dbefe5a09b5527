#include <catch2/catch.hpp>

#include "base/text.h"

namespace emberline {

TEST_CASE("texts are cut between characters") {
  CHECK(Beginning("short", 5) == "short");
  CHECK(Beginning("longer", 4) == "long");
  CHECK(Beginning("", 0).empty());
  // U+00E9 takes two bytes, U+20AC three, U+1F600 four.
  CHECK(Beginning("a\xC3\xA9", 2) == "a");
  CHECK(Beginning("a\xC3\xA9", 3) == "a\xC3\xA9");
  CHECK(Beginning("\xE2\x82\xACx", 2).empty());
  CHECK(Beginning("x\xF0\x9F\x98\x80y", 4) == "x");
  CHECK(Beginning("x\xF0\x9F\x98\x80y", 5) == "x\xF0\x9F\x98\x80");
}

TEST_CASE("what was cut shows it") {
  CHECK(Shortened("whole", 5) == "whole");
  CHECK(Shortened("a\xC3\xA9z", 2) == "a…");
}

}  // namespace emberline
