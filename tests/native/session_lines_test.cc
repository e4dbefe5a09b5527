// Lines of small drawn traces: frames, backward, kernels, memory, idle time, exact lines, edits.
#include <array>
#include <fstream>
#include <latch>
#include <map>
#include <random>
#include <thread>

#include "line_trace.h"

namespace emberline {
namespace {

const std::string kSource =
    "def step(model, x):\n"       // 1
    "    y = model(x)\n"          // 2
    "    z = y.relu()\n"          // 3
    "    loss = (z @ y).sum()\n"  // 4
    "    loss.backward()\n"       // 5
    "    return loss.item()\n"    // 6
    "\n"
    "def main():\n"            // 8
    "    for x in data():\n"   // 9
    "        step(net, x)\n";  // 10

// One step: relu with a kernel forward (10 us) and backward (30 us), matmul (20 us), .item() waits.
std::vector<std::string> StepEvents() {
  return {
      Py("prog.py(8): main", 0, 1000),
      Py("prog.py(1): step", 10, 900),
      Py("torch/nn/modules/module.py(1500): _call_impl", 20, 100),
      Py("nn.Module: Net_0", 21, 98),
      Py("<built-in method relu of Tensor object at 0x7f00>", 150, 50),
      Op("aten::relu", 155, 40, "\"External id\":1,\"Sequence number\":5,\"Fwd thread id\":0"),
      Launch(160, 5, 100),
      Op("aten::matmul", 220, 40, "\"External id\":2"),
      Launch(230, 5, 101),
      Py("<built-in method sum of Tensor object at 0x7f01>", 280, 20),
      Py("torch/_tensor.py(400): backward", 320, 300),
      Py("<built-in method item of Tensor object at 0x7f02>", 700, 150),
      Event("cuda_runtime", "cudaStreamSynchronize", 710, 130),
      Op("autograd::engine::evaluate_function: ReluBackward0", 350, 60,
         "\"External id\":3,\"Sequence number\":5,\"Fwd thread id\":1", 2),
      Op("ReluBackward0", 352, 50, "\"External id\":4,\"Sequence number\":5,\"Fwd thread id\":1",
         2),
      Launch(360, 5, 102, 2),
      Kernel("relu_kernel", 200, 10, 100),
      Kernel("gemm", 240, 20, 101),
      Kernel("relu_backward", 400, 30, 102),
      "{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":1,"
      "\"tid\":1,\"ts\":170,"
      "\"args\":{\"Bytes\":4096,\"Addr\":64,\"Device Type\":1,\"Device Id\":0,\"Total "
      "Allocated\":4096,"
      "\"Total Reserved\":8192}}",
  };
}

TEST_CASE("forward and backward work of a line, and what only its function has") {
  const Folder folder;
  folder.Write("prog.py", kSource);
  const auto trace = Load(StepEvents());
  const auto data = Data(*trace, folder.Space());
  const LinesResult sums = Sums(*trace, *data);

  const LineCost relu = Row(*data, sums, 3, LineConfidence::kAligned);
  CHECK(relu.device_self == 40'000);  // 10 forward + 30 backward
  CHECK(relu.backward_device == 30'000);
  CHECK(relu.calls == 1);
  CHECK(relu.allocated_bytes == 4096);
  CHECK(relu.operators.front() == "ReluBackward0");
  const LineCost matmul = Row(*data, sums, 4, LineConfidence::kAligned);
  CHECK(matmul.device_self == 20'000);
  CHECK(matmul.backward_device == 0);
  CHECK(matmul.calls == 2);  // the operator and .sum()
  const LineCost item = Row(*data, sums, 6, LineConfidence::kAligned);
  CHECK(item.synchronization == 130'000);
  const LineCost call = Row(*data, sums, 10, LineConfidence::kAligned);
  CHECK(call.device_self == 0);
  CHECK(call.device_total == 60'000);
  CHECK(call.host_total >= 900'000);
  // Lines of Python between the calls stay with the function.
  CHECK(Row(*data, sums, 1, LineConfidence::kFunction).calls == 1);

  // Parts sum to the whole.
  Ns device = 0, host = 0;
  for (const LineCost& c : sums.rows) {
    device += c.device_self;
    host += c.host_self;
    CHECK(c.device_self <= c.device_total);
    CHECK(c.host_self <= c.host_total);
    CHECK(c.backward_device <= c.device_total);
  }
  CHECK(device == sums.totals.device);
  CHECK(sums.totals.line_device + sums.totals.function_device == device);
  CHECK(sums.totals.line_host + sums.totals.function_host == host);
  CHECK(host == sums.totals.host);
}

TEST_CASE("idle time of the device goes to what kept the host busy") {
  const Folder folder;
  folder.Write("prog.py", kSource);
  const auto trace = Load(StepEvents());
  const auto data = Data(*trace, folder.Space());
  const LinesResult sums = Sums(*trace, *data);
  Ns idle = 0;
  for (const LineCost& c : sums.rows) idle += c.idle;
  // From the end of relu (210) to the end of the matmul's launch (235); the later gap belongs to
  // the autograd thread, which did nothing of any line before its launch began at 350.
  CHECK(Row(*data, sums, 4, LineConfidence::kAligned).idle == 15'000);
  CHECK(idle >= 15'000);
  CHECK(idle <= 25'000 + 105'000);
}

TEST_CASE("without sources lines stay with their function") {
  const auto trace = Load(StepEvents());
  const auto data = Data(*trace, {});
  const LinesResult sums = Sums(*trace, *data);
  CHECK(data->attribution.has_stacks);
  CHECK(!data->attribution.has_sources);
  const LineCost step = Row(*data, sums, 1, LineConfidence::kFunction);
  CHECK(step.device_self == 60'000);
  CHECK(sums.totals.line_device == 0);
}

TEST_CASE("CallFrom is exact and needs no source") {
  std::vector<std::string> events = StepEvents();
  events[4] = Py("<built-in method relu of Tensor object at 0x7f00>", 150, 50,
                 "\"CallFrom\":\"prog.py:3\"");
  const auto trace = Load(events);
  const auto data = Data(*trace, {});
  const LinesResult sums = Sums(*trace, *data);
  CHECK(Row(*data, sums, 3, LineConfidence::kExact).device_self == 40'000);
}

TEST_CASE("recorded call stacks are exact") {
  const auto trace = Load({
      Op("aten::mul", 0, 100,
         "\"External id\":1,\"Call stack\":\"lib/python3.8/site-packages/torch/x.py(3): f;"
         "train.py(12): step;train.py(30): <module>\""),
      Launch(10, 5, 100),
      Kernel("mul", 50, 40, 100),
  });
  const auto data = Data(*trace, {});
  const LinesResult sums = Sums(*trace, *data);
  CHECK(Row(*data, sums, 12, LineConfidence::kExact).device_self == 40'000);
  CHECK(Row(*data, sums, 30, LineConfidence::kExact).device_self == 0);
  CHECK(Row(*data, sums, 30, LineConfidence::kExact).device_total == 40'000);
}

TEST_CASE("the call of backward has the device time of what it waits for") {
  const Folder folder;
  folder.Write("prog.py", kSource);
  std::vector<std::string> events = StepEvents();
  // A node that no forward op stands behind.
  events.push_back(Op("autograd::engine::evaluate_function: CopySlices", 450, 40, "", 2));
  events.push_back(Op("CopySlices", 455, 30, "", 2));
  events.push_back(Launch(460, 5, 103, 2));
  events.push_back(Kernel("accumulate", 470, 7, 103));
  const auto trace = Load(events);
  const auto data = Data(*trace, folder.Space());
  const LinesResult sums = Sums(*trace, *data);

  // relu's backward is the forward line's own, and part of what the call waited for.
  const LineCost relu = Row(*data, sums, 3, LineConfidence::kAligned);
  CHECK(relu.device_self == 40'000);
  CHECK(relu.backward_device == 30'000);
  const LineCost backward = Row(*data, sums, 5, LineConfidence::kAligned);
  CHECK(backward.device_total == 37'000);
  CHECK(backward.backward_device == 37'000);
  CHECK(backward.device_self == 7'000);
  // The caller waits while the other thread works: its time is not counted a second time.
  CHECK(backward.host_total == 300'000 + 40'000);
  // The line that calls all of it counts each kernel once, and so do the parts.
  CHECK(Row(*data, sums, 10, LineConfidence::kAligned).device_total == 67'000);
  Ns self = 0;
  for (const LineCost& c : sums.rows) self += c.device_self;
  CHECK(self == sums.totals.device);
  for (const LineGroup& g : sums.functions) CHECK(g.device == 67'000);
}

TEST_CASE("where two threads wait in backward, neither is charged with the other's work") {
  const Folder folder;
  folder.Write("prog.py", kSource);
  std::vector<std::string> events = StepEvents();
  const auto on_other = [](const std::string& name, double ts, double dur) {
    return Event("python_function", name, ts, dur, 3);
  };
  events.push_back(on_other("other.py(1): work", 300, 400));
  events.push_back(on_other("torch/_tensor.py(400): backward", 310, 380));
  const auto trace = Load(events);
  const auto data = Data(*trace, folder.Space());
  const LinesResult sums = Sums(*trace, *data);
  CHECK(Row(*data, sums, 5, LineConfidence::kAligned).device_total == 0);
  CHECK(Row(*data, sums, 3, LineConfidence::kAligned).device_self == 40'000);
}

// A program that captures a graph of two operators once and replays it twice.
const std::string kGraphSource =
    "def capture(x):\n"     // 1
    "    y = x.relu()\n"    // 2
    "    return y.exp()\n"  // 3
    "\n"
    "def main(x):\n"                 // 5
    "    graph = begin_capture()\n"  // 6
    "    capture(x)\n"               // 7
    "    end_capture(graph)\n"       // 8
    "    graph.replay()\n";          // 9

std::string Runtime(const std::string& name, double ts, double dur, int correlation) {
  return Event("cuda_runtime", name, ts, dur, 1, "\"correlation\":" + std::to_string(correlation));
}
std::string GraphKernel(const std::string& name, double ts, double dur, int correlation,
                        const std::string& more) {
  return "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" + name +
         "\",\"pid\":0,\"tid\":7,\"ts\":" + std::to_string(ts) + ",\"dur\":" + std::to_string(dur) +
         ",\"args\":{\"device\":0,\"stream\":7,\"correlation\":" + std::to_string(correlation) +
         more + "}}";
}
std::string Node(int graph, int node) {
  return ",\"graph id\":" + std::to_string(graph) + ",\"graph node id\":" + std::to_string(node);
}
// The capture and one replay at 500 with what `kernels` ran.
std::vector<std::string> GraphEvents(const std::vector<std::string>& kernels, bool second = false) {
  std::vector<std::string> events = {
      Py("prog.py(5): main", 0, 1000),
      Py("prog.py(20): begin_capture", 10, 20),
      Runtime("cudaStreamBeginCapture", 15, 5, 1),
      Py("prog.py(1): capture", 40, 200),
      Op("aten::relu", 50, 40, "\"External id\":1"),
      Launch(60, 5, 2),
      Op("aten::exp", 100, 40, "\"External id\":2"),
      Launch(110, 5, 3),
      Py("prog.py(30): end_capture", 250, 20),
      Runtime("cudaStreamEndCapture", 255, 5, 4),
      Py("torch/cuda/graphs.py(80): replay", 490, 50),
      Runtime("cudaGraphLaunch", 500, 20, 5),
  };
  if (second) {
    events.push_back(Runtime("cudaStreamBeginCapture", 300, 5, 11));
    events.push_back(Launch(310, 5, 12));
    events.push_back(Launch(320, 5, 13));
    events.push_back(Runtime("cudaStreamEndCapture", 330, 5, 14));
  }
  events.insert(events.end(), kernels.begin(), kernels.end());
  return events;
}

TEST_CASE("kernels of a graph belong to the lines that it was captured from") {
  const Folder folder;
  folder.Write("prog.py", kGraphSource);
  // Nodes of two streams may run in any order: the ids say which is which.
  for (const bool ids : {true, false}) {
    const auto node = [&](int n) { return ids ? Node(9, n) : std::string(); };
    const auto trace = Load(GraphEvents({
        GraphKernel("relu_kernel", 600, 10, 5, node(4)),
        GraphKernel("exp_kernel", 620, 30, 5, node(6)),
    }));
    const auto data = Data(*trace, folder.Space());
    const LinesResult sums = Sums(*trace, *data);
    const LineCost relu = Row(*data, sums, 2, LineConfidence::kAligned);
    CHECK(relu.device_self == 10'000);
    CHECK(relu.operators == std::vector<std::string>{"aten::relu"});
    CHECK(Row(*data, sums, 3, LineConfidence::kAligned).device_self == 30'000);
    const LineCost replay = Row(*data, sums, 9, LineConfidence::kAligned);
    CHECK(replay.device_self == 0);
    CHECK(replay.device_total == 40'000);
    for (const LineGroup& g : sums.functions) {
      if (g.function == "main" || g.function == "capture") CHECK(g.device == 40'000);
    }
  }
}

TEST_CASE("a graph that fits no capture for certain stays with its launch") {
  const Folder folder;
  folder.Write("prog.py", kGraphSource);
  const auto launch_has_all = [&](const std::vector<std::string>& events) {
    const auto trace = Load(events);
    const auto data = Data(*trace, folder.Space());
    const LinesResult sums = Sums(*trace, *data);
    CHECK(data->attribution.captured.empty());
    CHECK(Row(*data, sums, 9, LineConfidence::kAligned).device_self == 40'000);
  };
  // One node more than was captured.
  launch_has_all(GraphEvents({GraphKernel("a", 600, 10, 5, Node(9, 4)),
                              GraphKernel("b", 620, 10, 5, Node(9, 5)),
                              GraphKernel("c", 640, 20, 5, Node(9, 6))}));
  // Two captures of the same form, one graph.
  launch_has_all(GraphEvents(
      {GraphKernel("a", 600, 10, 5, Node(9, 4)), GraphKernel("b", 620, 30, 5, Node(9, 5))}, true));
  // A copy is no kernel.
  launch_has_all(GraphEvents(
      {GraphKernel("a", 600, 10, 5, Node(9, 4)),
       "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy\",\"pid\":0,\"tid\":7,\"ts\":620,"
       "\"dur\":30,\"args\":{\"device\":0,\"stream\":7,\"correlation\":5" +
           Node(9, 5) + "}}"}));
}

TEST_CASE("annotations of capture time name the line of a graph's kernel") {
  const auto trace = Load({
      Py("prog.py(5): main", 0, 1000),
      Runtime("cudaGraphLaunch", 500, 20, 5),
      GraphKernel("a", 600, 10, 5,
                  Node(9, 4) +
                      ",\"py_stack\":\"torch/nn/functional.py:12:relu\\nnet.py:44:forward\\n"
                      "prog.py:7:main\""),
      GraphKernel("b", 620, 30, 5,
                  Node(9, 5) + ",\"py_stack\":\"net.py:45:forward\\nprog.py:7:main\","
                               "\"autograd_phase\":\"backward\""),
      GraphKernel("c", 660, 5, 5, Node(9, 6)),
  });
  const auto data = Data(*trace, {});
  const LinesResult sums = Sums(*trace, *data);
  const LineCost forward = Row(*data, sums, 44, LineConfidence::kExact);
  CHECK(forward.device_self == 10'000);
  CHECK(forward.backward_device == 0);
  const LineCost backward = Row(*data, sums, 45, LineConfidence::kExact);
  CHECK(backward.device_self == 30'000);
  CHECK(backward.backward_device == 30'000);
  CHECK(Row(*data, sums, 7, LineConfidence::kExact).device_total == 40'000);
  // What has no annotation stays with the launch, whose line has all of it in total.
  const LineCost launch = Row(*data, sums, 5, LineConfidence::kFunction);
  CHECK(launch.device_self == 5'000);
  CHECK(launch.device_total == 45'000);
}

// What PyTorch 1.8 to 1.10 recorded of a step whose text was kStringSource.
const std::string kStringSource =
    "import torch\n"  // 1
    "\n"
    "def step(x, w):\n"             // 3
    "    y = torch.matmul(x, w)\n"  // 4
    "    y = torch.relu(y)\n"       // 5
    "    z = y.softmax(0)\n"        // 6
    "    return torch.sum(z)\n"     // 7
    "\n"
    "for x in data:\n"   // 9
    "    step(x, w)\n";  // 10
std::vector<std::string> StringEvents() {
  const auto op = [](const std::string& name, double ts, int id, int line) {
    return Op(name, ts, 20,
              "\"External id\":" + std::to_string(id) + ",\"Call stack\":\"job.py(" +
                  std::to_string(line) + "): step;job.py(10): <module>\"");
  };
  std::vector<std::string> events;
  const std::vector<std::pair<std::string, int>> ops = {
      {"aten::matmul", 4}, {"aten::relu", 5}, {"aten::softmax", 6}, {"aten::sum", 7}};
  for (size_t i = 0; i < ops.size(); ++i) {
    const int n = static_cast<int>(i);
    events.push_back(op(ops[i].first, 100.0 * n, n + 1, ops[i].second));
    events.push_back(Launch(100.0 * n + 5, 5, 50 + n));
    events.push_back(Kernel("k" + std::to_string(n), 100.0 * n + 30, 1 << n, 50 + n));
  }
  return events;
}
// Device time by line of the file, then what is stale, then what only its function is known of.
std::string DeviceByLine(const std::string& source) {
  const Folder folder;
  folder.Write("job.py", source);
  const auto trace = Load(StringEvents());
  const auto data = Data(*trace, folder.Space());
  std::map<int, Ns> lines;
  Ns stale = 0, function = 0;
  for (const LineCost& c : Sums(*trace, *data).rows) {
    const LineLocation& l = data->attribution.locations[c.location];
    if (c.device_self == 0) continue;
    if (l.stale)
      stale += c.device_self;
    else if (l.confidence == LineConfidence::kFunction)
      function += c.device_self;
    else
      lines[l.line] += c.device_self;
  }
  std::string out;
  for (const auto& [line, time] : lines)
    out += std::to_string(line) + ":" + std::to_string(time / 1000) + " ";
  return out + "stale:" + std::to_string(stale / 1000) +
         " function:" + std::to_string(function / 1000);
}

TEST_CASE("recorded lines of a text that was changed before it was opened") {
  CHECK(DeviceByLine(kStringSource) == "4:1 5:2 6:4 7:8 stale:0 function:0");
  const auto edited = [](const std::string& from, const std::string& to) {
    std::string text = kStringSource;
    REQUIRE(text.find(from) != std::string::npos);
    return text.replace(text.find(from), from.size(), to);
  };
  // Lines inserted above the function, and inside it.
  CHECK(DeviceByLine(edited("import torch\n", "import os\nimport torch\n\n")) ==
        "6:1 7:2 8:4 9:8 stale:0 function:0");
  CHECK(DeviceByLine(edited("    z = y", "    # a note\n    log(y)\n    z = y")) ==
        "4:1 5:2 8:4 9:8 stale:0 function:0");
  // A statement that was taken out, or replaced by one that cannot have done this.
  CHECK(DeviceByLine(edited("    y = torch.relu(y)\n", "")) == "4:1 5:4 6:8 stale:2 function:0");
  CHECK(DeviceByLine(edited("torch.relu(y)", "y")) == "4:1 6:4 7:8 stale:2 function:0");
  // Two statements that changed places: one follows, the other is not shown on a wrong line.
  const std::string swapped = DeviceByLine(edited("    y = torch.relu(y)\n    z = y.softmax(0)\n",
                                                  "    z = y.softmax(0)\n    y = torch.relu(y)\n"));
  CHECK(
      (swapped == "4:1 5:4 7:8 stale:2 function:0" || swapped == "4:1 6:2 7:8 stale:4 function:0"));
  // A call through a variable gives nothing to go by; nothing else moved.
  CHECK(DeviceByLine(edited("torch.relu(y)", "act(y)")) == "4:1 5:2 6:4 7:8 stale:0 function:0");
  // Lines of the same number that call nothing, or nothing that could be meant.
  CHECK(DeviceByLine(edited("    y = torch.relu(y)\n", "    # was relu\n")) ==
        "4:1 6:4 7:8 stale:2 function:0");
  CHECK(DeviceByLine(edited("    y = torch.relu(y)\n", "    print(y)\n")) ==
        "4:1 6:4 7:8 stale:2 function:0");
  // The function is gone.
  CHECK(DeviceByLine("import torch\n\nprint(1)\n").ends_with("stale:15 function:0"));
}

TEST_CASE("a document shows what was recorded of a changed text as stale, or where it is now") {
  const Folder folder;
  std::string text = kStringSource;
  text.replace(text.find("    y = torch.relu(y)\n"), 22, "    y = y\n");
  const std::string path = folder.Write("job.py", "# first\n" + text);
  const auto trace = Load(StringEvents());
  const SourceSpace space = folder.Space();
  auto document = DocumentLinesOf(*trace, space, {path, "# first\n" + text, false}, {});
  REQUIRE(document.ok());
  REQUIRE(document->files == std::vector<std::string>{"job.py"});
  const auto sums = AnalyzeLines(*trace->model, document->data->attribution, {});
  REQUIRE(sums.ok());
  const LineAttribution& at = document->data->attribution;
  CHECK(std::count_if(at.locations.begin(), at.locations.end(),
                      [](const LineLocation& l) { return l.stale && l.line == 4; }) == 1);
  CHECK(Row(*document->data, *sums, 7, LineConfidence::kAligned).device_self == 4'000);
}

TEST_CASE("a text with recorded lines is the one that ran unless a line contradicts it") {
  const auto exact = [](const std::string& text) {
    const Folder folder;
    folder.Write("job.py", text);
    const auto trace = Load(StringEvents());
    return Data(*trace, folder.Space())->files.at("job.py").exact;
  };
  CHECK(exact(kStringSource));
  std::string text = kStringSource;
  CHECK(!exact(text.replace(text.find("y = torch.relu(y)"), 17, "print(y)")));
  CHECK(!exact("import os\n" + kStringSource));
}

TEST_CASE(
    "a calling line that the text contradicts is stale, and its call is placed nowhere else") {
  const Folder folder;
  std::vector<std::string> events = StepEvents();
  events[4] = Py("<built-in method relu of Tensor object at 0x7f00>", 150, 50,
                 "\"CallFrom\":\"prog.py:3\"");
  std::string text = kSource;
  text.replace(text.find("    z = y.relu()"), 16, "    # z = y.relu()");
  folder.Write("prog.py", text);
  const auto trace = Load(events);
  const auto data = Data(*trace, folder.Space());
  CHECK(!data->files.at("prog.py").exact);
  Ns stale = 0;
  for (const LineCost& c : Sums(*trace, *data).rows) {
    const LineLocation& l = data->attribution.locations[c.location];
    if (l.stale) stale += c.device_self;
    CHECK((l.stale || l.line != 3));
  }
  CHECK(stale == 40'000);
}

TEST_CASE("a generator in a text that moved goes on from where its yield is now") {
  const Folder folder;
  folder.Write("g.py",
               "import os\n"
               "\n"
               "def batches(xs):\n"
               "    first(xs)\n"
               "    for x in xs:\n"
               "        yield load(x)\n"
               "        use(x)\n"  // 7
               "        use(xs)\n");
  const auto trace = Load({
      Py("g.py(1): batches", 5, 30),
      Py("<built-in function first>", 8, 2),
      Py("<built-in function load>", 10, 20),
      Py("g.py(4): batches", 60, 30),
      Py("<built-in function use>", 65, 4),
      Py("<built-in function use>", 70, 5),
      Py("<built-in function load>", 80, 9),
      Py("<built-in function len>", 250, 10),
  });
  const auto data = Data(*trace, folder.Space());
  CHECK(!data->files.at("g.py").exact);
  const LinesResult sums = Sums(*trace, *data);
  CHECK(Row(*data, sums, 6, LineConfidence::kAligned).host_self == 29'000);
  CHECK(Row(*data, sums, 7, LineConfidence::kAligned).host_self == 4'000);
  CHECK(Row(*data, sums, 8, LineConfidence::kAligned).host_self == 5'000);
}

TEST_CASE("a function that is not in the text any more is stale") {
  const Folder folder;
  folder.Write("prog.py", "def main():\n    for x in data():\n        step(net, x)\n");
  const auto trace = Load(StepEvents());
  const auto data = Data(*trace, folder.Space());
  CHECK(!data->files.at("prog.py").exact);
  for (const LineLocation& l : data->attribution.locations) {
    if (l.function == "step") CHECK(l.stale);
    if (l.function == "main") CHECK(!l.stale);
  }
}

TEST_CASE("CallFrom lines follow their statements when the text was changed") {
  const Folder folder;
  std::vector<std::string> events = StepEvents();
  events[4] = Py("<built-in method relu of Tensor object at 0x7f00>", 150, 50,
                 "\"CallFrom\":\"prog.py:3\"");
  events[9] =
      Py("<built-in method sum of Tensor object at 0x7f01>", 280, 20, "\"CallFrom\":\"prog.py:4\"");
  // The same function, a statement longer before relu.
  std::string text = kSource;
  text.replace(text.find("    z = y.relu()"), 0, "    check(y)\n");
  folder.Write("prog.py", text);
  const auto trace = Load(events);
  const auto data = Data(*trace, folder.Space());
  const LinesResult sums = Sums(*trace, *data);
  CHECK(Row(*data, sums, 4, LineConfidence::kAligned).device_self == 40'000);
  for (const LineCost& c : sums.rows) {
    const LineLocation& l = data->attribution.locations[c.location];
    CHECK((l.line != 3 || c.device_self == 0));
  }
}

TEST_CASE("classes of libraries are known by file and line") {
  const Folder folder;
  const fs::path prog = folder.Write("src/prog.py",
                                     "from lib import parts\n"                      // 1
                                     "def main(layers, x):\n"                       // 2
                                     "    a = parts.One()\n"                        // 3
                                     "    b = parts.Two()\n"                        // 4
                                     "    for layer in layers:\n"                   // 5
                                     "        if isinstance(layer, parts.Base):\n"  // 6
                                     "            x = layer(x)\n"                   // 7
                                     "        else:\n"                              // 8
                                     "            x = layer(x)\n");                 // 9
  folder.Write("site-packages/lib/parts.py",
               "class One:\n"
               "    pass\n"
               "class Two:\n"
               "    def __init__(self):\n"  // 4
               "        pass\n"
               "class Base:\n"
               "    pass\n"
               "class Layer(Base):\n"
               "    def forward(self, x):\n"  // 9
               "        return x\n");
  SourceSpace space;
  space.roots = {prog.parent_path().string()};
  space.site_packages = {(prog.parent_path().parent_path() / "site-packages").string()};
  const auto at = [&](const std::string& line) {
    const auto trace = Load({Py("prog.py(2): main", 0, 100),
                             Py("/opt/site-packages/lib/parts.py(" + line + "): __init__", 10, 10),
                             Py("torch/nn/modules/module.py(1500): _call_impl", 30, 20),
                             Py("nn.Module: Layer_0", 31, 18),
                             Py("/opt/site-packages/lib/parts.py(9): forward", 32, 10)});
    const auto data = Data(*trace, space);
    std::vector<int> lines;
    for (const LineCost& c : Sums(*trace, *data).rows) {
      const LineLocation& l = data->attribution.locations[c.location];
      if (l.confidence == LineConfidence::kAligned) lines.push_back(l.line);
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  };
  CHECK(at("4") == std::vector<int>{4, 7});
  CHECK(at("3") == std::vector<int>{7});  // another version of the library
}

TEST_CASE("recursion counts once") {
  const Folder folder;
  folder.Write("r.py", "def f(n):\n    g(n)\n    f(n - 1)\n");
  const auto trace = Load({
      Py("r.py(1): f", 0, 100),
      Py("<built-in function g>", 5, 10),
      Py("r.py(1): f", 20, 70),
      Py("<built-in function g>", 25, 10),
      Py("r.py(1): f", 40, 40),
      Py("<built-in function g>", 45, 10),
  });
  const auto data = Data(*trace, folder.Space());
  const LinesResult sums = Sums(*trace, *data);
  CHECK(Row(*data, sums, 3, LineConfidence::kAligned).host_total == 70'000);
  CHECK(Row(*data, sums, 2, LineConfidence::kAligned).host_total == 30'000);
  REQUIRE(sums.functions.size() == 1);
  CHECK(sums.functions[0].host == 100'000);
  CHECK(sums.functions[0].calls == 3);
}

TEST_CASE("a resumed generator's frame names the line of its yield") {
  const Folder folder;
  folder.Write("g.py",
               "def batches(xs):\n"
               "    for x in xs:\n"
               "        y = load(x)\n"  // 3
               "        yield y\n"
               "\n"
               "def main(xs):\n"
               "    made = batches(xs)\n"  // 7: calling a generator function runs nothing
               "    for b in made:\n"
               "        use(b)\n");  // 8
  const auto trace = Load({
      Py("g.py(6): main", 1, 200),
      Py("g.py(1): batches", 5, 30),
      Py("<built-in function load>", 10, 20),
      Py("<built-in function use>", 40, 10),
      Py("g.py(4): batches", 60, 30),
      Py("<built-in function load>", 65, 20),
      Py("<built-in function use>", 95, 10),
      Py("<built-in function len>", 250, 10),
  });
  const auto data = Data(*trace, folder.Space());
  CHECK(data->files.at("g.py").exact);
  const LinesResult sums = Sums(*trace, *data);
  CHECK(Row(*data, sums, 3, LineConfidence::kAligned).host_self == 40'000);
  CHECK(Row(*data, sums, 8, LineConfidence::kAligned).host_total == 60'000);
  CHECK(Row(*data, sums, 9, LineConfidence::kAligned).calls == 2);
}

TEST_CASE("a line counts how often it ran, beside the calls that it made") {
  Folder folder;
  folder.Write("r.py",
               "def main(xs):\n"
               "    for x in xs:\n"
               "        y = use(x) + use(x)\n"             // 3: two calls a run
               "        with guard():\n"                   // 4: enters and leaves in one run
               "            z = [load(v) for v in x]\n");  // 5: runs once, whatever is in it
  std::vector<std::string> events = {Py("r.py(1): main", 0, 1000)};
  for (const int at : {100, 400, 700}) {
    events.push_back(Py("<built-in function use>", at, 10));
    events.push_back(Py("<built-in function use>", at + 20, 10));
    events.push_back(Py("guard.py(7): __enter__", at + 40, 10));
    events.push_back(Py("r.py(5): <listcomp>", at + 60, 100));
    events.push_back(Py("<built-in function load>", at + 70, 10));
    events.push_back(Py("<built-in function load>", at + 90, 10));
    events.push_back(Py("guard.py(9): __exit__", at + 170, 10));
  }
  const auto trace = Load(events);
  const auto data = Data(*trace, folder.Space());
  const LinesResult sums = Sums(*trace, *data);
  CHECK(Row(*data, sums, 3, LineConfidence::kAligned).calls == 6);
  CHECK(Row(*data, sums, 3, LineConfidence::kAligned).runs == 3);
  CHECK(Row(*data, sums, 4, LineConfidence::kAligned).runs == 3);
}

TEST_CASE("statements of a cell whose text is not known begin on their lines, and may have more") {
  const auto trace = Load({
      Py("/tmp/ipykernel_9/17.py(18): <module>", 0, 100),
      Py("/tmp/ipykernel_9/17.py(4): helper", 10, 50),
      Op("aten::mul", 20, 30),
      // Between this one and the next there is no other line.
      Py("/tmp/ipykernel_9/17.py(30): <module>", 200, 100),
      Op("aten::add", 220, 10),
      Py("/tmp/ipykernel_9/17.py(31): <module>", 400, 100),
      Op("aten::sub", 420, 20),
      // Another cell, and a console, whose inputs all have the same name.
      Py("/tmp/ipykernel_9/18.py(19): <module>", 600, 100),
      Op("aten::div", 620, 20),
      Py("<stdin>(2): <module>", 800, 100),
      Op("aten::neg", 820, 20),
      Py("<stdin>(3): <module>", 1000, 100),
      Op("aten::abs", 1020, 20),
  });
  const auto data = Data(*trace, {});
  CHECK(data->files.at("/tmp/ipykernel_9/17.py").module == nullptr);
  const LinesResult sums = Sums(*trace, *data);
  CHECK(Row(*data, sums, 18, LineConfidence::kStatement).host_total == 50'000);
  CHECK(Row(*data, sums, 30, LineConfidence::kExact).host_total == 10'000);
  CHECK(Row(*data, sums, 31, LineConfidence::kStatement).host_total == 20'000);
  CHECK(Row(*data, sums, 19, LineConfidence::kStatement).host_total == 20'000);
  CHECK(Row(*data, sums, 2, LineConfidence::kStatement).host_total == 20'000);
  CHECK(Row(*data, sums, 4, LineConfidence::kFunction).host_total == 50'000);
}

TEST_CASE("a trace without stacks has no lines") {
  const auto trace = Load({Op("aten::mul", 0, 100), Launch(10, 5, 1), Kernel("mul", 50, 40, 1)});
  const auto data = Data(*trace, {});
  CHECK(!data->attribution.has_stacks);
  const LinesResult sums = Sums(*trace, *data);
  CHECK(sums.rows.empty());
  CHECK(sums.totals.device == 40'000);
}

TEST_CASE("a text that is not what ran is not trusted") {
  const Folder folder;
  folder.Write("prog.py",
               "def step(model, x):\n    first(x)\n    second(x)\n    return third(x)\n\n\ndef "
               "main():\n    other()\n");
  const auto trace = Load(StepEvents());
  const auto data = Data(*trace, folder.Space());
  for (const LineLocation& l : data->attribution.locations) {
    if (l.function == "step") CHECK(l.confidence == LineConfidence::kFunction);
  }
}

TEST_CASE("reads of attributes do not decide whether a text is what ran") {
  const Folder folder;
  folder.Write("m.py",
               "def forward(self, x):\n"
               "    if self.a and self.b and self.c and self.d:\n"
               "        x = self.e\n"
               "    return norm(x)\n");
  const auto trace = Load({
      Py("m.py(1): forward", 1, 100),
      Py("torch/nn/modules/module.py(9): __getattr__", 5, 2),
      Py("torch/nn/modules/module.py(9): __getattr__", 10, 2),
      Py("torch/nn/modules/module.py(9): __getattr__", 15, 2),
      Py("torch/nn/modules/module.py(9): __getattr__", 20, 2),
      Py("<built-in function norm>", 30, 40),
      Py("<built-in function len>", 250, 10),
  });
  const auto data = Data(*trace, folder.Space());
  const LinesResult sums = Sums(*trace, *data);
  CHECK(Row(*data, sums, 4, LineConfidence::kAligned).host_self == 40'000);
}

TEST_CASE("what runs in a function of one line is on that line, whichever of its twins it was") {
  const Folder folder;
  folder.Write("m.py",
               "def main(x):\n"
               "    pair = (lambda a: sin(a), lambda a: cos(a))\n"
               "    return pair[0](x) + pair[1](x)\n");
  const auto trace = Load({
      Py("m.py(1): main", 1, 100),
      Py("m.py(2): <lambda>", 5, 20),
      Py("<built-in function sin>", 6, 15),
      Py("m.py(2): <lambda>", 30, 20),
      Py("<built-in function cos>", 31, 15),
      Py("<built-in function len>", 250, 10),
  });
  const auto data = Data(*trace, folder.Space());
  const LinesResult sums = Sums(*trace, *data);
  CHECK(Row(*data, sums, 2, LineConfidence::kAligned).host_self == 30'000);
}

TEST_CASE("a document is followed through edits") {
  const Folder folder;
  const std::string path = folder.Write("prog.py", kSource);
  const auto trace = Load(StepEvents());
  const auto lines = [&](const std::string& text) {
    auto document = DocumentLinesOf(*trace, folder.Space(), {path, text, false}, {});
    REQUIRE(document.ok());
    REQUIRE(document->files.size() == 1);
    return document->drift.at("prog.py");
  };
  CHECK(lines(kSource)->identical);
  const auto moved = lines("# a comment\n" + kSource);
  CHECK(moved->identical);
  CHECK(moved->line.at(3) == 4);
  std::string changed = kSource;
  changed.replace(changed.find("y.relu()"), 8, "y.gelu()");
  CHECK(lines(changed)->line.count(3) == 0);
  CHECK(lines(changed)->line.at(4) == 4);
  // Other documents are not the profile's.
  auto other = DocumentLinesOf(*trace, folder.Space(),
                               {folder.Write("x/other.py", "x = 1\n"), "x = 1\n", false}, {});
  REQUIRE(other.ok());
  CHECK(other->files.empty());
}

TEST_CASE("a document whose file may not be read is aligned with its own text") {
  std::vector<std::string> events = StepEvents();
  for (std::string& e : events) {
    for (size_t at = e.find("prog.py"); at != std::string::npos; at = e.find("prog.py", at + 16)) {
      e.insert(at, "/far/away/");
    }
  }
  const auto trace = Load(events);
  auto document = DocumentLinesOf(*trace, {}, {"/far/away/prog.py", kSource, false}, {});
  REQUIRE(document.ok());
  REQUIRE(document->files.size() == 1);
  const LinesResult sums = Sums(*trace, *document->data);
  CHECK(Row(*document->data, sums, 3, LineConfidence::kAligned).device_self == 40'000);
}

TEST_CASE("notebook cells are found by their text and followed afterwards") {
  const std::string cell = "y = x.relu()\nz = y @ y\n";
  const std::string file = "/tmp/ipykernel_99/" + std::to_string(NotebookCellHash(cell)) + ".py";
  const auto trace = Load({
      Py(file + "(1): <module>", 0, 100),
      Py("<built-in method relu of Tensor object at 0x7f00>", 10, 30),
      Op("aten::relu", 12, 20),
      Op("aten::matmul", 50, 30),
  });
  const std::string uri = "vscode-notebook-cell:/books/a.ipynb#X1";
  auto document = DocumentLinesOf(*trace, {}, {uri, cell, true}, {});
  REQUIRE(document.ok());
  REQUIRE(document->files.size() == 1);
  const LinesResult sums = Sums(*trace, *document->data);
  CHECK(Row(*document->data, sums, 1, LineConfidence::kAligned).host_total == 30'000);
  CHECK(Row(*document->data, sums, 2, LineConfidence::kAligned).host_total == 30'000);
  auto edited = DocumentLinesOf(*trace, {}, {uri, "# new\n" + cell, true}, {});
  REQUIRE(edited.ok());
  REQUIRE(edited->files.size() == 1);
  CHECK(edited->drift.begin()->second->line.at(2) == 3);
  auto other = DocumentLinesOf(*trace, {},
                               {"vscode-notebook-cell:/books/a.ipynb#X2", "print(1)\n", true}, {});
  REQUIRE(other.ok());
  CHECK(other->files.empty());
}

TEST_CASE("cells of old kernels are found by a digest of their text") {
  const auto trace = Load({
      Py("<ipython-input-3-0123456789ab>(1): double", 0, 100),
      Py("<built-in method add of type object at 0x7f00>", 10, 50),
  });
  const std::string text = "def double(x):\n    return torch.add(x, x)\n";
  SourceDocument cell{"cell:1", text, true, {"ffffffffffff", "0123456789ab"}};
  auto found = DocumentLinesOf(*trace, {}, cell, {});
  REQUIRE(found.ok());
  CHECK(found->files == std::vector<std::string>{"<ipython-input-3-0123456789ab>"});
  const auto sums = AnalyzeLines(*trace->model, found->data->attribution, {});
  REQUIRE(sums.ok());
  CHECK(Row(*found->data, *sums, 2, LineConfidence::kAligned).host_self == 50'000);
  SourceDocument other{"cell:2", text, true, {"ffffffffffff"}};
  found = DocumentLinesOf(*trace, {}, other, {});
  REQUIRE(found.ok());
  CHECK(found->files.empty());
}

TEST_CASE("whoever asks about a document at the same time as another learns its text as well") {
  const std::string text = "def double(x):\n    return torch.add(x, x)\n";
  const SourceDocument cell{"cell:1", text, true, {"0123456789ab"}};
  for (int round = 0; round < 200; ++round) {
    const auto trace = Load({
        Py("<ipython-input-3-0123456789ab>(1): double", 0, 100),
        Py("<built-in method add of type object at 0x7f00>", 10, 50),
    });
    std::latch start(2);
    std::array<size_t, 2> followed = {};
    const auto ask = [&](size_t who) {
      start.arrive_and_wait();
      const auto found = DocumentLinesOf(*trace, {}, cell, {});
      followed[who] = found.ok() ? found->drift.size() : 0;
    };
    std::thread other([&] { ask(1); });
    ask(0);
    other.join();
    REQUIRE(followed == std::array<size_t, 2>{1, 1});
  }
}

TEST_CASE("an unsaved document is the recorded file that its text is of") {
  const auto files_of = [](const LoadedTrace& trace, const SourceSpace& space,
                           const std::string& text) {
    SourceDocument document{"Untitled-1", text};
    document.untitled = true;
    auto found = DocumentLinesOf(trace, space, document, {});
    REQUIRE(found.ok());
    return found->files;
  };
  using Files = std::vector<std::string>;
  const auto trace = Load(StepEvents());
  // The file is not at hand: its functions begin where the trace says.
  CHECK(files_of(*trace, {}, kSource) == Files{"prog.py"});
  CHECK(files_of(*Load(StepEvents()), {}, "def step(model):\n    pass\n").empty());
  CHECK(files_of(*Load(StepEvents()), {}, "print(1)\n").empty());
  // It stays that file while it is edited.
  CHECK(files_of(*trace, {}, "# note\n\n\n" + std::string(kSource)) == Files{"prog.py"});

  // The file is at hand: the bodies of functions count, wherever they stand.
  const Folder folder;
  folder.Write("prog.py", kSource);
  const auto with_file = Load(StepEvents());
  CHECK(files_of(*with_file, folder.Space(), "import os\n\n" + kSource) == Files{"prog.py"});
  CHECK(files_of(*Load(StepEvents()), folder.Space(),
                 "def step(model, x):\n    return 1\n\n\n\n\n\ndef main():\n    return 2\n")
            .empty());
}

TEST_CASE("cancelling") {
  const auto trace = Load(StepEvents());
  CancelToken cancel;
  cancel.Cancel();
  auto data = LinesOf(*trace, {}, cancel);
  REQUIRE(!data.ok());
  CHECK(data.error().kind == ErrorKind::kCancelled);
  CHECK(LinesOf(*trace, {}, {}).ok());  // the next request makes it
}

}  // namespace
}  // namespace emberline
