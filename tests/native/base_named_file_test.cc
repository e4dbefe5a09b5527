#include <catch2/catch.hpp>

#include "base/named_file.h"

using namespace emberline;

TEST_CASE("a sentence about a file names it once, by its whole path") {
  const std::string path = "/jobs/a/rank1.json";
  CHECK(WithWholePath("rank1.json is empty.", path) == "/jobs/a/rank1.json is empty.");
  CHECK(WithWholePath("Cannot open rank1.json: no.", path) ==
        "Cannot open /jobs/a/rank1.json: no.");
  CHECK(WithWholePath("Cannot open /jobs/a/rank1.json: no.", path) ==
        "Cannot open /jobs/a/rank1.json: no.");
  CHECK(WithWholePath("rank1.json is empty.", "rank1.json") == "rank1.json is empty.");
}

TEST_CASE("a sentence that names no file, or another one, is left to whoever has the path") {
  CHECK(!WithWholePath("The digest is damaged.", "/jobs/a/digests"));
  CHECK(!WithWholePath("rank1.json.gz is empty.", "/jobs/a/rank1.json"));
  CHECK(!WithWholePath("old_rank1.json is empty.", "/jobs/a/rank1.json"));
  CHECK(!WithWholePath("It is empty.", "/jobs/"));
  CHECK(!WithWholePath("It is empty.", ""));
}
