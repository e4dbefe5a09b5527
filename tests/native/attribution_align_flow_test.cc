// Frames that begin in the middle, and exceptions.
#include "aligned.h"

namespace emberline {
namespace {

TEST_CASE("a frame that was open when the recording began goes on where it stood") {
  const std::string source =
      "def f(x):\n"
      "    a = g(x)\n"
      "    b = begin(a)\n"
      "    c = g(b)\n"
      "    return end(c)\n";
  CHECK(Lines(source, "f", {{"frame g", 4}}, false, false) == "2?");
  CHECK(Lines(source, "f", {{"frame g", 4}}, Start(false, 3, true), false) == "4");
  // In a text that may be another the line decides only between what fits alike.
  CHECK(Lines(source, "f", {{"frame g", 4}}, Start(false, 3, false), false) == "4");
  CHECK(Lines(source, "f", {{"frame begin", 3}}, Start(false, 5, false), false) == "3");
}

TEST_CASE("a resumed generator goes on behind the yield whose line it names") {
  const std::string source =
      "def f(xs):\n"
      "    g(xs)\n"
      "    yield 1\n"
      "    g(xs)\n"
      "    yield 2\n"
      "    g(xs)\n";
  CHECK(Lines(source, "f", {{"frame g", 2}}) == "2");
  CHECK(Lines(source, "f", {{"frame g", 4}}, Start(true, 3, true)) == "4");
  CHECK(Lines(source, "f", {{"frame g", 6}}, Start(true, 5, true)) == "6");
}

TEST_CASE("what a generator hands over to is resumed with it") {
  const std::string source =
      "def f(xs):\n"
      "    yield from part(xs)\n"
      "    yield from part(xs)\n";
  CHECK(Lines(source, "f", {{"frame part generator", 3}}, Start(true, 3, true)) == "3");
  CHECK(Lines(source, "f", {{"frame part generator", 2}, {"frame part generator", 3}},
              Start(true, 2, true)) == "2 3");
  const std::string async =
      "async def f(n):\n"
      "    for i in range(n):\n"
      "        a = await load(i)\n"
      "        use(a)\n"
      "    return await load(n)\n";
  CHECK(Lines(async, "f", {{"frame load", 3}, {"frame use", 4}, {"frame load", 3}},
              Start(true, 3, true)) == "3 4 5?");
}

TEST_CASE("loops over a variable resume the generator that it was made by") {
  CHECK_LINES(
      "def f(self):\n"
      "    modules = self.named_modules()\n"
      "    for m in modules:\n"
      "        members = get(m)\n"
      "        for k in members:\n"
      "            check(k)\n",
      "f",
      {{"frame named_modules generator", 3},
       {"frame get", 4},
       {"frame check", 6},
       {"frame named_modules generator", 3},
       {"frame get", 4}});
}

TEST_CASE("any call of a try may raise: then its handler follows") {
  const std::string source =
      "def f(x):\n"
      "    try:\n"
      "        a = sin(x)\n"
      "        b = risky(a)\n"
      "        c = cos(b)\n"
      "        d = tan(c)\n"
      "    except ValueError:\n"
      "        a = zeros(x)\n"
      "        d = sin(a)\n"
      "    return last(d)\n";
  CHECK_LINES(source, "f",
              {{"frame sin", 3},
               {"frame risky", 4},
               {"frame zeros", 8},
               {"frame sin", 9},
               {"frame last", 10}});
  CHECK_LINES(source, "f",
              {{"frame sin", 3},
               {"frame risky", 4},
               {"frame cos", 5},
               {"frame tan", 6},
               {"frame last", 10}});
}

TEST_CASE("what must follow a call and did not was never reached: the call raised") {
  const std::string source =
      "def early(x):\n"
      "    try:\n"
      "        y = read(x)\n"
      "    except KeyError:\n"
      "        return compute(x)\n"
      "    z = compute(y)\n"
      "    return recover(z)\n"
      "def late(x):\n"
      "    try:\n"
      "        x = compute(x)\n"
      "        x = read(x)\n"
      "        x = compute(x)\n"
      "        x = recover(x)\n"
      "    except KeyError:\n"
      "        x = compute(x)\n"
      "    return x\n"
      "def turns(x):\n"
      "    for i in range(3):\n"
      "        try:\n"
      "            if i == 1:\n"
      "                boom(x)\n"
      "            x = ok(x)\n"
      "        except KeyError:\n"
      "            x = ok(x)\n"
      "            continue\n"
      "        x = fallback(x)\n"
      "    return x\n";
  const auto lines = [&](const char* name, const std::vector<Seen>& seen) {
    return Lines(source, name, seen, true, true, {"frame recover"});
  };
  CHECK(lines("early", {{"frame read", 3}, {"frame compute", 5}}) == "3 5");
  CHECK(lines("early", {{"frame read", 3}, {"frame compute", 6}, {"frame recover", 7}}) == "3 6 7");
  CHECK(lines("late", {{"frame compute", 10}, {"frame read", 11}, {"frame compute", 15}}) ==
        "10 11 15");
  CHECK_LINES(source, "turns",
              {{"frame ok", 22},
               {"frame fallback", 26},
               {"frame boom", 21},
               {"frame ok", 24},
               {"frame ok", 22},
               {"frame fallback", 26}});
}

TEST_CASE("a return that raises instead") {
  CHECK_LINES(
      "def f(x, w):\n"
      "    try:\n"
      "        return matmul(x, w)\n"
      "    except RuntimeError:\n"
      "        w = w.t()\n"
      "        return matmul(x, w)\n",
      "f", {{"builtin matmul", 3}, {"builtin t", 5}, {"builtin matmul", 6}});
}

TEST_CASE("an exception passes finally and the contexts on its way to an outer handler") {
  CHECK_LINES(
      "def f(x):\n"
      "    try:\n"
      "        try:\n"
      "            one(x)\n"
      "            two(x)\n"
      "            three(x)\n"
      "        finally:\n"
      "            clean(x)\n"
      "        one(x)\n"
      "        two(x)\n"
      "    except ValueError:\n"
      "        mend(x)\n"
      "        one(x)\n",
      "f", {{"frame one", 4}, {"frame clean", 8}, {"frame mend", 12}, {"frame one", 13}});
  CHECK_LINES(
      "def f(x):\n"
      "    try:\n"
      "        with ctx(x):\n"
      "            one(x)\n"
      "            two(x)\n"
      "        three(x)\n"
      "    except ValueError:\n"
      "        one(x)\n",
      "f",
      {{"frame ctx", 3},
       {"frame __enter__", 3},
       {"frame one", 4},
       {"frame __exit__", 3},
       {"frame one", 8}});
}

}  // namespace
}  // namespace emberline
