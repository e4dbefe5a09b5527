#include <catch2/catch.hpp>
#include <string>

#include "compare/step_tree.h"
#include "drawn.h"

using namespace emberline;
using namespace emberline::drawn;

namespace {

// Checks the ends, the device times and the children of a tree against what the slices say.
void CheckAgainstSlices(const Model& model, const StepTree& tree) {
  const TraceStore& s = model.store();
  for (uint32_t node = 1; node < tree.size(); ++node) {
    const SliceIndex slice = tree.slices[node];
    if (slice == kNone || tree.KindOf(node) == StepNodeKind::kStep) continue;
    uint32_t end = node + 1;
    while (end < tree.size() && tree.slices[end] != kNone &&
           s.start(tree.slices[end]) < s.end(slice)) {
      ++end;
    }
    REQUIRE(tree.EndOf(node) == end);
    REQUIRE(tree.IsLeaf(node) == (end == node + 1));
    uint32_t next = node + 1;
    for (const uint32_t child : tree.ChildrenOf(node)) {
      REQUIRE(child == next);
      next = tree.EndOf(child);
    }
    REQUIRE(next == end);
  }
}

StepTree TreeOf(const Model& model) {
  Result<StepTree> tree = BuildStepTree(model, StepSelection{}, CancelToken());
  REQUIRE(tree.ok());
  return std::move(tree.value());
}

}  // namespace

// How many nodes lie inside one takes a byte or two of most, and more of these.
TEST_CASE("a step, a module and an operator may hold more than 65,535 nodes") {
  for (const int count : {65'533, 65'534, 65'535, 65'536, 140'000}) {
    INFO(count);
    std::string events = drawn::HostSlice("user_annotation", "ProfilerStep#1", 0, 1'000'000);
    events += "," + drawn::HostSlice("python_function", "nn.Module: Net_0", 1, 999'990,
                                     R"("Python id":1)");
    events += "," + drawn::HostSlice("cpu_op", "aten::outer", 2, 999'980);
    for (int i = 0; i < count; ++i) {
      events += "," + drawn::HostSlice("cpu_op", i % 2 == 0 ? "aten::a" : "aten::b", 10 + i * 5, 4);
    }
    const auto model = drawn::LoadEvents(events);
    const StepTree tree = TreeOf(*model);
    // The root, the step, the module and the operator around all.
    REQUIRE(tree.size() == static_cast<size_t>(count) + 4);
    for (uint32_t node = 0; node < 4; ++node) CHECK(tree.EndOf(node) == tree.size());
    CHECK(tree.ChildrenOf(3).size() == static_cast<size_t>(count));
    CheckAgainstSlices(*model, tree);
  }
}

TEST_CASE("the tree of a step ends where its slices end, however they nest") {
  std::string events = drawn::HostSlice("user_annotation", "ProfilerStep#1", 0, 900);
  for (int i = 0; i < 20; ++i) {
    events += "," + drawn::HostSlice("cpu_op", "aten::deep", 10 + i, 400 - 2 * i);
    events += "," + drawn::HostSlice("cpu_op", "aten::flat", 500 + 10 * i, 9);
    events += "," + drawn::HostSlice("cpu_op", "aten::inside", 501 + 10 * i, 3);
  }
  const auto model = drawn::LoadEvents(events);
  CheckAgainstSlices(*model, TreeOf(*model));
}

// Two calls in a row whose recorded times overlap by a nanosecond, or by much: siblings.
TEST_CASE("what outlasts an open node stands beside it, and the step keeps all device work") {
  std::string events = drawn::HostSlice("user_annotation", "ProfilerStep#1", 0, 1000);
  events +=
      "," + drawn::HostSlice("user_annotation",
                             "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 1, 100);
  events +=
      "," + drawn::HostSlice("python_function", "nn.Module: Net_0", 98, 500, R"("Python id":1)");
  events += "," + drawn::HostSlice("cpu_op", "aten::mm", 200, 100);
  events +=
      "," + drawn::HostSlice("cuda_runtime", "cudaLaunchKernel", 210, 5, R"("correlation":7)");
  // Of a script's own kernel, outside of every operator.
  events += "," + drawn::HostSlice("cuda_runtime", "cuLaunchKernel", 700, 5, R"("correlation":8)");
  for (const int correlation : {7, 8}) {
    const std::string number = std::to_string(correlation);
    events += R"(,{"ph":"X","cat":"kernel","name":"sgemm","pid":0,"tid":7,"ts":8)" + number +
              R"(0,"dur":9,"args":{"device":0,"stream":7,"correlation":)" + number + "}}";
  }
  const auto model = drawn::LoadEvents(events);
  const StepTree tree = TreeOf(*model);
  const std::vector<uint32_t> children = tree.ChildrenOf(1);
  REQUIRE(children.size() == 2);
  CHECK(tree.KindOf(children[0]) == StepNodeKind::kDataLoader);
  CHECK(tree.IsLeaf(children[0]));
  CHECK(tree.KindOf(children[1]) == StepNodeKind::kModule);
  CHECK(tree.DeviceOf(*model, children[0]) == 0);
  CHECK(tree.DeviceOf(*model, children[1]) == 9000);
  CHECK(tree.DeviceOf(*model, 1) == 18000);
  CHECK(tree.DeviceOf(*model, 0) == 18000);
}

TEST_CASE("launched device work adds up over any range of slices", "[compare]") {
  Drawing d;
  for (int i = 0; i < 700; ++i) {
    d.Op("aten::mm", i * 10, 9);
    if (i % 3 == 0) continue;
    d.Launch(i + 1, i * 10 + 1, 1);
    d.Kernel("gemm", i + 1, 8000 + i * 10, 1 + i % 7);
  }
  const Loaded m = Load(d);
  const TraceStore& s = m->store();
  const LaunchedWork launched(*m);
  const auto rows = static_cast<SliceIndex>(m->launched.rows());
  std::vector<Ns> sums = {0};
  for (SliceIndex i = 0; i < rows; ++i) {
    Ns sum = 0;
    for (const uint32_t work : m->launched[i]) sum += s.duration(work);
    sums.push_back(sums.back() + sum);
  }
  REQUIRE(rows > 600);
  REQUIRE(sums.back() > 0);
  for (SliceIndex first = 0; first < rows; first += 37) {
    for (SliceIndex end = first; end <= rows + 1; end += 41) {
      if (launched.Between(*m, first, end) != sums[std::min(end, rows)] - sums[first]) {
        FAIL("from " << first << " to " << end);
      }
    }
  }
}
