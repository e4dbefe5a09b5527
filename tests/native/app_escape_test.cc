// Texts of traces on their way out, by the cases that the page's tests read too.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include "base/escape.h"
#include "base/utf8.h"
#include "render/results.h"
#include "render/tables.h"

namespace emberline {
namespace {

Json Cases() {
  std::ifstream file(EMBERLINE_SOURCE_DIR "/tests/lib/escape_cases.json");
  std::stringstream text;
  text << file.rdbuf();
  Result<Json> cases = ParseJson(text.str());
  REQUIRE(cases.ok());
  return std::move(cases.value());
}

std::string Utf8(uint32_t code) {
  std::string text;
  AppendUtf8(code, &text);
  return text;
}

TEST_CASE("escape: texts as the page escapes them") {
  const Json cases = Cases();
  for (const Json& pair : cases["escaped"]) {
    CHECK(Escaped(pair[0].get<std::string>()) == pair[1].get<std::string>());
  }
}

TEST_CASE("escape: every hidden character, and no other") {
  std::vector<bool> hidden(0x110000);
  const Json cases = Cases();
  for (const Json& range : cases["hidden"]) {
    const auto text = range.get<std::string>();
    const size_t dash = text.find('-');
    const auto first = std::strtoul(text.c_str(), nullptr, 16);
    const auto last = std::strtoul(text.c_str() + dash + 1, nullptr, 16);
    for (auto code = first; code <= last; ++code) hidden[code] = true;
  }
  for (uint32_t code = 0; code < hidden.size(); ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    const std::string text = Utf8(code);
    const bool escaped = Escaped("a" + text + "b") != "a" + text + "b";
    if (escaped != hidden[code]) FAIL_CHECK("U+" << std::hex << code);
  }
}

TEST_CASE("escape: bytes that are no UTF-8") {
  CHECK(Escaped("a\xff"
                "b\x9b"
                "2J") == "a\\xffb\\x9b2J");
  CHECK(Escaped("\xe2\x80") == "\\xe2\\x80");
  CHECK(Escaped("\xc0\x80\xed\xa0\x80") == "\\xc0\\x80\\xed\\xa0\\x80");
}

TEST_CASE("escape: cells of CSV as the page writes them") {
  const Json cases = Cases();
  for (const Json& pair : cases["csv"]) {
    const Json table = {{"columns", {{{"key", "name"}}, {{"key", "n"}}}},
                        {"rows", {{{"name", pair[0]}, {"n", -1}}}}};
    CHECK(TableCsv(table) == "name,n\r\n" + pair[1].get<std::string>() + ",-1\r\n");
  }
}

TEST_CASE("escape: keys of a trace are texts too") {
  const Json result = {{"=a\x1b[2J", 1}, {"b\u202e", {{"c\x07", "d"}}}};
  const std::string text = ResultText("check", result);
  CHECK(text.find_first_of("\x1b\x07") == std::string::npos);
  CHECK(text.find("\u202e") == std::string::npos);
  const std::string csv = TableCsv(TableOfObjects(Json::array({{{"=a\x1b", 1}}})));
  CHECK(csv == "'=a\\x1b\r\n1\r\n");
}

TEST_CASE("escape: JSON that is printed says the same") {
  const Json document = {{"name\u202e", "a\x7f\u009b\u200b\U000E0065 größe \\u202e"}, {"n", 1}};
  const std::string text = EscapedJson(document.dump(1));
  for (const char c : text) CHECK((c == '\n' || (c >= 0x20 && c != 0x7f) || (c & 0x80)));
  CHECK(text.find("\\u202e\"") != std::string::npos);
  CHECK(text.find("\\udb40\\udc65") != std::string::npos);
  CHECK(text.find("größe") != std::string::npos);
  CHECK(ParseJson(text).value() == document);
}

}  // namespace
}  // namespace emberline
