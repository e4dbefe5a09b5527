// Functions of a recording in a text that was changed before it was first seen.
#include <catch2/catch.hpp>
#include <string>

#include "attribution/locate.h"
#include "python_text.h"

namespace emberline {
namespace {

// A class of twelve lines whose methods begin at its second and sixth line.
std::string Twelve(const std::string& name, const std::string& call) {
  return "class " + name +
         ":\n"
         "    def setup(self):\n"  // 2
         "        self.a = make()\n"
         "        return self\n"
         "\n"
         "    def run(self, x):\n"  // 6
         "        x = " +
         call +
         "(x)\n"
         "        return x\n"
         "\n"
         "\n"
         "\n"
         "\n";
}
std::string Lines(int count) { return std::string(static_cast<size_t>(count), '\n'); }
std::string Name(const PythonModule& module, const LocatedFunction& located) {
  if (located.function < 0) return "stale";
  return module.functions[static_cast<size_t>(located.function)].qualified;
}
std::string Names(const std::vector<RecordedFunction>& recorded, const std::string& text,
                  bool* exact = nullptr) {
  const PythonModule module = Parsed(text);
  std::string out;
  for (const LocatedFunction& l : LocateFunctions(recorded, module, exact))
    out += (out.empty() ? "" : " ") + Name(module, l);
  return out;
}
RecordedFunction Called(const std::string& name, int line, const std::string& builtin) {
  RecordedFunction r{name, line, false, ""};
  Observed o;
  o.kind = ObservedKind::kBuiltin;
  o.name = builtin;
  r.called = {o};
  return r;
}

TEST_CASE("recorded functions are found where they are") {
  const PythonModule module = Parsed(kOriginal);
  bool exact = false;
  const std::vector<LocatedFunction> found =
      LocateFunctions({{"helper", 3, false, ""}, {"forward", 7, false, ""}}, module, &exact);
  CHECK(exact);
  CHECK(module.functions[static_cast<size_t>(found[0].function)].qualified == "helper");
  CHECK(module.functions[static_cast<size_t>(found[1].function)].qualified == "Net.forward");
}

TEST_CASE("recorded functions are found after the file moved on") {
  const PythonModule module = Parsed(
      "class A:\n"
      "    def forward(self):\n"  // 2
      "        pass\n"
      "class New:\n"
      "    def forward(self):\n"  // 5
      "        pass\n"
      "class B:\n"
      "    def forward(self):\n"  // 8
      "        pass\n");
  bool exact = true;
  // Recorded with A.forward at 12 and B.forward at 15: the class tells them apart.
  const std::vector<LocatedFunction> found = LocateFunctions(
      {{"forward", 15, false, "B"}, {"forward", 12, false, "A"}, {"gone", 3, false, ""}}, module,
      &exact);
  CHECK(!exact);
  CHECK(module.functions[static_cast<size_t>(found[0].function)].qualified == "B.forward");
  CHECK(module.functions[static_cast<size_t>(found[1].function)].qualified == "A.forward");
  CHECK(found[2].function == -1);
}

TEST_CASE("a frame that was running when recording began names a line inside") {
  const PythonModule module = Parsed(kOriginal);
  bool exact = false;
  const std::vector<LocatedFunction> found =
      LocateFunctions({{"forward", 9, true, ""}}, module, &exact);
  CHECK(exact);
  CHECK(module.functions[static_cast<size_t>(found[0].function)].qualified == "Net.forward");
}

TEST_CASE("a text that moved by the length of a class keeps each function on its own class") {
  const std::string text = Twelve("A", "sin") + Twelve("B", "cos") + Twelve("C", "tan");
  const std::vector<RecordedFunction> all = {{"setup", 2, false, ""},  {"run", 6, false, ""},
                                             {"setup", 14, false, ""}, {"run", 18, false, ""},
                                             {"setup", 26, false, ""}, {"run", 30, false, ""}};
  bool exact = false;
  CHECK(Names(all, text, &exact) == "A.setup A.run B.setup B.run C.setup C.run");
  CHECK(exact);
  CHECK(Names(all, Lines(12) + text, &exact) == "A.setup A.run B.setup B.run C.setup C.run");
  CHECK(!exact);
  // Not all of them need to have run.
  CHECK(Names({Called("run", 6, "sin"), Called("run", 18, "cos")}, Lines(12) + text) ==
        "A.run B.run");
}

TEST_CASE("stretches that moved by lines of their own") {
  const std::string text = Twelve("A", "sin") + Lines(3) + Twelve("B", "cos") +
                           Twelve("New", "exp") + Twelve("C", "tan") + "def main():\n    go()\n";
  const std::vector<RecordedFunction> recorded = {Called("run", 6, "sin"),
                                                  {"setup", 14, false, ""},
                                                  Called("run", 18, "cos"),
                                                  Called("run", 30, "tan"),
                                                  {"main", 37, false, ""}};
  const PythonModule module = Parsed(text);
  const std::vector<LocatedFunction> found = LocateFunctions(recorded, module, nullptr);
  CHECK(Names(recorded, text) == "A.run B.setup B.run C.run main");
  CHECK(found[0].moved == 0);
  CHECK(found[2].moved == 3);
  CHECK(found[3].moved == 15);
}

TEST_CASE("a function on the right line by chance is not taken for another's") {
  const std::string text = Lines(12) + Twelve("A", "sin") + Twelve("B", "cos") + Twelve("C", "tan");
  // Each of them stands where another did; the classes say so, or what was called.
  bool exact = true;
  CHECK(Names({{"run", 18, false, "B"}, {"run", 30, false, "C"}}, text, &exact) == "B.run C.run");
  CHECK(!exact);
  CHECK(Names({Called("run", 18, "cos"), Called("run", 30, "tan")}, text, &exact) == "B.run C.run");
  CHECK(!exact);
  CHECK(Names({Called("run", 18, "sin"), Called("run", 30, "cos")}, text, &exact) == "A.run B.run");
  CHECK(exact);
}

TEST_CASE("what cannot be told apart is stale, not on another class") {
  // A is gone, or C is: both would leave a text like this.
  const std::string text = Twelve("B", "cos") + Twelve("C", "tan") + "def main():\n    go()\n";
  const auto recorded = [](const char* a, const char* b, const char* c) {
    return std::vector<RecordedFunction>{{"run", 6, false, a},
                                         {"run", 18, false, b},
                                         {"run", 30, false, c},
                                         {"main", 37, false, ""}};
  };
  CHECK(Names(recorded("", "", ""), text) == "stale stale stale main");
  CHECK(Names(recorded("A", "B", "C"), text) == "stale B.run C.run main");
  // The class that a method belongs to is here and has a method of its own.
  CHECK(Names({{"run", 6, false, "Gone"}, {"run", 18, false, "C"}}, text) == "B.run C.run");
}

TEST_CASE("lines inside functions follow what is around them") {
  const std::string text =
      "def load(xs):\n"
      "    for x in xs:\n"
      "        # a note\n"  // 3
      "        y = read(x)\n"
      "        yield y\n"  // 5
      "        print(y)\n";
  const std::vector<RecordedFunction> at = {{"load", 1, false, ""}, {"load", 5, true, ""}};
  bool exact = false;
  std::vector<LocatedFunction> found = LocateFunctions(at, Parsed(text), &exact);
  CHECK(exact);
  CHECK(found[1].line == 5);
  found = LocateFunctions(at, Parsed(Lines(20) + text), &exact);
  CHECK(!exact);
  CHECK(found[1].function == 1);
  CHECK(found[1].line == 25);
  // Nothing can have gone on from a comment.
  found = LocateFunctions({{"load", 1, false, ""}, {"load", 3, true, ""}}, Parsed(text), &exact);
  CHECK(!exact);
  CHECK(found[1].function == 1);
  CHECK(found[1].line == 0);
}

TEST_CASE("comprehensions and lambdas go with the functions that hold them") {
  const std::string a =
      "def a(xs):\n"
      "    ys = [one(x) for x in xs]\n"  // 2
      "    zs = [two(y) for y in ys]\n"
      "    return first(ys, key=lambda y: y.one())\n";
  const std::string b =
      "def b(xs):\n"
      "    ys = [three(x) for x in xs]\n"  // 6
      "    return second(ys)\n";
  const std::string c =
      "def c(xs):\n"
      "    return [four(x) for x in xs]\n";  // 9
  const auto holds = [](const std::string& name, int line, const std::string& inner) {
    RecordedFunction r{name, line, false, ""};
    Observed o;
    o.name = inner;
    r.called = {o};
    return r;
  };
  const std::vector<RecordedFunction> recorded = {
      holds("a", 1, "<listcomp>"), {"<listcomp>", 2, false, ""}, {"<listcomp>", 3, false, ""},
      {"<lambda>", 4, false, ""},  holds("b", 5, "<listcomp>"),  {"<listcomp>", 6, false, ""},
      holds("c", 8, "<listcomp>"), {"<listcomp>", 9, false, ""}};
  const auto lines = [&](const std::string& text) {
    const PythonModule module = Parsed(text);
    std::string out;
    for (const LocatedFunction& l : LocateFunctions(recorded, module, nullptr))
      out += (out.empty() ? "" : " ") +
             (l.function < 0
                  ? "stale"
                  : std::to_string(module.functions[static_cast<size_t>(l.function)].first_line));
    return out;
  };
  CHECK(lines(a + b + c) == "1 2 3 4 5 6 8 9");
  CHECK(lines(b + a + c) == "4 5 6 7 1 2 8 9");
  CHECK(lines(c + b + a) == "6 7 8 9 3 4 1 2");
  CHECK(lines(b + Lines(2) + a + Lines(1) + c) == "6 7 8 9 1 2 11 12");
  // A function that is gone takes what it held with it.
  CHECK(lines(c + a) == "3 4 5 6 stale stale 1 2");
}

}  // namespace
}  // namespace emberline
