// Traces of torch_npu on Ascend NPUs: layers of one machine written as processes.
#include <filesystem>
#include <fstream>

#include "ingest/trace_event/ascend.h"
#include "ingest_fixture.h"

namespace emberline {

using namespace fixture;  // NOLINT: helpers of these tests

namespace {

// Process 100 on device 3: the recorder packs the process, the layer's place and the device.
constexpr int64_t Pid(int64_t place) { return 100 << 10 | place << 5 | 3; }

std::string Layer(const std::string& name, int64_t place, const std::string& labels) {
  const std::string pid = std::to_string(Pid(place));
  const auto meta = [&](const std::string& what, const std::string& args) {
    return "{\"ph\": \"M\", \"name\": \"" + what + "\", \"pid\": " + pid +
           ", \"tid\": 0, \"args\": {" + args + "}}";
  };
  return meta("process_name", "\"name\": \"" + name + "\"") + "," +
         meta("process_labels", "\"labels\": \"" + labels + "\"") + "," +
         meta("process_sort_index", "\"sort_index\": " + std::to_string(place));
}

// A slice without a category, its times as text.
std::string Slice(const std::string& name, int64_t place, int tid, int ts, int dur,
                  const std::string& args = "") {
  return "{\"ph\": \"X\", \"name\": \"" + name + "\", \"pid\": " + std::to_string(Pid(place)) +
         ", \"tid\": " + std::to_string(tid) + ", \"ts\": \"" + std::to_string(ts) +
         ".000\", \"dur\": " + std::to_string(dur) + ", \"args\": {" + args + "}}";
}
std::string Task(const std::string& name, const std::string& type, int ts, int dur,
                 int connection) {
  return Slice(name, 13, 2, ts, dur,
               "\"Task Type\": \"" + type + "\", \"connection_id\": " + std::to_string(connection));
}
std::string ThreadName(int64_t place, int tid, const std::string& name) {
  return "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": " + std::to_string(Pid(place)) +
         ", \"tid\": " + std::to_string(tid) + ", \"args\": {\"name\": \"" + name + "\"}}";
}

std::string Scene() {
  std::string events;
  const auto add = [&](const std::string& event) {
    events += (events.empty() ? "" : ",\n") + event;
  };
  add(X("cpu_op", "aten::mm", 10, 20, 100, 7));
  add(X("enqueue", "Enqueue", 12, 2, 100, 7, "{\"correlation_id\": 5}"));
  add(X("dequeue", "Dequeue@aclnnMm", 32, 8, 100, 8, "{\"correlation_id\": 5}"));
  add(Slice("AscendCL@aclrtSynchronizeStream", 7, 7, 14, 4));
  add(Slice("AscendCL@aclnnMm", 7, 8, 33, 4));
  add(Task("aclnnMm_MatMulV2", "AI_CORE", 50, 10, 40));
  add(Task("EVENT_WAIT", "EVENT_WAIT_SQE", 60, 5, 41));
  add(Task("MEMCPY_ASYNC", "PCIE_DMA_SQE", 65, 5, 42));
  add(Task("Notify Wait", "Notify Wait", 70, 15, 43));
  add(Task("SDMA", "SDMA", 85, 5, 43));
  add(Slice("hcom_allReduce__1_0", 15, 0, 70, 20, "\"connection_id\": 43"));
  add(Slice("Notify_Wait", 15, 1, 70, 15, "\"task type\": \"Notify_Wait\""));
  add(Slice("Memcpy", 15, 1, 85, 5, "\"task type\": \"Memcpy\""));
  add(Slice("Free", 23, 3, 90, 10));
  add(Slice("Computing", 23, 0, 50, 10));
  // Names come behind what they name.
  add(Layer("CANN", 7, "CPU"));
  add(Layer("Ascend Hardware", 13, "NPU"));
  add(Layer("HCCL", 15, "NPU"));
  add(Layer("Overlap Analysis", 23, "NPU"));
  add(ThreadName(13, 2, "Stream 2"));
  add(ThreadName(15, 0, "Group 0 Communication"));
  add(ThreadName(15, 1, "Plane 0"));
  add(ThreadName(23, 3, "Free"));
  return events;
}

}  // namespace

TEST_CASE("an Ascend trace has one NPU, whose tasks, collectives and derived ranges differ") {
  const auto store = Read("[" + Scene() + "]");
  CheckCounts(*store);
  CHECK(store->problems().empty());
  const auto kind = [&](const char* name) { return store->kind(Find(*store, name)); };
  CHECK(kind("aclnnMm_MatMulV2") == SliceKind::kKernel);
  CHECK(kind("EVENT_WAIT") == SliceKind::kSync);
  CHECK(kind("MEMCPY_ASYNC") == SliceKind::kMemcpy);
  CHECK(kind("hcom_allReduce__1_0") == SliceKind::kCommunication);
  // What a collective is made of is not counted beside it.
  CHECK(kind("Notify Wait") == SliceKind::kSync);
  CHECK(kind("SDMA") == SliceKind::kDerived);
  CHECK(kind("Notify_Wait") == SliceKind::kDerived);
  CHECK(kind("Memcpy") == SliceKind::kDerived);
  CHECK(kind("Free") == SliceKind::kDerived);
  CHECK(kind("Computing") == SliceKind::kDerived);
  CHECK(kind("AscendCL@aclnnMm") == SliceKind::kRuntime);
  for (const char* name : {"aclnnMm_MatMulV2", "hcom_allReduce__1_0", "Notify_Wait", "Free"}) {
    const Track& track = store->tracks()[store->track(Find(*store, name))];
    CHECK(track.kind == TrackKind::kDeviceStream);
    CHECK(track.device == 3);
  }
  const Track& stream = store->tracks()[store->track(Find(*store, "MEMCPY_ASYNC"))];
  CHECK(stream.stream == 2);
  CHECK(stream.layer == 0);
  const Track& group = store->tracks()[store->track(Find(*store, "hcom_allReduce__1_0"))];
  CHECK(group.stream == -1);
  CHECK(store->strings().Get(group.layer) == "HCCL");
}

TEST_CASE("CANN's rows belong to the threads of the process that made the calls") {
  const auto store = Read("[" + Scene() + "]");
  const Track& calls =
      store->tracks()[store->track(Find(*store, "AscendCL@aclrtSynchronizeStream"))];
  CHECK(calls.kind == TrackKind::kHostThread);
  CHECK(calls.same_thread == store->track(Find(*store, "aten::mm")));
  const Track& queue = store->tracks()[store->track(Find(*store, "AscendCL@aclnnMm"))];
  CHECK(queue.same_thread == store->track(Find(*store, "Dequeue@aclnnMm")));
  CHECK(store->tracks()[store->track(Find(*store, "aten::mm"))].same_thread == kNone);
}

TEST_CASE("types of Ascend tasks mean the same in every release's spelling") {
  for (const char* type : {"AI_CORE", "AI_VECTOR_CORE", "MIX_AIC", "MIX_AIV", "AI_CPU", "DSA_SQE",
                           "KERNEL_AICORE", "KERNEL_AIVEC", "KERNEL_MIX_AIC", "KERNEL_AICPU"}) {
    INFO(type);
    CHECK(KindOfAscendTask(type, "Mul") == SliceKind::kKernel);
  }
  for (const char* type : {"EVENT_WAIT_SQE", "EVENT_RECORD", "Notify Wait", "NOTIFY_WAIT_SQE",
                           "Write Value", "CAPTURE_WAIT"}) {
    INFO(type);
    CHECK(KindOfAscendTask(type, "") == SliceKind::kSync);
  }
  CHECK(KindOfAscendTask("SDMA_SQE", "MEMCPY_ASYNC") == SliceKind::kMemcpy);
  CHECK(KindOfAscendTask("MEMCPY_ASYNC", "MEMCPY_ASYNC") == SliceKind::kMemcpy);
  CHECK(KindOfAscendTask("PLACE_HOLDER_SQE", "EVENT_RECORD") == SliceKind::kSync);
  CHECK(KindOfAscendTask("PLACE_HOLDER_SQE", "PROFILING_ENABLE") == SliceKind::kDerived);
  CHECK(KindOfAscendTask("FFTS_PLUS", "FFTS_PLUS") == SliceKind::kDerived);
  CHECK(KindOfAscendTask("QUANTUM_CORE", "Mul") == SliceKind::kHostOther);
}

TEST_CASE("a task of an unknown type is shown, counted nowhere and told") {
  const auto store = Read("[" + Scene() + "," + Task("Mul", "QUANTUM_CORE", 95, 3, 50) + "]");
  CHECK(store->kind(Find(*store, "Mul")) == SliceKind::kDerived);
  CHECK(ProblemCount(*store, "unknownTask") == 1);
  REQUIRE(store->problems().size() == 1);
  CHECK(store->problems()[0].notice);
}

TEST_CASE("releases that say Communication and give plain process ids read the same") {
  const auto plain = [](const char* name, int pid) {
    return "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": " + std::to_string(pid) +
           ", \"args\": {\"name\": \"" + name + "\"}}," +
           "{\"ph\": \"M\", \"name\": \"process_labels\", \"pid\": " + std::to_string(pid) +
           ", \"args\": {\"labels\": \"NPU\"}}";
  };
  const auto store =
      Read("[" + plain("Ascend Hardware", 4) + "," + plain("Communication", 5) + "," +
           R"({"ph": "X", "name": "KERNEL_AIVEC", "pid": 4, "tid": 11, "ts": 10.5, "dur": 3,
          "args": {"Task Type": "KERNEL_AIVEC"}},
         {"ph": "X", "name": "hcom_broadcast_", "pid": 5, "tid": 0, "ts": 14, "dur": 3, "args": {}},
         {"ph": "X", "name": "aten::add", "cat": "cpu_op", "pid": 77, "tid": 77, "ts": 1, "dur": 3}]
      )");
  const SliceIndex kernel = Find(*store, "KERNEL_AIVEC");
  CHECK(store->kind(kernel) == SliceKind::kKernel);
  CHECK(store->kind(Find(*store, "hcom_broadcast_")) == SliceKind::kCommunication);
  CHECK(store->tracks()[store->track(kernel)].device == 0);
  CHECK(store->tracks()[store->track(Find(*store, "hcom_broadcast_"))].device == 0);
}

TEST_CASE("processes of an Ascend trace are known by their names, whatever their labels") {
  for (const char* communication : {"HCCL", "Communication"}) {
    for (const char* labels : {"", "NPU", "NPU 3", "npu3", "NPU:3"}) {
      INFO(communication << " labeled \"" << labels << "\"");
      std::string events = Scene();
      const auto replace = [&](const std::string& what, const std::string& by) {
        for (size_t at = events.find(what); at != std::string::npos;
             at = events.find(what, at + by.size())) {
          events.replace(at, what.size(), by);
        }
      };
      replace("\"HCCL\"", std::string("\"") + communication + "\"");
      if (*labels == '\0') {
        replace("process_labels", "process_other");
      } else {
        replace("\"labels\": \"NPU\"", std::string("\"labels\": \"") + labels + "\"");
      }
      const auto store = Read("[" + events + "]");
      CheckCounts(*store);
      CHECK(store->problems().empty());
      const auto kind = [&](const char* name) { return store->kind(Find(*store, name)); };
      CHECK(kind("aclnnMm_MatMulV2") == SliceKind::kKernel);
      CHECK(kind("hcom_allReduce__1_0") == SliceKind::kCommunication);
      CHECK(kind("Notify_Wait") == SliceKind::kDerived);
      CHECK(kind("Free") == SliceKind::kDerived);
      CHECK(kind("aten::mm") == SliceKind::kCpuOp);
      for (const Track& track : store->tracks()) {
        if (track.kind != TrackKind::kDeviceStream) continue;
        CHECK(track.device == 3);
        CHECK(store->strings().Get(track.process_labels) == (*labels == '\0' ? "NPU" : labels));
      }
    }
  }
}

TEST_CASE("labels tell NPUs apart where process ids do not") {
  std::string events;
  for (const int device : {0, 1}) {
    const std::string pid = std::to_string(30 + device), number = std::to_string(device);
    events += R"({"ph": "M", "name": "process_name", "pid": )" + pid +
              R"(, "args": {"name": "Ascend Hardware )" + number + R"("}},)" +
              R"({"ph": "M", "name": "process_labels", "pid": )" + pid +
              R"(, "args": {"labels": "NPU )" + number + R"("}},)" + R"({"ph": "X", "name": "Mul)" +
              number + R"(", "pid": )" + pid +
              R"(, "tid": 2, "ts": 10, "dur": 3, "args": {"Task Type": "AI_CORE"}},)";
  }
  const auto store = Read("[" + events + X("cpu_op", "aten::mul", 1, 2) + "]");
  for (const int device : {0, 1}) {
    const SliceIndex kernel = Find(*store, "Mul" + std::to_string(device));
    CHECK(store->kind(kernel) == SliceKind::kKernel);
    CHECK(store->tracks()[store->track(kernel)].device == device);
  }
}

TEST_CASE("a task without a type is shown, counted nowhere and told; an iteration is no task") {
  const auto store = Read("[" + Scene() + "," + Slice("MatMulV3", 13, 2, 95, 3) + "," +
                          Slice("Iteration 4", 13, 9, 50, 50) + "]");
  CHECK(store->kind(Find(*store, "MatMulV3")) == SliceKind::kDerived);
  CHECK(store->kind(Find(*store, "Iteration 4")) == SliceKind::kDerived);
  CHECK(ProblemCount(*store, "unknownTask") == 1);
}

TEST_CASE("recordings of a run lie in a folder each, which names worker, time and rank") {
  namespace fs = std::filesystem;
  const fs::path root = fs::temp_directory_path() / "emberline_ascend_runs";
  fs::remove_all(root);
  const auto write = [&](const fs::path& file, const std::string& text) {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text;
  };
  const std::string trace = "[" + Scene() + "]";
  const fs::path output = "ASCEND_PROFILER_OUTPUT";
  for (const char* folder : {"host_11_20250109_ascend_pt", "host_12_20250109_ascend_pt"}) {
    write(fs::path("log") / folder / output / "trace_view.json", trace);
    write(fs::path("log") / folder / output / "communication.json", "{\"step1\": {}}");
    write(fs::path("log") / folder / "PROF_1/mindstudio_profiler_output/msprof_1.json", trace);
  }
  write("log/host_11_20250109_ascend_pt/profiler_info_4.json", "{}");
  write("log/host_12_20250109_ascend_pt/profiler_info_5.json", "{}");
  write("log/host_12_20250110_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json", trace);
  write("log/host_12_20250110_ascend_pt/profiler_info_5.json", "{}");

  const auto found = DiscoverRuns(root / "log");
  REQUIRE(found.ok());
  REQUIRE(found->runs.size() == 1);
  CHECK(found->runs[0].name == "log");
  REQUIRE(found->runs[0].workers.size() == 2);
  CHECK(found->runs[0].workers[0].name == "host_11 (rank 4)");
  CHECK(found->runs[0].workers[1].name == "host_12 (rank 5)");
  CHECK(found->runs[0].workers[1].spans.size() == 2);

  const fs::path one = root / "log/host_11_20250109_ascend_pt";
  for (const fs::path& path : {one, one / output, one / output / "trace_view.json"}) {
    INFO(path);
    const auto alone = DiscoverRuns(path);
    REQUIRE(alone.ok());
    REQUIRE(alone->runs.size() == 1);
    REQUIRE(alone->runs[0].workers.size() == 1);
    CHECK(alone->runs[0].workers[0].name == "host_11 (rank 4)");
  }
  const auto read = ReadTrace(one / output / "trace_view.json", {});
  REQUIRE(read.ok());
  REQUIRE(read->store->metadata().distributed);
  CHECK(read->store->metadata().distributed->rank == 4);
  fs::remove_all(root);
}

}  // namespace emberline
