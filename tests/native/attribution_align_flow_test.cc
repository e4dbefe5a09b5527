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

TEST_CASE("an else clause that calls what the handler calls") {
  const std::string source =
      "def f(x):\n"
      "    try:\n"
      "        y = read(x)\n"  // 3
      "    except ValueError:\n"
      "        y = mend(x)\n"  // 5
      "    else:\n"
      "        y = mend(y)\n"  // 7
      "    return last(y)\n";
  const auto seen = [](int line, Ended ended) {
    return std::vector<Seen>{{"frame read", 3, 0, ended}, {"frame mend", line}, {"frame last", 8}};
  };
  // Whether it raised is not recorded: either may be.
  CHECK(Lines(source, "f", seen(0, Ended::kUnknown)) == "3 7? 8");
  CHECK(Lines(source, "f", seen(7, Ended::kReturned)) == "3 7 8");
  CHECK(Lines(source, "f", seen(5, Ended::kRaised)) == "3 5 8");
}

TEST_CASE("what a handler calls is told from the rest of the try by how the calls ended") {
  const std::string source =
      "def f(x):\n"
      "    try:\n"
      "        one(x)\n"  // 3
      "        two(x)\n"  // 4
      "        two(x)\n"  // 5
      "    except ValueError:\n"
      "        two(x)\n"  // 7
      "        two(x)\n"  // 8
      "def g(x):\n"
      "    if x:\n"
      "        raise ValueError\n"
      "    return x\n";
  const std::string once = "frame one", twice = "frame two";
  const auto lines = [&](Ended first, Ended second) {
    return Lines(source, "f",
                 {{once.c_str(), 0, 0, first}, {twice.c_str(), 0, 0, second}, {twice.c_str(), 0}});
  };
  CHECK(lines(Ended::kReturned, Ended::kReturned) == "3 4 5");
  CHECK(lines(Ended::kRaised, Ended::kReturned) == "3 7 8");
  CHECK(lines(Ended::kUnknown, Ended::kUnknown) == "3 4? 5?");
}

TEST_CASE("a look-up that fails leaves no trace: what its handler calls, too, is a guess") {
  const std::string source =
      "def f(table, key, x):\n"
      "    try:\n"
      "        call = table[key]\n"
      "        return call(x)\n"  // 4
      "    except KeyError:\n"
      "        call = table['default']\n"
      "        return call(x)\n"  // 7
      "def g(table, key, x):\n"
      "    x = x + table[key]\n"
      "    try:\n"
      "        return call(x)\n"  // 11
      "    except ValueError:\n"
      "        return call(x)\n"
      "def h(text):\n"
      "    try:\n"
      "        n = one(int(text))\n"  // 16
      "        return other(n)\n"     // 17
      "    except ValueError:\n"
      "        return other(text)\n";  // 19
  CHECK(Lines(source, "f", {{"frame call", 0}}) == "4?");
  CHECK_LINES(source, "g", {{"frame call", 11}});
  CHECK_LINES(source, "h", {{"frame one", 16, 0, Ended::kReturned}, {"frame other", 17}});
  // What must have run after it and did not tells that it failed.
  CHECK(Lines(source, "h", {{"frame other", 0}}, true, true, {"frame one"}) == "19");
}

TEST_CASE("an exception on its way through finally and contexts does not go on behind them") {
  const std::string source =
      "def f(x):\n"
      "    try:\n"
      "        try:\n"
      "            one(x)\n"  // 4
      "            two(x)\n"
      "        finally:\n"
      "            clean(x)\n"  // 7
      "        two(x)\n"        // 8
      "    except ValueError:\n"
      "        two(x)\n"  // 10
      "    else:\n"
      "        clean(x)\n"  // 12
      "    clean(x)\n"
      "def g(x):\n"
      "    try:\n"
      "        with ctx(x):\n"
      "            one(x)\n"  // 17
      "        two(x)\n"      // 18
      "    except ValueError:\n"
      "        two(x)\n";  // 20
  CHECK_LINES(source, "f",
              {{"frame one", 4, 0, Ended::kRaised},
               {"frame clean", 7},
               {"frame two", 10},
               {"frame clean", 13}});
  CHECK_LINES(source, "g",
              {{"frame ctx", 16},
               {"frame __enter__", 16},
               {"frame one", 17, 0, Ended::kRaised},
               {"frame __exit__", 16},
               {"frame two", 20}});
}

// How the run of f() ended in which these were seen.
Ended EndedAfter(const std::string& source, const std::vector<Seen>& seen) {
  const Result<PythonModule> module = ParsePython(source);
  REQUIRE(module.ok());
  FunctionAligner aligner(module->functions[1]);
  for (const char* other : {"frame one", "frame two", "frame clean"})
    aligner.Describe(Parse(other));
  std::vector<uint32_t> ids;
  std::vector<Ended> ends;
  for (const Seen& s : seen) {
    ids.push_back(aligner.Describe(Parse(s.what)));
    ends.push_back(s.ended);
  }
  aligner.Align(ids, {{}, ends}, true, true);
  return aligner.last_ended();
}

TEST_CASE("what ran in a function tells whether it raised") {
  const std::string raises =
      "def f(x):\n"
      "    one(x)\n"
      "    if x:\n"
      "        raise ValueError\n"
      "    two(x)\n";
  CHECK(EndedAfter(raises, {{"frame one", 2}}) == Ended::kRaised);
  CHECK(EndedAfter(raises, {{"frame one", 2}, {"frame two", 5}}) == Ended::kReturned);
  CHECK(EndedAfter(raises, {{"frame one", 2}, {"frame two", 5, 0, Ended::kRaised}}) ==
        Ended::kRaised);
  // A text that does not fit tells nothing.
  CHECK(EndedAfter(raises, {{"frame one", 2}, {"op unlike", 0}}) == Ended::kUnknown);
  const std::string handles =
      "def f(x):\n"
      "    try:\n"
      "        one(x)\n"
      "    except ValueError:\n"
      "        return\n"
      "    finally:\n"
      "        clean(x)\n"
      "    two(x)\n";
  CHECK(EndedAfter(handles, {{"frame one", 3, 0, Ended::kRaised}, {"frame clean", 7}}) ==
        Ended::kReturned);
}

TEST_CASE("a coroutine runs where it is awaited, not where it is called") {
  const std::string source =
      "async def f(x):\n"
      "    one = await child(x, 1)\n"                  // 2
      "    both = await gather(child(x), child(x))\n"  // 3
      "    later = child(x)\n"                         // 4
      "    use(x)\n"                                   // 5
      "    return await later\n";                      // 6
  CHECK(Lines(source, "f", {{"frame child coroutine", 2}, {"frame gather", 3}}) == "2 3");
  CHECK(Lines(source, "f", {{"frame child coroutine", 2}, {"frame gather", 3}},
              Start(true, 2, true)) == "2 3");
  CHECK(Lines(source, "f", {{"frame use", 5}, {"frame child coroutine", 6}},
              Start(true, 3, true)) == "5 6");
}

}  // namespace
}  // namespace emberline
