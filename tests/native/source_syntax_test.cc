// The syntax layer: functions, classes, sites, statements.
#include <catch2/catch.hpp>
#include <string>

#include "python_text.h"
#include "source/python_syntax.h"

namespace emberline {
namespace {

const PythonFunction& Function(const PythonModule& module, const std::string& qualified) {
  for (const PythonFunction& f : module.functions) {
    if (f.qualified == qualified) return f;
  }
  FAIL("no function " << qualified);
  return module.functions[0];
}

// Names of the call sites in order, with their lines.
std::string Calls(const PythonFunction& f) {
  std::string out;
  for (const Site& s : f.sites) {
    if (s.kind != SiteKind::kCall) continue;
    if (!out.empty()) out += ' ';
    out += s.name + "@" + std::to_string(s.line);
  }
  return out;
}

TEST_CASE("functions, classes and their lines") {
  const PythonModule m = Parsed(
      "import torch\n"
      "\n"
      "@decorated\n"
      "@twice(2)\n"
      "def outer(a):\n"
      "    def inner(b):\n"
      "        return b\n"
      "    return lambda c: inner(c)\n"
      "\n"
      "class Net(nn.Module):\n"
      "    class Part:\n"
      "        def run(self):\n"
      "            pass\n"
      "    def forward(self, x):\n"
      "        return [y for y in x]\n");
  const PythonFunction& outer = Function(m, "outer");
  CHECK(outer.first_line == 3);  // as co_firstlineno: the first decorator
  CHECK(outer.def_line == 5);
  CHECK(outer.end_line == 8);
  CHECK(Function(m, "outer.inner").first_line == 6);
  CHECK(Function(m, "outer.<lambda>").first_line == 8);
  CHECK(Function(m, "Net.Part.run").class_index >= 0);
  CHECK(m.classes[static_cast<size_t>(Function(m, "Net.Part.run").class_index)].qualified ==
        "Net.Part");
  CHECK(Function(m, "Net.forward").def_line == 14);
  CHECK(Function(m, "Net.forward.<listcomp>").first_line == 15);
  REQUIRE(m.classes.size() == 2);
  CHECK(m.classes[0].bases == std::vector<std::string>{"Module"});
  CHECK(m.FindFunction("forward", 14) >= 0);
  CHECK(m.FindFunction("forward", 13) == -1);
  CHECK(m.FindFunction("outer", 3) == m.FindFunction("outer", 5));
  CHECK(m.FunctionAround("inner", 7) == m.FindFunction("inner", 6));
  CHECK(m.FindFunction("<module>", 9) == 0);
}

TEST_CASE("calls in the order of their evaluation") {
  const PythonModule m = Parsed(
      "def f(x):\n"
      "    a = g(h(x), k=i(x))(x)\n"
      "    b = x.one(two()).three(\n"
      "        four(),\n"
      "    )\n"
      "    return super().forward(b)\n");
  CHECK(Calls(Function(m, "f")) == "h@2 i@2 g@2 @2 two@3 one@3 four@4 three@3 super@6 forward@6");
}

TEST_CASE("submodules know the class that __init__ gave them") {
  const PythonModule m = Parsed(
      "class Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        self.stem = nn.Conv2d(1, 2, 3)\n"
      "        self.body = make_body(4)\n"
      "    def forward(self, x):\n"
      "        return self.body(self.stem(x)) + self.other(x)\n");
  std::string classes;
  for (const Site& s : Function(m, "Net.forward").sites) {
    if (s.kind != SiteKind::kCall) continue;
    classes += s.name + "=" + (s.class_names.empty() ? "" : s.class_names.front()) + " ";
  }
  CHECK(classes == "stem=Conv2d body=make_body other= ");
}

TEST_CASE("layout does not change statements, content does") {
  const PythonModule a = Parsed("x = f(a, [1, 2], 'text')\n");
  const PythonModule b = Parsed(
      "x = (f(\n"
      "    a,  # a comment\n"
      "    [1, 2,],\n"
      "    \"text\",\n"
      "))\n");
  const PythonModule c = Parsed("x = f(a, [1, 3], 'text')\n");
  REQUIRE(a.statements.size() == 1);
  REQUIRE(b.statements.size() == 1);
  CHECK(a.statements[0].hash == b.statements[0].hash);
  CHECK(a.statements[0].hash != c.statements[0].hash);
  CHECK(a.statements[0].token_lines.size() == b.statements[0].token_lines.size());
  CHECK(b.statements[0].end_line == 5);
}

TEST_CASE("a function's shape ignores its name") {
  const PythonModule a = Parsed("def f(x):\n    return g(x)\n");
  const PythonModule b = Parsed("def renamed(x):\n    return g(x)\n");
  const PythonModule c = Parsed("def f(x):\n    return h(x)\n");
  CHECK(a.functions[1].shape == b.functions[1].shape);
  CHECK(a.functions[1].shape != c.functions[1].shape);
}

TEST_CASE("damaged and hostile text") {
  SECTION("half a file is half understood") {
    const PythonModule m = Parsed("def f(x):\n    return g(x)\n\ndef broken(:\n   ((\n");
    CHECK(m.has_errors);
    CHECK(Calls(Function(m, "f")) == "g@2");
  }
  SECTION("deep nesting") {
    const std::string deep =
        "x = " + std::string(20000, '(') + "f(1)" + std::string(20000, ')') + "\n";
    CHECK(Parsed(deep).functions.size() >= 1);
  }
  SECTION("deep operators and attributes") {
    std::string text = "x = a";
    for (int i = 0; i < 20000; ++i) text += " + b.c";
    CHECK(Parsed(text + "\n").functions.size() == 1);
  }
  SECTION("deep blocks") {
    std::string text;
    for (int i = 0; i < 400; ++i) text += std::string(static_cast<size_t>(i), ' ') + "if x:\n";
    text += std::string(400, ' ') + "f()\n";
    CHECK(Parsed(text).functions.size() == 1);
  }
  SECTION("nested comprehensions do not multiply") {
    std::string text = "x";
    for (int i = 0; i < 40; ++i) text = "[" + text + " for a in b]";
    const PythonModule m = Parsed("y = " + text + "\n");
    CHECK(m.functions.size() < 2000);
  }
  SECTION("no text and no Python") {
    CHECK(Parsed("").functions.size() == 1);
    CHECK(Parsed(std::string("\0\xff\xfe\x01", 4)).functions.size() >= 1);
  }
  SECTION("too large") { CHECK(!ParsePython(std::string(kMaxPythonText + 1, ' ')).ok()); }
}

}  // namespace
}  // namespace emberline
