// Arguments as recorded, also when they are not what recorders write.
#include <catch2/catch.hpp>
#include <string>

#include "cost/op_cost.h"
#include "cost/rules.h"

using namespace emberline;

namespace {

Arguments Read(const std::string& dims, const std::string& types, const std::string& strides = "",
               const std::string& values = "") {
  return Arguments({dims, types, strides, values});
}

const std::string kTwo = R"(["float", "float"])";

}  // namespace

TEST_CASE("shapes, strides, numbers and lists are told apart", "[cost]") {
  const Arguments args =
      Read("[[4, 3], [[2], [5, 6]], [], [], []]",
           R"(["c10::Half", "TensorList", "Scalar", "ScalarList", ""])",
           "[[1, 4], [[1], [6, 1]], [], [], []]", R"(["", "", "1.5", "[1, 2]", ""])");
  REQUIRE(args.size() == 5);
  CHECK(args.TensorAt(0).type == DType::kFloat16);
  CHECK(args.TensorAt(0).strides == std::vector<int64_t>{1, 4});
  REQUIRE(args.ListAt(1).size() == 2);
  CHECK(args.ListAt(1)[1].dims == std::vector<int64_t>{5, 6});
  CHECK(args.Number(2) == 1.5);
  CHECK_FALSE(args.Integer(2));
  CHECK(args.Integers(3) == std::vector<int64_t>{1, 2});
  CHECK(args[4].kind == ArgumentKind::kAbsent);
  CHECK(args[99].kind == ArgumentKind::kAbsent);
  CHECK(Read("[[]]", R"(["double"])").HasTensor(0));
  CHECK(Read("[[]]", R"(["Scalar"])", "", R"(["False"])").Flag(0) == false);
}

TEST_CASE("memory of a tensor counts what is stored once", "[cost]") {
  const auto bytes = [](const std::string& dims, const std::string& strides) {
    return Read("[" + dims + "]", R"(["float"])", "[" + strides + "]").TensorAt(0).Bytes().value();
  };
  CHECK(bytes("[4, 3]", "[3, 1]") == 48);
  CHECK(bytes("[4, 3]", "[0, 1]") == 12);   // expanded
  CHECK(bytes("[10, 3]", "[1, 1]") == 48);  // windows that overlap
  CHECK(bytes("[0, 3]", "[3, 1]") == 0);
  CHECK(bytes("[2]", "[-9223372036854775808]") == 8);
  CHECK(bytes("[4, 3]", "[9223372036854775807, 1]") == 48);
}

TEST_CASE("what cannot be a shape gives no figure", "[cost]") {
  const char* shapes[] = {"[[-4, 3], [3, 5]]",
                          "[[\"4\", 3], [3, 5]]",
                          "[[4.5, 3], [3, 5]]",
                          "[[4, 3], \"x\"]",
                          "[[4, 3]",
                          "[[4, [3]], [3, 5]]",
                          "[[9223372036854775807, 3], [3, 9223372036854775807]]",
                          "[[99999999999999999999, 3], [3, 5]]",
                          "[[4294967296, 768], [768, 768]]",
                          "[[4, 3], [4, 5]]",
                          "[[4], [5]]",
                          "[",
                          "",
                          "]]]]",
                          "[[[[[[[[",
                          "{\"a\": 1}"};
  for (const char* dims : shapes) {
    INFO(dims);
    const OpCost cost = CostOf("aten::mm", Read(dims, kTwo));
    CHECK_FALSE(cost.flops.known());
    REQUIRE(cost.flops.why() != nullptr);
    CHECK(std::string(cost.flops.why()->code) != "noFormula");
  }
  CHECK_FALSE(CostOf("aten::nothing", Read("[[4, 3], [3, 5]]", kTwo)).known());
}

TEST_CASE("a figure that is not known hides no other", "[cost]") {
  const OpCost cost = CostOf("aten::mm", Read("[[4, 3], [3, 5]]", R"(["quantum", "quantum"])"));
  CHECK(cost.flops.value() == 120);
  CHECK_FALSE(cost.bytes().known());
}

TEST_CASE("rules of the user", "[cost]") {
  auto rules = CostRules::Make(
      {{"my::op", "2 * numel(0) * dim(1, -1)", "bytes(0) + bytes(1)", "numel(0) * esize(0)", true},
       {"my::.*", "value(2) == 1 and 10 or 20", "", "", false}});
  REQUIRE(rules.ok());
  const Arguments args = Read("[[4, 3], [3, 5], []]", R"(["float", "c10::Half", "Scalar"])", "",
                              R"(["", "", "True"])");
  CHECK((*rules)->Find("my::op") == 0);
  CHECK((*rules)->Find("my::other") == 1);
  CHECK((*rules)->Find("not::my::op") == -1);
  const OpCost cost = (*rules)->CostOf(0, args);
  CHECK(cost.flops.value() == 120);
  CHECK(cost.read_bytes.value() == 48 + 30);
  CHECK(cost.written_bytes.value() == 48);
  CHECK(cost.matrix);
  CHECK((*rules)->CostOf(1, args).flops.value() == 10);
  CHECK_FALSE((*rules)->CostOf(1, args).bytes().known());
  CHECK_FALSE((*rules)->CostOf(0, Read("[[4, 3]]", R"(["float"])")).flops.known());
}

TEST_CASE("rules can neither harm nor hang", "[cost]") {
  const Arguments args = Read("[[4, 3]]", R"(["float"])");
  for (const char* expression : {"os.exit(1)", "io.open(1)", "load(1)()", "0/0", "1/0", "1//0",
                                 "-1", "1e300", "nil", "dim(0, 1e9)", "dim(nil, 1)", "numel(-1)",
                                 "_G", "numel(numel)", "dim(0, 0)(1)", "2 ^ 2 ^ 2 ^ 2 ^ 2 ^ 2"}) {
    INFO(expression);
    auto rules = CostRules::Make({{"op", expression, "", "", false}});
    REQUIRE(rules.ok());
    for (int i = 0; i < 3; ++i) CHECK_FALSE((*rules)->CostOf(0, args).flops.known());
    CHECK((*rules)->WithinLimits().ok());
  }
  // What could loop or keep something is no formula.
  for (const char* expression :
       {"(function() while true do end end)()", "'text'", "\"text\"", "[[text]]", "{1}", "1 .. 2",
        "value(0)[1]", "(function(f) return f(f) end)(function(f) return f(f) end)", "(...)",
        "1 -- and nothing more", "1 while true do end", "1; while true do end", "1 end", "x = 1",
        "goto a", "1 +", "(", "\x1bLua"}) {
    INFO(expression);
    const auto rules = CostRules::Make({{"op", expression, "", "", false}});
    REQUIRE_FALSE(rules.ok());
    CHECK(rules.error().kind == ErrorKind::kInvalidArgument);
    CHECK(rules.error().message.find("\"op\"") != std::string::npos);
  }
  std::string deep = "1";
  for (int i = 0; i < 400; ++i) deep = "(" + deep + ")";
  CHECK_FALSE(CostRules::Make({{"op", deep, "", "", false}}).ok());
  CHECK_FALSE(CostRules::Make({{"op", std::string(1001, '1'), "", "", false}}).ok());
  CHECK_FALSE(CostRules::Make({{"(", "1", "", "", false}}).ok());
  CHECK_FALSE(CostRules::Make({{"", "1", "", "", false}}).ok());
  CHECK_FALSE(CostRules::Make(std::vector<CostRule>(500, {"op", "1", "", "", false})).ok());
  // A word that only begins or ends like a forbidden one is read as any other name.
  CHECK(CostRules::Make({{"op", "functional + my_function", "", "", false}}).ok());
}

TEST_CASE("a rule cannot change what another one reads", "[cost]") {
  const auto rules =
      CostRules::Make({{"a", "n", "", "", false}, {"b", "numel(0) * n", "", "", false}});
  REQUIRE(rules.ok());
  const Arguments one = Read("[[4, 3]]", R"(["float"])");
  const Arguments two = Read("[[4, 3], [5]]", R"(["float", "float"])");
  CHECK((*rules)->CostOf(0, one).flops.value() == 1);
  CHECK((*rules)->CostOf(0, two).flops.value() == 2);
  CHECK((*rules)->CostOf(1, two).flops.value() == 24);
}

TEST_CASE("the largest rules that are taken fit beside each other", "[cost]") {
  std::vector<CostRule> rules;
  for (int i = 0; i < 200; ++i) {
    const std::string name = "op" + std::to_string(i);
    std::string sum = std::to_string(i);
    while (sum.size() < 980) sum += "+numel(0)";
    rules.push_back({name, sum, sum + "+1", sum + "+2", false});
  }
  const auto made = CostRules::Make(rules);
  REQUIRE(made.ok());
  CHECK((*made)->MemoryBytes() < 16 << 20);
  const OpCost cost = (*made)->CostOf(199, Read("[[4, 3]]", R"(["float"])"));
  CHECK(cost.flops.known());
  CHECK(cost.read_bytes.value() == cost.flops.value() + 1);
}

TEST_CASE("what the rules cost on one trace has a limit", "[cost]") {
  const Arguments args = Read("[[4, 3]]", R"(["float"])");
  SECTION("evaluations") {
    std::string sum = "1";
    while (sum.size() < 990) sum += "+n^2";
    const auto rules = CostRules::Make({{"op", sum, sum, sum, false}});
    REQUIRE(rules.ok());
    int calls = 0;
    for (; (*rules)->WithinLimits().ok() && calls < 1'000'000; ++calls) (*rules)->CostOf(0, args);
    CHECK(calls > 100'000);  // many different calls are no attack
    CHECK(calls < 1'000'000);
    CHECK((*rules)->WithinLimits().error().kind == ErrorKind::kInvalidArgument);
    CHECK_FALSE((*rules)->CostOf(0, args).flops.known());
  }
  SECTION("names") {
    std::vector<CostRule> many(200, {"nothing_of_this_kind", "1", "", "", false});
    const auto rules = CostRules::Make(many);
    REQUIRE(rules.ok());
    const std::string name(3000, 'x');
    int names = 0;
    for (; (*rules)->WithinLimits().ok() && names < 100'000; ++names) (*rules)->Find(name);
    CHECK(names > 1000);
    CHECK(names < 100'000);
  }
  SECTION("patterns that need much more than their text") {
    const auto rules = CostRules::Make({{".*(a|b){0,30}.{200}(a|b)x", "1", "", "", false}});
    REQUIRE(rules.ok());
    std::string name;
    for (uint32_t i = 0, seed = 1; i < 3900; ++i)
      name += (seed = seed * 1664525 + 1013904223) >> 31 ? 'a' : 'b';
    int names = 0;
    for (; (*rules)->WithinLimits().ok() && names < 1'000'000; ++names) (*rules)->Find(name);
    CHECK(names < 10'000);
  }
  SECTION("a name that no operator has is not compared") {
    const auto rules = CostRules::Make({{".*", "1", "", "", false}});
    REQUIRE(rules.ok());
    CHECK((*rules)->Find(std::string(4000, 'x')) == 0);
    CHECK((*rules)->Find(std::string(100'000, 'x')) == -1);
  }
}
