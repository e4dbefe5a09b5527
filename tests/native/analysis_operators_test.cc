#include "analysis/features.h"
#include "analysis/operators.h"
#include "drawn.h"

using namespace emberline;
using namespace emberline::drawn;

namespace {

OperatorData OperatorsOf(const Loaded& m, OperatorGrouping grouping = OperatorGrouping::kName,
                         const StepSelection& selection = {}) {
  auto result = AnalyzeOperators(*m, selection, grouping, TensorCoreRules(VendorOf(*m)), {});
  REQUIRE(result.ok());
  for (const OperatorRow& row : result->rows) {
    CHECK(row.device_self <= row.device_total);
    CHECK(row.matrix_self <= row.kernel_self);
    CHECK(row.kernel_self <= row.device_self);
  }
  return *result;
}

const OperatorRow& Row(const Loaded& m, const OperatorData& data, const std::string& name) {
  for (const OperatorRow& row : data.rows) {
    if (m->store().strings().Get(row.name) == name) return row;
  }
  FAIL("no row " << name);
  return data.rows[0];
}

bool Has(const Loaded& m, const OperatorData& data, const std::string& name) {
  for (const OperatorRow& row : data.rows) {
    if (m->store().strings().Get(row.name) == name) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("operators sum self and total on both sides", "[operators]") {
  Drawing d;
  for (int i = 0; i < 2; ++i) {
    d.Op("aten::linear", i * 200, 100);
    d.Op("aten::addmm", i * 200 + 10, 60);
    d.Launch(i + 1, i * 200 + 20, 10);
    d.Kernel("gemm", i + 1, i * 200 + 50, 40);
  }
  const Loaded m = Load(d);
  const OperatorData data = OperatorsOf(m);
  const OperatorRow& linear = Row(m, data, "aten::linear");
  const OperatorRow& addmm = Row(m, data, "aten::addmm");
  CHECK(linear.calls == 2);
  CHECK(linear.host_total == 200 * kUs);
  CHECK(linear.host_self == 80 * kUs);
  CHECK(linear.device_self == 0);
  CHECK(linear.device_total == 80 * kUs);
  CHECK(addmm.host_self == 100 * kUs);  // runtime calls apart
  CHECK(addmm.device_self == 80 * kUs);
  CHECK(m->store().strings().Get(data.rows[0].name) == "aten::addmm");  // by device self
}

TEST_CASE("a call that only repeats itself inside counts once, with the launches of both (B14)",
          "[operators]") {
  Drawing d;
  d.Op("aten::add", 0, 100);
  d.Launch(1, 5, 5);
  d.Op("aten::add", 20, 70);
  d.Launch(2, 30, 10);
  d.Op("aten::empty", 50, 10);
  d.Kernel("a", 1, 100, 7);
  d.Kernel("b", 2, 110, 5);
  const Loaded m = Load(d);
  const OperatorData data = OperatorsOf(m);
  const OperatorRow& add = Row(m, data, "aten::add");
  CHECK(add.calls == 1);
  CHECK(add.host_total == 100 * kUs);
  CHECK(add.host_self == 75 * kUs);
  CHECK(add.device_self == 12 * kUs);
  CHECK(add.device_total == 12 * kUs);
}

TEST_CASE("the same name with something between is another call", "[operators]") {
  Drawing d;
  d.Op("f", 0, 100);
  d.Op("f", 10, 20);
  d.Op("g", 50, 20);
  const Loaded m = Load(d);
  CHECK(Row(m, OperatorsOf(m), "f").calls == 2);
}

TEST_CASE("a call somewhere inside a call of its row adds nothing to the totals (L2)",
          "[operators]") {
  Drawing d;
  const std::string stack = "\"Call stack\":\"/home/u/net.py(12): forward\"";
  d.Op("f", 0, 100, stack);
  d.Op("g", 10, 60);
  d.Op("f", 20, 30, stack);
  d.Launch(1, 25, 5);
  d.Op("h", 80, 10);
  d.Op("f", 200, 50, stack);  // beside, not inside
  d.Launch(2, 210, 5);
  d.Op("f", 225, 5, stack);
  d.Op("h", 232, 5);
  d.Kernel("a", 1, 300, 7);
  d.Kernel("b", 2, 310, 5);
  const Loaded m = Load(d);
  const OperatorData data = OperatorsOf(m);
  const OperatorRow& f = Row(m, data, "f");
  CHECK(f.calls == 4);
  CHECK(f.host_total == 150 * kUs);
  CHECK(f.device_self == 12 * kUs);
  CHECK(f.device_total == 12 * kUs);
  CHECK(f.kernel_total == 12 * kUs);
  const auto stacks = StacksOfOperator(*m, {}, "f", "", StackIds(*m), {});
  REQUIRE(stacks.ok());
  REQUIRE(stacks->size() == 1);
  CHECK((*stacks)[0].calls == 4);
  CHECK((*stacks)[0].host_total == 150 * kUs);
  CHECK((*stacks)[0].device_total == 12 * kUs);
}

TEST_CASE("ranges and wrappers are no operators", "[operators]") {
  Drawing d;
  d.Step(1, 0, 500);
  d.Op("Optimizer.step#SGD.step", 0, 50);
  d.Op("DistributedDataParallel.forward", 60, 50);
  d.Op("aten::mm", 70, 10);
  d.Op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 120, 10);
  d.Op("autograd::engine::evaluate_function: MmBackward0", 200, 20);
  d.Annotation("my range", 300, 20);
  const Loaded m = Load(d);
  const OperatorData data = OperatorsOf(m);
  CHECK(data.rows.size() == 2);
  CHECK(Has(m, data, "aten::mm"));
  CHECK(Has(m, data, "autograd::engine::evaluate_function: MmBackward0"));
}

TEST_CASE("rows by shapes", "[operators]") {
  Drawing d;
  d.Op("aten::mm", 0, 10, "\"Input Dims\":[[2,3],[3,4]]");
  d.Op("aten::mm", 20, 10, "\"Input Dims\":[[2,3],[3,4]]");
  d.Op("aten::mm", 40, 10, "\"Input Dims\":[[8, 3], []]");
  d.Op("aten::relu", 60, 10);
  const Loaded m = Load(d);
  const OperatorData data = OperatorsOf(m, OperatorGrouping::kNameAndShapes);
  CHECK(data.rows.size() == 3);
  CHECK(OperatorsOf(m).rows.size() == 2);
  const Table table = OperatorTable(*m, data, OperatorGrouping::kNameAndShapes);
  const auto shapes = static_cast<size_t>(table.ColumnIndex("inputShapes"));
  std::vector<std::string> texts;
  for (const auto& row : table.rows) {
    REQUIRE(row.size() == table.columns.size());
    if (const auto* text = std::get_if<std::string>(&row[shapes])) texts.push_back(*text);
  }
  std::sort(texts.begin(), texts.end());
  CHECK(texts == std::vector<std::string>{"[[2, 3], [3, 4]]", "[[8, 3], []]"});
  CHECK(OperatorTable(*m, OperatorsOf(m), OperatorGrouping::kName).ColumnIndex("inputShapes") ==
        -1);
}

TEST_CASE("tensor core shares leave copies out (B44), eligible means any call (B43)",
          "[operators]") {
  Drawing d(kV100);
  d.Op("aten::to", 0, 10);
  d.Op("aten::to", 20, 50);
  d.Op("aten::conv2d", 30, 20);
  d.Launch(1, 32, 2);
  d.Launch(2, 36, 2);
  d.Launch(3, 40, 2);
  d.Kernel("volta_h884cudnn_256x64", 1, 100, 30);
  d.Kernel("elementwise", 2, 140, 10);
  d.Device("gpu_memcpy", "Memcpy DtoD (Device -> Device)", 3, 160, 60);
  const Loaded m = Load(d);
  const OperatorData data = OperatorsOf(m);
  const OperatorRow& conv = Row(m, data, "aten::conv2d");
  CHECK(conv.device_self == 100 * kUs);
  CHECK(conv.kernel_self == 40 * kUs);
  CHECK(conv.matrix_self == 30 * kUs);
  CHECK(conv.eligible);
  const OperatorRow& to = Row(m, data, "aten::to");
  CHECK(to.eligible);  // through its child in the second call
  CHECK(to.matrix_total == 30 * kUs);
  const Table table = OperatorTable(*m, data, OperatorGrouping::kName);
  for (const auto& row : table.rows) {
    if (std::get<std::string>(row[0]) != "aten::conv2d") continue;
    CHECK(std::get<double>(row[static_cast<size_t>(table.ColumnIndex("tensorCoreSelf"))]) ==
          Approx(0.75));
  }
}

TEST_CASE("no tensor core share of own kernels whose names do not tell", "[operators]") {
  Drawing d(kV100);
  d.Op("aten::linear", 0, 50);
  d.Op("aten::addmm", 10, 20);
  d.Launch(1, 12, 2);
  d.Launch(2, 40, 2);  // of linear itself
  d.Kernel("volta_h884gemm_256x64", 1, 100, 30);
  d.Kernel("fused_thing", 2, 140, 10);
  const Loaded m = Load(d);
  const OperatorData data = OperatorsOf(m);
  CHECK(Row(m, data, "aten::linear").unknown_self == 10 * kUs);
  const Table table = OperatorTable(*m, data, OperatorGrouping::kName);
  for (const auto& row : table.rows) {
    const Cell& self = row[static_cast<size_t>(table.ColumnIndex("tensorCoreSelf"))];
    const Cell& total = row[static_cast<size_t>(table.ColumnIndex("tensorCoreTotal"))];
    if (std::get<std::string>(row[0]) == "aten::linear") {
      CHECK(std::holds_alternative<std::monostate>(self));
      CHECK(std::get<double>(total) == Approx(0.75));
    } else {
      CHECK(std::get<double>(self) == Approx(1));
    }
  }
}

TEST_CASE("operators follow the selected steps", "[operators]") {
  Drawing d;
  d.Step(1, 0, 100);
  d.Step(2, 100, 100);
  d.Op("aten::a", 10, 10);
  d.Op("aten::a", 110, 20);
  d.Op("aten::b", 300, 5);
  const Loaded m = Load(d);
  CHECK(Row(m, OperatorsOf(m), "aten::a").calls == 2);
  CHECK(Has(m, OperatorsOf(m), "aten::b"));
  const OperatorData second = OperatorsOf(m, OperatorGrouping::kName, *ParseSteps(*m, "2"));
  CHECK(second.rows.size() == 1);
  CHECK(Row(m, second, "aten::a").host_total == 20 * kUs);
}

TEST_CASE("stacks from recorded strings", "[operators]") {
  Drawing d;
  const std::string outer =
      "\"Call stack\":\"/home/u/net.py(12): forward;/home/u/train.py(40): <module>\"";
  d.Op("aten::linear", 0, 10, outer);
  d.Op("aten::linear", 20, 10, outer);
  d.Op("aten::linear", 40, 10, "\"Call stack\":\"/home/u/train.py(50): <module>\"");
  d.Op("aten::linear", 60, 10);
  const Loaded m = Load(d);
  const OperatorData data = OperatorsOf(m);
  CHECK(Row(m, data, "aten::linear").stacks == 2);
  const auto stacks = StacksOfOperator(*m, {}, "aten::linear", "", StackIds(*m), {});
  REQUIRE(stacks.ok());
  REQUIRE(stacks->size() == 2);
  CHECK((*stacks)[0].calls == 2);
  CHECK((*stacks)[0].host_total == 20 * kUs);
  REQUIRE((*stacks)[0].frames.size() == 2);
  CHECK((*stacks)[0].frames[0].function == "forward");
  CHECK((*stacks)[0].frames[0].line == 12);
  CHECK_FALSE((*stacks)[0].frames[0].line_is_definition);
}

TEST_CASE("stacks from Python frames (B62); backward calls borrow their forward's", "[operators]") {
  Drawing d;
  d.Python("train.py(5): main", 0, 100);
  d.Python("nn.Module: Net_0", 5, 50);
  d.Python("net.py(20): forward", 6, 40);
  d.Op("aten::mul", 10, 10, "\"Sequence number\":1,\"Fwd thread id\":0");
  d.Op("autograd::engine::evaluate_function: MulBackward0", 200, 20,
       "\"Sequence number\":1,\"Fwd thread id\":1", "20");
  d.Op("aten::mul", 205, 10, "", "20");
  const Loaded m = Load(d);
  CHECK(Row(m, OperatorsOf(m), "aten::mul").stacks == 1);
  const auto stacks = StacksOfOperator(*m, {}, "aten::mul", "", StackIds(*m), {});
  REQUIRE(stacks.ok());
  REQUIRE(stacks->size() == 2);
  int lent = 0;
  for (const OperatorStack& stack : *stacks) {
    lent += stack.from_forward;
    CHECK(stack.calls == 1);
    REQUIRE(stack.frames.size() == 2);
    CHECK(stack.frames[0].function == "forward");
    CHECK(stack.frames[0].line_is_definition);
  }
  CHECK(lent == 1);
  const auto none = StacksOfOperator(*m, {}, "aten::none", "", StackIds(*m), {});
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().kind == ErrorKind::kNotFound);
}

TEST_CASE("a trace without operators has an empty table (B54)", "[operators]") {
  Drawing d;
  d.Kernel("k", 1, 0, 10);
  const Loaded m = Load(d);
  CHECK(OperatorsOf(m).rows.empty());
}

TEST_CASE("backward operators stay, whatever their forward operator is (B8)", "[operators]") {
  Drawing d;
  d.Step(1, 0, 400);
  d.Python("nn.Module: Net_0", 0, 100, "\"Python id\":1");
  d.Op("aten::mul", 10, 20);
  d.Op("aten::mse_loss", 120, 20);  // outside of every module
  const auto backward = [&d](const char* node, const char* inner, int correlation, double ts) {
    d.Op(std::string("autograd::engine::evaluate_function: ") + node, ts, 40, "", "20");
    d.Op(inner, ts + 5, 30, "", "20");
    d.Launch(correlation, ts + 10, 2, "", "cuda_runtime", "20");
    d.Kernel("k", correlation, ts + 15, 7);
  };
  backward("MulBackward0", "aten::mul_backward", 1, 200);
  backward("MseLossBackward0", "aten::mse_loss_backward", 2, 250);
  backward("UnlinkedBackward0", "aten::unlinked_backward", 3, 300);
  d.Flow("s", 1, 10, "10");
  d.Flow("f", 1, 200, "20");
  d.Flow("s", 2, 120, "10");
  d.Flow("f", 2, 250, "20");
  const Loaded m = Load(d);
  const OperatorData data = OperatorsOf(m);
  CHECK(data.rows.size() == 8);
  for (const char* name :
       {"aten::mul_backward", "aten::mse_loss_backward", "aten::unlinked_backward"}) {
    INFO(name);
    CHECK(Row(m, data, name).calls == 1);
    CHECK(Row(m, data, name).device_self == 7 * kUs);
  }
}

TEST_CASE("a stack without text is none, and takes no column", "[operators]") {
  for (const std::string stack : {"", "/home/u/net.py(12): forward"}) {
    Drawing d;
    d.Op("aten::mm", 0, 10, "\"Call stack\":\"" + stack + "\"");
    const Loaded m = Load(d);
    CHECK(FindFeatures(*m).stacks == !stack.empty());
    const Table table = OperatorTable(*m, OperatorsOf(m), OperatorGrouping::kName);
    CHECK(table.columns[table.ColumnIndex("stacks")].hidden == stack.empty());
  }
}

TEST_CASE("the share is of device time where an operator has some, else of host time",
          "[operators]") {
  for (const bool linked : {true, false}) {
    Drawing d;
    d.Op("aten::mm", 0, 10);
    if (linked) d.Launch(1, 2, 1);
    d.Op("aten::relu", 20, 30);
    d.Kernel("gemm", 1, 60, 5);
    const Loaded m = Load(d);
    const Table table = OperatorTable(*m, OperatorsOf(m), OperatorGrouping::kName);
    const char* self = linked ? "deviceSelfUs" : "hostSelfUs";
    CHECK(table.ColumnIndex("share") == table.ColumnIndex(self) + 1);
    const std::string first = linked ? "aten::mm" : "aten::relu";
    const double part = linked ? 1 : 0.75;
    for (const std::vector<Cell>& row : table.rows) {
      CHECK(NumberIn(table, row, "share") ==
            (TextIn(table, row, "name") == first ? part : 1 - part));
    }
  }
}
