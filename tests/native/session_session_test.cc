// The facade: shared loads, cached results, cancelling.
#include "session/session.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <fstream>
#include <mutex>
#include <thread>

#include "session/trace_set.h"
#include "temporary_folder.h"

using namespace emberline;
namespace fs = std::filesystem;

namespace {

// A folder of its own for each test, removed at the end.
class SessionFolder : public TemporaryFolder {
 public:
  // A trace of `slices` operators.
  fs::path Trace(const std::string& name, int slices) const {
    const fs::path file = path() / name;
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
};

}  // namespace

TEST_CASE("session: opening finds, loading reads once, concurrent callers share") {
  const SessionFolder folder;
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
  const SessionFolder folder;
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
  const SessionFolder folder;
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
  const SessionFolder folder;
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
  const SessionFolder folder;
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

TEST_CASE("session: closing a profile while it loads ends the load and frees it") {
  const SessionFolder folder;
  Session session;
  auto profile = session.Open(folder.Trace("a.pt.trace.json", 50'000));
  REQUIRE(profile.ok());
  std::atomic<bool> begun{false}, closed{false};
  const CancelToken cancel;
  Result<std::shared_ptr<const LoadedTrace>> loaded = Error{};
  std::thread loading([&] {
    loaded = session.Load(profile->id, {}, {cancel, [&](std::string_view, double) {
                                              begun = true;
                                              while (!closed) std::this_thread::yield();
                                            }});
  });
  while (!begun) std::this_thread::yield();
  REQUIRE(session.Close(profile->id).ok());
  closed = true;
  loading.join();
  CHECK(cancel.cancelled());
  REQUIRE(!loaded.ok());
  CHECK(loaded.error().kind == ErrorKind::kCancelled);
  CHECK(loaded.error().message == "The profile was closed while it was loading.");
  CHECK(session.kept_bytes() == 0);
}

TEST_CASE("session: closing a profile does not disturb another one that waits for the same load") {
  const SessionFolder folder;
  Session session;
  const fs::path file = folder.Trace("a.pt.trace.json", 50'000);
  auto first = session.Open(file);
  auto second = session.Open(file);
  REQUIRE((first.ok() && second.ok()));
  std::atomic<bool> begun{false}, closed{false};
  std::thread loading([&] {
    (void)session.Load(first->id, {}, {{}, [&](std::string_view, double) {
                                         begun = true;
                                         while (!closed) std::this_thread::yield();
                                       }});
  });
  while (!begun) std::this_thread::yield();
  bool second_ok = false;
  std::thread waiting([&] { second_ok = session.Load(second->id, {}, {}).ok(); });
  REQUIRE(session.Close(first->id).ok());
  closed = true;
  loading.join();
  waiting.join();
  CHECK(second_ok);
  CHECK(session.kept_bytes() > 0);
  REQUIRE(session.Close(second->id).ok());
  CHECK(session.kept_bytes() == 0);
}

TEST_CASE("session: closing ends other work for the profile too") {
  const SessionFolder folder;
  Session session;
  auto profile = session.Open(folder.Trace("a.pt.trace.json", 3));
  REQUIRE(profile.ok());
  const CancelToken running, done, late;
  const std::shared_ptr<void> work = session.BeginWork(profile->id, running);
  session.BeginWork(profile->id, done).reset();
  REQUIRE(session.Close(profile->id).ok());
  CHECK(running.cancelled());
  CHECK_FALSE(done.cancelled());
  const std::shared_ptr<void> more = session.BeginWork(profile->id, late);
  CHECK(late.cancelled());
}

TEST_CASE("session: traces and their results share one limit") {
  const SessionFolder folder;
  size_t one = 0;
  {
    Session session;
    auto profile = session.Open(folder.Trace("a.pt.trace.json", 20'000));
    REQUIRE((profile.ok() && session.Load(profile->id, {}, {}).ok()));
    one = session.kept_bytes();
    CHECK(one > 20'000 * sizeof(Ns) / 2);  // columns are packed
  }
  // Room for two traces and a half.
  Session session(one * 5 / 2);
  std::vector<Profile> profiles;
  for (const char* name : {"a", "b", "c"}) {
    auto profile = session.Open(folder.Trace(std::string(name) + ".pt.trace.json", 20'000));
    REQUIRE(profile.ok());
    profiles.push_back(profile.value());
  }
  const auto load = [&](size_t i) { return session.Load(profiles[i].id, {}, {}).value(); };
  std::weak_ptr<const LoadedTrace> a = load(0), b = load(1);
  CHECK((!a.expired() && !b.expired()));
  (void)load(0);  // used again: b is the older one
  std::weak_ptr<const LoadedTrace> c = load(2);
  CHECK((!a.expired() && b.expired() && !c.expired()));
  // Results of c need the place of a, never that of c itself.
  for (int i = 0; i < 100; ++i) {
    const auto trace = load(2);
    const auto made = trace->results.Get<std::vector<char>>(
        "steps/" + std::to_string(i), {}, [&] { return std::vector<char>(one / 4); });
    REQUIRE(made.ok());
    CHECK(session.kept_bytes() <= one * 5 / 2);
  }
  CHECK((a.expired() && !c.expired()));
}

TEST_CASE("session: what a file held before is let go when nobody shows it any more") {
  const SessionFolder folder;
  Session session;
  const fs::path file = folder.Trace("a.pt.trace.json", 50'000);
  auto profile = session.Open(file);
  REQUIRE((profile.ok() && session.Load(profile->id, {}, {}).ok()));
  const size_t before = session.kept_bytes();
  folder.Trace("a.pt.trace.json", 10);
  REQUIRE(session.Load(profile->id, {}, {}, true).ok());
  CHECK(session.kept_bytes() < before / 2);
}

TEST_CASE("session: a failed load is not remembered") {
  const SessionFolder folder;
  Session session;
  const fs::path file = folder.path() / "a.pt.trace.json";
  std::ofstream(file) << "no trace at all";
  auto profile = session.Open(file);
  REQUIRE(profile.ok());
  const auto wrong = session.Load(profile->id, {}, {});
  REQUIRE(!wrong.ok());
  CHECK(wrong.error().kind == ErrorKind::kUnreadable);
  CHECK(session.kept_bytes() == 0);
  folder.Trace("a.pt.trace.json", 3);
  CHECK(session.Load(profile->id, {}, {}).ok());
}

namespace {

// A run of `ranks` workers, the one numbered `broken` of them no trace any more.
Profile OpenRanks(Session& session, const SessionFolder& folder, int ranks, int broken) {
  for (int rank = 0; rank < ranks; ++rank) {
    folder.Trace("run/rank" + std::to_string(rank) + ".pt.trace.json", 100 * (rank + 1));
  }
  Result<Profile> profile = session.Open(folder.path() / "run");
  REQUIRE(profile.ok());
  if (broken >= 0) {
    std::ofstream(folder.path() / "run" / ("rank" + std::to_string(broken) + ".pt.trace.json"))
        << "no trace";
  }
  return *profile;
}

}  // namespace

TEST_CASE("trace set: what a visit throws on any thread reaches the caller, and ends the set") {
  const SessionFolder folder;
  Session session;
  const Profile profile = OpenRanks(session, folder, 12, -1);
  for (const unsigned threads : {1u, 3u}) {
    std::atomic<int> visits{0};
    // Each thread that visits throws: one of them is not the caller's.
    const auto visit = [&](size_t, const SetMember&) {
      ++visits;
      throw std::bad_alloc();
    };
    CHECK_THROWS_AS(ForEachTrace(session, WorkersOfRun(profile, ""), {}, visit, {threads, 0, true}),
                    std::bad_alloc);
    CHECK(visits <= static_cast<int>(threads));
  }
}

TEST_CASE("trace set: all ranks load, and a broken one is named while the others work") {
  const SessionFolder folder;
  Session session;
  const Profile profile = OpenRanks(session, folder, 6, 2);
  const std::vector<TraceRef> refs = WorkersOfRun(profile, "");
  REQUIRE(refs.size() == 6);
  std::mutex mutex;
  double last = 0;
  const auto progress = [&](std::string_view, double fraction) {
    const std::lock_guard lock(mutex);
    CHECK(fraction <= 1.0);
    last = std::max(last, fraction);
  };
  for (const unsigned threads : {1U, 4U}) {
    const auto members = LoadAll(session, refs, ReadOptions{{}, progress}, SetLimits{threads, 0});
    REQUIRE(members.ok());
    REQUIRE(members->size() == 6);
    for (size_t i = 0; i < members->size(); ++i) {
      const SetMember& member = (*members)[i];
      CHECK(member.ref.selection.worker == refs[i].selection.worker);
      CHECK(member.trace.ok() == (i != 2));
      if (member.trace.ok()) {
        CHECK(member.trace.value()->store->slice_count() == 100 * (i + 1));
      } else {
        CHECK(member.trace.error().kind == ErrorKind::kUnreadable);
      }
    }
  }
  CHECK(last == Approx(1.0));
}

TEST_CASE("trace set: with little memory one is loaded at a time, and none waits for ever") {
  const SessionFolder folder;
  Session session;
  const std::vector<TraceRef> refs = WorkersOfRun(OpenRanks(session, folder, 5, -1), "");
  int inside = 0, visits = 0;
  const auto done = ForEachTrace(
      session, refs, {},
      [&](size_t, const SetMember& member) {
        CHECK(++inside == 1);
        CHECK(member.trace.ok());
        ++visits;
        --inside;
      },
      SetLimits{4, 1});
  CHECK(done.ok());
  CHECK(visits == 5);
}

TEST_CASE("trace set: of many, those that were loaded before and the first ones are kept") {
  const SessionFolder folder;
  Session session;
  const std::vector<TraceRef> refs = WorkersOfRun(OpenRanks(session, folder, 6, 4), "");
  const auto keeps = [&](size_t i) { return session.Keeps(refs[i].profile_id, refs[i].selection); };
  REQUIRE(session.Load(refs[5].profile_id, refs[5].selection, {}).ok());
  CHECK(keeps(5));
  CHECK(!keeps(0));
  SetLimits limits;
  limits.kept_traces = 2;
  std::vector<bool> readable(refs.size(), false);
  const auto visit = [&](size_t i, const SetMember& member) { readable[i] = member.trace.ok(); };
  REQUIRE(ForEachTrace(session, refs, {}, visit, limits).ok());
  CHECK(readable == std::vector<bool>{true, true, true, true, false, true});
  for (size_t i = 0; i < refs.size(); ++i) CHECK(keeps(i) == (i < 2 || i == 5));

  // What another profile shows stays, too.
  const Profile other =
      *session.Open(session.PathOf(refs[3].profile_id, refs[3].selection)->string(), CancelToken());
  REQUIRE(session.Load(refs[3].profile_id, refs[3].selection, {}).ok());
  REQUIRE(session.Load(other.id, {}, {}).ok());
  session.LetGo(refs[3].profile_id, refs[3].selection);
  CHECK(keeps(3));
  // And what was let go is there again for who asks.
  session.LetGo(refs[0].profile_id, refs[0].selection);
  CHECK(!keeps(0));
  CHECK(session.Load(refs[0].profile_id, refs[0].selection, {}).ok());
}

TEST_CASE("trace set: cancelling ends it, and an empty set is done at once") {
  const SessionFolder folder;
  Session session;
  const std::vector<TraceRef> refs = WorkersOfRun(OpenRanks(session, folder, 8, -1), "");
  const ReadOptions options;
  std::atomic<int> visits{0};
  const auto done = ForEachTrace(session, refs, options, [&](size_t, const SetMember&) {
    if (++visits == 2) options.cancel.Cancel();
  });
  REQUIRE(!done.ok());
  CHECK(done.error().kind == ErrorKind::kCancelled);
  CHECK(visits < 8);
  const auto none = LoadAll(session, {}, {});
  REQUIRE(none.ok());
  CHECK(none->empty());
}
