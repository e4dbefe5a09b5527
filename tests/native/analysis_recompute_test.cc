// Recomputation in the views: modules, stacks.
#include <catch2/catch.hpp>

#include "analysis/host_nesting.h"
#include "analysis/modules.h"
#include "analysis/stacks.h"
#include "checkpointed.h"
#include "module_node.h"

using namespace emberline;
using namespace emberline::drawn;

namespace {

std::string NamesOnPath(const StackTree& tree, uint32_t node) {
  std::string text;
  for (uint32_t at = node; at != 0 && at != kNone; at = tree.nodes[at].parent) {
    const std::string frame(tree.frames.Get(tree.nodes[at].frame));
    text = frame.substr(0, frame.find('(')) + (text.empty() ? "" : " > ") + text;
  }
  return text;
}

StackTree Stacks(const Model& model, StackWeight weight, bool fold = true) {
  StackOptions options;
  options.weight = weight;
  options.fold_library = fold;
  auto tree = AnalyzeStacks(model, options, {});
  REQUIRE(tree.ok());
  return std::move(*tree);
}

}  // namespace

TEST_CASE("a module's row has what ran again of it, beside backward") {
  for (const CheckpointKind kind : kCheckpointKinds) {
    INFO("reentrant " << kind.reentrant << ", frames " << kind.frames);
    const Loaded m = Load(DrawCheckpointed(kind).drawing);
    const auto tree = AnalyzeModules(*m, {}, nullptr, {});
    REQUIRE(tree.ok());
    REQUIRE(tree->nodes.size() == 2);  // no row of its own for the second run
    const ModuleNode& net = Node(*tree, "Net_0");
    const ModuleNode& block = Node(*tree, "Block_0");
    CHECK(block.occurrences == 1);
    CHECK(block.recomputed == (kind.frames ? 1u : 0u));
    CHECK(block.device_self == 30 * kUs);
    CHECK(block.recompute_device_self == 32 * kUs);
    CHECK(block.backward_device_self == 30 * kUs);
    CHECK(net.device_self == 5 * kUs);
    CHECK(net.recompute_device_self == 0);
    CHECK(net.recompute_device_total == 32 * kUs);
    CHECK(net.backward_device_total == 37 * kUs);
    // Host time: the block's second run is no part of the node that it ran in.
    CHECK(block.host_total == 160 * kUs);
    CHECK(block.recompute_host == (kind.frames ? 320 * kUs : 220 * kUs));
    CHECK(net.recompute_host == block.recompute_host);
    CHECK(net.host_total == 290 * kUs);
  }
}

TEST_CASE("what ran again stands below its checkpoint") {
  for (const CheckpointKind kind : kCheckpointKinds) {
    INFO("reentrant " << kind.reentrant << ", frames " << kind.frames);
    const Loaded m = Load(DrawCheckpointed(kind).drawing);
    const StackTree tree = Stacks(*m, StackWeight::kDevice);
    CHECK(tree.nodes[0].total == 104 * kUs);
    Ns again = 0;
    for (uint32_t i = 1; i < tree.nodes.size(); ++i) {
      const StackNode& node = tree.nodes[i];
      if (node.kind != StackNodeKind::kRecompute) continue;
      again += node.total;
      CHECK(NamesOnPath(tree, i) == "train.py > net.py > recompute");
      REQUIRE(node.children.size() == 1);
      CHECK(NamesOnPath(tree, node.children[0]) == "train.py > net.py > recompute > block.py");
    }
    CHECK(again == 32 * kUs);
  }
}

TEST_CASE("by host time every operator counts once, with or without frames around it") {
  for (const CheckpointKind kind : kCheckpointKinds) {
    INFO("reentrant " << kind.reentrant << ", frames " << kind.frames);
    const Loaded m = Load(DrawCheckpointed(kind).drawing);
    HostNesting nesting;
    REQUIRE(NestHostWork(m->store(), {}, &nesting));
    Ns all = 0, again = 0;
    for (SliceIndex i = 0; i < m->store().slice_count(); ++i) {
      all += nesting.exclusive[i];
      if (m->pass[i] == Pass::kRecompute) again += nesting.exclusive[i];
    }
    const StackTree tree = Stacks(*m, StackWeight::kHost);
    CHECK(tree.nodes[0].total == all);
    Ns marked = 0;
    for (const StackNode& node : tree.nodes) {
      if (node.kind == StackNodeKind::kRecompute) marked += node.total;
    }
    CHECK(marked == again);
  }
}

TEST_CASE("the main thread leads the host flame graph, others are folded behind it") {
  Drawing d;
  d.Step(1, 0, 100);
  d.Python("train.py(1): main", 0, 100);
  d.Op("aten::mm", 10, 50);
  d.Python("threading.py(1): _bootstrap", 0, 1000, "", "30");
  d.Python("tqdm/_monitor.py(60): run", 10, 980, "", "30");
  const Loaded m = Load(d);
  const StackTree tree = Stacks(*m, StackWeight::kHost, false);
  REQUIRE(tree.nodes[0].children.size() == 2);
  const StackNode& first = tree.nodes[tree.nodes[0].children[0]];
  const StackNode& second = tree.nodes[tree.nodes[0].children[1]];
  CHECK(tree.frames.Get(first.frame) == "train.py(1): main");
  CHECK(second.kind == StackNodeKind::kThreads);
  CHECK(second.total == 1000 * kUs);
  CHECK(tree.nodes[0].total == 1100 * kUs);
  // Threads are no functions.
  for (const auto& row : StackTable(tree).rows)
    CHECK(std::get<std::string>(row[0]).find("thread") == std::string::npos);
}
