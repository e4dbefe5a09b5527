#include <catch2/catch.hpp>

#include "analysis/modules.h"
#include "drawn.h"
#include "module_node.h"

using namespace emberline;

namespace {

using drawn::HostSlice;
using drawn::LoadEvents;

std::string Kernel(int ts, int dur, int correlation) {
  return R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":)" + std::to_string(ts) +
         R"(,"dur":)" + std::to_string(dur) + R"(,"args":{"stream":7,"device":0,"correlation":)" +
         std::to_string(correlation) + "}}";
}

std::string Launch(int ts, int correlation) {
  return HostSlice("cuda_runtime", "cudaLaunchKernel", ts, 2,
                   R"("correlation":)" + std::to_string(correlation));
}

// Net_0 100..300 calls Linear_0 twice; each Linear runs aten::linear with one kernel of 20 us.
const std::string kNet =
    HostSlice("python_function", "nn.Module: Net_0", 100, 200, R"("Python id":1)") + "," +
    HostSlice("python_function", "net.py(5): forward", 101, 198,
              R"("Python id":2,"Python parent id":1)") +
    "," +
    HostSlice("python_function", "nn.Module: Linear_0", 110, 40,
              R"("Python id":3,"Python parent id":2)") +
    "," + HostSlice("cpu_op", "aten::linear", 115, 20, R"("External id":1)") + "," +
    Launch(120, 1) + "," +
    HostSlice("python_function", "nn.Module: Linear_0", 200, 40,
              R"("Python id":4,"Python parent id":2)") +
    "," + HostSlice("cpu_op", "aten::linear", 205, 20, R"("External id":2)") + "," +
    Launch(210, 2) + "," + HostSlice("cpu_op", "aten::add", 260, 10, R"("External id":3)") + "," +
    Launch(262, 3) + "," + Kernel(400, 20, 1) + "," + Kernel(430, 20, 2) + "," + Kernel(460, 5, 3);

}  // namespace

TEST_CASE("calls of a module along one path share a node; parts add up (B17)") {
  const auto model = LoadEvents(kNet);
  auto tree = AnalyzeModules(*model, {}, nullptr, {});
  REQUIRE(tree.ok());
  CHECK(tree->source == ModuleSource::kPythonModules);
  REQUIRE(tree->roots.size() == 1);
  REQUIRE(tree->nodes.size() == 2);
  const ModuleNode& net = Node(*tree, "Net_0");
  const ModuleNode& linear = Node(*tree, "Linear_0");
  CHECK(net.class_name == "Net");
  CHECK(net.occurrences == 1);
  CHECK(net.host_total == 200'000);
  CHECK(net.host_self == 120'000);
  CHECK(net.device_total == 45'000);
  CHECK(net.device_self == 5'000);
  CHECK(net.operators == 1);
  CHECK(net.file == "net.py");
  CHECK(net.line == 5);
  CHECK(linear.occurrences == 2);
  CHECK(linear.operators == 2);
  CHECK(linear.host_total == 80'000);
  CHECK(linear.device_total == 40'000);
}

TEST_CASE("a module whose sub-calls vary is one root, and each sub-module has its own sums (B17)") {
  const auto call = [](int id, int ts, const char* child) {
    return HostSlice("python_function", "nn.Module: Net_0", ts, 100,
                     R"("Python id":)" + std::to_string(id)) +
           "," +
           HostSlice("python_function", std::string("nn.Module: ") + child, ts + 10, 50,
                     R"("Python id":)" + std::to_string(id + 1) + R"(,"Python parent id":)" +
                         std::to_string(id));
  };
  const auto model =
      LoadEvents(call(1, 0, "Even_0") + "," + call(3, 200, "Odd_1") + "," + call(5, 400, "Even_0"));
  auto tree = AnalyzeModules(*model, {}, nullptr, {});
  REQUIRE(tree.ok());
  REQUIRE(tree->roots.size() == 1);
  CHECK(tree->nodes.size() == 3);
  CHECK(Node(*tree, "Net_0").occurrences == 3);
  CHECK(Node(*tree, "Net_0").host_total == 300'000);
  CHECK(Node(*tree, "Even_0").host_total == 100'000);
  CHECK(Node(*tree, "Odd_1").host_total == 50'000);
}

TEST_CASE("backward work stands beside its forward module") {
  const std::string backward =
      R"({"ph":"X","cat":"cpu_op","name":"autograd::engine::evaluate_function: AddmmBackward0","pid":1,"tid":2,"ts":500,"dur":50,"args":{"External id":9,"Sequence number":77,"Fwd thread id":1}},)"
      R"({"ph":"X","cat":"cpu_op","name":"AddmmBackward0","pid":1,"tid":2,"ts":505,"dur":40,"args":{"External id":10,"Sequence number":77,"Fwd thread id":1}},)"
      R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":2,"ts":510,"dur":2,"args":{"correlation":9}},)"
      R"({"ph":"s","id":5,"pid":1,"tid":1,"ts":115,"cat":"fwdbwd","name":"fwdbwd"},)"
      R"({"ph":"f","id":5,"pid":1,"tid":2,"ts":505,"cat":"fwdbwd","name":"fwdbwd","bp":"e"},)" +
      Kernel(600, 33, 9);
  const auto model = LoadEvents(kNet + "," + backward);
  auto tree = AnalyzeModules(*model, {}, nullptr, {});
  REQUIRE(tree.ok());
  const ModuleNode& linear = Node(*tree, "Linear_0");
  CHECK(linear.backward_device_total == 33'000);
  CHECK(linear.device_total == 40'000);
  CHECK(Node(*tree, "Net_0").backward_device_total == 33'000);
  CHECK(Node(*tree, "Net_0").backward_device_self == 0);
}

TEST_CASE("a trace without module calls has an empty tree") {
  const auto model = LoadEvents(HostSlice("cpu_op", "aten::add", 1, 2));
  auto tree = AnalyzeModules(*model, {}, nullptr, {});
  REQUIRE(tree.ok());
  CHECK(tree->nodes.empty());
  CHECK_FALSE(HasModules(*model));
  CHECK_FALSE(HasLightning(*model));
}

TEST_CASE("B50: Lightning's ranges count as operators and as annotations, by dotted path") {
  const char* kind = GENERATE("cpu_op", "user_annotation");
  const auto model = LoadEvents(
      HostSlice(kind, "[pl][profile]run_training_batch", 10, 100) + "," +
      HostSlice(kind, "[pl][module]net.Encoder: encoder", 20, 50) + "," +
      HostSlice(kind, "[pl][module]torch.nn.modules.linear.Linear: encoder.layer.1", 30, 20) + "," +
      HostSlice("cpu_op", "aten::linear", 32, 10));
  CHECK(HasLightning(*model));
  auto result = AnalyzeLightning(*model, {}, nullptr, {});
  REQUIRE(result.ok());
  REQUIRE(result->modules.roots.size() == 1);
  const ModuleNode& encoder = Node(result->modules, "encoder");
  REQUIRE(encoder.children.size() == 1);
  const ModuleNode& linear = result->modules.nodes[encoder.children[0]];
  CHECK(linear.name == "encoder.layer.1");
  CHECK(linear.class_name == "torch.nn.modules.linear.Linear");
  CHECK(linear.operators == 1);
  CHECK(encoder.host_self == 30'000);
  REQUIRE(result->hooks.nodes.size() == 1);
  CHECK(result->hooks.nodes[0].name == "run_training_batch");
}

TEST_CASE("B51: no hooks give an empty tree, not an error") {
  const auto model = LoadEvents(HostSlice("cpu_op", "[pl][module]a.B: b", 1, 2));
  auto result = AnalyzeLightning(*model, {}, nullptr, {});
  REQUIRE(result.ok());
  CHECK(result->hooks.nodes.empty());
  CHECK(result->modules.nodes.size() == 1);
}

TEST_CASE("TorchScript's Module Hierarchy makes a tree") {
  const auto model = LoadEvents(
      HostSlice("cpu_op", "aten::conv2d", 1, 20, R"("Module Hierarchy":"Net.conv1")") + "," +
      HostSlice("cpu_op", "aten::convolution", 2, 10, R"("Module Hierarchy":"Net.conv1")"));
  auto tree = AnalyzeModules(*model, {}, nullptr, {});
  REQUIRE(tree.ok());
  CHECK(tree->source == ModuleSource::kModuleHierarchy);
  REQUIRE(tree->nodes.size() == 1);
  CHECK(tree->nodes[0].name == "Net.conv1");
  CHECK(tree->nodes[0].host_total == 20'000);
}
