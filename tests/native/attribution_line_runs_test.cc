// How often lines ran, by what was called on them.
#include "aligned.h"
#include "attribution/line_runs.h"

namespace emberline {
namespace {

// Which of the calls begin a run of their line: "1.1".
std::string Runs(const std::string& body, const std::vector<Seen>& seen) {
  const Result<PythonModule> module = ParsePython("def f(x):\n" + body);
  REQUIRE(module.ok());
  const PythonFunction* function = nullptr;
  for (const PythonFunction& f : module->functions) {
    if (f.qualified == "f") function = &f;
  }
  REQUIRE(function != nullptr);
  FunctionAligner aligner(*function);
  std::vector<uint32_t> ids;
  for (const Seen& s : seen) ids.push_back(aligner.Describe(Parse(s.what)));
  const std::vector<Placement> placed = aligner.Align(ids, {}, true, true);
  LineRuns runs(*function);
  runs.Begin();
  std::string out;
  for (size_t k = 0; k < placed.size(); ++k) {
    CHECK(placed[k].line == seen[k].line);
    out += runs.Next(placed[k].site, aligner.Kind(ids[k])) ? '1' : '.';
  }
  return out;
}

TEST_CASE("each turn of a loop is a run of its lines") {
  CHECK(Runs("    for i in range(3):\n"
             "        work(x)\n",
             {{"frame work", 3}, {"frame work", 3}, {"frame work", 3}}) == "111");
  CHECK(Runs("    for i in range(2):\n"
             "        a(x)\n"
             "        b(x)\n",
             {{"frame a", 3}, {"frame b", 4}, {"frame a", 3}, {"frame b", 4}}) == "1111");
  CHECK(Runs("    for block in self.blocks:\n"
             "        x = block(x)\n",
             {{"module Block", 3}, {"module Other", 3}, {"module Block", 3}}) == "111");
  CHECK(Runs("    while True:\n"
             "        x = x.sin()\n",
             {{"builtin sin", 3}, {"builtin sin", 3}}) == "11");
}

TEST_CASE("calls of one run of a line are one run") {
  CHECK(Runs("    for i in range(2):\n"
             "        x = a(b(x)) + c(x)\n",
             {{"frame b", 3}, {"frame a", 3}, {"frame c", 3}, {"frame b", 3}}) == "1..1");
  CHECK(Runs("    for i in range(2):\n"
             "        y = Thing(x)\n",
             {{"frame __new__ Thing", 3},
              {"frame __init__ Thing", 3},
              {"frame __new__ Thing", 3},
              {"frame __init__ Thing", 3}}) == "1.1.");
  // No loop: the builtin calls it for each item.
  CHECK(Runs("    y = list(map(double, x))\n",
             {{"frame double", 2}, {"frame double", 2}, {"frame double", 2}}) == "1..");
  CHECK(Runs("    for i in range(2):\n"
             "        y = sorted(x, key=lambda v: -v)\n"
             "        z(y)\n",
             {{"frame <lambda>", 3},
              {"frame <lambda>", 3},
              {"frame z", 4},
              {"frame <lambda>", 3},
              {"frame <lambda>", 3},
              {"frame z", 4}}) == "1.11.1");
}

}  // namespace
}  // namespace emberline
