// Requests are checked against the protocol definition.
#include <catch2/catch.hpp>

#include "rpc/protocol_text.h"
#include "rpc/schema.h"
#include "rpc/views/view.h"

using namespace emberline;

namespace {

std::string Fault(const char* schema, const char* value) {
  const Json definitions = {{"Text", {{"type", "string"}}}};
  const auto checked = CheckAgainst(*ParseJson(schema), definitions, *ParseJson(value), "params");
  return checked.ok() ? "" : checked.error().message;
}

}  // namespace

TEST_CASE("schema: types, members, enumerations, bounds, references") {
  const char* object = R"({"type":"object","properties":{"a":{"type":"integer","minimum":0},
    "b":{"$ref":"#/$defs/Text"},"c":{"enum":["x","y"]},"d":{"type":["string","null"]},
    "e":{"type":"array","items":{"type":"number"},"maxItems":2}},"required":["a"]})";
  CHECK(Fault(object, R"({"a":1})") == "");
  CHECK(Fault(object, R"({"a":2.0})") == "");
  CHECK(Fault(object, R"({"a":1,"b":"t","c":"y","d":null,"e":[1,2.5],"unknown":[]})") == "");
  CHECK(Fault(object, R"({})") == "params lacks the member \"a\".");
  CHECK(Fault(object, R"({"a":1.5})") == "params.a must be integer.");
  CHECK(Fault(object, R"({"a":-1})") == "params.a must be at least 0.");
  CHECK(Fault(object, R"({"a":1,"b":3})") == "params.b must be string.");
  CHECK(Fault(object, R"({"a":1,"c":"z"})") == "params.c must be one of \"x\", \"y\".");
  CHECK(Fault(object, R"({"a":1,"d":4})") == "params.d must be string or null.");
  CHECK(Fault(object, R"({"a":1,"e":[1,"2"]})") == "params.e[1] must be number.");
  CHECK(Fault(object, R"({"a":1,"e":[1,2,3]})") == "params.e has more than 2 items.");
  CHECK(Fault(object, R"([])") == "params must be object.");
}

TEST_CASE("schema: every file of the definition is valid, and every method is defined") {
  Json methods = Json::object();
  for (const std::string_view text : ProtocolTexts()) {
    const Result<Json> file = ParseJson(text);
    REQUIRE(file.ok());
    if (file->contains("methods")) methods.update((*file)["methods"]);
  }
  for (const ViewMethod& view : AllViews()) {
    INFO(view.method);
    CHECK(methods.contains(view.method));
  }
  CHECK(!CheckParams("profile/open", Json::object()).ok());
  CHECK(CheckParams("profile/open", {{"path", "x"}}).ok());
}
