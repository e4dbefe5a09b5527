#include "json/json.h"

#include <catch2/catch.hpp>
#include <string>

namespace emberline {

TEST_CASE("JSON keeps the order of its keys") {
  const auto json = ParseJson(R"({"b": 1, "a": [true, null, "x"]})");
  REQUIRE(json.ok());
  CHECK(DumpJson(*json) == R"({"b":1,"a":[true,null,"x"]})");
}

TEST_CASE("what is no JSON is an error with an offset") {
  for (const char* text : {"", "{", "{\"a\": }", "[1,]", "nan", "{\"a\": 1} x"}) {
    INFO(text);
    const auto json = ParseJson(text);
    REQUIRE_FALSE(json.ok());
    CHECK(json.error().kind == ErrorKind::kInvalidArgument);
    CHECK(json.error().offset.has_value());
  }
}

TEST_CASE("nesting is limited, brackets inside strings do not count") {
  CHECK_FALSE(ParseJson(std::string(101, '[') + std::string(101, ']')).ok());
  CHECK(ParseJson(std::string(100, '[') + std::string(100, ']')).ok());
  CHECK(ParseJson("[\"" + std::string(500, '[') + "\"]").ok());
}

TEST_CASE("invalid UTF-8 is replaced, never thrown") {
  Json json;
  json["name"] = "caf\xE9";
  CHECK(DumpJson(json) == "{\"name\":\"caf\xEF\xBF\xBD\"}");
}

}  // namespace emberline
