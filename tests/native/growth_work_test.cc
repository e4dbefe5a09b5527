// No analysis may grow faster than the trace, whatever shape a file has. The work of each is
// counted on a small and on a four times larger trace of every shape that was ever found to hurt.
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/findings.h"
#include "analysis/kernels.h"
#include "analysis/memory.h"
#include "analysis/modules.h"
#include "analysis/operators.h"
#include "analysis/overview.h"
#include "analysis/stack_of.h"
#include "analysis/stacks.h"
#include "analysis/timeline.h"
#include "analysis/timeline_gaps.h"
#include "analysis/timeline_lanes.h"
#include "cost/advice.h"
#include "cost/attribution.h"
#include "cost/launches.h"
#include "cost/summary.h"
#include "growth_count.h"
#include "growth_shapes.h"
#include "ingest/read_trace.h"
#include "json/json.h"
#include "line_trace.h"
#include "model/model.h"
#include "ranks/make_digest.h"
#include "rpc/views/compare.h"
#include "rpc/views/view.h"
#include "session/session.h"

using namespace emberline;
using namespace emberline::growth;

namespace {

constexpr int kSmall = 1000;

// What is done with a loaded trace, as the views do it.
struct Analysis {
  const char* name;
  std::function<void(const LoadedTrace&)> run;
};

TensorCoreRules RulesOf(const Model& model) { return TensorCoreRules(VendorOf(model)); }

template <typename T>
void Expect(const Result<T>& result) {
  REQUIRE(result.ok());
}

// The operator of most calls, whose details are asked for.
std::string BusiestName(const OperatorData& data, const TraceStore& store) {
  const OperatorRow* most = nullptr;
  for (const OperatorRow& row : data.rows) {
    if (most == nullptr || row.calls > most->calls) most = &row;
  }
  return most == nullptr ? "" : std::string(store.strings().Get(most->name));
}

void Overviews(const LoadedTrace& trace) {
  const Model& model = *trace.model;
  const auto overview = AnalyzeOverview(model, {}, RulesOf(model), {});
  Expect(overview);
  FindFindings(model, {}, *overview, {});
}

void Operators(const LoadedTrace& trace) {
  const Model& model = *trace.model;
  const StackIds stacks(model);
  for (const auto grouping : {OperatorGrouping::kName, OperatorGrouping::kNameAndShapes}) {
    const auto data = AnalyzeOperators(model, {}, grouping, RulesOf(model), {});
    Expect(data);
    OperatorTable(model, *data, grouping);
    const std::string name = BusiestName(*data, *trace.store);
    if (name.empty()) continue;
    Expect(StacksOfOperator(model, {}, name, "", stacks, {}));
    Expect(ModulesOfOperator(model, {}, name, "", {}));
  }
}

void Kernels(const LoadedTrace& trace) {
  const Model& model = *trace.model;
  const StackIds stacks(model);
  for (const auto grouping : {KernelGrouping::kName, KernelGrouping::kProperties}) {
    const auto data = AnalyzeKernels(model, {}, grouping, RulesOf(model), {});
    Expect(data);
    KernelTable(model, *data, grouping);
    if (data->rows.empty()) continue;
    KernelKey key;
    key.name = std::string(trace.store->strings().Get(data->rows[0].name));
    Expect(LaunchesOfKernel(model, {}, key, stacks, {}));
  }
  CopiesTable(model, {});
}

void Costs(const LoadedTrace& trace) {
  const Model& model = *trace.model;
  const auto costs = AttributeCosts(model, nullptr, {});
  Expect(costs);
  const TensorCoreKernels tensor_cores(model, RulesOf(model));
  const CostContext context{model, **costs, tensor_cores, {}, {}};
  for (const auto grouping :
       {CostGrouping::kOperator, CostGrouping::kModule, CostGrouping::kLine}) {
    const auto summary = SummarizeCosts(context, grouping, 0.6, {});
    Expect(summary);
    CostTable(context, *summary, grouping);
  }
  Expect(CostFindings(context, 0.6, {}));
  TableQuery query;
  query.sort = "-flops";
  query.limit = 100;
  Expect(QueryLaunches(context, CostMode::kCorrected, query, {}));
}

void Stacks(const LoadedTrace& trace) {
  for (const auto weight : {StackWeight::kHost, StackWeight::kDevice}) {
    for (const bool bottom_up : {false, true}) {
      StackOptions options;
      options.weight = weight;
      options.bottom_up = bottom_up;
      const auto tree = AnalyzeStacks(*trace.model, options, {});
      Expect(tree);
      if (!bottom_up) StackTable(*tree);
    }
  }
}

void Memory(const LoadedTrace& trace) {
  const Model& model = *trace.model;
  const auto data = AnalyzeMemory(model, {});
  Expect(data);
  if (data->devices.empty()) return;
  const Interval all = trace.store->extent();
  SampleMemory(*data, model, 0, all, 1000);
  MemoryEventsTable(*data, model, 0, all);
  MemoryStatisticsTable(*data, model, 0, all);
  for (const auto by : {PeakGrouping::kOperator, PeakGrouping::kLine, PeakGrouping::kModule}) {
    MemoryPeakTable(*data, model, 0, by);
  }
}

void Modules(const LoadedTrace& trace) {
  const auto memory = AnalyzeMemory(*trace.model, {});
  Expect(memory);
  Expect(AnalyzeModules(*trace.model, {}, &*memory, {}));
  Expect(AnalyzeLightning(*trace.model, {}, &*memory, {}));
  InsideModule(*trace.model, "M_1");
}

void Timeline(const LoadedTrace& trace) {
  constexpr size_t kRows = 64;  // as many as a window asks for
  const auto index = BuildTimelineIndex(*trace.model, {});
  Expect(index);
  const TraceStore& store = *trace.store;
  const Interval extent = store.extent();
  const Ns pixel = extent.Length() / 1000 + 1;
  for (size_t r = 0; r < index->rows.size() && r < kRows; ++r) {
    const TimelineRow& row = index->rows[r];
    if (row.series >= 0) index->series[static_cast<size_t>(row.series)].Query(extent, 1000);
    if (row.track == kNone) continue;
    const TimelineTrackLanes lanes(store, store.tracks()[row.track]);
    lanes.CountTouching(store, extent);
    std::vector<TimelineBox> boxes;
    for (size_t lane = 0; lane < lanes.lanes().size(); ++lane) {
      lanes.lanes()[lane].Query(store, extent, pixel, static_cast<uint16_t>(lane), &boxes);
    }
  }
}

void Gaps(const LoadedTrace& trace) {
  if (trace.model->devices.empty()) return;
  const auto gaps = FindGaps(*trace.model, trace.model->devices[0], 1, {});
  Expect(gaps);
  for (size_t g = 0; g < gaps->size() && g < 200; ++g) GapText(*trace.model, (*gaps)[g]);
}

void Arrows(const LoadedTrace& trace) {
  const Model& model = *trace.model;
  const ForwardBackward pairs = BuildForwardBackward(model);
  const TimelineFlowSet flows = BuildTimelineFlows(model);
  ArrowsIn(model, pairs, flows, trace.store->extent(), 500);
}

void Slices(const LoadedTrace& trace) {
  const Model& model = *trace.model;
  const TraceStore& store = *trace.store;
  const ForwardBackward pairs = BuildForwardBackward(model);
  const TimelineFlowSet flows = BuildTimelineFlows(model);
  const uint32_t n = store.slice_count();
  for (const SliceIndex slice : {uint32_t{0}, n / 2, n - 1}) {
    if (slice >= n) continue;
    SurroundingsOf(model, slice);
    ArrowsOf(model, pairs, flows, slice, 500);
    StackOf(model, slice);
    ModuleOf(model, slice);
  }
}

void Sums(const LoadedTrace& trace) {
  const auto slices = SlicesTouching(*trace.store, trace.store->extent(), {});
  Expect(slices);
  SumRange(*trace.store, *slices, trace.store->extent(), 20);
}

void Search(const LoadedTrace& trace) {
  TimelineSearch text;
  text.text = "aten";
  Expect(SearchTimeline(*trace.model, text, {}));
  TimelineSearch module;
  module.module = "M_1";
  Expect(SearchTimeline(*trace.model, module, {}));
  TimelineSearch line;
  line.file = "a.py";
  Expect(SearchTimeline(*trace.model, line, {}));
}

// What a view makes of its analysis, all rows of it, as the command line asks for them.
Json ViewOf(const LoadedTrace& trace, const std::string& method, const Json& params) {
  for (const ViewMethod& view : AllViews()) {
    if (method != view.method) continue;
    const ViewRequest request{trace, params, {}, {}, [] { return size_t{1}; }};
    Result<Json> result = view.function(request);
    INFO(method << (result.ok() ? "" : ": " + result.error().message));
    REQUIRE(result.ok());
    return std::move(result.value());
  }
  FAIL("there is no view " << method);
  return {};
}

std::function<void(const LoadedTrace&)> View(const char* method, Json params = {{"limit", -1}}) {
  return [=](const LoadedTrace& trace) { DumpJson(ViewOf(trace, method, params)); };
}

void Window(const LoadedTrace& trace) {
  const Json tracks = ViewOf(trace, "timeline/tracks", Json::object());
  Json ids = Json::array();
  for (const Json& row : tracks["tracks"]) {
    if (ids.size() < 64) ids.push_back(row["id"]);
  }
  const Interval extent = trace.store->extent();
  DumpJson(ViewOf(trace, "timeline/window",
                  {{"tracks", std::move(ids)},
                   {"startNs", extent.begin},
                   {"endNs", extent.end + 1},
                   {"pixels", 1000}}));
}

// Two traces compared: their trees aligned, the tables of each level, the clocks and a slice.
void Compare(const LoadedTrace& baseline, const LoadedTrace& candidate) {
  const Json none = Json::object(), tree = {{"path", "0"}};
  const Json operators = {{"by", "operators"}}, shapes = {{"by", "operatorShapes"}};
  const Json kernels = {{"by", "kernels"}}, modules = {{"by", "modules"}};
  const Json lines = {{"by", "lines"}}, steps = {{"by", "steps"}};
  const Json memory = {{"by", "memory"}}, communication = {{"by", "communication"}};
  const Json slice = {{"side", "baseline"}, {"slice", baseline.store->slice_count() / 2}};
  for (const CompareMethod& method : CompareMethods()) {
    const std::string_view name = method.method;
    std::vector<const Json*> all;
    if (name == "compare/verdict" || name == "compare/timeline") all = {&none};
    if (name == "compare/tree") all = {&none, &tree};
    if (name == "compare/slice") all = {&slice};
    if (name == "compare/table") {
      all = {&operators, &shapes, &kernels, &modules, &lines, &steps, &memory, &communication};
    }
    for (const Json* params : all) {
      const auto size = [] { return size_t{1}; };
      const ViewRequest before{baseline, *params, {}, {}, size};
      const ViewRequest after{candidate, *params, {}, {}, size};
      const Result<Json> result = method.function({before, after, *params, {}});
      INFO(name << " " << DumpJson(*params) << (result.ok() ? "" : ": " + result.error().message));
      // A trace without anything that could be aligned has no such place.
      REQUIRE((result.ok() || result.error().kind == ErrorKind::kNotFound));
    }
  }
}

const std::vector<Analysis> kAnalyses = {
    {"overview", Overviews},
    {"operators", Operators},
    {"kernels", Kernels},
    {"costs", Costs},
    {"stacks", Stacks},
    {"memory", Memory},
    {"modules", Modules},
    {"timeline", Timeline},
    {"gaps", Gaps},
    {"the digest of a rank", [](const LoadedTrace& trace) { Expect(MakeDigest(trace, "w")); }},
    {"arrows", Arrows},
    {"slices", Slices},
    {"sums", Sums},
    {"search", Search},
    {"lines", View("view/lines")},
    {"the overview as JSON", View("view/overview")},
    {"the operators as JSON", View("view/operators")},
    {"the kernels as JSON", View("view/kernels")},
    {"the copies as JSON", View("view/copies")},
    {"the memory as JSON", View("view/memory")},
    {"the modules as JSON", View("view/modules")},
    {"the Lightning view as JSON", View("view/lightning")},
    {"the stacks as JSON", View("view/stacks")},
    {"the functions as JSON", View("view/stackFunctions")},
    {"the hot lines as JSON", View("source/hotLines", Json::object())},
    {"the tracks as JSON", View("timeline/tracks", Json::object())},
    {"the critical path",
     View("timeline/criticalPath", {{"startNs", -1}, {"endNs", int64_t{1} << 60}})},
    {"the critical path summed", View("timeline/criticalSums", {{"by", "operators"}})},
    {"a window as JSON", Window},
    {"the comparison with itself", [](const LoadedTrace& trace) { Compare(trace, trace); }},
};
constexpr const char* kOfOther = "the comparison with another of three quarters of its size";

void Load(const std::string& text, LoadedTrace* trace) {
  auto read = ReadTraceText(text);
  INFO((read.ok() ? "" : read.error().message));
  REQUIRE(read.ok());
  trace->store = read->store;
  auto model = BuildModel(trace->store);
  REQUIRE(model.ok());
  trace->model = *model;
}

// The work of reading a shape and of each analysis, in order.
std::vector<Work> WorkOf(const Shape& shape, int size) {
  std::vector<Work> work;
  const std::string text = shape.draw(size);
  LoadedTrace trace, other;
  const WorkCounter reading;
  Load(text, &trace);
  work.push_back(reading.Count());
  for (const Analysis& analysis : kAnalyses) {
    const WorkCounter counter;
    analysis.run(trace);
    work.push_back(counter.Count());
  }
  Load(shape.draw(size * 3 / 4), &other);
  const WorkCounter comparing;
  Compare(trace, other);
  work.push_back(comparing.Count());
  return work;
}

// Of every second shape, so that two programs share them.
void CheckShapes(size_t first) {
  // Tables of the process are made when they are first needed.
  WorkOf(kShapes[0], kSmall);
  for (size_t s = first; s < kShapes.size(); s += 2) {
    const Shape& shape = kShapes[s];
    const std::vector<Work> small = WorkOf(shape, kSmall);
    const std::vector<Work> large = WorkOf(shape, kSmall * kFactor);
    REQUIRE(small.size() == large.size());
    for (size_t k = 0; k < large.size(); ++k) {
      INFO("shape " << shape.name << ", "
                    << (k == 0                 ? "reading"
                        : k > kAnalyses.size() ? kOfOther
                                               : kAnalyses[k - 1].name));
      CheckGrowth(small[k], large[k]);
    }
  }
}

}  // namespace

TEST_CASE("no analysis grows faster than a hostile trace, even shapes", "[growth]") {
  CheckShapes(0);
}

TEST_CASE("no analysis grows faster than a hostile trace, odd shapes", "[growth][odd]") {
  CheckShapes(1);
}

TEST_CASE("a timeline of many threads lists a bounded number of rows and counts the rest",
          "[growth]") {
  constexpr int kThreads = 20'000;
  std::string events;
  for (int i = 0; i < kThreads; ++i) {
    events += HostEvent("cpu_op", "aten::a", i, 1, std::to_string(i));
  }
  auto read = ReadTraceText(TraceOf(events));
  REQUIRE(read.ok());
  auto model = BuildModel(read->store);
  REQUIRE(model.ok());
  const auto index = BuildTimelineIndex(**model, {});
  REQUIRE(index.ok());
  uint64_t listed = 0;
  for (const TimelineRow& row : index->rows) listed += row.slices;
  CHECK(index->rows.size() == 4000);
  CHECK(index->unlisted_rows == kThreads - 4000);
  CHECK(listed + index->unlisted_slices == kThreads);
}

TEST_CASE("lines of growing sources grow no faster than these", "[growth]") {
  // A file of n functions that call each other, and a recording of all of them.
  const auto work_of = [](int size) {
    const Folder folder;
    std::string text, events;
    for (int i = 0; i < size; ++i) {
      const std::string number = std::to_string(i);
      text += "def f" + number + "(x):\n    x = g(x)\n    if x:\n        g(x)\n    return f" +
              std::to_string(i + 1) + "(x)\n\n";
      const double from = i * 10;
      events += HostEvent("python_function", "a.py(" + std::to_string(i * 6 + 1) + "): f" + number,
                          from, 9, "1", R"("Python id":)" + std::to_string(2 * i + 1)) +
                HostEvent("python_function", "b.py(1): g", from + 1, 2, "1",
                          R"("Python id":)" + std::to_string(2 * i + 2)) +
                HostEvent("cpu_op", "aten::a", from + 1.5, 1);
    }
    folder.Write("a.py", text);
    LoadedTrace trace;
    auto read = ReadTraceText(TraceOf(events));
    REQUIRE(read.ok());
    trace.store = read->store;
    auto model = BuildModel(trace.store);
    REQUIRE(model.ok());
    trace.model = *model;
    const WorkCounter counter;
    const auto data = LinesOf(trace, folder.Space(), {});
    REQUIRE(data.ok());
    REQUIRE((*data)->attribution.has_sources);
    const auto sums = LineSumsOf(trace, **data, {}, {});
    REQUIRE(sums.ok());
    return counter.Count();
  };
  const Work small = work_of(kSmall);
  const Work large = work_of(kSmall * kFactor);
  INFO("blocks " << small.blocks << " -> " << large.blocks);
  INFO("bytes " << small.peak_bytes << " -> " << large.peak_bytes);
  CHECK(Exponent(small.blocks, large.blocks) < kMostExponent);
  CHECK(Exponent(small.peak_bytes, large.peak_bytes) < kMostExponent);
}
