#include <catch2/catch.hpp>

#include "analysis/memory.h"
#include "ingest/read_trace.h"
#include "lazy_tables.h"

using namespace emberline;

namespace {

// Two host threads; `aten::add` calls `aten::empty`, as PyTorch does.
//
//   thread 1:  [ aten::add 100..200 [ aten::empty 110..120 ] ]   [ aten::relu 300..400 ]
//   GPU 0:       +512 at 115                -512 at 350 (in relu)
std::string Trace(const std::string& records, const std::string& more = "") {
  return R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"G","totalGlobalMem":4096}],"traceEvents":[
    {"ph":"X","cat":"python_function","name":"train.py(10): step","pid":1,"tid":1,"ts":50,"dur":400,"args":{"Python id":1}},
    {"ph":"X","cat":"python_function","name":"nn.Module: Net_0","pid":1,"tid":1,"ts":90,"dur":120,"args":{"Python id":2,"Python parent id":1}},
    {"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":100,"dur":100,"args":{"External id":1}},
    {"ph":"X","cat":"cpu_op","name":"aten::empty","pid":1,"tid":1,"ts":110,"dur":10,"args":{"External id":2}},
    {"ph":"X","cat":"cpu_op","name":"aten::relu","pid":1,"tid":1,"ts":300,"dur":100,"args":{"External id":3}})" +
         more + (records.empty() ? "" : ",") + records + "]}";
}

std::string Record(int ts, int64_t bytes, int address, int64_t total, int device = 0, int type = 1,
                   int tid = 1) {
  return R"({"ph":"i","s":"t","name":"[memory]","cat":"cpu_instant_event","pid":1,"tid":)" +
         std::to_string(tid) + R"(,"ts":)" + std::to_string(ts) + R"(,"args":{"Device Type":)" +
         std::to_string(type) + R"(,"Device Id":)" + std::to_string(device) + R"(,"Addr":)" +
         std::to_string(address) + R"(,"Bytes":)" + std::to_string(bytes) +
         R"(,"Total Allocated":)" + std::to_string(total) + R"(,"Total Reserved":2048}})";
}

struct LoadedMemory {
  std::shared_ptr<const Model> model;
  MemoryData data;
  Interval all;
};

LoadedMemory LoadMemory(const std::string& text) {
  auto read = ReadTraceText(text);
  REQUIRE(read.ok());
  auto model = BuildModel(read->store);
  REQUIRE(model.ok());
  auto data = AnalyzeMemory(**model, {});
  REQUIRE(data.ok());
  return {*model, std::move(*data), read->store->extent()};
}

std::string Text(const Table& table, size_t row, const char* key) {
  const Cell& cell = table.rows.at(row).at(static_cast<size_t>(table.ColumnIndex(key)));
  if (auto* s = std::get_if<std::string>(&cell)) return *s;
  if (auto* i = std::get_if<int64_t>(&cell)) return std::to_string(*i);
  if (auto* d = std::get_if<double>(&cell)) return std::to_string(static_cast<int64_t>(*d));
  return "";
}

}  // namespace

TEST_CASE(
    "an allocation is paired with its release and named after the operator around aten::empty") {
  const LoadedMemory t =
      LoadMemory(Trace(Record(115, 512, 7, 512) + "," + Record(350, -512, 7, 0)));
  REQUIRE(t.data.devices.size() == 1);
  CHECK(t.data.devices[0].name == "GPU 0");
  CHECK(t.data.devices[0].capacity == 4096);
  const Table events = MemoryEventsTable(t.data, *t.model, 0, t.all);
  REQUIRE(events.rows.size() == 1);
  CHECK(Text(events, 0, "operator") == "aten::add (aten::empty)");
  CHECK(Text(events, 0, "sizeBytes") == "512");
  CHECK(Text(events, 0, "durationUs") == "235");
  CHECK(Text(events, 0, "state") == "released");
  CHECK(Text(events, 0, "file") == "train.py");
  CHECK(Text(events, 0, "module") == "Net_0");
}

TEST_CASE(
    "B36: a second allocation at an address keeps the first, and devices do not pair with each "
    "other") {
  const LoadedMemory t =
      LoadMemory(Trace(Record(115, 100, 7, 100) + "," + Record(116, 200, 7, 300) + "," +
                       Record(117, 50, 7, 50, 1) + "," + Record(350, -200, 7, 100)));
  const Table events = MemoryEventsTable(t.data, *t.model, 0, t.all);
  REQUIRE(events.rows.size() == 2);
  CHECK(Text(events, 0, "state") == "open");
  CHECK(Text(events, 0, "sizeBytes") == "100");
  CHECK(Text(events, 1, "state") == "released");
  const Table other = MemoryEventsTable(t.data, *t.model, 1, t.all);
  REQUIRE(other.rows.size() == 1);
  CHECK(Text(other, 0, "state") == "open");
}

TEST_CASE("the list of allocations that is never whole is ordered like the whole one") {
  std::string records;
  for (int i = 0; i < 300; ++i) {
    const int at = 100 + i * 7 % 400;
    records += (records.empty() ? "" : ",") +
               Record(at, i % 3 == 0 ? -(i % 5 + 1) * 512 : (i % 5 + 1) * 512, i % 11, 512);
  }
  const LoadedMemory t = LoadMemory(Trace(records));
  const std::vector<uint32_t> events = ListMemoryEvents(t.data, *t.model, 0, t.all);
  REQUIRE(events.size() > 200);
  CheckAgainstWhole(*MemoryEvents(t.data, *t.model, 0, events),
                    {"", "aten", "released|open sizeBytes>600", "operator:add", "nothing"});
}

TEST_CASE("a release without its allocation is a row of its own") {
  const LoadedMemory t = LoadMemory(Trace(Record(350, -64, 9, 0)));
  const Table events = MemoryEventsTable(t.data, *t.model, 0, t.all);
  REQUIRE(events.rows.size() == 1);
  CHECK(Text(events, 0, "state") == "release only");
  CHECK(Text(events, 0, "sizeBytes") == "64");
  CHECK(Text(events, 0, "allocationUs").empty());
}

TEST_CASE("statistics: self belongs to the innermost operator, total to those around it too") {
  const LoadedMemory t = LoadMemory(Trace(
      Record(115, 512, 7, 512) + "," + Record(150, 256, 8, 768) + "," + Record(350, -512, 7, 256)));
  const Table table = MemoryStatisticsTable(t.data, *t.model, 0, t.all);
  REQUIRE(table.rows.size() == 3);
  // Sorted by self size increase.
  CHECK(Text(table, 0, "operator") == "aten::empty");
  CHECK(Text(table, 0, "selfSizeIncreaseBytes") == "512");
  CHECK(Text(table, 1, "operator") == "aten::add");
  CHECK(Text(table, 1, "selfSizeIncreaseBytes") == "256");
  CHECK(Text(table, 1, "sizeIncreaseBytes") == "768");
  CHECK(Text(table, 1, "allocationCount") == "2");
  CHECK(Text(table, 1, "selfAllocationCount") == "1");
  CHECK(Text(table, 2, "operator") == "aten::relu");
  CHECK(Text(table, 2, "selfSizeIncreaseBytes") == "-512");
  CHECK(Text(table, 2, "allocationSizeBytes") == "0");
}

TEST_CASE("B31: calls counts every call of an operator in the range") {
  const LoadedMemory t = LoadMemory(Trace(
      Record(115, 512, 7, 512),
      R"(,{"ph":"X","cat":"cpu_op","name":"aten::empty","pid":1,"tid":1,"ts":310,"dur":10,"args":{}})"));
  const Table table = MemoryStatisticsTable(t.data, *t.model, 0, t.all);
  REQUIRE(Text(table, 0, "operator") == "aten::empty");
  CHECK(Text(table, 0, "calls") == "2");
}

TEST_CASE("B32: HIP and XPU devices have names and tables") {
  const LoadedMemory t =
      LoadMemory(Trace(Record(115, 512, 7, 512, 0, 6) + "," + Record(116, 128, 8, 128, 1, 12) +
                       "," + Record(117, 1, 9, 1, -1, 0)));
  REQUIRE(t.data.devices.size() == 3);
  CHECK(t.data.devices[0].name == "GPU 0");
  CHECK(t.data.devices[1].name == "XPU 1");
  CHECK(t.data.devices[2].name == "CPU");
  CHECK_FALSE(t.data.devices[2].capacity.has_value());
  for (int i = 0; i < 3; ++i)
    CHECK(MemoryStatisticsTable(t.data, *t.model, i, t.all).rows.size() == 2);
}

TEST_CASE("B63: a sampled curve keeps the peak and the trough") {
  std::string records;
  for (int i = 0; i < 2000; ++i) {
    const int64_t total = i == 777 ? 100000 : i == 1234 ? 1 : 5000 + i % 10;
    records += (i ? "," : "") + Record(100 + i, 16, 1000 + i, total);
  }
  const LoadedMemory t = LoadMemory(Trace(records));
  const MemoryCurve curve = SampleMemory(t.data, *t.model, 0, t.all, 100);
  CHECK(curve.records == 2000);
  CHECK(curve.times.size() < 200);
  CHECK(std::is_sorted(curve.times.begin(), curve.times.end()));
  CHECK(*std::max_element(curve.allocated.begin(), curve.allocated.end()) == 100000);
  CHECK(*std::min_element(curve.allocated.begin(), curve.allocated.end()) == 1);
  CHECK(curve.reserved.size() == curve.times.size());
}

TEST_CASE("the peak is explained by what was alive, the rest stands apart") {
  const LoadedMemory t =
      LoadMemory(Trace(Record(115, 512, 7, 1512) + "," + Record(150, 256, 8, 1768) + "," +
                       Record(350, -512, 7, 1256)));
  CHECK(t.data.devices[0].peak_allocated == 1768);
  const Table peak = MemoryPeakTable(t.data, *t.model, 0, PeakGrouping::kOperator);
  REQUIRE(peak.rows.size() == 3);
  CHECK(Text(peak, 0, "name") == "aten::add (aten::empty)");
  CHECK(Text(peak, 1, "name") == "aten::add");
  CHECK(Text(peak, 2, "name") == "<allocated before the recording>");
  CHECK(Text(peak, 2, "sizeBytes") == "1000");
  const Table lines = MemoryPeakTable(t.data, *t.model, 0, PeakGrouping::kLine);
  CHECK(Text(lines, 0, "name") == "train.py:10");
  const Table modules = MemoryPeakTable(t.data, *t.model, 0, PeakGrouping::kModule);
  CHECK(Text(modules, 0, "name") == "Net_0");
}

TEST_CASE("records without totals give a relative curve") {
  const std::string record =
      R"({"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":115,"args":{"Device Type":1,"Device Id":0,"Bytes":64}})";
  const LoadedMemory t = LoadMemory(Trace(record));
  REQUIRE(t.data.devices.size() == 1);
  CHECK(t.data.devices[0].relative);
  CHECK(t.data.devices[0].peak_allocated == 64);
  CHECK_FALSE(t.data.devices[0].has_addresses);
  const Table events = MemoryEventsTable(t.data, *t.model, 0, t.all);
  REQUIRE(events.rows.size() == 1);
  CHECK(Text(events, 0, "state") == "not matched");
  CHECK(Text(events, 0, "address").empty());
  CHECK(MemoryPeakTable(t.data, *t.model, 0, PeakGrouping::kOperator).rows.empty());
}

TEST_CASE("where only releases were recorded the peak is at the beginning") {
  const LoadedMemory l =
      LoadMemory(Trace(Record(115, -512, 1, -1) + "," + Record(350, -512, 2, -1)));
  REQUIRE(l.data.devices.size() == 1);
  CHECK(l.data.devices[0].relative);
  CHECK(l.data.devices[0].peak_allocated == 0);
  CHECK(l.data.devices[0].peak == kNone);
}

TEST_CASE("a device whose number was not recorded, or cannot be one, has none in its name") {
  const LoadedMemory l =
      LoadMemory(Trace(Record(115, 512, 1, 512, -1) + "," + Record(150, 512, 1, 512, 1 << 30)));
  REQUIRE(l.data.devices.size() == 1);
  CHECK(l.data.devices[0].name == "GPU");
}

TEST_CASE("B11: records belong to what ran on their own thread, backward or not") {
  // A backward thread works while the main thread runs an operator of its own.
  const std::string backward =
      R"(,{"ph":"X","cat":"cpu_op","name":"autograd::engine::evaluate_function: AddBackward0","pid":1,"tid":2,"ts":300,"dur":100,"args":{}},)"
      R"({"ph":"X","cat":"cpu_op","name":"AddBackward0","pid":1,"tid":2,"ts":310,"dur":80,"args":{}},)"
      R"({"ph":"s","id":5,"pid":1,"tid":1,"ts":100,"cat":"fwdbwd","name":"fwdbwd"},)"
      R"({"ph":"f","id":5,"pid":1,"tid":2,"ts":300,"cat":"fwdbwd","name":"fwdbwd","bp":"e"})";
  const LoadedMemory t = LoadMemory(
      Trace(Record(320, 100, 7, 100, 0, 1, 2) + "," + Record(350, 40, 8, 140), backward));
  const Table table = MemoryStatisticsTable(t.data, *t.model, 0, t.all);
  std::vector<std::string> owners;
  for (size_t row = 0; row < table.rows.size(); ++row) {
    if (Text(table, row, "selfAllocationCount") == "0") continue;
    owners.push_back(Text(table, row, "operator") + " " +
                     Text(table, row, "selfSizeIncreaseBytes"));
  }
  CHECK(owners == std::vector<std::string>{"AddBackward0 100", "aten::relu 40"});
}

TEST_CASE(
    "ROCm's only GPU is called by the kernels' number, other devices by the allocator's (B60)") {
  const auto trace = [](const std::string& gpu, int kernel_device, const std::string& records) {
    return R"({"deviceProperties":[{"id":0,"name":")" + gpu +
           R"(","totalGlobalMem":4096}],"traceEvents":[
      {"ph":"X","cat":"kernel","name":"k","pid":)" +
           std::to_string(kernel_device) + R"(,"tid":7,"ts":120,"dur":10,"args":{"device":)" +
           std::to_string(kernel_device) + R"(,"stream":7}},)" + records + "]}";
  };
  const std::string one = Record(115, 512, 7, 512);
  const LoadedMemory amd =
      LoadMemory(trace("AMD Instinct MI300X", 2, one + "," + Record(116, 8, 9, 8, -1, 0)));
  REQUIRE(amd.data.devices.size() == 2);
  CHECK(amd.data.devices[0].name == "GPU 2");
  CHECK(amd.data.devices[0].allocator_name == "GPU 0");
  CHECK(amd.data.devices[0].capacity == 4096);
  CHECK(amd.data.devices[1].name == "CPU");
  CHECK(amd.data.Find("GPU 2") == 0);
  CHECK(amd.data.Find("GPU 0") == 0);
  CHECK(amd.data.Find("GPU 1") == -1);
  // CUDA numbers both alike: the allocator's device did no work.
  CHECK(LoadMemory(trace("NVIDIA A100", 2, one)).data.devices[0].name == "GPU 0");
  // Of two, nothing says which is the kernels' one.
  const LoadedMemory two =
      LoadMemory(trace("AMD Instinct MI300X", 2, one + "," + Record(116, 64, 8, 64, 1)));
  CHECK(two.data.devices[0].name == "GPU 0");
  CHECK(two.data.devices[1].name == "GPU 1");
}
