// Other times of device work replayed, and what another device would take.
#include "cost/replay.h"
#include "cost/what_if.h"
#include "drawn.h"

using namespace emberline;
using namespace emberline::drawn;

namespace {

constexpr double kMicro = 1000;  // ns

// 138.9 us at the peak of an H100.
const char* const kLargeProduct =
    R"("Input Dims":[[4096,4096],[4096,4096]],"Input type":["c10::BFloat16","c10::BFloat16"])";
const char* const kSmallProduct =
    R"("Input Dims":[[64,64],[64,64]],"Input type":["c10::BFloat16","c10::BFloat16"])";

// Device work takes `factor` times as long.
Replay ReplayAll(const Loaded& m, double factor) {
  const TraceStore& s = m->store();
  std::vector<Ns> durations(s.slice_count());
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    durations[i] = static_cast<Ns>(static_cast<double>(s.duration(i)) * factor);
  }
  const auto replay = ReplayWith(*m, {}, durations, {});
  REQUIRE(replay.ok());
  return *replay;
}

Prediction Predict(const Loaded& m, const char* device) {
  const auto costs = AttributeCosts(*m, nullptr, {});
  REQUIRE(costs.ok());
  const TensorCoreKernels tensor_cores(*m, TensorCoreRules(VendorOf(*m)));
  const DevicePeaks* other = FindDeviceByName(device);
  REQUIRE(other != nullptr);
  const auto prediction = PredictOn({*m, **costs, tensor_cores, {}, {}}, *other, {});
  REQUIRE(prediction.ok());
  return *prediction;
}

void Synchronize(Drawing& d, double ts, double dur) {
  d.Slice("cuda_runtime", "cudaDeviceSynchronize", "1", "10", ts, dur);
}

}  // namespace

TEST_CASE("a step that the host's launches decide is as long on a faster device", "[cost]") {
  Drawing d;
  d.Step(1, 0, 100);
  for (int i = 0; i < 4; ++i) {
    d.Launch(i + 1, 10 + 20 * i, 2);
    d.Kernel("k", i + 1, 15 + 20 * i, 4);
  }
  const Loaded m = Load(d);
  CHECK(ReplayAll(m, 1).steps == Approx(100 * kMicro));
  CHECK(ReplayAll(m, 0.5).steps == Approx(100 * kMicro));
  CHECK(ReplayAll(m, 0.5).busy == Approx(8 * kMicro));
  // On a slower one the gaps are filled first: the last kernel begins when the one before ends.
  CHECK(ReplayAll(m, 5).steps == Approx(100 * kMicro));
  // 15 + 4 * 40 is behind the end of the step.
  CHECK(ReplayAll(m, 10).steps == Approx(175 * kMicro));
}

TEST_CASE("where the host waits for the device, it waits as much less", "[cost]") {
  Drawing d;
  d.Step(1, 0, 200);
  d.Launch(1, 10, 5);
  d.Launch(2, 20, 5);
  d.Kernel("k", 1, 20, 60);
  d.Kernel("k", 2, 80, 60);
  Synchronize(d, 30, 112);
  // Launched behind the wait.
  d.Launch(3, 150, 5);
  d.Kernel("k", 3, 160, 20);
  Synchronize(d, 158, 24);
  const Loaded m = Load(d);
  CHECK(ReplayAll(m, 1).steps == Approx(200 * kMicro));
  // 60 + 10 less of waiting: 20 + 60 + 2 and 10 + 2 behind the launch.
  CHECK(ReplayAll(m, 0.5).steps == Approx((200 - 60 - 10) * kMicro));
  CHECK(ReplayAll(m, 2).steps == Approx((200 + 120 + 20) * kMicro));
}

TEST_CASE("work that began when another stream's had ended still does", "[cost]") {
  Drawing d;
  d.Step(1, 0, 300);
  d.Launch(1, 10, 5);
  d.Launch(2, 20, 5);
  d.Kernel("k", 1, 20, 100, "", 0, 7);
  d.Kernel("k", 2, 121, 100, "", 0, 20);
  Synchronize(d, 30, 193);
  const Loaded m = Load(d);
  CHECK(ReplayAll(m, 1).steps == Approx(300 * kMicro));
  CHECK(ReplayAll(m, 0.5).steps == Approx(200 * kMicro));
}

TEST_CASE("a copy that returns when it is done is a wait, whatever it is called", "[cost]") {
  Drawing d;
  d.Step(1, 0, 100);
  d.Slice("cuda_runtime", "cudaMemcpyAsync", "1", "10", 10, 60, "\"correlation\":1");
  d.Device("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", 1, 20, 40);
  const Loaded m = Load(d);
  CHECK(ReplayAll(m, 1).steps == Approx(100 * kMicro));
  CHECK(ReplayAll(m, 0.5).steps == Approx(80 * kMicro));
}

TEST_CASE("without recorded steps the trace is one, replayed to its last work", "[cost]") {
  Drawing d;
  d.Op("aten::mm", 0, 30);
  d.Launch(1, 10, 5);
  d.Kernel("k", 1, 20, 80);
  const Loaded m = Load(d);
  CHECK(ReplayAll(m, 1).steps == Approx(100 * kMicro));
  CHECK(ReplayAll(m, 0.5).steps == Approx(60 * kMicro));
  CHECK(ReplayAll(m, 0.01).steps == Approx(30 * kMicro));
}

TEST_CASE("large work scales with the peaks, small work waits for latencies", "[cost]") {
  Drawing d(kH100);
  d.Step(1, 0, 2000);
  d.Op("aten::mm", 10, 50, kLargeProduct);
  d.Launch(1, 20, 1);
  d.Kernel("nvjet_tst_128x256", 1, 100, 277.8);
  Synchronize(d, 70, 310);
  d.Op("aten::mm", 400, 50, kSmallProduct);
  d.Launch(2, 420, 1);
  d.Kernel("nvjet_tst_64x64", 2, 500, 5);
  const Loaded m = Load(d);
  const Prediction prediction = Predict(m, "B200");
  const double bound = 2.0 * 4096 * 4096 * 4096 / 989.4e12 * 1e9;
  const double scaling = bound + (277'800 - bound) * bound / (bound + 10'000);
  const double large = 277'800 - scaling * (1 - 989.4 / 2250);
  CHECK(prediction.predicted == Approx(large + 5000).epsilon(0.001));
  CHECK(prediction.latency == Approx(277'800 - scaling + 5000).epsilon(0.01));
  CHECK(prediction.unscaled == 0);
  CHECK(prediction.step_time == 2000 * kUs);
  // The host waited for the large product, and has the rest of the step as before.
  CHECK(prediction.predicted_step == Approx(2000 * kMicro - (277'800 - large)).epsilon(0.001));
}

TEST_CASE("a device is predicted to be as fast as itself", "[cost]") {
  Drawing d(kH100);
  d.Step(1, 0, 2000);
  d.Op("aten::mm", 10, 50, kLargeProduct);
  d.Launch(1, 20, 1);
  d.Kernel("nvjet_tst_128x256", 1, 100, 277.8);
  Synchronize(d, 70, 310);
  const Loaded m = Load(d);
  const Prediction prediction = Predict(m, "H100 SXM");
  CHECK(prediction.predicted == Approx(277'800));
  CHECK(prediction.predicted_step == Approx(2000 * kMicro));
  CHECK(prediction.predicted_busy == Approx(prediction.busy));
}

TEST_CASE("every known device is found by its name", "[cost]") {
  for (const DevicePeaks& device : KnownDevices()) {
    INFO(device.name);
    CHECK(FindDeviceByName(device.name) == &device);
    CHECK_FALSE(device.source.empty());
  }
}
