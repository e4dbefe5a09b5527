#include <catch2/catch.hpp>

#include "analysis/stacks.h"
#include "drawn.h"

using namespace emberline;

namespace {

using drawn::HostSlice;
using drawn::LoadEvents;

// main calls a and b; a launches 30 us of kernels, b 10 us; torch's own frame lies between a and
// its op.
const std::string kCalls =
    HostSlice("python_function", "main.py(1): main", 0, 1000, R"("Python id":1)") + "," +
    HostSlice("python_function", "main.py(20): a", 100, 300,
              R"("Python id":2,"Python parent id":1)") +
    "," +
    HostSlice("python_function", "torch/nn/functional.py(5): relu", 110, 200,
              R"("Python id":3,"Python parent id":2)") +
    "," + HostSlice("cpu_op", "aten::relu", 120, 50, R"("External id":1)") + "," +
    HostSlice("cuda_runtime", "cudaLaunchKernel", 130, 5, R"("correlation":1)") + "," +
    HostSlice("python_function", "main.py(30): b", 500, 100,
              R"("Python id":4,"Python parent id":1)") +
    "," + HostSlice("cpu_op", "aten::add", 510, 50, R"("External id":2)") + "," +
    HostSlice("cuda_runtime", "cudaLaunchKernel", 520, 5, R"("correlation":2)") + "," +
    R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":300,"dur":30,"args":{"stream":7,"device":0,"correlation":1}},)"
    R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":600,"dur":10,"args":{"stream":7,"device":0,"correlation":2}})";

std::string Path(const StackTree& tree, uint32_t node) {
  std::string text;
  for (uint32_t at = node; at != 0 && at != kNone; at = tree.nodes[at].parent) {
    text = std::string(tree.frames.Get(tree.nodes[at].frame)) + (text.empty() ? "" : " > ") + text;
  }
  return text;
}

std::string Leaves(const StackTree& tree) {
  std::string text;
  for (uint32_t i = 1; i < tree.nodes.size(); ++i) {
    if (tree.nodes[i].self > 0)
      text += Path(tree, i) + " = " + std::to_string(tree.nodes[i].self / 1000) + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("device time stands at the stack of its launch") {
  const auto model = LoadEvents(kCalls);
  auto tree = AnalyzeStacks(*model, {}, {});
  REQUIRE(tree.ok());
  CHECK(tree->recorded);
  CHECK(tree->nodes[0].total == 40'000);
  CHECK(Leaves(*tree) ==
        "main.py(1): main > main.py(20): a > torch/nn/functional.py(5): relu = 30\n"
        "main.py(1): main > main.py(30): b = 10\n");
}

TEST_CASE("library frames fold into their caller") {
  const auto model = LoadEvents(kCalls);
  StackOptions options;
  options.fold_library = true;
  auto tree = AnalyzeStacks(*model, options, {});
  REQUIRE(tree.ok());
  CHECK(Leaves(*tree) ==
        "main.py(1): main > main.py(20): a = 30\nmain.py(1): main > main.py(30): b = 10\n");
}

TEST_CASE("where all frames are of libraries, they are shown") {
  std::string calls = kCalls;
  for (size_t at = 0; (at = calls.find("main.py", at)) != std::string::npos;)
    calls.replace(at, 7, "vllm/run.py");
  const auto model = LoadEvents(calls);
  StackOptions options;
  options.fold_library = true;
  auto tree = AnalyzeStacks(*model, options, {});
  REQUIRE(tree.ok());
  CHECK(Leaves(*tree) ==
        "vllm/run.py(1): main > vllm/run.py(20): a > torch/nn/functional.py(5): relu = 30\n"
        "vllm/run.py(1): main > vllm/run.py(30): b = 10\n");
  // A search without matches finds nothing, and does not change what is folded.
  options.filter = "relu";
  tree = AnalyzeStacks(*LoadEvents(kCalls), options, {});
  REQUIRE(tree.ok());
  CHECK(Leaves(*tree).empty());
}

TEST_CASE("bottom-up keeps the whole and puts callees at the root") {
  const auto model = LoadEvents(kCalls);
  StackOptions options;
  options.bottom_up = true;
  auto tree = AnalyzeStacks(*model, options, {});
  REQUIRE(tree.ok());
  CHECK(tree->nodes[0].total == 40'000);
  CHECK(Leaves(*tree) ==
        "torch/nn/functional.py(5): relu > main.py(20): a > main.py(1): main = 30\n"
        "main.py(30): b > main.py(1): main = 10\n");
}

TEST_CASE("a search keeps whole stacks that hold the text") {
  const auto model = LoadEvents(kCalls);
  StackOptions options;
  options.filter = "RELU";
  auto tree = AnalyzeStacks(*model, options, {});
  REQUIRE(tree.ok());
  CHECK(tree->nodes[0].total == 30'000);
}

TEST_CASE("host time is each function's own time") {
  const auto model = LoadEvents(kCalls);
  StackOptions options;
  options.weight = StackWeight::kHost;
  auto tree = AnalyzeStacks(*model, options, {});
  REQUIRE(tree.ok());
  CHECK(tree->nodes[0].total == 1'000'000);
  CHECK(Leaves(*tree) ==
        "main.py(1): main = 600\n"
        "main.py(1): main > main.py(20): a = 100\n"
        "main.py(1): main > main.py(20): a > torch/nn/functional.py(5): relu = 200\n"
        "main.py(1): main > main.py(30): b = 100\n");
}

TEST_CASE(
    "recorded strings serve where there are no frames, and recursion counts once in the table") {
  const auto model =
      LoadEvents(HostSlice("cpu_op", "aten::relu", 100, 50,
                           R"("Call stack":"net.py(7): f;net.py(9): f;main.py(3): <module>")"));
  StackOptions options;
  options.weight = StackWeight::kHost;
  auto tree = AnalyzeStacks(*model, options, {});
  REQUIRE(tree.ok());
  CHECK(tree->strings);
  CHECK(Leaves(*tree) == "main.py(3): <module> > net.py(9): f > net.py(7): f = 50\n");
  const Table table = StackTable(*tree);
  CHECK(table.rows.size() == 3);
}

TEST_CASE("a trace without stacks says so") {
  const auto model = LoadEvents(HostSlice("cpu_op", "aten::relu", 100, 50));
  auto tree = AnalyzeStacks(*model, {}, {});
  REQUIRE(tree.ok());
  CHECK_FALSE(tree->recorded);
  CHECK(tree->nodes.size() == 1);
}
