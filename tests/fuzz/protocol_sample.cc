#include "protocol_sample.h"

#include <algorithm>

#include "rpc/schema.h"

namespace emberline::fuzz {
namespace {

constexpr std::string_view kTexts[] = {"",
                                       "all",
                                       "0",
                                       "1",
                                       "1-3",
                                       "3-1",
                                       "-",
                                       "99999999999999999999",
                                       "name",
                                       "-name",
                                       "calls",
                                       "-hostSelfUs",
                                       "operator",
                                       "kernel",
                                       "operatorAndShape",
                                       "shape",
                                       "stack",
                                       "a|b c",
                                       "\"unclosed",
                                       "calls>1",
                                       "calls>x",
                                       "name:",
                                       "name=aten::mm",
                                       "name:mm|:",
                                       ">",
                                       "aten",
                                       "(a+)+$",
                                       "[",
                                       "(?=a)",
                                       "a{1,1000}",
                                       ".*.*.*.*b",
                                       "\\",
                                       "x = 1\n",
                                       "def f():\n    g()\n",
                                       "/a/b.py",
                                       "train.py",
                                       "../../x.py",
                                       "flame",
                                       "ms",
                                       "\xc3\xa9"};

constexpr int64_t kIntegers[] = {0,
                                 1,
                                 2,
                                 3,
                                 5,
                                 10,
                                 100,
                                 1000,
                                 4096,
                                 1000000,
                                 2147483648,
                                 4294967295,
                                 9000000000000000,
                                 -1,
                                 -1000,
                                 INT64_MAX,
                                 INT64_MIN,
                                 INT64_MAX - 1,
                                 INT64_MIN + 1};

constexpr double kNumbers[] = {0, 0.5, 1, -1, 1e9, 1e18, 1e19, -1e300, 1e300, 1e-300};

Json Sample(const Json& schema, Random& random, int depth) {
  if (!schema.is_object() || depth > 6) return nullptr;
  if (const auto ref = schema.find("$ref"); ref != schema.end()) {
    const std::string name = ref->get<std::string>().substr(std::string("#/$defs/").size());
    const Json& definitions = ProtocolDefinition()["$defs"];
    const auto found = definitions.find(name);
    return found == definitions.end() ? Json() : Sample(*found, random, depth + 1);
  }
  for (const char* keyword : {"anyOf", "oneOf"}) {
    const auto choices = schema.find(keyword);
    if (choices != schema.end()) {
      return Sample((*choices)[random.Below(choices->size())], random, depth + 1);
    }
  }
  if (const auto choices = schema.find("enum"); choices != schema.end()) {
    return (*choices)[random.Below(choices->size())];
  }
  Json type = schema.value("type", Json("object"));
  if (type.is_array()) type = type[random.Below(type.size())];
  if (type == "string") return std::string(random.Pick(kTexts));
  if (type == "boolean") return random.OneIn(2);
  if (type == "integer")
    return random.OneIn(2) ? Json(random.Below(20)) : Json(random.Pick(kIntegers));
  if (type == "number") return random.Pick(kNumbers);
  if (type == "array") {
    Json list = Json::array();
    for (size_t n = random.Below(4); n > 0; --n) {
      list.push_back(Sample(schema.value("items", Json()), random, depth + 1));
    }
    return list;
  }
  if (type != "object") return nullptr;
  Json object = Json::object();
  if (const auto parts = schema.find("allOf"); parts != schema.end()) {
    for (const Json& part : *parts) {
      const Json members = Sample(part, random, depth + 1);
      if (members.is_object()) object.update(members);
    }
  }
  const Json required = schema.value("required", Json::array());
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [name, property] : properties.items()) {
    const bool must = std::find(required.begin(), required.end(), Json(name)) != required.end();
    if (must ? !random.OneIn(100) : random.OneIn(2)) {
      object[name] = Sample(property, random, depth + 1);
    }
  }
  return object;
}

}  // namespace

Json SampleParams(const std::string& method, Random& random) {
  const Json& methods = ProtocolDefinition()["methods"];
  const auto found = methods.find(method);
  if (found == methods.end() || !found->contains("params")) return nullptr;
  return Sample((*found)["params"], random, 0);
}

}  // namespace emberline::fuzz
