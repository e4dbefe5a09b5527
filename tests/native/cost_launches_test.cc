// Costs on kernels: who owns them, how they are shared, what the columns say.
#include <map>

#include "cost/advice.h"
#include "cost/attribution.h"
#include "cost/launch_columns.h"
#include "cost/launches.h"
#include "cost/pyprof.h"
#include "cost/summary.h"
#include "drawn.h"
#include "lazy_tables.h"

using namespace emberline;
using namespace emberline::drawn;

namespace {

std::string Shapes(const char* dims, const char* types, const char* values = "") {
  std::string text = std::string("\"Input Dims\":") + dims + ",\"Input type\":" + types;
  if (*values != 0) text += std::string(",\"Concrete Inputs\":") + values;
  return text;
}

std::shared_ptr<const CostAttribution> Attribute(const Loaded& m) {
  auto costs = AttributeCosts(*m, nullptr, {});
  REQUIRE(costs.ok());
  // The kernels of a call sum to it.
  std::map<uint32_t, std::pair<Amount, const OpCost*>> sums;
  for (const KernelCost& kernel : (*costs)->kernels) {
    if (kernel.owner == kNone || !kernel.flops.known()) continue;
    const auto [it, added] = sums.try_emplace(kernel.call, 0, kernel.cost);
    it->second.first += kernel.flops;
  }
  for (const auto& [call, sum] : sums) {
    const bool whole = sum.first.value() == sum.second->flops.value();
    const bool covered = sum.first.value() == 0;
    CHECK((whole || covered));
  }
  return *costs;
}

std::string CellText(const Table& table, size_t row, const char* key) {
  const int column = table.ColumnIndex(key);
  REQUIRE(column >= 0);
  const Cell& cell = table.rows[row][static_cast<size_t>(column)];
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* integer = std::get_if<int64_t>(&cell)) return std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&cell)) return std::to_string(*number);
  return "";
}

TablePage List(const Loaded& m, const CostAttribution& costs, const TableQuery& query = {},
               CostMode mode = CostMode::kCorrected) {
  const TensorCoreKernels tensor_cores(*m, TensorCoreRules(VendorOf(*m)));
  const CostContext context{*m, costs, tensor_cores, {}, {}};
  auto page = QueryLaunches(context, mode, query, {});
  INFO((page.ok() ? "" : page.error().message));
  REQUIRE(page.ok());
  return *page;
}

const char* const kMm = R"(["c10::BFloat16","c10::BFloat16"])";

}  // namespace

TEST_CASE("a product inside aten::linear owns its cost, and split sums get none of it", "[cost]") {
  Drawing d(kH100);
  d.Op("aten::linear", 0, 50, Shapes("[[64,32],[16,32]]", kMm));
  d.Op("aten::mm", 5, 40, Shapes("[[64,32],[32,16]]", kMm) + ",\"Sequence number\":7");
  d.Launch(1, 10, 1);
  d.Launch(2, 12, 1);
  d.Launch(3, 14, 1);
  const int first =
      d.Kernel("sm90_xmma_gemm_bf16", 1, 20, 10, R"("grid":[4,2,1],"block":[128,1,1])");
  const int second = d.Kernel("sm90_xmma_gemm_bf16", 2, 30, 30);
  const int sum = d.Kernel("cublasLt::splitKreduce_kernel<32>", 3, 60, 5);
  const Loaded m = Load(d);
  const auto costs = Attribute(m);
  REQUIRE(costs->kernels.size() == 3);
  const int64_t flops = 2 * 64 * 32 * 16;
  CHECK(costs->kernels[0].kernel == m.At(first));
  CHECK(costs->kernels[0].flops.value() == flops / 4);
  CHECK(costs->kernels[1].kernel == m.At(second));
  CHECK(costs->kernels[1].flops.value() == flops * 3 / 4);
  CHECK(costs->kernels[2].kernel == m.At(sum));
  CHECK(costs->kernels[2].helper);
  CHECK(costs->kernels[2].flops.value() == 0);

  const Table table = List(m, *costs).table;
  CHECK(CellText(table, 0, "idx") == "1");
  CHECK(CellText(table, 0, "op") == "linear");
  CHECK(CellText(table, 0, "owner") == "aten::mm");
  CHECK(CellText(table, 0, "seq") == "7");
  CHECK(CellText(table, 0, "dir") == "fprop");
  CHECK(CellText(table, 0, "params") == "M=64,N=16,K=32,bf16");
  CHECK(CellText(table, 0, "grid") == "4,2,1");
  CHECK(CellText(table, 0, "block") == "128,1,1");
  CHECK(CellText(table, 0, "tc") == "1");
  CHECK(CellText(table, 0, "sil") == "10000");
  CHECK(CellText(table, 0, "tid") == "10");
  CHECK(CellText(table, 0, "device") == "0");
  CHECK(CellText(table, 0, "stream") == "7");
  CHECK(CellText(table, 1, "sub") == "1");
  CHECK(CellText(table, 2, "note") == "helper kernel");
  CHECK(CellText(table, 2, "kernel") == "cublasLt::splitKreduce_kernel");
}

TEST_CASE("gradients of a convolution go to the kernels that are named after them", "[cost]") {
  Drawing d(kH100);
  d.Op("aten::convolution_backward", 0, 50,
       Shapes("[[10,512,7,7],[10,512,7,7],[512,512,3,3],[],[],[],[],[],[],[],[]]",
              R"(["float","float","float","ScalarList","ScalarList","ScalarList","ScalarList",)"
              R"("Scalar","ScalarList","Scalar","ScalarList"])",
              R"(["","","","[0]","[1, 1]","[1, 1]","[1, 1]","False","[0, 0]","1",)"
              R"("[True, True, False]"])"));
  for (int i = 1; i <= 4; ++i) d.Launch(i, 10 + i, 1);
  d.Kernel("batched_transpose_32x32", 1, 20, 10);
  d.Kernel("igemm_bwd_gtcx3_nhwc", 2, 30, 10);
  d.Kernel("kernel_batched_gemm_xdlops_bwd_weight", 3, 40, 90);
  d.Kernel("SubTensorOpWithCastTensor1d", 4, 130, 10);
  const Loaded m = Load(d);
  const auto costs = Attribute(m);
  REQUIRE(costs->kernels.size() == 4);
  CHECK(costs->kernels[0].flops.value() == 0);
  CHECK(costs->kernels[1].flops.value() == 2312110080);
  CHECK(costs->kernels[2].flops.value() == 2312110080);
  CHECK(costs->kernels[3].flops.value() == 0);
}

TEST_CASE("a node of backward without shapes has twice the cost of its forward operator",
          "[cost]") {
  Drawing d(kH100);
  d.Op("aten::mm", 0, 20, Shapes("[[64,32],[32,16]]", kMm) + ",\"Sequence number\":3");
  d.Launch(1, 5, 1);
  d.Kernel("gemm", 1, 30, 10);
  d.Op("MyBackward0", 100, 50, "\"Sequence number\":3,\"Fwd thread id\":1", "11");
  d.Launch(2, 110, 1, "", "cuda_runtime", "11");
  d.Kernel("own_kernel", 2, 130, 10);
  d.Flow("s", 1, 0, "10");
  d.Flow("f", 1, 100, "11");
  const Loaded m = Load(d);
  const auto costs = Attribute(m);
  REQUIRE(costs->kernels.size() == 2);
  CHECK(costs->kernels[1].flops.value() == 2 * costs->kernels[0].flops.value());
  const Table table = List(m, *costs).table;
  CHECK(CellText(table, 1, "dir") == "bprop");
  CHECK(CellText(table, 1, "op") == "mm");
  CHECK(CellText(table, 1, "note") == "estimate");
}

TEST_CASE("kernels without an operator, or with impossible shapes, cost nothing known", "[cost]") {
  Drawing d(kH100);
  d.Kernel("lost", 99, 0, 10);
  d.Op("aten::mm", 20, 20, Shapes("[[-1,32],[32,16]]", kMm));
  d.Launch(1, 25, 1);
  d.Kernel("gemm", 1, 50, 10);
  d.Op("my::op", 60, 20, Shapes("[[8,32]]", R"(["float"])"));
  d.Launch(2, 65, 1);
  d.Kernel("mine", 2, 90, 10);
  const Loaded m = Load(d);
  const auto costs = Attribute(m);
  CHECK(costs->faulty_calls == 1);
  const Table table = List(m, *costs).table;
  REQUIRE(table.rows.size() == 3);
  for (size_t row = 0; row < 3; ++row) {
    CHECK(CellText(table, row, "flops").empty());
    CHECK(CellText(table, row, "bytes").empty());
    CHECK(CellText(table, row, "roofShare").empty());
  }
  CHECK(CellText(table, 1, "note").find("negative") != std::string::npos);

  auto rules = CostRules::Make({{"my::.*", "3 * numel(0)", "bytes(0)", "bytes(0)", false}});
  REQUIRE(rules.ok());
  auto own = AttributeCosts(*m, rules->get(), {});
  REQUIRE(own.ok());
  CHECK((*own)->kernels[2].flops.value() == 3 * 8 * 32);
  CHECK((*own)->kernels[2].bytes().value() == 2 * 4 * 8 * 32);
}

TEST_CASE("the list of kernels is sorted, filtered and cut like any table", "[cost]") {
  Drawing d(kH100);
  for (int i = 0; i < 50; ++i) {
    d.Op(i % 2 == 0 ? "aten::mm" : "aten::add", i * 100, 50,
         i % 2 == 0 ? Shapes("[[64,32],[32,16]]", kMm) : Shapes("[[8],[8]]", kMm));
    d.Launch(i + 1, i * 100 + 10, 1);
    d.Kernel(i % 2 == 0 ? "gemm" : "add", i + 1, i * 100 + 20, 50 - i);
  }
  const Loaded m = Load(d);
  const auto costs = Attribute(m);
  TableQuery query;
  query.filter = "op:mm";
  query.sort = "sil";
  query.offset = 1;
  query.limit = 3;
  const TablePage page = List(m, *costs, query);
  CHECK(page.unfiltered_rows == 50);
  CHECK(page.total_rows == 25);
  REQUIRE(page.table.rows.size() == 3);
  CHECK(CellText(page.table, 0, "sil") == "4000");
  CHECK(CellText(page.table, 2, "sil") == "8000");
  query = {};
  query.offset = 49;
  CHECK(List(m, *costs, query).table.rows.size() == 1);
  query.offset = 500;
  CHECK(List(m, *costs, query).table.rows.empty());
  const TensorCoreKernels tensor_cores(*m, TensorCoreRules(VendorOf(*m)));
  query = {};
  query.sort = "nothing";
  CHECK_FALSE(
      QueryLaunches({*m, *costs, tensor_cores, {}, {}}, CostMode::kCorrected, query, {}).ok());
}

TEST_CASE("the list of kernels that is never whole is ordered like the whole one", "[cost]") {
  Drawing d(kH100);
  for (int i = 0; i < 60; ++i) {
    const int at = 100 * i;
    const std::string rows = std::to_string(8 * (i % 5 + 1));
    d.Python(i % 3 == 0 ? "nn.Module: Linear_" + std::to_string(i % 7)
                        : "train.py(" + std::to_string(i % 4 + 1) + "): step",
             at, 90);
    d.Op(i % 4 == 0 ? "aten::mm" : "aten::add", at + 1, 80,
         i % 5 == 4 ? "" : Shapes(("[[" + rows + ",32],[32,16]]").c_str(), kMm));
    d.Launch(i + 1, at + 10, 1);
    if (i % 6 == 5) d.Launch(100 + i, at + 20, 1);
    d.Kernel(i % 4 == 0 ? "gemm" : "void add<float>(float)", i + 1, at + 30, 1 + i % 9);
    if (i % 6 == 5) d.Kernel("splitKreduce_kernel", 100 + i, at + 50, 2);
  }
  d.Kernel("alone", 500, 7000, 5);
  const Loaded m = Load(d);
  const auto costs = Attribute(m);
  const TensorCoreKernels tensor_cores(*m, TensorCoreRules(VendorOf(*m)));
  const CostContext context{*m, *costs, tensor_cores, {}, {}};
  for (const CostMode mode : {CostMode::kCorrected, CostMode::kPyProf2}) {
    const auto rows = ListLaunches(context, mode, {});
    REQUIRE(rows.ok());
    REQUIRE(rows->kernels.size() == 71);
    CheckAgainstWhole(*LaunchTable(context, *rows),
                      {"", "gemm", "mm|linear sil>2", "op:add", "dir=fprop flops>0"});
  }
}

TEST_CASE("PyProf2's README, row by row", "[cost]") {
  struct Line {
    const char* op;
    const char* dims;
    const char* values;
    int64_t flops, bytes;
  };
  const char* const conv = R"(["","","","[1, 1]","[0, 0]","[1, 1]","1"])";
  const Line lines[] = {
      {"relu", "[[64,64,112,112]]", "", 51380224, 205520896},
      {"conv2d", "[[64,64,56,56],[64,64,1,1],[],[],[],[],[]]", conv, 1644167168, 51388416},
      {"relu", "[[64,64,56,56]]", "", 12845056, 51380224},
      {"conv2d", "[[64,64,56,56],[256,64,1,1],[],[],[],[],[]]", conv, 6576668672, 128483328}};
  for (const Line& line : lines) {
    const Arguments arguments({line.dims,
                               R"(["c10::Half","c10::Half","","ScalarList","ScalarList",)"
                               R"("ScalarList","Scalar"])",
                               "", line.values});
    const PyProfFigures figures =
        PyProfCost(line.op, arguments, "volta_fp16_s884cudnn_fp16_256x64_ldg8_relu", false, 0);
    CHECK(figures.flops == line.flops);
    CHECK(figures.bytes == line.bytes);
  }
  // Its mistakes are kept: bytes of linear, matmul without its batch.
  const Arguments linear({"[[10,512],[1000,512]]", R"(["c10::Half","c10::Half"])", "", ""});
  CHECK(PyProfCost("linear", linear, "volta_s884gemm", false, 0).bytes == 532240);
  const Arguments matmul({"[[8,12,64,64],[8,12,64,64]]", R"(["float","float"])", "", ""});
  CHECK(PyProfCost("matmul", matmul, "volta_sgemm", false, 0).bytes == 49152);
  const Arguments bmm({"[[96,64,64],[96,64,64]]", R"(["float","float"])", "", ""});
  CHECK(PyProfCost("bmm", bmm, "volta_sgemm", false, 0).bytes == 4718592);
  const Arguments add({"[[10],[10]]", R"(["float","float"])", "", ""});
  CHECK(PyProfCost("add", add, "elementwise_kernel", false, 0).flops == 15);
  CHECK(PyProfKernelName("void at::native::(anonymous namespace)::k<int, 4>(int, float)") == "k");
}

TEST_CASE("devices are found by name, else by what they are made of", "[cost]") {
  const auto find = [](const char* name, int major = 0, int minor = 0, int sms = 0,
                       int64_t memory = 0) -> std::string {
    DeviceProperties device;
    device.name = name;
    device.compute_major = major;
    device.compute_minor = minor;
    device.num_sms = sms;
    device.total_global_mem = memory;
    const DevicePeaks* found = FindDevice(device);
    return found == nullptr ? "" : found->name;
  };
  CHECK(find("NVIDIA H100 80GB HBM3") == "NVIDIA H100 SXM5 80 GB");
  CHECK(find("NVIDIA A10") == "NVIDIA A10");
  CHECK(find("NVIDIA A100-SXM4-40GB") == "NVIDIA A100 40 GB");
  CHECK(find("NVIDIA A100 80GB PCIe") == "NVIDIA A100 PCIe 80 GB");
  CHECK(find("AMD Instinct MI300X VF") == "AMD Instinct MI300X");
  CHECK(find("", 9, 4, 304, 206141652992) == "AMD Instinct MI300X");
  CHECK(find("AMD Radeon Graphics", 9, 0, 104, 68702699520) == "AMD Instinct MI210");
  CHECK(find("", 9, 0, 132, 85018279936) == "NVIDIA H100 SXM5 80 GB");
  CHECK(find("NVIDIA Unheard Of 9000", 9, 0, 132, 85018279936).empty());
  CHECK(find("").empty());
  for (const DevicePeaks& device : KnownDevices()) {
    CHECK_FALSE(device.source.empty());
    CHECK(device.memory_gb_per_s > 0);
    CHECK(device.fp32 > 0);
  }
}

TEST_CASE("sums against the roofs, and what could be saved", "[cost]") {
  Drawing d(kH100);
  d.Step(1, 0, 2000);
  // 4096^3 in bf16: 138.9 us at the peak, here 277.8.
  d.Op("aten::mm", 10, 50, Shapes("[[4096,4096],[4096,4096]]", kMm));
  d.Launch(1, 20, 1);
  d.Kernel("nvjet_tst_128x256", 1, 100, 277.8);
  const Loaded m = Load(d);
  const auto costs = Attribute(m);
  const TensorCoreKernels tensor_cores(*m, TensorCoreRules(VendorOf(*m)));
  const CostContext context{*m, *costs, tensor_cores, {}, {}};
  const auto summary = SummarizeCosts(context, CostGrouping::kOperator, 1.0, {});
  REQUIRE(summary.ok());
  REQUIRE(summary->rows.size() == 1);
  const CostRow& row = summary->rows[0];
  CHECK(row.unit == "bf16 matrix");
  CHECK(row.sums.flops == 137438953472);
  CHECK(row.sums.bound / static_cast<double>(row.sums.time) == Approx(0.5).margin(0.001));
  CHECK(row.sums.saved == Approx(138911).epsilon(0.001));
  REQUIRE(summary->mfu);
  CHECK(*summary->mfu == Approx(137438953472 / (989.4e12 * 2000e-6)).epsilon(0.01));
}

TEST_CASE("what only moves bytes uses no unit, and nothing beats its device", "[cost]") {
  Drawing d(kH100);
  d.Step(1, 0, 20000);
  // 128 MiB in and out: at least 80 us from memory, 24 from the cache.
  const std::string copy =
      Shapes("[[8192,8192],[8192,8192],[]]", R"(["c10::Half","c10::Half","Scalar"])");
  d.Op("aten::copy_", 10, 50, copy);
  d.Launch(1, 20, 1);
  d.Kernel("elementwise_kernel", 1, 100, 100);
  d.Op("aten::copy_", 400, 50, copy);
  d.Launch(2, 410, 1);
  d.Kernel("elementwise_kernel", 2, 500, 2);
  const Loaded m = Load(d);
  const auto costs = Attribute(m);
  const TensorCoreKernels tensor_cores(*m, TensorCoreRules(VendorOf(*m)));
  const CostContext context{*m, *costs, tensor_cores, {}, {}};
  const auto summary = SummarizeCosts(context, CostGrouping::kOperator, 1.0, {});
  REQUIRE(summary.ok());
  REQUIRE(summary->rows.size() == 1);
  const CostRow& row = summary->rows[0];
  CHECK(row.unit.empty());
  // The call of 2 us did not move what its shapes say: its share of a roof is not known.
  CHECK(row.sums.time == 102000);
  CHECK(row.sums.measured == 100000);
  CHECK(row.sums.bound < 100000);
  const Table list = List(m, *costs).table;
  CHECK_FALSE(CellText(list, 0, "roofShare").empty());
  CHECK(CellText(list, 1, "roofShare").empty());
  CHECK(CellText(list, 1, "bound").empty());
}

TEST_CASE("advice names products that miss the units, and chains that would fuse", "[cost]") {
  Drawing d(kH100);
  d.Step(1, 0, 20000);
  d.Op("aten::mm", 10, 50, Shapes("[[4096,4096],[4096,4096]]", kMm));
  d.Launch(1, 20, 1);
  d.Kernel("nvjet_tst_128x256", 1, 100, 200);
  d.Op("aten::mm", 400, 50, Shapes("[[4096,4096],[4096,4097]]", kMm));
  d.Launch(2, 410, 1);
  d.Kernel("nvjet_tst_128x256", 2, 500, 900);
  for (int i = 0; i < 5; ++i) {
    d.Op("aten::mul", 2000 + i * 300, 50, Shapes("[[67108864],[67108864]]", kMm));
    d.Launch(3 + i, 2010 + i * 300, 1);
    d.Kernel("vectorized_elementwise_kernel", 3 + i, 2020 + i * 300, 200);
  }
  const Loaded m = Load(d);
  const auto costs = Attribute(m);
  const TensorCoreKernels tensor_cores(*m, TensorCoreRules(VendorOf(*m)));
  const auto findings = CostFindings({*m, *costs, tensor_cores, {}, {}}, 0.6, {});
  REQUIRE(findings.ok());
  std::map<std::string, const Finding*> by_id;
  for (const Finding& finding : *findings) by_id[finding.id] = &finding;
  REQUIRE(by_id.count("misalignedProducts") == 1);
  const Finding& misaligned = *by_id["misalignedProducts"];
  CHECK(misaligned.text.find("pad to N=4104") != std::string::npos);
  CHECK(*misaligned.gain_us == Approx(700).margin(5));
  REQUIRE(by_id.count("memoryBoundChains") == 1);
  CHECK(*by_id["memoryBoundChains"]->gain_us > 400);
}

TEST_CASE("an index by a mask moves data itself, though the search of the mask does too",
          "[cost]") {
  Drawing d(kH100);
  d.Op("aten::index", 0, 50, Shapes("[[192,534,800],[]]", R"(["double",""])", R"(["",""])"));
  d.Op("aten::nonzero", 5, 10, Shapes("[[192]]", R"(["bool"])"));
  d.Launch(1, 7, 1);
  d.Launch(2, 30, 1);
  d.Kernel("at_cuda_detail::cub::DeviceSelectSweepKernel", 1, 40, 10);
  d.Kernel("at::native::index_elementwise_kernel<128, 4>", 2, 60, 700);
  const Loaded m = Load(d);
  const auto costs = Attribute(m);
  REQUIRE(costs->kernels.size() == 2);
  const KernelCost& index = costs->kernels[1];
  CHECK_FALSE(index.helper);
  CHECK(index.flops.value() == 0);
  REQUIRE_FALSE(index.bytes().known());
  CHECK(std::string(index.bytes().why()->code) == reasons::kNoIndices.code);
}

TEST_CASE("what only prepares a call whose cost is unknown is unknown as well", "[cost]") {
  Drawing d(kH100);
  d.Op("aten::cudnn_convolution", 0, 50);
  d.Launch(1, 10, 1);
  d.Launch(2, 12, 1);
  d.Kernel("cudnn::ops::nchwToNhwcKernel<float>", 1, 20, 10);
  d.Kernel("sm80_xmma_fprop_implicit_gemm", 2, 30, 90);
  const Loaded m = Load(d);
  const auto costs = Attribute(m);
  REQUIRE(costs->kernels.size() == 2);
  CHECK(costs->kernels[0].helper);
  CHECK_FALSE(costs->kernels[0].flops.known());
  CHECK_FALSE(costs->kernels[0].bytes().known());
}
