// Where calls of small drawn traces are placed.
#include "line_trace.h"

namespace emberline {
namespace {

// The line from which the call of this name was made; 0 when only its function is known.
int CalledFrom(const LoadedTrace& trace, const LineData& data, const std::string& name) {
  const TraceStore& store = *trace.store;
  for (SliceIndex i = 0; i < store.slice_count(); ++i) {
    if (store.name(i) != name) continue;
    const uint32_t context = data.attribution.CalledFrom(i);
    if (context == kNone) return -1;
    const LineLocation& l = data.attribution.locations[data.attribution.contexts[context].location];
    return l.confidence == LineConfidence::kFunction ? 0 : l.line;
  }
  FAIL("no slice " << name);
  return -1;
}

TEST_CASE("two branches that fit alike are no reason to drop a function") {
  const Folder folder;
  folder.Write("prog.py",
               "def f(x, flag):\n"
               "    y = begin(x)\n"
               "    if flag:\n"
               "        a = g(y)\n"
               "        a = h(a)\n"
               "        a = k(a)\n"
               "    else:\n"
               "        a = g(y + 1)\n"
               "        a = h(a - 1)\n"
               "        a = k(a * 2)\n"
               "    return a\n");
  const auto trace =
      Load({Py("prog.py(1): f", 0, 100), Py("lib.py(1): begin", 10, 10), Py("lib.py(2): g", 30, 10),
            Py("lib.py(3): h", 50, 10), Py("lib.py(4): k", 70, 10)});
  const auto data = Data(*trace, folder.Space());
  CHECK(CalledFrom(*trace, *data, "lib.py(1): begin") == 2);
  CHECK(CalledFrom(*trace, *data, "lib.py(2): g") == 0);
}

TEST_CASE("a `with` enters the object that was constructed for it") {
  const Folder folder;
  folder.Write("prog.py",
               "def f(x):\n"
               "    data = Data(x)\n"
               "    with lib.measured('x'):\n"
               "        return g(data)\n");
  const auto trace = Load({Py("prog.py(1): f", 0, 100), Py("lib.py(10): __init__", 10, 10),
                           Py("lib.py(20): __enter__", 30, 10), Py("lib.py(3): g", 50, 10),
                           Py("lib.py(30): __exit__", 70, 10)});
  const auto data = Data(*trace, folder.Space());
  CHECK(CalledFrom(*trace, *data, "lib.py(10): __init__") == 3);
  CHECK(CalledFrom(*trace, *data, "lib.py(20): __enter__") == 3);
}

TEST_CASE(
    "a frame that was open when the recording began: its open child was called from its line") {
  const Folder folder;
  folder.Write("prog.py",
               "def main():\n"
               "    if quick():\n"
               "        run(1)\n"
               "    else:\n"
               "        run(2)\n"
               "        run(3)\n"
               "def run(n):\n"
               "    begin(n)\n"
               "    with profile():\n"
               "        work(n)\n");
  const auto trace = Load({Py("prog.py(5): main", 0, 1000), Py("prog.py(10): run", 0, 400),
                           Py("lib.py(1): work", 10, 100), Py("prog.py(7): run", 500, 100),
                           Py("lib.py(2): begin", 510, 10)});
  const auto data = Data(*trace, folder.Space());
  CHECK(CalledFrom(*trace, *data, "prog.py(10): run") == 5);
  CHECK(CalledFrom(*trace, *data, "lib.py(1): work") == 10);
  CHECK(CalledFrom(*trace, *data, "prog.py(7): run") == 6);
}

TEST_CASE("a wrapper of one function is not another's") {
  const Folder folder;
  folder.Write("prog.py",
               "def timed(fn):\n"
               "    def call(*args):\n"
               "        check(args)\n"
               "        return fn(*args)\n"
               "    return call\n"
               "def f(x):\n"
               "    a = one(x)\n"
               "    b = two(a)\n"
               "    return 2 / b\n");
  const auto trace = Load({Py("prog.py(6): f", 0, 300), Py("prog.py(2): call", 10, 50),
                           Py("lib.py(1): check", 12, 5), Py("lib.py(2): two", 20, 10),
                           Py("torch/_tensor.py(30): wrapped", 100, 50),
                           Py("torch/_tensor.py(600): __rdiv__", 110, 30)});
  const auto data = Data(*trace, folder.Space());
  CHECK(CalledFrom(*trace, *data, "prog.py(2): call") == 8);
  CHECK(CalledFrom(*trace, *data, "torch/_tensor.py(30): wrapped") == 9);
  CHECK(CalledFrom(*trace, *data, "lib.py(2): two") == 4);
}

TEST_CASE("what ran inside a call tells whether it raised") {
  const Folder folder;
  folder.Write("prog.py",
               "def inspect(x, bad):\n"
               "    y = relu(x)\n"
               "    if bad:\n"
               "        raise Refused(x)\n"
               "    return weigh(y)\n"
               "def through(x, bad):\n"
               "    y = inspect(x, bad)\n"
               "    return neg(y)\n"
               "def f(x, bad):\n"
               "    try:\n"
               "        y = through(x, bad)\n"
               "    except Refused:\n"
               "        y = weigh(x)\n"
               "    else:\n"
               "        y = weigh(y)\n"
               "    return y\n");
  // Twice: one time it raises, one time it does not.
  const auto trace = Load({Py("prog.py(9): f", 0, 100), Py("prog.py(6): through", 1, 50),
                           Py("prog.py(1): inspect", 2, 30), Py("lib.py(1): relu", 3, 5),
                           Py("lib.py(2): weigh", 10, 5), Py("lib.py(3): neg", 40, 5),
                           Py("good.py(2): weigh", 60, 5), Py("prog.py(9): f", 200, 100),
                           Py("prog.py(6): through", 201, 50), Py("prog.py(1): inspect", 202, 30),
                           Py("lib.py(1): relu", 203, 5), Py("bad.py(2): weigh", 260, 5),
                           Py("lib.py(9): end", 400, 9)});
  const auto data = Data(*trace, folder.Space());
  CHECK(CalledFrom(*trace, *data, "good.py(2): weigh") == 15);
  CHECK(CalledFrom(*trace, *data, "bad.py(2): weigh") == 13);
}

TEST_CASE(
    "functions with the names of wrappers are none, unless they hand on what they are given") {
  const Folder folder;
  folder.Write("prog.py",
               "def timed(fn):\n"
               "    def run(*args):\n"
               "        check(args)\n"
               "        return fn(*args)\n"
               "    return run\n"
               "@timed\n"
               "def decorated(x):\n"
               "    return check(x)\n"
               "@lib.other\n"
               "def cached(x):\n"
               "    return x\n"
               "def f(x):\n"
               "    lib.run(x)\n"
               "    check(x)\n"
               "    decorated(x)\n"
               "    cached(1)\n"
               "    cached(2)\n");
  const auto trace = Load({Py("prog.py(12): f", 0, 300), Py("lib.py(1): run", 10, 10),
                           Py("lib.py(5): check", 30, 10), Py("prog.py(2): run", 50, 50),
                           Py("lib.py(2): check", 52, 5), Py("prog.py(6): decorated", 60, 30),
                           Py("lib.py(3): check", 65, 5), Py("prog.py(9): cached", 110, 10),
                           Py("prog.py(9): cached", 130, 10)});
  const auto data = Data(*trace, folder.Space());
  CHECK(CalledFrom(*trace, *data, "prog.py(2): run") == 15);
  CHECK(CalledFrom(*trace, *data, "prog.py(9): cached") == 16);
  CHECK(CalledFrom(*trace, *data, "prog.py(6): decorated") == 4);
}

}  // namespace
}  // namespace emberline
