// The beginning of a trace, read beside the load.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>

#include "session/first_picture.h"
#include "store/recorder.h"

using namespace emberline;
namespace fs = std::filesystem;

namespace {

constexpr int kSteps = 10;

// A file of its own for each test, removed at the end: `ops` operators in ten steps, whose ranges
// stand before everything else; each launches work that stands beside it, or behind all operators.
class Drawn {
 public:
  Drawn(int ops, bool device_last, const std::string& ending = "]}") {
    static std::atomic<int> next{0};
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    path_ = fs::temp_directory_path() / ("emberline-first-" + std::to_string(now) + "-" +
                                         std::to_string(next++) + ".pt.trace.json");
    std::ofstream out(path_);
    const auto event = [&](const char* cat, const std::string& name, int tid, int64_t ts,
                           int64_t dur, int id) {
      out << "{\"ph\":\"X\",\"cat\":\"" << cat << "\",\"name\":\"" << name
          << "\",\"pid\":" << (tid == 7 ? 0 : 1) << ",\"tid\":" << tid << ",\"ts\":" << ts
          << ",\"dur\":" << dur << ",\"args\":{\"correlation\":" << id
          << (tid == 7 ? ",\"device\":0,\"stream\":7" : "") << "}},\n";
    };
    const auto kernel = [&](int i) { event("kernel", "k", 7, i * 10 + 5, 4, i + 1); };
    out << "{\"traceEvents\":[\n";
    const int64_t length = ops / kSteps * 10;
    for (int i = 0; i < kSteps; ++i) {
      event("user_annotation", "ProfilerStep#" + std::to_string(i), 1, i * length, length, 0);
    }
    for (int i = 0; i < ops; ++i) {
      event("cpu_op", "op", 1, i * 10, 8, 0);
      event("cuda_runtime", "cudaLaunchKernel", 1, i * 10 + 2, 2, i + 1);
      if (!device_last) kernel(i);
    }
    for (int i = 0; device_last && i < ops; ++i) kernel(i);
    out << "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"python\"}}"
        << ending;
  }
  ~Drawn() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  Drawn(const Drawn&) = delete;
  Drawn& operator=(const Drawn&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

TEST_CASE("first picture: steps end where reading did, and those behind it are empty") {
  for (const bool device_last : {false, true}) {
    const Drawn drawn(60'000, device_last);
    const auto part = ReadFirstPart(drawn.path(), std::make_shared<Memo>(size_t{1} << 30),
                                    {.least_text_bytes = 1 << 20, .fraction = 0.3}, {});
    REQUIRE(part != nullptr);
    CHECK(part->fraction >= 0.3);
    CHECK(part->fraction < 0.7);  // what is read ahead is counted with it
    const TraceStore& store = *part->trace->store;
    const Model& model = *part->trace->model;
    CHECK(IsIncomplete(store));
    Ns last_start = 0, last_end = 0;
    for (SliceIndex i = 0; i < store.slice_count(); ++i) {
      if (IsDeviceWork(store.kind(i))) last_end = std::max(last_end, store.end(i));
      if (store.kind(i) == SliceKind::kCpuOp || store.kind(i) == SliceKind::kRuntime) {
        last_start = std::max(last_start, store.start(i));
      }
    }
    CHECK((last_end == 0) == device_last);
    REQUIRE(model.steps.size() == kSteps);
    const Ns length = 60'000 * 1000;  // a tenth of 600,000 microseconds
    for (const Step& step : model.steps) {
      CAPTURE(step.name, device_last);
      const Ns begin = step.number * length;
      if (begin + length <= last_start) {
        CHECK_FALSE(step.partial);
        CHECK(step.time.Length() >= length - 10'000);
      } else {
        CHECK(step.partial);
        CHECK(step.time.end <= std::max(last_start, last_end));
      }
      CHECK(step.time.Length() >= 0);
    }
  }
}

TEST_CASE("first picture: of a long trace, no more text is read than says enough") {
  const Drawn drawn(60'000, false);
  const auto read = [&](uint64_t most_text_bytes) {
    return ReadFirstPart(
        drawn.path(), std::make_shared<Memo>(size_t{1} << 30),
        {.least_text_bytes = 1 << 20, .fraction = 0.9, .most_text_bytes = most_text_bytes}, {});
  };
  const uint64_t size = fs::file_size(drawn.path());
  const auto part = read(size / 4), more = read(size / 2);
  REQUIRE(part != nullptr);
  REQUIRE(more != nullptr);
  // It ends behind the block that holds the last of them.
  constexpr uint64_t kBlockBytes = 1 << 20;
  CHECK(part->trace->store->counts().text_bytes >= size / 4);
  CHECK(part->trace->store->counts().text_bytes <= size / 4 + kBlockBytes);
  CHECK(more->trace->store->counts().text_bytes >= size / 2);
  CHECK(more->trace->store->slice_count() > part->trace->store->slice_count());
}

TEST_CASE("first picture: none of short traces, of what is none, and of what cannot be read") {
  const Drawn drawn(20'000, false);
  const auto memo = std::make_shared<Memo>(size_t{1} << 30);
  const auto read = [&](const fs::path& path, uint64_t least_text_bytes) {
    return ReadFirstPart(path, memo, {.least_text_bytes = least_text_bytes, .fraction = 0.5}, {});
  };
  const uint64_t size = fs::file_size(drawn.path());
  CHECK(read(drawn.path(), size * 9 / 10) != nullptr);
  CHECK(read(drawn.path(), size * 3) == nullptr);
  CHECK(read("/nowhere/at/all.json", 1) == nullptr);
  const fs::path other = drawn.path().string() + ".txt";
  std::ofstream(other) << std::string(6 << 20, 'x');
  CHECK(read(other, 1) == nullptr);
  std::ofstream(other) << "{\"traceEvents\":[" << std::string(6 << 20, ' ') << "]}";
  CHECK(read(other, 1) == nullptr);
  fs::remove(other);
  const CancelToken cancelled;
  cancelled.Cancel();
  CHECK(ReadFirstPart(drawn.path(), memo, {.least_text_bytes = 1}, cancelled) == nullptr);
}

TEST_CASE("first picture: may be given up at any moment") {
  const Drawn drawn(60'000, false);
  const auto memo = std::make_shared<Memo>(size_t{1} << 30);
  for (int i = 0; i < 40; ++i) {
    std::atomic<bool> over{false};
    {
      const FirstPicture picture(drawn.path(), memo, {.least_text_bytes = 1 << 20, .fraction = 0.3},
                                 [&](std::shared_ptr<const FirstPart>) { CHECK_FALSE(over); });
      std::this_thread::sleep_for(std::chrono::milliseconds(2 * i));
    }
    over = true;
  }
}

TEST_CASE("first picture: a session shows it while it reads, and the whole is what it is without") {
  const Drawn drawn(60'000, false, "]");  // its end is missing
  setenv("EMBERLINE_FIRST_PICTURE_LEAST_KB", "1024", 1);
  Session alone, watched;
  const auto plain = alone.Open(drawn.path());
  const auto profile = watched.Open(drawn.path());
  REQUIRE(plain.ok());
  REQUIRE(profile.ok());
  ReadOptions options;
  std::mutex mutex;
  std::shared_ptr<const FirstPart> part;
  options.first_picture = [&] {
    const auto found = watched.FirstPartOf(profile->id, {});
    const std::lock_guard lock(mutex);
    if (found.ok()) part = *found;
  };
  // Reading waits at its first megabyte until the beginning is there, whatever the machine does.
  options.progress = [&](std::string_view, double fraction) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (fraction > 0.1 && std::chrono::steady_clock::now() < end) {
      {
        const std::lock_guard lock(mutex);
        if (part != nullptr) return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  CHECK_FALSE(watched.FirstPartOf(profile->id, {}).ok());
  const auto whole = watched.Load(profile->id, {}, options);
  unsetenv("EMBERLINE_FIRST_PICTURE_LEAST_KB");
  REQUIRE(whole.ok());
  REQUIRE(part != nullptr);
  CHECK_FALSE(watched.FirstPartOf(profile->id, {}).ok());
  CHECK(part->trace->store->slice_count() < (*whole)->store->slice_count());
  const auto without = alone.Load(plain->id, {}, {});
  REQUIRE(without.ok());
  const TraceStore &a = *(*whole)->store, &b = *(*without)->store;
  REQUIRE(a.slice_count() == b.slice_count());
  REQUIRE(a.problems().size() == b.problems().size());
  bool same = a.MemoryBytes() == b.MemoryBytes();
  for (SliceIndex i = 0; i < a.slice_count(); ++i) {
    same = same && a.start(i) == b.start(i) && a.duration(i) == b.duration(i) &&
           a.name(i) == b.name(i) && a.kind(i) == b.kind(i) && a.track(i) == b.track(i) &&
           (*whole)->model->step[i] == (*without)->model->step[i];
  }
  CHECK(same);
  for (size_t i = 0; i < (*whole)->model->steps.size(); ++i) {
    CHECK_FALSE((*whole)->model->steps[i].partial != (*without)->model->steps[i].partial);
  }
}
