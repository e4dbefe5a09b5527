// Traces of recorders that are not PyTorch's: nothing is claimed about their devices, and they say
// so; every recorder of PyTorch stays free of such words.
#include "ingest_fixture.h"

namespace emberline {

using namespace fixture;  // NOLINT: helpers of these tests

namespace {

std::string ProcessMeta(const std::string& what, const std::string& key, int pid,
                        const std::string& text) {
  return "{\"ph\": \"M\", \"name\": \"process_" + what + "\", \"pid\": " + std::to_string(pid) +
         ", \"args\": {\"" + key + "\": \"" + text + "\"}}";
}
std::string Named(int pid, const std::string& name) {
  return ProcessMeta("name", "name", pid, name);
}
std::string Labeled(int pid, const std::string& labels) {
  return ProcessMeta("labels", "labels", pid, labels);
}
// A slice without a category.
std::string Plain(const std::string& name, int pid, int tid = 1) {
  return "{\"ph\": \"X\", \"name\": \"" + name + "\", \"pid\": " + std::to_string(pid) +
         ", \"tid\": " + std::to_string(tid) + ", \"ts\": 10, \"dur\": 5}";
}
const Problem* Notice(const TraceStore& store) {
  for (const Problem& problem : store.problems()) {
    if (problem.notice) return &problem;
  }
  return nullptr;
}
bool HasDeviceWork(const TraceStore& store) {
  for (SliceIndex i = 0; i < store.slice_count(); ++i) {
    if (IsDeviceWork(store.kind(i))) return true;
  }
  return false;
}
void CheckForeign(const std::string& events, const std::string& recognized) {
  INFO(events);
  for (const std::string& text : {"[" + events + "]", "{\"traceEvents\": [" + events + "]}"}) {
    const auto store = Read(text);
    CheckCounts(*store);
    CHECK_FALSE(HasDeviceWork(*store));
    const Problem* notice = Notice(*store);
    REQUIRE(notice != nullptr);
    CHECK(notice->kind == "unknownRecorder");
    CHECK(notice->count == 1);  // it is said of the trace, not of its slices
    INFO(notice->message);
    CHECK(notice->message.find(recognized) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("traces of other programs say so, name what they look like and claim no device") {
  CheckForeign(Named(3, "/device:TPU:0") + "," + Named(7, "/host:CPU") + "," +
                   Plain("fusion.3", 3) + "," + Plain("PjitFunction", 7),
               "JAX or TensorFlow");
  CheckForeign(Named(1, "/job:localhost/replica:0/task:0/device:GPU:0/stream:all Compute") + "," +
                   X("Op", "MatMul", 1, 5),
               "JAX or TensorFlow");
  CheckForeign(Named(1, "Renderer") + "," + X("toplevel", "RunTask", 1, 5), "Chrome");
  CheckForeign(X("devtools.timeline,v8", "FunctionCall", 1, 5), "Chrome");
  CheckForeign(X("FEE", "main (a.py:1)", 1, 5), "VizTracer");
  CheckForeign(X("cpu_op", "zeCommandListCreate", 1, 5) + "," + X("gpu_op", "gemm", 9, 5, 2, 0),
               "unitrace");
  CheckForeign(Labeled(4, "NPU 0") + "," + Plain("matmul", 4), "not a trace of the PyTorch");
  CheckForeign(X("nvtx", "step", 1, 5) + "," + X("cuda", "gemm", 2, 5, 9, 9),
               "not a trace of the PyTorch");
}

TEST_CASE("no recorder of PyTorch is taken for another") {
  const std::string gpus = Labeled(0, "GPU 0") + "," + Labeled(1, "GPU 1");
  for (const std::string& events :
       {X("cpu_op", "aten::add", 1, 5), X("Operator", "aten::add", 1, 5) + "," + gpus,
        X("user_annotation", "step", 1, 5) + "," + gpus,
        X("python_function", "train.py(3): main", 1, 5), X("kernel", "gemm", 1, 5, 0, 7),
        X("cuda_runtime", "cudaLaunchKernel", 1, 5),
        X("cpu_op", "aten::add", 1, 5) + "," + X("critical_path", "edge", 1, 5),
        // Ids of a device and of a process in a container may be the same.
        X("cpu_op", "aten::add", 1, 5, 1) + "," + Labeled(1, "CPU") + "," + gpus + "," +
            X("something_new", "note", 20, 5, 1, 2),
        std::string(R"({"ph": "X", "name": "mm", "pid": "CPU functions", "tid": 1, "ts": 1,
                           "dur": 5, "args": {}})"),
        gpus,  // no slices at all
        std::string(R"({"ph": "i", "name": "x", "ts": 1, "pid": 1, "tid": 1})")}) {
    INFO(events);
    CHECK(Notice(*Read("[" + events + "]")) == nullptr);
  }
  // A header of PyTorch's exporter says enough.
  CHECK(Notice(*ReadEvents(Plain("anything", 1))) == nullptr);
}

TEST_CASE("device slices of unknown categories in a trace of PyTorch are told") {
  const auto store =
      ReadEvents(X("cpu_op", "aten::add", 1, 5, 50) + "," + Labeled(0, "HPU 0") + "," +
                 X("gaudi_compute", "gemm", 2, 5, 0, 3) + "," + X("tpu_step", "x", 2, 5, 50, 9));
  const Problem* notice = Notice(*store);
  REQUIRE(notice != nullptr);
  CHECK(notice->kind == "unknownDeviceWork");
  CHECK(notice->count == 2);
  CHECK(notice->message.find("\"gaudi_compute\", \"tpu_step\"") != std::string::npos);
  // On a row of a device it still counts.
  CHECK(store->kind(Find(*store, "gemm")) == SliceKind::kDeviceOther);
  CHECK(store->kind(Find(*store, "x")) == SliceKind::kHostOther);
}

}  // namespace emberline
