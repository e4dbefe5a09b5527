#include "analysis/frame_finder.h"
#include "analysis/kernels.h"
#include "analysis/modules.h"
#include "analysis/stack_of.h"
#include "base/user_packages.h"
#include "drawn.h"

using namespace emberline;
using namespace emberline::drawn;

TEST_CASE("statements of notebooks and consoles are recorded with their own line") {
  for (const char* file : {"<ipython-input-3-0123456789ab>", "/tmp/ipykernel_12/345.py", "<stdin>",
                           "<command-17>", "C:\\Temp\\ipykernel_12\\345.py"}) {
    INFO(file);
    CHECK(IsCellPath(file));
    CHECK(!IsLibraryPath(file));
    CHECK(!ParseFrameName(std::string(file) + "(18): <module>").line_is_definition);
    CHECK(ParseFrameName(std::string(file) + "(1): <module>").line_is_definition);
    CHECK(ParseFrameName(std::string(file) + "(18): train").line_is_definition);
  }
  CHECK(!IsCellPath("/home/u/ipykernel_launcher/x.txt"));
  CHECK(!IsCellPath("train.py"));
  CHECK(ParseFrameName("train.py(18): <module>").line_is_definition);
}

TEST_CASE("frame names parse from the right", "[stack]") {
  Frame f = ParseFrameName("torch/nn/modules/module.py(1518): _call_impl");
  CHECK(f.file == "torch/nn/modules/module.py");
  CHECK(f.line == 1518);
  CHECK(f.function == "_call_impl");
  CHECK(f.line_is_definition);
  CHECK(f.library);
  f = ParseFrameName("/home/u/my (old) dir/train(2).py(30): <module>");
  CHECK(f.file == "/home/u/my (old) dir/train(2).py");
  CHECK(f.line == 30);
  CHECK(f.function == "<module>");
  CHECK_FALSE(f.library);
  f = ParseFrameName("C:\\work\\net.py(7): forward");
  CHECK(f.file == "C:\\work\\net.py");
  CHECK_FALSE(f.library);
  f = ParseFrameName("<built-in method randn of type object at 0x7f2a1b3c>");
  CHECK(f.file.empty());
  CHECK(f.line == 0);
  CHECK(f.function == "<built-in method randn of type object>");
  CHECK(f.library);
  f = ParseFrameName("<eval_with_key>.7(5): forward");
  CHECK(f.file == "<eval_with_key>.7");
  CHECK(f.library);
  f = ParseFrameName("a.py(99999999999999999999): f");
  CHECK(f.file.empty());
  CHECK(ParseFrameName("").function.empty());
  CHECK(ParseFrameName("): ").file.empty());
}

TEST_CASE("library paths", "[stack]") {
  for (const char* path :
       {"/usr/lib/python3.10/threading.py", "/opt/conda/lib/python3.8/site-packages/timm/x.py",
        "/usr/lib/python3/dist-packages/numpy/core.py", "torch/autograd/function.py",
        "threading.py", "<frozen importlib._bootstrap>",
        "C:\\Python39\\Lib\\site-packages\\torch\\x.py", "/tmp/torchinductor_u/ab/cabc.py",
        "transformers/models/bert/modeling_bert.py", "torch_npu/profiler/scheduler.py", "",
        "_collections_abc.py", "pathlib.py", "pathlib/_local.py", "random.py", "_weakrefset.py",
        "xml/etree/ElementTree.py", "cProfile.py", "multiprocessing\\queues.py"}) {
    INFO(path);
    CHECK(IsLibraryPath(path));
  }
  for (const char* path :
       {"train.py", "/home/u/project/model/net.py", "src/torchy/net.py", "models/torch.py",
        "/home/u/lib/python/net.py", "/tmp/ipykernel_123/4567.py", "queue/worker.py", "profile.py",
        "trace.py", "/home/u/project/pathlib.py", "my_pathlib.py", "pathlib"}) {
    INFO(path);
    CHECK_FALSE(IsLibraryPath(path));
  }
}

TEST_CASE("installed packages that the user calls their own", "[stack]") {
  CHECK(PackageNames(" team, other.layers;;x ") ==
        std::vector<std::string>{"team", "other.layers", "x"});
  const char* own[] = {"/venv/lib/python3.11/site-packages/team/net.py",
                       "C:\\venv\\Lib\\site-packages\\Team\\net.py",
                       "/venv/lib/python3.11/site-packages/single.py",
                       "/venv/lib/python3.11/site-packages/other/layers/norm.py",
                       "transformers/models/bert.py",
                       "/opt/src/transformers/trainer.py"};
  const char* others[] = {"/venv/lib/python3.11/site-packages/team_tools/net.py",
                          "/venv/lib/python3.11/site-packages/other/loaders.py",
                          "/venv/lib/python3.11/site-packages/foreign/team/net.py",
                          "torch/nn/modules/module.py",
                          "<frozen runpy>",
                          ""};
  CHECK(IsLibraryPath(own[0]));
  CHECK(IsLibraryPath(own[4]));
  SetUserPackages({"team", "single", "other.layers", "transformers"});
  for (const char* path : own) {
    INFO(path);
    CHECK_FALSE(IsLibraryPath(path));
    CHECK_FALSE(ParseFrameName(std::string(path) + "(3): f").library);
  }
  for (const char* path : others) {
    INFO(path);
    CHECK(IsLibraryPath(path));
  }
  SetUserPackages({});
  CHECK(IsLibraryPath(own[0]));
}

TEST_CASE("module names", "[stack]") {
  CHECK(ModuleName("nn.Module: Linear_3") == "Linear_3");
  CHECK_FALSE(ModuleName("net.py(3): forward"));
}

TEST_CASE("call stack strings", "[stack]") {
  const auto frames = ParseCallStack("a.py(1): f; b.py(22): <module> ;");
  REQUIRE(frames.size() == 2);
  CHECK(frames[0].file == "a.py");
  CHECK(frames[1].line == 22);
  CHECK(frames[1].function == "<module>");
  CHECK_FALSE(frames[0].line_is_definition);
  CHECK(ParseCallStack("").empty());
  CHECK(ParseCallStack("a.py(1): f;\r\nb.py(22): g;\r\n").size() == 2);
}

TEST_CASE("a kernel has the stack of its launch, modules left out", "[stack]") {
  Drawing d;
  d.Python("train.py(5): main", 0, 300);
  d.Python("nn.Module: Net_0", 5, 200);
  d.Python("net.py(20): forward", 6, 190);
  d.Op("aten::mm", 10, 20);
  d.Launch(1, 15, 2);
  const int kernel = d.Kernel("k", 1, 50, 10);
  const Loaded m = Load(d);
  const auto frames = StackOf(*m, m.At(kernel));
  REQUIRE(frames.size() == 2);
  CHECK(frames[0].function == "forward");
  CHECK(frames[0].slice != kNone);
  CHECK(frames[1].function == "main");
  CHECK(m->store().name(ModuleOf(*m, m.At(kernel))) == "nn.Module: Net_0");
  CHECK(UserFrameOf(*m, m.At(kernel))->file == "net.py");
}

TEST_CASE("the calling line, where the recorder names it", "[stack]") {
  Drawing d;
  d.Python("train.py(5): main", 0, 300);
  d.Python("nn.Module: Net_0", 5, 100, "\"CallFrom\":\"train.py:9\"");
  d.Python("net.py(20): forward", 6, 90);
  const int a = d.Op("aten::a", 10, 20);
  d.Python("net.py(20): forward", 200, 50, "\"CallFrom\":\"train.py:11\"");
  const int b = d.Op("aten::b", 210, 20);
  const Loaded m = Load(d);
  const auto frames = StackOf(*m, m.At(a));
  REQUIRE(frames.size() == 2);
  CHECK(frames[0].line == 20);
  CHECK(frames[0].line_is_definition);
  CHECK(frames[1].line == 9);  // passes through the module call
  CHECK_FALSE(frames[1].line_is_definition);
  CHECK(StackOf(*m, m.At(b))[1].line == 11);
  const StackIds ids(*m);
  CHECK(ids.Of(m.At(a)).id != ids.Of(m.At(b)).id);
}

TEST_CASE("stack numbers are equal for equal stacks only", "[stack]") {
  Drawing d;
  d.Python("train.py(5): main", 0, 1000);
  std::vector<int> same;
  for (int i = 0; i < 3; ++i) {
    d.Python("nn.Module: Linear_" + std::to_string(i), i * 100 + 1, 60);
    d.Python("linear.py(7): forward", i * 100 + 2, 50);
    same.push_back(d.Op("aten::linear", i * 100 + 5, 20));
  }
  const int other = d.Op("aten::linear", 500, 20);
  const int none = d.Op("aten::linear", 2000, 20);
  d.Python("nn.Module: Net_0", 3000, 50, "\"CallFrom\":\"train.py:9\"");
  const int module_only = d.Op("aten::linear", 3010, 20);
  const Loaded m = Load(d);
  const StackIds ids(*m);
  CHECK(StackOf(*m, m.At(module_only)).empty());
  CHECK(ids.Of(m.At(module_only)).id == 0);
  CHECK(ids.Of(m.At(same[0])).id == ids.Of(m.At(same[1])).id);
  CHECK(ids.Of(m.At(same[1])).id == ids.Of(m.At(same[2])).id);
  CHECK(ids.Of(m.At(same[0])).own);
  CHECK(ids.Of(m.At(other)).id != ids.Of(m.At(same[0])).id);
  CHECK(ids.Of(m.At(none)).id == 0);
}

TEST_CASE("work of a captured graph has the stack that its own annotation names", "[stack]") {
  Drawing d;
  d.Python("train.py(5): main", 0, 1000);
  d.Launch(1, 15, 2);
  const auto kernel = [&](int at, const char* stack) {
    return d.Kernel("k", 1, at, 10,
                    stack == nullptr ? "" : "\"py_stack\":\"" + std::string(stack) + "\"");
  };
  const int relu = kernel(50, "net.py:44:forward\\nprog.py:7:main");
  const int loss = kernel(70, "net.py:45:forward\\nprog.py:7:main");
  const int again = kernel(90, "net.py:44:forward\\nprog.py:7:main");
  const int nothing = kernel(110, nullptr), no_file = kernel(130, "<built-in method relu>");
  const Loaded m = Load(d);
  const StackIds ids(*m);
  const auto id = [&](int event) { return ids.Of(m.At(event)).id; };
  CHECK(id(relu) == id(again));
  CHECK(id(relu) != id(loss));
  CHECK(id(relu) != id(nothing));
  CHECK(ids.Of(m.At(relu)).own);
  // The others have that of their launch.
  CHECK(id(nothing) == id(no_file));
  CHECK(id(nothing) != 0);
  CHECK(StackOf(*m, m.At(no_file)) == StackOf(*m, m.At(nothing)));
  CHECK(UserFrameOf(*m, m.At(loss))->line == 45);
  // So the lines that launched a kernel are told apart.
  const auto launches = LaunchesOfKernel(*m, {}, {.name = "k"}, ids, {});
  REQUIRE(launches.ok());
  REQUIRE(launches->lines.rows.size() == 3);
}

TEST_CASE("a finder for many slices finds the frame and module that each has alone", "[stack]") {
  Drawing d;
  d.Python("train.py(5): main", 0, 300);
  d.Python("nn.Module: Net_0", 5, 100, "\"CallFrom\":\"train.py:9\"");
  d.Python("threading.py(20): run", 6, 90);
  d.Python("nn.Module: Linear_1", 7, 80, "\"CallFrom\":\"threading.py:22\"");
  d.Python("<built-in method linear>", 8, 70);
  d.Op("aten::a", 10, 20);
  d.Launch(1, 12, 5);
  d.Python("net.py(30): helper", 40, 20, "\"CallFrom\":\"threading.py:25\"");
  d.Op("aten::b", 45, 10);
  d.Python("nn.Module: Net_0", 150, 40, "\"CallFrom\":\"train.py:12\"");
  d.Op("aten::c", 160, 10);
  d.Python("threading.py(1): wait", 400, 50, "", "11");
  d.Op("aten::d", 410, 10, "", "11");
  d.Op("aten::e", 600, 10, "\"Call stack\":\"threading.py(3): g;a.py(4): h\"");
  d.Op("aten::f", 602, 2);
  d.Op("aten::g", 700, 10);
  d.Kernel("k", 1, 800, 10);
  const Loaded m = Load(d);
  FrameFinder finder(*m);
  size_t found = 0;
  for (SliceIndex i = m->store().slice_count(); i-- > 0;) {
    INFO(m->store().name(i));
    const auto expected = UserFrameOf(*m, i);
    CHECK(finder.UserFrame(i) == expected);
    CHECK(finder.Module(i) == ModuleOf(*m, i));
    CHECK(finder.ModuleText(i) == ModuleNameOf(*m, i));
    // Texts of one frame are kept once.
    const FrameFinder::Place place = finder.UserPlace(i);
    CHECK(static_cast<bool>(place) == expected.has_value());
    CHECK(place.frame == finder.UserPlace(i).frame);
    found += expected ? 1 : 0;
  }
  CHECK(found > 8);
}
