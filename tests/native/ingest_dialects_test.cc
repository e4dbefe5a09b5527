// One test per way in which recorders of different age and make write the same thing.
#include <map>

#include "ingest/trace_event/category.h"
#include "ingest_fixture.h"

namespace emberline {

using namespace fixture;  // NOLINT: helpers of these tests

TEST_CASE("categories of all releases mean the same") {
  const std::map<std::string, std::pair<SliceKind, Domain>> expected = {
      {"Operator", {SliceKind::kCpuOp, Domain::kHost}},
      {"cpu_op", {SliceKind::kCpuOp, Domain::kHost}},
      {"user_annotation", {SliceKind::kUserAnnotation, Domain::kHost}},
      {"User", {SliceKind::kGpuUserAnnotation, Domain::kDevice}},
      {"gpu_user_Annotation", {SliceKind::kGpuUserAnnotation, Domain::kDevice}},
      {"gpu_user_annotation", {SliceKind::kGpuUserAnnotation, Domain::kDevice}},
      {"python_function", {SliceKind::kPythonFunction, Domain::kHost}},
      {"Runtime", {SliceKind::kRuntime, Domain::kHost}},
      {"cuda_runtime", {SliceKind::kRuntime, Domain::kHost}},
      {"xpu_runtime", {SliceKind::kRuntime, Domain::kHost}},
      {"mtia_runtime", {SliceKind::kRuntime, Domain::kHost}},
      {"glow_runtime", {SliceKind::kRuntime, Domain::kHost}},
      {"privateuse1_runtime", {SliceKind::kRuntime, Domain::kHost}},
      {"cuda_driver", {SliceKind::kDriver, Domain::kHost}},
      {"xpu_driver", {SliceKind::kDriver, Domain::kHost}},
      {"privateuse1_driver", {SliceKind::kDriver, Domain::kHost}},
      {"Kernel", {SliceKind::kKernel, Domain::kDevice}},
      {"kernel", {SliceKind::kKernel, Domain::kDevice}},
      {"Memcpy", {SliceKind::kMemcpy, Domain::kDevice}},
      {"gpu_memcpy", {SliceKind::kMemcpy, Domain::kDevice}},
      {"Memset", {SliceKind::kMemset, Domain::kDevice}},
      {"gpu_memset", {SliceKind::kMemset, Domain::kDevice}},
      {"overhead", {SliceKind::kOverhead, Domain::kOverhead}},
      {"cuda_sync", {SliceKind::kSync, Domain::kDevice}},
      {"cuda_event", {SliceKind::kCudaEvent, Domain::kDevice}},
      {"Trace", {SliceKind::kTraceSpan, Domain::kSpan}},
      {"hpu_op", {SliceKind::kDeviceOther, Domain::kDevice}},
      {"mtia_ccp_events", {SliceKind::kDeviceOther, Domain::kDevice}},
      {"collective_comm", {SliceKind::kCollective, Domain::kUnknown}},
      {"something_new", {SliceKind::kHostOther, Domain::kUnknown}},
      {"", {SliceKind::kHostOther, Domain::kUnknown}},
  };
  for (const auto& [raw, meaning] : expected) {
    INFO(raw);
    CHECK(MeaningOfCategory(raw).kind == meaning.first);
    CHECK(MeaningOfCategory(raw).domain == meaning.second);
  }
  CHECK(MeaningOfCategory(std::string(1000, 'k')).kind == SliceKind::kHostOther);
  // The counters of a device are ranges on it, not its work.
  CHECK_FALSE(IsDeviceWork(MeaningOfCategory("cuda_profiler_range").kind));
}

TEST_CASE(
    "1.8 and 1.9: text thread ids and streams, absolute integer times, [memory] without category") {
  const auto store = ReadEvents(R"js(
    {"ph": "X", "cat": "Operator", "name": "aten::add", "pid": 5555, "tid": "25738",
     "ts": 1623143089861000, "dur": 40, "args": {"Device": 5555, "External id": 3,
     "Call stack": "train.py(30): <module>"}},
    {"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": 5555, "tid": "25738",
     "ts": 1623143089861010, "dur": 5, "args": {"correlation": 9, "external id": 3, "external ts": 1}},
    {"ph": "X", "cat": "Kernel", "name": "add_kernel", "pid": 0, "tid": "stream 7",
     "ts": 1623143089861020, "dur": 8, "args": {"correlation": 9, "external id": 3, "device": 0,
     "stream": 7, "grid": [1, 2, 3], "blocks per SM": "inf"}},
    {"ph": "X", "cat": "User", "name": "step", "pid": 0, "tid": "stream 7 user", "ts": 1623143089861019,
     "dur": 10},
    {"name": "[memory]", "ph": "i", "s": "t", "pid": 5555, "tid": 25738, "ts": 1623143089861012,
     "args": {"Device Type": 1, "Device Id": 0, "Bytes": -512}},
    {"ph": "s", "id": 9, "pid": 5555, "tid": 25738, "ts": 1623143089861010, "cat": "async", "name": "launch"},
    {"ph": "f", "id": 9, "pid": 0, "tid": "stream 7", "ts": 1623143089861020, "cat": "async",
     "name": "launch", "bp": "e"},
    {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Traces", "tid": "PyTorch Profiler",
     "ts": 1623143089860000, "dur": 2000},
    {"name": "Iteration Start: PyTorch Profiler", "ph": "i", "s": "g", "pid": "Traces",
     "tid": "Trace PyTorch Profiler", "ts": 1623143089860000},
    {"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": 1623143089999999})js");
  CheckCounts(*store);
  CHECK(store->problems().empty());
  CHECK(store->base_ns() == 1'623'143'089'861'000'000);
  REQUIRE(store->tracks().size() == 4);
  const Track& host = store->tracks()[0];
  CHECK(host.tid.number == 25738);
  CHECK_FALSE(host.tid.is_text);
  const SliceIndex kernel = Find(*store, "add_kernel");
  const Track& stream = store->tracks()[store->track(kernel)];
  CHECK(stream.kind == TrackKind::kDeviceStream);
  CHECK(stream.stream == 7);
  CHECK(stream.device == 0);
  CHECK(store->tracks()[store->track(Find(*store, "step"))].stream == 7);
  CHECK(store->track(Find(*store, "step")) != store->track(kernel));
  CHECK(store->parent(Find(*store, "cudaLaunchKernel")) == Find(*store, "aten::add"));
  CHECK(store->ArgInt(kernel, "external id") == 3);
  CHECK(store->ArgText(kernel, "grid") == "[1, 2, 3]");
  CHECK(store->ArgText(kernel, "blocks per SM") == "inf");
  CHECK(store->ArgText(Find(*store, "aten::add"), "Call stack") == "train.py(30): <module>");
  REQUIRE(store->memory().size() == 1);
  CHECK(store->memory()[0].bytes == -512);
  CHECK(store->memory()[0].ts == 12'000);
  CHECK(store->memory()[0].total_allocated == -1);
  CHECK(store->memory()[0].track == store->track(Find(*store, "aten::add")));
  REQUIRE(store->flows().size() == 2);
  CHECK(store->flows()[0].id == store->flows()[1].id);
  CHECK(store->flows()[0].slice == Find(*store, "cudaLaunchKernel"));
  CHECK(store->flows()[1].slice == kernel);
  CHECK(store->extent() == Interval{0, 40'000});
  CHECK(store->start(Find(*store, "PyTorch Profiler (0)")) == -1'000'000);
  REQUIRE(store->instants().size() == 2);
  CHECK(store->counts().by_category.at("s async") == 1);
  CHECK(store->counts().by_category.at("Operator") == 1);
}

TEST_CASE("2.4 to 2.7: relative times with a fraction, the base after the events") {
  const auto store = Read(R"js({"schemaVersion": 1, "deviceProperties": [
      {"id": 0, "name": "NVIDIA A100", "totalGlobalMem": 42949672960, "computeMajor": 8, "computeMinor": 0,
       "numSms": 108, "warpSize": 32, "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048,
       "regsPerMultiprocessor": 65536, "sharedMemPerMultiprocessor": 167936}],
    "with_stack": 1, "record_shapes": 1, "distributedInfo": {"backend": "nccl", "rank": 1, "world_size": 2,
      "pg_config": [{"pg_name": "0", "ranks": [0, 1]}]},
    "user key": {"a": [1, 2]}, "cuda_runtime_version": 12000,
    "traceEvents": [)js" + X("cpu_op", "aten::mm", 4458676524648.5, 3.25) +
                          R"js(,
      {"ph": "X", "cat": "cpu_op", "name": "exact", "pid": 1, "tid": 1, "ts": 4458676524649.047, "dur": 0.001}
    ], "WARNING": ["CUPTI stopped early?"], "traceName": "/tmp/tmpu3g3sevh.json", "displayTimeUnit": "ms",
    "baseTimeNanoseconds": 1719853884000000000})js");
  CheckCounts(*store);
  CHECK(store->problems().empty());
  const TraceMetadata& meta = store->metadata();
  CHECK(meta.schema_version == 1);
  CHECK(meta.trace_name == "/tmp/tmpu3g3sevh.json");
  CHECK(meta.display_time_unit == "ms");
  CHECK(meta.base_time_ns == 1'719'853'884'000'000'000);
  CHECK(store->base_ns() == 1'719'853'884'000'000'000 + 4'458'676'524'648'500);
  CHECK(store->start(Find(*store, "exact")) == 547);
  CHECK(store->duration(Find(*store, "exact")) == 1);
  CHECK(store->duration(Find(*store, "aten::mm")) == 3250);
  REQUIRE(meta.devices.size() == 1);
  CHECK(meta.devices[0].name == "NVIDIA A100");
  CHECK(meta.devices[0].total_global_mem == 42'949'672'960);
  CHECK(meta.devices[0].num_sms == 108);
  CHECK(meta.devices[0].regs_per_sm == 65536);
  CHECK(meta.devices[0].all.size() == 11);
  REQUIRE(meta.distributed.has_value());
  CHECK(meta.distributed->backend == "nccl");
  CHECK(meta.distributed->rank == 1);
  CHECK(meta.distributed->world_size == 2);
  CHECK(meta.distributed->raw.find("\"ranks\": [0, 1]") != std::string::npos);
  CHECK(meta.profiler_flags ==
        std::map<std::string, bool>{{"record_shapes", true}, {"with_stack", true}});
  const std::map<std::string, std::string> others(meta.others.begin(), meta.others.end());
  CHECK(others.at("user key") == "{\"a\": [1, 2]}");
  CHECK(others.at("cuda_runtime_version") == "12000");
  CHECK(others.at("WARNING") == "[\"CUPTI stopped early?\"]");
}

TEST_CASE("2.8 on: the base before the events gives the same") {
  const auto store =
      Read(R"js({"schemaVersion": 1, "displayTimeUnit": "ms", "baseTimeNanoseconds": 1000,
    "traceEvents": [)js" +
           X("cpu_op", "op", 2, 1) + "], \"traceName\": \"x\"}");
  CHECK(store->base_ns() == 3000);
}

TEST_CASE("legacy bare arrays: no categories, processes by name") {
  const auto store =
      Read(R"js([{"name": "aten::add", "ph": "X", "ts": 1034.5, "dur": 12.25, "tid": 1,
      "pid": "CPU functions", "args": {}},
    {"name": "aten::add", "ph": "s", "ts": 1034.5, "tid": 1, "pid": "CPU functions", "id": 0,
      "cat": "cpu_to_cuda", "args": {}},
    {"name": "kernel", "ph": "X", "ts": 1040.5, "dur": 2, "tid": 7, "pid": "CUDA functions", "args": {}},
    {"name": "remote", "ph": "X", "ts": 1050, "dur": 2, "tid": " node_id:0, thread_id:1 ",
      "pid": "CPU functions", "args": {}}])js");
  CheckCounts(*store);
  CHECK(store->metadata().bare_array);
  CHECK(store->kind(Find(*store, "aten::add")) == SliceKind::kCpuOp);
  CHECK(store->kind(Find(*store, "kernel")) == SliceKind::kKernel);
  CHECK(store->kind(Find(*store, "remote")) == SliceKind::kCpuOp);
  CHECK(store->tracks()[store->track(Find(*store, "kernel"))].kind == TrackKind::kDeviceStream);
  CHECK(store->flows()[0].slice == Find(*store, "aten::add"));
  CHECK(store->base_ns() == 1'034'500);
}

TEST_CASE("begin and end pairs become one slice with the args of both") {
  const auto store = ReadEvents(R"js(
    {"ph": "B", "cat": "dynamo_timed", "name": "outer", "pid": 0, "tid": 0, "ts": 10.0, "args": {"a": 1}},
    {"ph": "B", "cat": "dynamo_timed", "name": "inner", "pid": 0, "tid": 0, "ts": 12.0},
    {"ph": "E", "cat": "dynamo_timed", "name": "inner", "pid": 0, "tid": 0, "ts": 15.5},
    {"ph": "E", "pid": 0, "tid": 0, "ts": 20.0, "args": {"b": "x"}},
    {"ph": "E", "pid": 0, "tid": 0, "ts": 21.0},
    {"ph": "B", "name": "open", "pid": 0, "tid": 0, "ts": 22.0},
    {"ph": "X", "cat": "cpu_op", "name": "last", "pid": 0, "tid": 0, "ts": 22.0, "dur": 8.0})js");
  CheckCounts(*store);
  CHECK(store->counts().slices == 4);
  CHECK(store->counts().paired == 2);
  CHECK(store->counts().dropped == 1);
  CHECK(ProblemCount(*store, "endWithoutBegin") == 1);
  CHECK(ProblemCount(*store, "unfinishedEvent") == 1);
  const SliceIndex outer = Find(*store, "outer");
  CHECK(store->duration(outer) == 10'000);
  CHECK(store->duration(Find(*store, "inner")) == 3'500);
  CHECK(store->parent(Find(*store, "inner")) == outer);
  CHECK(store->ArgInt(outer, "a") == 1);
  CHECK(store->ArgText(outer, "b") == "x");
  CHECK(store->duration(Find(*store, "open")) == 8'000);
}

TEST_CASE("ranges that cross end by name") {
  const auto store = ReadEvents(R"js(
    {"ph": "B", "name": "a", "pid": 1, "tid": 1, "ts": 0}, {"ph": "B", "name": "b", "pid": 1, "tid": 1, "ts": 5},
    {"ph": "E", "name": "a", "pid": 1, "tid": 1, "ts": 10}, {"ph": "E", "name": "b", "pid": 1, "tid": 1, "ts": 15})js");
  CHECK(store->duration(Find(*store, "a")) == 10'000);
  CHECK(store->duration(Find(*store, "b")) == 10'000);
}

TEST_CASE("process and thread metadata is applied; the last one wins, roles before names") {
  const auto store =
      ReadEvents(X("cpu_op", "op", 10, 5, 1102, 1200) + "," + X("kernel", "k", 12, 2, 0, 7) + "," +
                 X("overhead", "Buffer Flush", 11, 1, -1, 5) + R"js(,
    {"name": "process_name", "ph": "M", "ts": 0.0, "pid": 1102, "tid": 0, "args": {"name": "python3.10"}},
    {"name": "process_labels", "ph": "M", "ts": 0.0, "pid": 1102, "tid": 0, "args": {"labels": "CPU"}},
    {"name": "process_labels", "ph": "M", "ts": 0.0, "pid": 0, "tid": 0, "args": {"labels": "GPU 0"}},
    {"name": "process_labels", "ph": "M", "ts": 0.0, "pid": 1, "tid": 0, "args": {"labels": "GPU 1"}},
    {"name": "process_sort_index", "ph": "M", "ts": 0.0, "pid": 0, "tid": 0, "args": {"sort_index": 5000000}},
    {"name": "thread_name", "ph": "M", "ts": 0.0, "pid": 1102, "tid": 1200, "args": {"name": "pt_autograd_0"}},
    {"name": "thread_name", "ph": "M", "ts": 0.0, "pid": 1102, "tid": 1200, "args": {"name": "thread 1200 (python3)"}},
    {"name": "thread_name", "ph": "M", "ts": 0.0, "pid": 0, "tid": 7, "args": {"name": "stream 7 "}})js");
  CheckCounts(*store);
  CHECK(store->counts().metadata == 8);
  REQUIRE(store->tracks().size() == 3);
  const StringPool& pool = store->strings();
  CHECK(pool.Get(store->tracks()[0].process_name) == "python3.10");
  CHECK(pool.Get(store->tracks()[0].thread_name) == "pt_autograd_0");
  CHECK(pool.Get(store->tracks()[1].process_labels) == "GPU 0");
  CHECK(pool.Get(store->tracks()[1].thread_name) == "stream 7 ");
  CHECK(store->tracks()[1].process_sort_index == 5'000'000);
  CHECK(store->tracks()[2].kind == TrackKind::kOverhead);
  CHECK(store->extent().begin == 0);
  CHECK(store->base_ns() == 10'000);
}

TEST_CASE("allocator records with full addresses and totals") {
  const auto store =
      ReadEvents(R"js({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]",
      "pid": 1, "tid": 1, "ts": 20, "args": {"Device Type": 1, "Device Id": 0, "Addr": 18446744073709551615,
      "Bytes": 1024, "Total Allocated": 5435638784, "Total Reserved": 12782141440}},
    {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": 10,
     "args": {"Device Type": 0, "Device Id": -1, "Addr": "0x7f00", "Bytes": "-64"}},
    {"ph": "i", "s": "t", "name": "[OutOfMemory]", "pid": 1, "tid": 1, "ts": 30,
     "args": {"Device Type": 1, "Device Id": 0, "Bytes": 999}})js");
  CheckCounts(*store);
  REQUIRE(store->memory().size() == 2);
  CHECK(store->memory()[0].bytes == -64);
  CHECK(store->memory()[0].address == 0x7f00);
  CHECK(store->memory()[0].device_id == -1);
  CHECK(store->memory()[1].address == 18446744073709551615ull);
  CHECK(store->memory()[1].total_reserved == 12'782'141'440);
  REQUIRE(store->instants().size() == 1);
  CHECK(store->ArgsAt(store->instants()[0].args).size() == 3);
}

TEST_CASE("counters, also with an empty key and a text process") {
  const auto store = ReadEvents(R"js(
    {"ph": "C", "cat": "hardware_counters", "name": "sm__cycles", "pid": "GPU 0 Counters", "tid": 0, "ts": 5,
     "args": {"": 1.5}},
    {"ph": "C", "name": "queue", "pid": 0, "tid": 0, "ts": 7, "args": {"a": 1, "b": 2}},
    {"ph": "C", "name": "queue", "pid": 0, "tid": 0, "ts": 6, "args": {"a": 3}})js");
  CheckCounts(*store);
  REQUIRE(store->counters().size() == 3);
  CHECK(store->strings().Get(store->counters()[0].name) == "queue");
  CHECK(store->counters()[0].ts == 1'000);
  CHECK(store->counters()[1].ts == 2'000);
  const auto args = store->ArgsAt(store->counters()[2].args);
  REQUIRE(args.size() == 1);
  CHECK(store->strings().Get(args[0].first).empty());
  CHECK(std::get<double>(args[0].second.v) == 1.5);
}

TEST_CASE("counters of one name and several ids are several") {
  const auto store = ReadEvents(R"js(
    {"ph": "C", "name": "queue", "pid": 0, "tid": 0, "id": 7, "ts": 1, "args": {"length": 1}},
    {"ph": "C", "name": "queue", "pid": 0, "tid": 0, "id": "copies", "ts": 2, "args": {"length": 2}},
    {"ph": "C", "name": "queue", "pid": 0, "tid": 0, "id": 7, "ts": 3, "args": {"length": 3}},
    {"ph": "C", "name": "queue", "pid": 0, "tid": 0, "ts": 4, "args": {"length": 4}})js");
  CheckCounts(*store);
  std::vector<std::string> names;
  for (const CounterSample& sample : store->counters()) {
    names.emplace_back(store->strings().Get(sample.name));
  }
  CHECK(names == std::vector<std::string>{"queue", "queue [7]", "queue [7]", "queue [copies]"});
}

TEST_CASE(
    "flows count per category, and a flow finds its place where a device and a process share a "
    "number") {
  const auto store = ReadEvents(X("cpu_op", "forward", 10, 20, 1, 7) + "," +
                                X("cuda_runtime", "cudaLaunchKernel", 10, 2, 1, 7) + "," +
                                X("cpu_op", "backward", 50, 20, 1, 8) + "," +
                                X("kernel", "k", 13, 2, 1, 7) + R"js(,
    {"ph": "s", "id": 1, "pid": 1, "tid": 7, "ts": 10, "cat": "ac2g", "name": "ac2g"},
    {"ph": "f", "id": 1, "pid": 1, "tid": 7, "ts": 13, "cat": "ac2g", "name": "ac2g", "bp": "e"},
    {"ph": "s", "id": "1", "pid": 1, "tid": 7, "ts": 10, "cat": "fwdbwd", "name": "fwdbwd"},
    {"ph": "f", "id": 1, "pid": 1, "tid": 8, "ts": 50, "cat": "fwdbwd", "name": "fwdbwd", "bp": "e"},
    {"ph": "f", "id": 77, "pid": 1, "tid": 8, "ts": 55, "cat": "ac2g", "name": "ac2g", "bp": "e"},
    {"ph": "s", "pid": 1, "tid": 8, "ts": 55, "cat": "ac2g", "name": "no id"})js");
  CheckCounts(*store);
  CHECK(ProblemCount(*store, "missingFlowId") == 1);
  std::map<uint64_t, std::vector<std::string>> by_id;
  for (const FlowPoint& flow : store->flows()) {
    REQUIRE(flow.slice != kNone);
    CHECK(flow.track == store->track(flow.slice));
    by_id[flow.id].emplace_back(store->name(flow.slice));
  }
  CHECK(by_id.size() == 3);
  std::vector<std::vector<std::string>> pairs;
  for (const auto& [id, names] : by_id) pairs.push_back(names);
  std::sort(pairs.begin(), pairs.end());
  CHECK(pairs == std::vector<std::vector<std::string>>{
                     {"backward"}, {"cudaLaunchKernel", "k"}, {"forward", "backward"}});
}

TEST_CASE("ROCm, XPU and Triton args: numeric texts, hexadecimal texts, 64-bit ids") {
  const auto store = ReadEvents(
      X("cuda_runtime", "hipMemcpyAsync", 1, 1, 9, 9,
        R"js({"size": "2560", "stream": "0x55d0c0ffee", "kind": "1", "Comms Id": 18446744073709551615})js") +
      "," +
      X("kernel", "k", 1, 1, 2, 0,
        R"js({"grid": "grid(100,)", "x": 1.25, "n": null, "t": true})js"));
  const SliceIndex copy = Find(*store, "hipMemcpyAsync");
  CHECK(store->ArgInt(copy, "size") == 2560);
  CHECK(store->ArgNumber(copy, "size") == 2560.0);
  CHECK(store->ArgInt(copy, "stream") == 0x55d0c0ffee);
  CHECK(store->ArgText(copy, "Comms Id") == "18446744073709551615");
  const SliceIndex kernel = Find(*store, "k");
  CHECK(store->ArgText(kernel, "grid") == "grid(100,)");
  CHECK(store->ArgNumber(kernel, "x") == 1.25);
  CHECK(std::holds_alternative<std::monostate>(store->Arg(kernel, "n")->v));
  CHECK(store->ArgInt(kernel, "t") == 1);
  CHECK_FALSE(store->ArgInt(kernel, "absent").has_value());
  CHECK(store->Args(kernel).size() == 4);
}

TEST_CASE("merged traces keep their ranks apart by text processes") {
  const auto store = ReadEvents(R"js(
    {"ph": "X", "cat": "kernel", "name": "k", "pid": "[TP00] 3", "tid": 7, "ts": 1, "dur": 1},
    {"ph": "X", "cat": "kernel", "name": "k", "pid": "[TP01] 3", "tid": 7, "ts": 1, "dur": 1})js");
  REQUIRE(store->tracks().size() == 2);
  CHECK(store->tracks()[0].device == 3);
  CHECK(store->strings().Get(store->tracks()[1].pid.text) == "[TP01] 3");
}

TEST_CASE("keys of an event that are no field are kept with its args") {
  const auto store = ReadEvents(
      R"js({"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "critical": 1,
         "args": {"a": 2}, "tdur": 0.5})js");
  CHECK(store->ArgInt(0, "critical") == 1);
  CHECK(store->ArgInt(0, "a") == 2);
  CHECK(store->ArgNumber(0, "tdur") == 0.5);
}

TEST_CASE("events of one trace may be spaced in different ways") {
  std::string events;
  for (int i = 0; i < 200; ++i) {
    const std::string space[] = {"", " ", "  ", "\t", "\n"};
    const std::string colon = ":" + space[i % 5], number = std::to_string(i);
    if (i > 0) events += ",";
    events += R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":)" + space[i / 5 % 5] +
              R"(1,"ts")" + colon + number + R"(,"dur")" + colon + R"(1,"args":{"k")" + colon +
              number + "}}";
  }
  const auto store = ReadEvents(events);
  CHECK(store->problems().empty());
  REQUIRE(store->slice_count() == 200);
  CHECK(store->tracks().size() == 1);
  for (SliceIndex i = 0; i < 200; ++i) CHECK(store->ArgInt(i, "k") == int64_t{i});
}

TEST_CASE("a trace of metadata alone, of nothing, and with a null") {
  CHECK(ReadEvents("")->slice_count() == 0);
  CHECK(Read("[]")->slice_count() == 0);
  const auto store = ReadEvents(
      R"js({"name": "process_name", "ph": "M", "pid": 1, "tid": null, "args": {"name": "python"}})js");
  CheckCounts(*store);
  CHECK(store->tracks().empty());
  CHECK(store->extent() == Interval{0, 0});
}

TEST_CASE("asynchronous events nest by id, beside those of other ids") {
  const auto store = ReadEvents(R"js(
    {"ph": "b", "cat": "request", "name": "outer", "id": "0x1", "pid": 5, "tid": 6, "ts": 10, "args": {"a": 1}},
    {"ph": "b", "cat": "request", "name": "other", "id": 2, "pid": 5, "tid": 6, "ts": 11},
    {"ph": "b", "cat": "request", "name": "inner", "id": "0x1", "pid": 5, "tid": 6, "ts": 12},
    {"ph": "n", "cat": "request", "name": "mark", "id": "0x1", "pid": 5, "tid": 6, "ts": 13},
    {"ph": "e", "cat": "request", "name": "other", "id": 2, "pid": 5, "tid": 6, "ts": 14},
    {"ph": "e", "cat": "request", "name": "inner", "id": "0x1", "pid": 5, "tid": 7, "ts": 15},
    {"ph": "e", "cat": "request", "name": "outer", "id": "0x1", "pid": 5, "tid": 6, "ts": 20, "args": {"b": 2}},
    {"ph": "e", "cat": "request", "name": "outer", "id": "0x1", "pid": 5, "tid": 6, "ts": 21},
    {"ph": "S", "cat": "old", "name": "step", "id": 1, "pid": 5, "tid": 6, "ts": 30},
    {"ph": "T", "cat": "old", "name": "step", "id": 1, "pid": 5, "tid": 6, "ts": 31},
    {"ph": "F", "cat": "old", "name": "step", "id": 1, "pid": 5, "tid": 6, "ts": 32},
    {"ph": "b", "cat": "request", "name": "local", "id2": {"local": "0x9"}, "pid": 5, "tid": 6, "ts": 40},
    {"ph": "e", "cat": "request", "name": "local", "id2": {"local": "0x9"}, "pid": 6, "tid": 6, "ts": 41},
    {"ph": "e", "cat": "request", "name": "local", "id2": {"local": "0x9"}, "pid": 5, "tid": 6, "ts": 42},
    {"ph": "b", "cat": "request", "name": "lost", "pid": 5, "tid": 6, "ts": 50})js");
  CheckCounts(*store);
  REQUIRE(store->slice_count() == 5);
  CHECK(store->counts().instants == 2);
  CHECK(ProblemCount(*store, "endWithoutBegin") == 2);
  CHECK(ProblemCount(*store, "missingAsyncId") == 1);
  const SliceIndex outer = Find(*store, "outer");
  const SliceIndex inner = Find(*store, "inner");
  const SliceIndex other = Find(*store, "other");
  CHECK(store->duration(outer) == 10'000);
  CHECK(store->duration(inner) == 3'000);
  CHECK(store->duration(other) == 3'000);
  CHECK(store->duration(Find(*store, "local")) == 2'000);
  // "other" lies within "outer" in time, but belongs to another id.
  CHECK(store->parent(inner) == outer);
  CHECK(store->parent(other) == kNone);
  CHECK(store->depth(other) != store->depth(outer));
  CHECK(store->depth(other) != store->depth(inner));
  CHECK(store->tracks()[store->track(outer)].kind == TrackKind::kAsync);
  CHECK(store->track(outer) == store->track(other));
  CHECK(store->track(Find(*store, "step")) != store->track(outer));
  CHECK(store->ArgInt(outer, "a") == 1);
  CHECK(store->ArgInt(outer, "b") == 2);
  const AsyncSlice* async = store->AsyncOf(outer);
  REQUIRE(async != nullptr);
  CHECK(store->strings().Get(async->id.text) == "0x1");
  CHECK(async->tid.number == 6);
  CHECK_FALSE(store->AsyncOf(Find(*store, "step"))->nestable);
}

TEST_CASE("args of flows are kept") {
  const auto store = ReadEvents(X("cpu_op", "a", 1, 10) + "," + X("cpu_op", "b", 20, 5) + R"js(,
    {"ph": "s", "cat": "critical_path", "name": "edge", "id": 1, "pid": 1, "tid": 1, "ts": 2, "args": {"weight": 18}},
    {"ph": "f", "cat": "critical_path", "name": "edge", "id": 1, "pid": 1, "tid": 1, "ts": 20, "bp": "e"})js");
  REQUIRE(store->flows().size() == 2);
  const auto args = store->ArgsAt(store->FlowArgs(store->flows()[0]));
  REQUIRE(args.size() == 1);
  CHECK(store->strings().Get(args[0].first) == "weight");
  CHECK(store->FlowArgs(store->flows()[1]) == 0);
}

}  // namespace emberline
