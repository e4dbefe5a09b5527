// Edits after the recording: lines move with their statement, or are known to be gone.
#include <catch2/catch.hpp>
#include <string>

#include "python_text.h"
#include "source/drift.h"

namespace emberline {
namespace {

int LineAfter(const Drift& drift, int line) {
  const auto it = drift.line.find(line);
  return it == drift.line.end() ? 0 : it->second;
}

TEST_CASE("an unchanged text") {
  const Drift drift = FollowEdits(Parsed(kOriginal), Parsed(kOriginal));
  CHECK(drift.identical);
  for (const int line : {1, 3, 4, 6, 7, 8, 9, 10}) CHECK(LineAfter(drift, line) == line);
}

TEST_CASE("comments and blank lines move lines only") {
  const Drift drift = FollowEdits(Parsed(kOriginal), Parsed("# new\n\n" + kOriginal));
  CHECK(drift.identical);
  CHECK(LineAfter(drift, 9) == 11);
}

TEST_CASE("inserted and deleted statements") {
  const Drift drift = FollowEdits(Parsed(kOriginal), Parsed("import torch\n"
                                                            "import os\n"
                                                            "def helper(x):\n"
                                                            "    return x.relu()\n"
                                                            "class Net:\n"
                                                            "    def forward(self, x):\n"
                                                            "        print(x)\n"
                                                            "        y = self.first(x)\n"
                                                            "        return self.last(y, x)\n"));
  CHECK(!drift.identical);
  CHECK(LineAfter(drift, 4) == 4);
  CHECK(LineAfter(drift, 7) == 6);
  CHECK(LineAfter(drift, 8) == 8);
  CHECK(LineAfter(drift, 9) == 0);  // gone: never drawn elsewhere
  CHECK(LineAfter(drift, 10) == 9);
}

TEST_CASE("a changed statement loses its place, its neighbors keep theirs") {
  std::string text = kOriginal;
  text.replace(text.find("helper(y)"), 9, "helper(y, 2)");
  const PythonModule before = Parsed(kOriginal), now = Parsed(text);
  const Drift drift = FollowEdits(before, now);
  CHECK(LineAfter(drift, 9) == 0);
  CHECK(LineAfter(drift, 8) == 8);
  CHECK(LineAfter(drift, 10) == 10);
  const int forward = before.FindFunction("forward", 7);
  REQUIRE(forward >= 0);
  CHECK(drift.changed[static_cast<size_t>(forward)]);
  CHECK(!drift.changed[static_cast<size_t>(before.FindFunction("helper", 3))]);
}

TEST_CASE("reformatting: each token keeps its line") {
  const PythonModule before = Parsed("def f(a):\n    x = one(a, two(a), three(a))\n    return x\n");
  const PythonModule now = Parsed(
      "def f(a):\n"
      "    x = one(\n"
      "        a,\n"
      "        two(a),\n"
      "        three(a),\n"
      "    )\n"
      "    return x\n");
  CHECK(LineAfter(FollowEdits(before, now), 2) == 2);
  const Drift back = FollowEdits(now, before);
  for (const int line : {2, 3, 4, 5}) CHECK(LineAfter(back, line) == 2);
  CHECK(LineAfter(back, 7) == 3);
  CHECK(back.identical);
}

TEST_CASE("a statement whose names were changed keeps its line") {
  const auto after = [](const std::string& before, const std::string& now, int line) {
    return LineAfter(FollowEdits(Parsed(before), Parsed(now)), line);
  };
  const std::string text =
      "def step(model, x):\n"
      "    y = model(x)\n"     // 2
      "    z = y.relu()\n"     // 3
      "    w = z + y\n"        // 4
      "    return norm(w)\n";  // 5
  // A variable, then the parameter that is called; lines above move them.
  const std::string renamed =
      "# note\n"
      "def step(net, x):\n"
      "    hidden = net(x)\n"
      "    z = hidden.relu()\n"
      "    w = z + hidden\n"
      "    return norm(w)\n";
  for (const int line : {2, 3, 4, 5}) CHECK(after(text, renamed, line) == line + 1);
  const Drift drift = FollowEdits(Parsed(text), Parsed(renamed));
  CHECK(!drift.identical);
  CHECK(drift.changed[1]);
  // Another method, another operator, another shape: something else.
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string now = text;
    return now.replace(now.find(from), from.size(), to);
  };
  CHECK(after(text, changed("z = y.relu()", "v = y.gelu()"), 3) == 0);
  CHECK(after(text, changed("w = z + y", "v = z - y"), 4) == 0);
  CHECK(after(text, changed("w = z + y", "v = z + y + x"), 4) == 0);
  CHECK(after(text, changed("norm(w)", "other(w)"), 5) == 0);
  // A function of the file that got another name is the same function.
  const std::string called = "def norm(v):\n    return v\n" + text;
  std::string given = called;
  for (size_t at = given.find("norm"); at != std::string::npos; at = given.find("norm", at))
    given.replace(at, 4, "unit");
  CHECK(after(called, given, 7) == 7);
}

TEST_CASE("an attribute gets another name although a variable has the old one") {
  const std::string text =
      "class Head(Module):\n"
      "    act = relu\n"
      "    def __init__(self, width):\n"
      "        self.gate = Linear(width)\n"  // 4
      "    def forward(self, x):\n"
      "        gate = sigmoid(self.gate(x))\n"  // 6
      "        act = self.act(gate)\n"          // 7
      "        return self._last(act)\n"        // 8
      "    def _last(self, x):\n"
      "        _last = x\n"
      "        return _last\n";
  const auto renamed = [&](const std::string& from, const std::string& to, int line) {
    std::string now = text;
    for (size_t at = now.find(from); at != std::string::npos; at = now.find(from, at + to.size()))
      now.replace(at, from.size(), to);
    return LineAfter(FollowEdits(Parsed(text), Parsed(now)), line);
  };
  CHECK(renamed("self.gate", "self.door", 6) == 6);
  CHECK(renamed("self.gate", "self.door", 4) == 4);
  // Called by the new name, which nothing in the text has.
  CHECK(renamed("(self.gate", "(self.door", 6) == 0);
  std::string body = text;
  body.replace(body.find("    act = relu"), 14, "    fun = relu");
  body.replace(body.find("self.act"), 8, "self.fun");
  CHECK(LineAfter(FollowEdits(Parsed(text), Parsed(body)), 7) == 7);
  std::string method = text;
  method.replace(method.find("self._last"), 10, "self._done");
  method.replace(method.find("def _last"), 9, "def _done");
  CHECK(LineAfter(FollowEdits(Parsed(text), Parsed(method)), 8) == 8);
}

TEST_CASE("renamed statements of one form are told apart or lost") {
  const PythonModule before = Parsed("def f(a, b):\n    x = a + b\n    y = b + a\n    return x\n");
  const Drift both =
      FollowEdits(before, Parsed("def f(a, b):\n    p = a + b\n    q = b + a\n    return x\n"));
  CHECK(LineAfter(both, 2) == 2);
  CHECK(LineAfter(both, 3) == 3);
  const Drift one = FollowEdits(before, Parsed("def f(a, b):\n    p = c + d\n    return x\n"));
  CHECK(LineAfter(one, 2) == 0);
  CHECK(LineAfter(one, 3) == 0);
}

TEST_CASE("functions that move, and functions that are renamed") {
  const Drift drift = FollowEdits(Parsed(kOriginal), Parsed("import torch\n"
                                                            "class Net:\n"
                                                            "    def forward_all(self, x):\n"
                                                            "        y = self.first(x)\n"
                                                            "        y = helper(y)\n"
                                                            "        return self.last(y, x)\n"
                                                            "def helper(x):\n"
                                                            "    return x.relu()\n"));
  CHECK(LineAfter(drift, 3) == 7);
  CHECK(LineAfter(drift, 4) == 8);
  CHECK(LineAfter(drift, 7) == 3);
  CHECK(LineAfter(drift, 9) == 5);
}

TEST_CASE("a renamed and edited function is known by most of its statements") {
  const PythonModule before =
      Parsed("def f(x):\n    a = one(x)\n    b = two(a)\n    c = three(b)\n    return c\n");
  const PythonModule now =
      Parsed("def g(x):\n    a = one(x)\n    b = two(a)\n    c = other(b)\n    return c\n");
  const Drift drift = FollowEdits(before, now);
  CHECK(LineAfter(drift, 3) == 3);
  CHECK(LineAfter(drift, 4) == 0);
  CHECK(drift.function[1] == 1);
}

TEST_CASE("a function that is gone has no place") {
  const PythonModule before = Parsed(kOriginal);
  const Drift drift = FollowEdits(before, Parsed("import torch\n"));
  CHECK(drift.function[static_cast<size_t>(before.FindFunction("forward", 7))] == -1);
  CHECK(LineAfter(drift, 9) == 0);
}

}  // namespace
}  // namespace emberline
