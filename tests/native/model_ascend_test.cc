// Links in traces whose host queues work for another thread to launch (torch_npu).
#include "drawn.h"

using namespace emberline;
using namespace emberline::drawn;

namespace {

constexpr int64_t Pid(int64_t place) { return 100 << 10 | place << 5 | 3; }

std::string Layer(const std::string& name, int64_t place, const std::string& labels) {
  const auto meta = [&](const std::string& what, const std::string& args) {
    return R"({"ph":"M","name":")" + what + R"(","pid":)" + std::to_string(Pid(place)) +
           R"(,"args":{)" + args + "}}";
  };
  return meta("process_name", R"("name":")" + name + "\"") + "," +
         meta("process_labels", R"("labels":")" + labels + "\"") + "," +
         meta("process_sort_index", R"("sort_index":)" + std::to_string(place));
}

std::string Slice(const std::string& name, int64_t pid, int tid, int ts, int dur,
                  const std::string& more = "") {
  return R"({"ph":"X","name":")" + name + R"(","pid":)" + std::to_string(pid) + R"(,"tid":)" +
         std::to_string(tid) + R"(,"ts":)" + std::to_string(ts) +
         ".5,\"dur\":" + std::to_string(dur) + more + "}";
}

std::string Arrow(const std::string& category, int id, int64_t from_pid, int from_tid, int from,
                  int64_t to_pid, int to_tid, int to) {
  const auto end = [&](char phase, int64_t pid, int tid, int ts) {
    return std::string(R"({"ph":")") + phase + R"(","bp":"e","name":"a","cat":")" + category +
           R"(","id":)" + std::to_string(id) + R"(,"pid":)" + std::to_string(pid) + R"(,"tid":)" +
           std::to_string(tid) + R"(,"ts":)" + std::to_string(ts) + ".5}";
  };
  return end('s', from_pid, from_tid, from) + "," + end('f', to_pid, to_tid, to);
}

SliceIndex Find(const Model& model, std::string_view name) {
  for (SliceIndex i = 0; i < model.store().slice_count(); ++i) {
    if (model.store().name(i) == name) return i;
  }
  return kNone;
}

const char* const kOp = R"(,"cat":"cpu_op","args":{})";
const char* const kCore = R"(,"args":{"Task Type":"AI_CORE"})";

std::shared_ptr<const Model> Scene(const std::string& more = "") {
  return LoadEvents(
      Slice("ProfilerStep#1", 100, 7, 0, 50, kOp) + "," + Slice("aten::mm", 100, 7, 10, 20, kOp) +
      "," + Slice("ProfilerStep#2", 100, 7, 60, 50, kOp) + "," +
      Slice("aten::item", 100, 7, 70, 30, kOp) + "," +
      Slice("AscendCL@aclrtSynchronizeStream", Pid(7), 7, 72, 20) + "," +
      Slice("Node@inner", Pid(7), 7, 74, 2) + "," +
      // Launched by the queue's thread in the next step, by a clock ahead of the device's.
      Slice("Node@launch", Pid(7), 8, 65, 4) + "," + Slice("gemm", Pid(13), 2, 64, 10, kCore) +
      "," + Arrow("HostToDevice", 1, Pid(7), 8, 65, Pid(13), 2, 64) + "," +
      Arrow("async_npu", 2, 100, 7, 10, Pid(13), 2, 64) + "," + Layer("CANN", 7, "CPU") + "," +
      Layer("Ascend Hardware", 13, "NPU") + more);
}

}  // namespace

TEST_CASE("work queued for another thread belongs to the operator that its arrow leads from") {
  const auto m = Scene();
  const SliceIndex kernel = Find(*m, "gemm");
  CHECK(m->launch[kernel] == Find(*m, "Node@launch"));
  CHECK(m->op[kernel] == Find(*m, "aten::mm"));
  CHECK(m->device_self[m->op[kernel]] == 10 * kUs);
  CHECK(m->op_link == OpLinkMethod::kArrow);
  CHECK(m->unlinked_device_slices == 0);
  // The step that asked for it, not the one in which it was launched.
  REQUIRE(m->steps.size() == 2);
  CHECK(m->step[kernel] == 0);
}

TEST_CASE("calls on another row of a thread run inside the thread's operators") {
  const auto m = Scene();
  const SliceIndex item = Find(*m, "aten::item");
  CHECK(m->op[Find(*m, "AscendCL@aclrtSynchronizeStream")] == item);
  CHECK(m->op[Find(*m, "Node@inner")] == item);
  CHECK(m->op[Find(*m, "Node@launch")] == kNone);
  CHECK(m->host_api[item] == 20 * kUs);
}

TEST_CASE("a device is called what its label says, with or without a number") {
  const auto m = Scene();
  REQUIRE(m->devices.size() == 1);
  CHECK(DeviceLabel(m->devices[0]) == "NPU 3");
}

TEST_CASE("a collective of the device communicates whatever its name") {
  const auto m = Scene("," + Slice("anything", Pid(15), 0, 90, 5) + "," + Layer("HCCL", 15, "NPU"));
  const SliceIndex collective = Find(*m, "anything");
  CHECK(m->is_communication[collective]);
  CHECK(IsKernel(m->store().kind(collective)));
  CHECK(m->devices.size() == 1);
}
