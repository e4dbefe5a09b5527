#include "analysis/kernels.h"
#include "drawn.h"

using namespace emberline;
using namespace emberline::drawn;

namespace {

KernelData Get(const Loaded& m, KernelGrouping grouping = KernelGrouping::kName,
               const StepSelection& selection = {}) {
  auto result = AnalyzeKernels(*m, selection, grouping, TensorCoreRules(VendorOf(*m)), {});
  REQUIRE(result.ok());
  Ns sum = 0;
  int64_t calls = 0;
  for (const KernelRow& row : result->rows) {
    CHECK(row.min <= row.max);
    CHECK(row.max <= row.total);
    sum += row.total;
    calls += row.calls;
  }
  CHECK(sum == result->total);
  CHECK(calls == result->launches);
  return *result;
}

std::string_view Name(const Loaded& m, const KernelRow& row) {
  return m->store().strings().Get(row.name);
}

}  // namespace

TEST_CASE("kernels by name: every kernel once, ties by name (B5, B57)", "[kernels]") {
  Drawing d;
  d.Step(1, 0, 300);
  d.Op("aten::mm", 0, 50);
  d.Launch(1, 10, 1);
  d.Launch(2, 12, 1);
  d.Kernel("zeta", 1, 20, 10);
  d.Kernel("alpha", 2, 40, 10);
  d.Kernel("orphan", 99, 60, 30);
  d.Kernel("orphan", 98, 100, 10);
  d.Device("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 97, 120, 100);
  const Loaded m = Load(d);
  const KernelData data = Get(m);
  REQUIRE(data.rows.size() == 3);
  CHECK(data.launches == 4);
  CHECK(Name(m, data.rows[0]) == "orphan");
  CHECK(data.rows[0].calls == 2);
  CHECK(data.rows[0].min == 10 * kUs);
  CHECK(data.rows[0].max == 30 * kUs);
  CHECK(Name(m, data.rows[1]) == "alpha");
  CHECK(Name(m, data.rows[2]) == "zeta");
  const KernelData properties = Get(m, KernelGrouping::kProperties);
  CHECK(properties.launches == 4);  // orphans are listed once, without an operator
}

TEST_CASE("a kernel without a launch is listed once, however many rows have steps (B5)",
          "[kernels]") {
  Drawing d;
  for (const char* tid : {"10", "11", "12"}) {
    d.Annotation("ProfilerStep#1", 0, 300, tid);
    d.Op("aten::mm", 10, 50, "", tid);
  }
  d.Slice("gpu_user_annotation", "ProfilerStep#1", "0", "7", 20, 200);
  d.Kernel("orphan", 99, 60, 30);
  const Loaded m = Load(d);
  for (const KernelGrouping grouping : {KernelGrouping::kName, KernelGrouping::kProperties}) {
    const KernelData data = Get(m, grouping);
    REQUIRE(data.rows.size() == 1);
    CHECK(data.rows[0].calls == 1);
    CHECK(data.total == 30 * kUs);
  }
}

TEST_CASE("kernels by properties", "[kernels]") {
  Drawing d;
  d.Op("aten::a", 0, 20);
  d.Launch(1, 1, 1);
  d.Launch(2, 3, 1);
  d.Launch(3, 5, 1);
  d.Op("aten::b", 30, 20);
  d.Launch(4, 31, 1);
  d.Launch(5, 33, 1);
  const std::string full =
      "\"grid\":[1,2,3],\"block\":[32,1,1],\"registers per thread\":16,\"shared memory\":1024";
  d.Kernel("k", 1, 100, 10, full);
  d.Kernel("k", 2, 120, 30, full);
  d.Kernel("k", 3, 160, 10, "\"grid\":[1,2,3],\"block\":[64,1,1],\"registers per thread\":16");
  d.Kernel("k", 4, 180, 10, full);
  d.Kernel("k", 5, 200, 10);
  const Loaded m = Load(d);
  const KernelData data = Get(m, KernelGrouping::kProperties);
  REQUIRE(data.rows.size() == 4);
  const Table table = KernelTable(*m, data, KernelGrouping::kProperties);
  const auto& first = table.rows[0];
  auto cell = [&](const char* key) { return first[static_cast<size_t>(table.ColumnIndex(key))]; };
  CHECK(std::get<std::string>(cell("operator")) == "aten::a");
  CHECK(std::get<std::string>(cell("grid")) == "[1, 2, 3]");
  CHECK(std::get<int64_t>(cell("registers")) == 16);
  CHECK(std::get<int64_t>(cell("sharedBytes")) == 1024);
  CHECK(std::get<int64_t>(cell("calls")) == 2);
  CHECK(std::get<double>(cell("meanUs")) == 20.0);
  // A missing value stays missing.
  bool missing = false;
  for (const auto& row : table.rows) {
    missing = missing || std::holds_alternative<std::monostate>(
                             row[static_cast<size_t>(table.ColumnIndex("grid"))]);
  }
  CHECK(missing);
}

TEST_CASE("means ignore missing and negative values (B58)", "[kernels]") {
  Drawing d;
  d.Kernel("k", 1, 0, 10, "\"blocks per SM\":2,\"est. achieved occupancy %\":50");
  d.Kernel("k", 2, 20, 30, "\"blocks per SM\":4,\"est. achieved occupancy %\":100");
  d.Kernel("k", 3, 60, 100, "\"blocks per SM\":\"inf\",\"est. achieved occupancy %\":-1");
  d.Kernel("k", 4, 200, 100);
  const Loaded m = Load(d);
  const KernelData data = Get(m);
  REQUIRE(data.rows.size() == 1);
  CHECK(*data.rows[0].blocks_per_sm == Approx((2 * 10 + 4 * 30) / 40.0));
  CHECK(*data.rows[0].occupancy == Approx((0.5 * 10 + 1.0 * 30) / 40.0));
}

TEST_CASE("communication and tensor core kernels are marked", "[kernels]") {
  Drawing d(R"("deviceProperties":[{"id":0,"name":"NVIDIA H100 80GB HBM3","computeMajor":9}])");
  d.Kernel("nvjet_tst_128x256_64x4_2x1_v_bz_TNT", 1, 0, 60);
  d.Kernel("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 2, 70, 30);
  d.Kernel("elementwise_kernel", 3, 110, 10);
  const Loaded m = Load(d);
  const KernelData data = Get(m);
  CHECK(data.tensor_core_total == 60 * kUs);
  CHECK(data.communication_total == 30 * kUs);
  CHECK(data.rows[0].tensor_cores == MatrixUse::kYes);
  CHECK(data.tensor_core_unknown_total == 0);
  CHECK(data.rows[1].communication);
  CHECK_FALSE(data.rows[2].communication);
}

TEST_CASE("the whole trace has the launches of all steps and those outside every step",
          "[kernels]") {
  Drawing d;
  d.Step(1, 100, 100);
  d.Step(2, 300, 100);
  d.Kernel("k", 9, 10, 5);  // launched before the recording
  d.Launch(1, 110, 2);
  d.Kernel("k", 1, 120, 10);
  d.Launch(2, 250, 2);  // between the steps
  d.Kernel("k", 2, 260, 10);
  d.Launch(3, 390, 2);  // its kernel runs after its step
  d.Kernel("k", 3, 450, 10);
  const Loaded m = Load(d);
  const auto launches = [&](const char* steps) {
    const auto selection = ParseSteps(*m, steps);
    REQUIRE(selection.ok());
    const auto data =
        AnalyzeKernels(*m, *selection, KernelGrouping::kName, TensorCoreRules(Vendor::kNvidia), {});
    REQUIRE(data.ok());
    CHECK(data->rows[0].calls == data->launches);
    return std::pair(data->launches, data->launches_outside_steps);
  };
  CHECK(launches("all") == std::pair<int64_t, int64_t>(4, 2));
  CHECK(launches("1-2") == std::pair<int64_t, int64_t>(2, 0));
  CHECK(launches("1") == std::pair<int64_t, int64_t>(1, 0));
  CHECK(launches("2") == std::pair<int64_t, int64_t>(1, 0));
}

TEST_CASE("busy time is a union, the total a sum (B61)", "[kernels]") {
  Drawing d;
  d.Kernel("a", 1, 0, 100, "", 0, 7);
  d.Kernel("b", 2, 50, 100, "", 0, 8);
  d.Kernel("c", 3, 300, 10, "", 0, 7);
  d.Kernel("d", 4, 0, 40, "", 1, 7);
  const Loaded m = Load(d);
  const KernelData data = Get(m);
  CHECK(data.total == 250 * kUs);
  CHECK(data.busy == 200 * kUs);
}

TEST_CASE("copies by direction, with the bandwidth computed", "[kernels]") {
  Drawing d;
  d.Device("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 1, 0, 10,
           "\"bytes\":100000,\"memory bandwidth (GB/s)\":\"N/A\"");
  d.Device("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 2, 20, 30, "\"bytes\":300000");
  d.Device("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 3, 60, 10, "\"bytes\":50000");
  d.Device("gpu_memset", "Memset (Device)", 4, 80, 5, "\"bytes\":4000");
  const Loaded m = Load(d);
  const Table table = CopiesTable(*m, {});
  REQUIRE(table.rows.size() == 3);
  auto cell = [&](size_t row, const char* key) {
    return table.rows[row][static_cast<size_t>(table.ColumnIndex(key))];
  };
  CHECK(std::get<std::string>(cell(0, "direction")) == "HtoD");
  CHECK(std::get<std::string>(cell(0, "source")) == "Pageable");
  CHECK(std::get<std::string>(cell(0, "target")) == "Device");
  CHECK(std::get<int64_t>(cell(0, "calls")) == 2);
  CHECK(std::get<int64_t>(cell(0, "bytes")) == 400000);
  CHECK(std::get<double>(cell(0, "bandwidthGbPerS")) == Approx(10.0));
  CHECK(std::get<std::string>(cell(2, "direction")) == "Set");
}

TEST_CASE("a recorded rate makes up for a duration that was cut to microseconds", "[kernels]") {
  const auto bandwidth = [](const std::string& args, double us) {
    Drawing d;
    d.Device("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 1, 0, us, args);
    const Loaded m = Load(d);
    const Table table = CopiesTable(*m, {});
    const Cell& cell = table.rows[0][static_cast<size_t>(table.ColumnIndex("bandwidthGbPerS"))];
    return std::holds_alternative<double>(cell) ? std::get<double>(cell) : -1;
  };
  // 1.25 us, of which one was kept.
  CHECK(bandwidth("\"bytes\":1000,\"memory bandwidth (GB/s)\":0.8", 1) == Approx(0.8));
  CHECK(bandwidth("\"bytes\":600,\"memory bandwidth (GB/s)\":0.8", 0) == Approx(0.8));
  // Nothing was cut off, or the rate is of something else.
  CHECK(bandwidth("\"bytes\":1000,\"memory bandwidth (GB/s)\":0.8", 1.125) == Approx(1 / 1.125));
  CHECK(bandwidth("\"bytes\":1000,\"memory bandwidth (GB/s)\":0.5", 1) == Approx(1));
  CHECK(bandwidth("\"bytes\":1000,\"memory bandwidth (GB/s)\":1.1", 1) == Approx(1));
  CHECK(bandwidth("\"bytes\":1000,\"memory bandwidth (GB/s)\":0", 1) == Approx(1));
  CHECK(bandwidth("\"bytes\":1000,\"memory bandwidth (GB/s)\":0.8", 0) == -1);
}

TEST_CASE("who launched a kernel: operators, modules, lines", "[kernels]") {
  Drawing d;
  d.Python("/home/u/train.py(5): main", 0, 300);
  d.Python("nn.Module: Linear_0", 10, 50);
  d.Python("torch/nn/modules/linear.py(114): forward", 11, 40);
  d.Op("aten::addmm", 15, 20);
  d.Launch(1, 20, 2);
  d.Op("aten::mm", 100, 20);
  d.Launch(2, 105, 2);
  d.Kernel("gemm", 1, 200, 30);
  d.Kernel("gemm", 2, 240, 10);
  const Loaded m = Load(d);
  KernelKey key;
  key.name = "gemm";
  auto launches = LaunchesOfKernel(*m, {}, key, StackIds(*m), {});
  REQUIRE(launches.ok());
  REQUIRE(launches->operators.rows.size() == 2);
  CHECK(std::get<std::string>(launches->operators.rows[0][0]) == "aten::addmm");
  REQUIRE(launches->modules.rows.size() == 2);
  CHECK(std::get<std::string>(launches->modules.rows[0][0]) == "Linear_0");
  CHECK(std::holds_alternative<std::monostate>(launches->modules.rows[1][0]));
  REQUIRE(launches->lines.rows.size() == 1);
  CHECK(std::get<std::string>(launches->lines.rows[0][0]) == "/home/u/train.py");
  CHECK(std::get<int64_t>(launches->lines.rows[0][1]) == 5);
  REQUIRE(launches->slices.size() == 2);
  key.op = "aten::mm";
  launches = LaunchesOfKernel(*m, {}, key, StackIds(*m), {});
  REQUIRE(launches.ok());
  CHECK(launches->slices.size() == 1);
  key.name = "none";
  CHECK(LaunchesOfKernel(*m, {}, key, StackIds(*m), {}).error().kind == ErrorKind::kNotFound);
}
