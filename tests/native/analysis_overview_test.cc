// Steps and devices of the overview; each test of a deliberate difference names the plugin's bug.
#include "analysis/findings.h"
#include "analysis/findings_internal.h"
#include "analysis/headline.h"
#include "analysis/overview.h"
#include "base/number_text.h"
#include "drawn.h"

using namespace emberline;
using namespace emberline::drawn;

namespace {

StepBreakdown Steps(const Loaded& m, const StepSelection& selection = {}) {
  auto result = AnalyzeSteps(*m, selection, {});
  REQUIRE(result.ok());
  for (const StepParts& step : result->steps) {
    Ns sum = 0;
    for (Ns part : step.parts) {
      CHECK(part >= 0);
      sum += part;
    }
    CHECK(sum == m->steps[step.step].time.Length());
  }
  return *result;
}

Ns Part(const StepBreakdown& b, Role role, size_t step = 0) {
  return b.steps.at(step).parts[static_cast<size_t>(role)] / kUs;
}

Overview OverviewOf(const Loaded& m, const StepSelection& selection = {}) {
  auto result = AnalyzeOverview(*m, selection, TensorCoreRules(VendorOf(*m)), {});
  REQUIRE(result.ok());
  return *result;
}

const Finding* Find(const std::vector<Finding>& findings, const std::string& id) {
  for (const Finding& f : findings) {
    if (f.id == id) return &f;
  }
  return nullptr;
}

std::vector<Finding> Findings(const Loaded& m) { return FindFindings(*m, {}, OverviewOf(m), {}); }

}  // namespace

TEST_CASE("each instant counts for the first role that is active", "[overview]") {
  Drawing d;
  d.Step(1, 0, 200);
  d.Op("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 0, 20);
  d.Op("aten::mm", 20, 60);
  d.Launch(1, 30, 20);
  d.Launch(2, 55, 5);
  d.Launch(3, 62, 3);
  d.Kernel("k", 1, 40, 60);
  d.Device("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 2, 90, 20);
  d.Device("gpu_memset", "Memset (Device)", 3, 105, 15);
  const Loaded m = Load(d);
  const StepBreakdown b = Steps(m);
  CHECK(Part(b, Role::kKernel) == 60);
  CHECK(Part(b, Role::kMemcpy) == 10);
  CHECK(Part(b, Role::kMemset) == 10);
  CHECK(Part(b, Role::kRuntime) == 10);
  CHECK(Part(b, Role::kDataLoader) == 20);
  CHECK(Part(b, Role::kCpuExec) == 10);
  CHECK(Part(b, Role::kOther) == 80);
  CHECK(Part(b, Role::kCommunication) == 0);
  CHECK_FALSE(b.present[static_cast<size_t>(Role::kCommunication)]);
}

TEST_CASE("a step wholly covered by kernels leaves nothing for the others (B1)", "[overview]") {
  Drawing d;
  d.Step(1, 0, 100);
  d.Op("aten::mm", 0, 50);
  d.Launch(1, 0, 10);
  d.Launch(2, 10, 2);
  d.Kernel("k", 1, 0, 100);
  d.Device("gpu_memcpy", "Memcpy DtoD (Device -> Device)", 2, 20, 20, "", 0, 8);
  const Loaded m = Load(d);
  const StepBreakdown b = Steps(m);
  CHECK(Part(b, Role::kKernel) == 100);
  CHECK(Part(b, Role::kMemcpy) == 0);
  CHECK(b.average_total_ns == 100.0 * kUs);
}

TEST_CASE("annotations are no execution: device side (B3), user ranges (B68)", "[overview]") {
  Drawing d;
  d.Step(1, 0, 100);
  d.Annotation("my range", 0, 100);
  d.Slice("gpu_user_annotation", "my range", "0", "7", 0, 90);
  d.Op("aten::mm", 10, 20);
  const Loaded m = Load(d);
  const StepBreakdown b = Steps(m);
  CHECK(Part(b, Role::kCpuExec) == 20);
  CHECK(Part(b, Role::kOther) == 80);
}

TEST_CASE("communication kernels are communication where no computation hides them (B6)",
          "[overview]") {
  Drawing d;
  d.Step(1, 0, 200);
  d.Annotation("nccl:all_reduce", 5, 10);
  d.Op("record_param_comms", 6, 5, "\"External id\":3");
  d.Launch(1, 7, 2, "\"External id\":3");
  d.Launch(2, 12, 2);
  d.Kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 1, 50, 100,
           "\"External id\":3", 0, 20);
  d.Kernel("k", 2, 50, 30);
  const Loaded m = Load(d);
  const StepBreakdown b = Steps(m);
  CHECK(Part(b, Role::kKernel) == 30);
  CHECK(Part(b, Role::kCommunication) == 70);
}

TEST_CASE("collectives without kernels are communication by the host's call", "[overview]") {
  Drawing d;
  d.Step(1, 0, 100);
  d.Annotation("gloo:all_reduce", 10, 30);
  const Loaded m = Load(d);
  CHECK(Part(Steps(m), Role::kCommunication) == 30);
  // What takes most of a step without a device is in its sentence.
  CHECK(MakeHeadline(*m, OverviewOf(m)).message.text ==
        "CPU only, no GPU work: Python and unrecorded work takes 70.0 % of each step, "
        "communication 30.0 %.");
  Drawing most;
  most.Step(1, 0, 100);
  most.Annotation("gloo:all_reduce", 10, 80);
  const Loaded waits = Load(most);
  CHECK(MakeHeadline(*waits, OverviewOf(waits)).message.text ==
        "CPU only, no GPU work: communication takes 80.0 % of each step, Python and unrecorded "
        "work 20.0 %.");
  // Calls of the device's runtime where they count, though nothing ran on a device.
  Drawing calls;
  calls.Step(1, 0, 100);
  calls.Op("aten::add", 0, 60);
  calls.Launch(1, 10, 30);
  const Loaded called = Load(calls);
  CHECK(MakeHeadline(*called, OverviewOf(called)).message.text ==
        "CPU only, no GPU work: Python and unrecorded work takes 40.0 % of each step, operators "
        "30.0 %, runtime calls 30.0 %.");
  Drawing e;
  e.Step(1, 0, 100);
  e.Annotation("nccl:all_reduce", 10, 30);
  const Loaded n = Load(e);
  CHECK(Part(Steps(n), Role::kCommunication) == 30);
}

TEST_CASE("every collective counts, not five names alone (B7)", "[overview]") {
  for (const char* name :
       {"nccl:_all_gather_base", "nccl:_reduce_scatter_base", "nccl:all_to_all", "nccl:send",
        "nccl:recv 0->1", "nccl:coalesced", "nccl:all_reduce_barrier", "gloo:barrier",
        "gloo:all_to_all", "rccl:all_reduce", "xccl:all_gather"}) {
    INFO(name);
    Drawing d;
    d.Step(1, 0, 100);
    d.Annotation(name, 10, 30);
    CHECK(Part(Steps(Load(d)), Role::kCommunication) == 30);
  }
  Drawing d;
  d.Step(1, 0, 100);
  d.Annotation("nccl::not_a_collective", 10, 30);
  CHECK(Part(Steps(Load(d)), Role::kCommunication) == 0);
}

TEST_CASE("averages leave partial steps out; a selection has its own", "[overview]") {
  Drawing d;
  for (int i = 0; i < 3; ++i) {
    d.Step(i, i * 100, 100);
    const int kernels = i == 2 ? 1 : 4;
    for (int k = 0; k < kernels; ++k) {
      d.Launch(i * 10 + k + 1, i * 100 + k, 0.5);
      d.Kernel("k", i * 10 + k + 1, i * 100 + 10 + k * 10, 5.0 + i);
    }
  }
  const Loaded m = Load(d);
  const StepBreakdown all = Steps(m);
  CHECK(all.steps.size() == 3);
  CHECK(all.averaged_steps == 2);
  CHECK(all.average_ns[0] == 22.0 * kUs);
  const StepBreakdown last = Steps(m, *ParseSteps(*m, "2"));
  CHECK(last.averaged_steps == 1);
  CHECK(last.average_ns[0] == 7.0 * kUs);
}

TEST_CASE("device metrics", "[overview]") {
  Drawing d(kV100);
  d.Step(1, 0, 200);
  d.Launch(1, 1, 1);
  d.Launch(2, 3, 1);
  d.Launch(3, 5, 1);
  d.Kernel("a", 1, 10, 50, "\"blocks per SM\":0.5,\"est. achieved occupancy %\":20");
  d.Kernel("b", 2, 40, 50, "\"blocks per SM\":0.8,\"est. achieved occupancy %\":40", 0, 8);
  d.Kernel("c", 3, 150, 20, "\"blocks per SM\":\"inf\",\"est. achieved occupancy %\":-1");
  const Loaded m = Load(d);
  const Overview o = OverviewOf(m);
  REQUIRE(o.gpus.size() == 1);
  const GpuSummary& gpu = o.gpus[0];
  CHECK(gpu.name == "Tesla V100");
  CHECK(gpu.compute_capability == "7.0");
  CHECK(*gpu.utilization == Approx(100.0 / 200));
  // 30 us at 0.5, 20 us at min(1, 1.3), 30 us at 0.8.
  CHECK(*gpu.est_sm_efficiency == Approx((15 + 20 + 24) / 200.0));
  CHECK(*gpu.est_occupancy == Approx(0.3));
  CHECK(*gpu.tensor_core_share == 0.0);
}

TEST_CASE("overlapping kernels leave no residue in idle gaps (B41)", "[overview]") {
  Drawing d(kV100);
  d.Step(1, 0, 1000);
  for (int i = 0; i < 40; ++i) {
    d.Launch(i + 1, i + 1, 0.5);
    d.Kernel("k", i + 1, 50 + i, 7, "\"blocks per SM\":0.0" + std::to_string(i + 1), 0, 7 + i);
  }
  const Loaded m = Load(d);
  const Overview o = OverviewOf(m);
  double expected = 0;
  for (int i = 0; i < 40; ++i) {
    expected += 7 * (i + 1 < 10 ? 0.01 * (i + 1) : 0.001 * (i + 1));
  }
  CHECK(*o.gpus[0].est_sm_efficiency == Approx(expected / 1000).epsilon(1e-12));
}

TEST_CASE("a CPU trace has no devices; one runtime call makes no GPU job (B67)", "[overview]") {
  Drawing d;
  d.Step(1, 0, 100);
  d.Op("aten::add", 10, 20);
  d.Slice("cuda_runtime", "cudaGetDeviceCount", "1", "10", 40, 5, "\"correlation\":1");
  const Loaded m = Load(d);
  const Overview o = OverviewOf(m);
  CHECK(o.gpus.empty());
  CHECK_FALSE(o.has_device_work);
  REQUIRE_FALSE(o.configuration.empty());
  CHECK(o.configuration[0].value == "CPU");
  CHECK_FALSE(o.tensor_core_share);
}

TEST_CASE("kernels outside the steps leave utilization at zero", "[overview]") {
  Drawing d(kV100);
  d.Kernel("before", 1, 0, 10, "\"blocks per SM\":1");
  d.Step(1, 20, 100);
  d.Kernel("after", 2, 150, 10, "\"blocks per SM\":1");
  const Loaded m = Load(d);
  const Overview o = OverviewOf(m);
  REQUIRE(o.gpus.size() == 1);
  CHECK(*o.gpus[0].utilization == 0.0);
  CHECK_FALSE(o.gpus[0].est_sm_efficiency);
  CHECK_FALSE(o.gpus[0].est_occupancy);
}

TEST_CASE("waiting for data is found with its share", "[findings]") {
  Drawing d(kV100);
  d.Step(1, 0, 100);
  d.Op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 30);
  d.Op("aten::mm", 30, 70);
  const Loaded m = Load(d);
  const auto findings = Findings(m);
  const Finding* f = Find(findings, "dataLoading");
  REQUIRE(f != nullptr);
  CHECK(f->evidence[0].value == Approx(0.3));
  CHECK(f->text.find("30.0 %") != std::string::npos);
  CHECK(*f->gain_us == Approx(30.0));
  REQUIRE(f->slices.size() == 1);
  Drawing few(kV100);
  few.Step(1, 0, 100);
  few.Op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 5);
  CHECK(Find(Findings(Load(few)), "dataLoading") == nullptr);  // strictly more than 5 %
}

TEST_CASE("exposed communication is found, and advice is code instead of a broken link (B23)",
          "[findings]") {
  Drawing d(kV100);
  d.Step(1, 0, 100);
  d.Annotation("nccl:all_reduce", 10, 30);
  const auto findings = Findings(Load(d));
  const Finding* f = Find(findings, "communication");
  REQUIRE(f != nullptr);
  CHECK(f->text.find("30.0 %") != std::string::npos);
  CHECK(f->snippet.find("register_comm_hook(") != std::string::npos);
  for (const std::string& text : {f->text, f->action, f->snippet}) {
    CHECK(text.find("](") == std::string::npos);
    CHECK(text.find("://") == std::string::npos);
  }
}

TEST_CASE("mixed precision is advised where it can help (B46)", "[findings]") {
  auto draw = [](const std::string& devices, const char* op, const char* kernel) {
    Drawing d(devices);
    d.Step(1, 0, 100);
    d.Op(op, 0, 50);
    d.Launch(1, 10, 5);
    d.Kernel(kernel, 1, 20, 80);
    return Load(d);
  };
  const std::string amd =
      R"("deviceProperties":[{"id":0,"name":"AMD Instinct MI300X","warpSize":64,"computeMajor":9}])";
  const std::string old =
      R"("deviceProperties":[{"id":0,"name":"Tesla P100","warpSize":32,"computeMajor":6}])";
  const char* sgemm = "volta_sgemm_128x64_nn";
  CHECK(Find(Findings(draw(kV100, "aten::mm", sgemm)), "mixedPrecision") != nullptr);
  CHECK(Find(Findings(draw(kV100, "aten::mm", "volta_h884gemm_128x64_nn")), "mixedPrecision") ==
        nullptr);
  CHECK(Find(Findings(draw(kV100, "aten::add", "elementwise")), "mixedPrecision") == nullptr);
  CHECK(Find(Findings(draw(old, "aten::mm", sgemm)), "mixedPrecision") == nullptr);
  CHECK(Find(Findings(draw(amd, "aten::mm", "Cijk_Ailk_Bljk_BBS_BH_MT64x64x32_MI32x32x8x1_SE")),
             "mixedPrecision") == nullptr);
}

TEST_CASE("low utilization names its devices (B22)", "[findings]") {
  Drawing d;
  d.Step(1, 0, 100);
  d.Launch(1, 1, 1);
  d.Launch(2, 3, 1);
  d.Kernel("k", 1, 10, 10, "", 0, 7);
  d.Kernel("k", 2, 10, 10, "", 10, 7);
  const Loaded m = Load(d);
  const auto findings = Findings(m);
  const Finding* f = Find(findings, "lowUtilization");
  REQUIRE(f != nullptr);
  CHECK(f->text.find("GPU 0 and GPU 10 run ") != std::string::npos);
}

TEST_CASE("advice names the device that there is", "[findings]") {
  const auto advice = [](const std::string& label) {
    Drawing d;
    d.Event(R"({"ph":"M","name":"process_labels","pid":0,"args":{"labels":")" + label + "\"}}");
    d.Step(1, 0, 100);
    d.Launch(1, 1, 1);
    d.Kernel("k", 1, 10, 10, "", 0, 7);
    const Loaded m = Load(d);
    const auto findings = Findings(m);
    const Finding* f = Find(findings, "lowUtilization");
    REQUIRE(f != nullptr);
    return f->action;
  };
  CHECK(advice("GPU 0").find("CUDA graphs") != std::string::npos);
  CHECK(advice("NPU 0").find("device graphs") != std::string::npos);
  CHECK(advice("NPU 0").find("CUDA") == std::string::npos);
}

TEST_CASE("a share that rounds to nothing is not called nothing", "[findings]") {
  CHECK(PercentText(0.25, 0) == "25 %");
  CHECK(PercentText(0.004, 0) == "below 1 %");
  Drawing d;
  d.Step(1, 0, 1000000);
  d.Launch(1, 1, 1);
  d.Kernel("k", 1, 10, 100, "", 0, 7);
  const Loaded m = Load(d);
  const auto findings = Findings(m);
  const Finding* f = Find(findings, "lowUtilization");
  REQUIRE(f != nullptr);
  CHECK(f->text.find("(< 0.1 %)") != std::string::npos);
}

TEST_CASE("a device that waits for launches is found; only kernels count as kernels",
          "[findings]") {
  // Between two kernels lies a copy; each finds an idle device.
  const auto draw = [](bool with_steps) {
    Drawing d;
    const int64_t count = 120;
    if (with_steps) d.Step(1, 0, count * 100);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = i * 100;
      d.Launch(2 * i + 1, at + 10, 10);
      d.Device("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 2 * i + 1, at + 25, 5);
      d.Launch(2 * i + 2, at + 50, 10);
      d.Kernel("short", 2 * i + 2, at + 65, 5);
    }
    return Load(d);
  };
  const Loaded steps = draw(true);
  const auto findings = Findings(steps);
  const Finding* f = Find(findings, "launchBound");
  REQUIRE(f != nullptr);
  CHECK(f->evidence.at(0).label.text == "Kernels per step");
  CHECK(f->evidence.at(0).value == 120);
  CHECK(f->evidence.at(2).label.text == "Kernels started on an idle GPU");
  CHECK(f->evidence.at(2).value == 1.0);
  // Before each kernel and each copy but the first the device is idle: 35 us and 55 us.
  CHECK(f->evidence.at(3).value == 120 * 35 + 119 * 55);

  // A trace without steps has no "per step".
  const Loaded whole = draw(false);
  const auto of_all = Findings(whole);
  const Finding* g = Find(of_all, "launchBound");
  REQUIRE(g != nullptr);
  CHECK(g->evidence.at(0).label.text == "Kernels");
  CHECK(g->text.find("step") == std::string::npos);
}

TEST_CASE("Gloo is questioned only when it was seen (B69)", "[findings]") {
  auto draw = [](bool gloo, bool nccl) {
    Drawing d(kV100);
    d.Step(1, 0, 100);
    d.Op("DistributedDataParallel.forward", 0, 50);
    if (gloo) d.Annotation("gloo:all_reduce", 60, 5);
    if (nccl) d.Annotation("nccl:all_reduce", 70, 5);
    return Load(d);
  };
  CHECK(Find(Findings(draw(true, false)), "backend") != nullptr);
  CHECK(Find(Findings(draw(false, false)), "backend") == nullptr);
  CHECK(Find(Findings(draw(true, true)), "backend") == nullptr);
}

TEST_CASE("memory near capacity skips the CPU and unknown devices (B20, B21)", "[findings]") {
  auto draw = [](int type, int device, const char* total) {
    Drawing d(kV100);
    d.Step(1, 0, 100);
    d.Op("aten::empty", 10, 10);
    d.Event(
        R"({"ph":"i","s":"t","name":"[memory]","pid":1,"tid":10,"ts":12,"args":{"Device Type":)" +
        std::to_string(type) + ",\"Device Id\":" + std::to_string(device) +
        R"(,"Addr":5,"Bytes":512,"Total Allocated":)" + total + "}}");
    return Load(d);
  };
  CHECK(Find(Findings(draw(1, 0, "33000000000")), "memoryNearCapacity") != nullptr);
  CHECK(Find(Findings(draw(1, 0, "3000000000")), "memoryNearCapacity") == nullptr);
  CHECK(Find(Findings(draw(0, -1, "33000000000")), "memoryNearCapacity") == nullptr);
  CHECK(Find(Findings(draw(1, 9, "33000000000")), "memoryNearCapacity") == nullptr);
}
