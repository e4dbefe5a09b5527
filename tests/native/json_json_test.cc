#include "json/json.h"

#include <catch2/catch.hpp>
#include <string>

namespace emberline {

TEST_CASE("JSON keeps the order of its keys") {
  const auto json = ParseJson(R"({"b": 1, "a": [true, null, "x"]})");
  REQUIRE(json.ok());
  CHECK(DumpJson(*json) == R"({"b":1,"a":[true,null,"x"]})");
}

TEST_CASE("an object that grows moves what its members hold") {
  Json json;
  json["rows"] = {1, 2, 3};
  const Json* const rows = &json["rows"][0];
  for (int i = 0; i < 100; ++i) {
    if (i % 2 == 0)
      json[std::to_string(i)] = i;
    else
      json.emplace(std::to_string(i), i);
  }
  CHECK(json.size() == 101);
  CHECK(&json["rows"][0] == rows);
  CHECK(json["rows"] == Json({1, 2, 3}));
  CHECK(json["99"] == 99);
  json["99"] = "again";
  CHECK(json.size() == 101);
  CHECK(json.begin().key() == "rows");
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

TEST_CASE("half a surrogate pair becomes U+FFFD, whole pairs and escaped backslashes stay") {
  const std::pair<const char*, const char*> cases[] = {
      {R"("\ud83d\ude00")", R"("\ud83d\ude00")"},
      {R"("\ud83dx")", R"("\ufffdx")"},
      {R"("\ude00\ud83d")", R"("\ufffd\ufffd")"},
      {R"("\ud83d\ud83d\ude00")", R"("\ufffd\ud83d\ude00")"},
      {R"("\uD83D")", R"("\ufffd")"},
      {R"("\\ud83d")", R"("\\ud83d")"},
      {R"("\u12")", R"("\u12")"},
      {"\\", "\\"},
      {"\"\\ud8", "\"\\ud8"},
      {"", ""},
  };
  for (const auto& [text, expected] : cases) {
    INFO(text);
    CHECK(WithoutLoneSurrogates(text) == expected);
  }
  CHECK(ParseJson(WithoutLoneSurrogates(R"(["\udc00", "\ud83d\ude00"])")).ok());
}

TEST_CASE("invalid UTF-8 is replaced, never thrown") {
  Json json;
  json["name"] = "caf\xE9";
  CHECK(DumpJson(json) == "{\"name\":\"caf\xEF\xBF\xBD\"}");
}

}  // namespace emberline
