// The facade: shared loads, cached results, cancelling.
#include "session/session.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <thread>

using namespace emberline;
namespace fs = std::filesystem;

namespace {

// A folder of its own for each test, removed at the end.
class Folder {
 public:
  Folder() {
    static std::atomic<int> next{0};
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    path_ = fs::temp_directory_path() /
            ("emberline-session-" + std::to_string(now) + "-" + std::to_string(next++));
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  // A trace of `slices` operators.
  fs::path Trace(const std::string& name, int slices) const {
    const fs::path file = path_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream out(file);
    out << "{\"traceEvents\":[";
    for (int i = 0; i < slices; ++i) {
      out << (i ? "," : "")
          << "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op\",\"pid\":1,\"tid\":1,\"ts\":"
          << i * 10 << ",\"dur\":5}";
    }
    out << "]}";
    return file;
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

TEST_CASE("session: opening finds, loading reads once, concurrent callers share") {
  const Folder folder;
  Session session;
  auto profile = session.Open(folder.Trace("a.pt.trace.json", 20'000));
  REQUIRE(profile.ok());
  std::vector<std::shared_ptr<const LoadedTrace>> traces(8);
  std::vector<std::thread> threads;
  for (auto& trace : traces) {
    threads.emplace_back([&session, &profile, &trace] {
      auto loaded = session.Load(profile->id, {}, {});
      if (loaded.ok()) trace = loaded.value();
    });
  }
  for (std::thread& thread : threads) thread.join();
  REQUIRE(traces[0] != nullptr);
  for (const auto& trace : traces) CHECK(trace == traces[0]);
  CHECK(traces[0]->store->slice_count() == 20'000);
  CHECK(traces[0]->stages.back().name == "model");
  auto again = session.Load(profile->id, {}, {});
  REQUIRE(again.ok());
  CHECK(again.value() == traces[0]);
}

TEST_CASE("session: a waiter goes on when the one who loads is cancelled") {
  const Folder folder;
  Session session;
  auto profile = session.Open(folder.Trace("a.pt.trace.json", 50'000));
  REQUIRE(profile.ok());
  CancelToken cancelled;
  std::atomic<bool> waiting{false};
  bool second_ok = false;
  ReadOptions options{cancelled, [&](std::string_view, double) {
                        // The load is under way: let the other one join, then give up.
                        while (!waiting) std::this_thread::yield();
                        cancelled.Cancel();
                      }};
  // Whether it notices in time is its own affair; the waiter must not be harmed.
  std::thread first([&] { (void)session.Load(profile->id, {}, options); });
  std::thread second([&] {
    waiting = true;
    second_ok = session.Load(profile->id, {}, {}).ok();
  });
  first.join();
  second.join();
  CHECK(second_ok);
  CHECK(session.Load(profile->id, {}, {}).ok());
}

TEST_CASE("session: progress rises to the end") {
  const Folder folder;
  Session session;
  auto profile = session.Open(folder.Trace("a.pt.trace.json", 50'000));
  REQUIRE(profile.ok());
  std::mutex mutex;
  std::vector<double> fractions;
  auto loaded = session.Load(profile->id, {}, {{}, [&](std::string_view, double fraction) {
                                                 std::lock_guard lock(mutex);
                                                 fractions.push_back(fraction);
                                               }});
  REQUIRE(loaded.ok());
  REQUIRE(!fractions.empty());
  CHECK(fractions.back() == 1.0);
  for (const double fraction : fractions) CHECK((fraction >= 0 && fraction <= 1));
}

TEST_CASE("session: names choose, unknown names are told what there is") {
  const Folder folder;
  folder.Trace("one/a.1.pt.trace.json", 3);
  folder.Trace("one/b.1.pt.trace.json", 4);
  folder.Trace("two/a.1.pt.trace.json", 5);
  Session session;
  auto profile = session.Open(folder.path());
  REQUIRE(profile.ok());
  const auto slices = [&](const TraceSelection& selection) {
    auto loaded = session.Load(profile->id, selection, {});
    REQUIRE(loaded.ok());
    return loaded.value()->store->slice_count();
  };
  CHECK(slices({}) == 3);
  CHECK(slices({"one", "b", ""}) == 4);
  CHECK(slices({"two", "", ""}) == 5);
  const auto wrong = session.Load(profile->id, {"one", "c", ""}, {});
  REQUIRE(!wrong.ok());
  CHECK(wrong.error().kind == ErrorKind::kNotFound);
  CHECK(wrong.error().hint.find("a, b") != std::string::npos);
}

TEST_CASE("session: ids are unique, and closed ones are gone") {
  const Folder folder;
  const fs::path file = folder.Trace("a.pt.trace.json", 3);
  Session session;
  auto first = session.Open(file);
  auto second = session.Open(file);
  REQUIRE((first.ok() && second.ok()));
  CHECK(first->id != second->id);
  CHECK(session.Profiles().size() == 2);
  REQUIRE(session.Close(first->id).ok());
  CHECK(!session.Close(first->id).ok());
  CHECK(!session.Load(first->id, {}, {}).ok());
  CHECK(session.Load(second->id, {}, {}).ok());
  CHECK(!session.Open(folder.path() / "missing").ok());
}

TEST_CASE("cache: made once, also by many at a time; a failed maker leaves it to the next") {
  LoadedTrace trace;
  std::atomic<int> made{0};
  std::vector<std::thread> threads;
  std::atomic<int> sum{0};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      sum += *trace.Cached<int>("answer", [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return ++made * 42;
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(made == 1);
  CHECK(sum == 8 * 42);
  CHECK_THROWS_AS(trace.Cached<int>("other", []() -> int { throw std::runtime_error("no"); }),
                  std::runtime_error);
  CHECK(*trace.Cached<int>("other", [] { return 7; }) == 7);
}
