// Many threads read what one reads: help begins anywhere, and nothing differs.
#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "ingest_fixture.h"

namespace emberline {
namespace {

// Events of every kind in any order, some of them damaged: what one thread may hand to another,
// what it may not, and what neither can read.
std::string ManyEvents(uint32_t seed, int count, bool damaged) {
  std::mt19937 random(seed);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<uint32_t>(n)); };
  std::string text = "{\"schemaVersion\": 1, \"traceEvents\": [";
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    const std::string at = R"("pid":1,"tid":)" + std::to_string(pick(3)) + ",\"ts\":" + n + ".5";
    // A category that was not there before stands anywhere.
    const std::string cat = pick(50) == 0 ? "own" + std::to_string(pick(40)) : "cpu_op";
    std::string event;
    switch (pick(16)) {
      case 0:
        event =
            R"({"ph":"M","name":"thread_name",)" + at + R"(,"args":{"name":"worker )" + n + "\"}}";
        break;
      case 1:
        event = R"({"ph":"i","name":"[memory]",)" + at + R"(,"args":{"Bytes":)" + n +
                R"(,"Device Id":0,"Device Type":1,"Addr":)" + n + "}}";
        break;
      case 2:
        event = R"({"ph":"i","name":"[memory]",)" + at + R"(,"args":{"Bytes":")" + n + "\"}}";
        break;
      case 3:
        event = R"({"ph":"b","cat":"own","name":"async","id":"0x)" + n + "\"," + at + "}";
        break;
      case 4:
        event = R"({"ph":"e","cat":"own","name":"async","id":"0x)" + std::to_string(pick(count)) +
                "\"," + at + "}";
        break;
      case 5:
        event = R"({"ph":"s","cat":"arrows","name":"flow )" + std::to_string(pick(30)) +
                "\",\"id\":" + n + "," + at + "}";
        break;
      case 6:
        event = R"({"ph":"C","name":"counter",)" + at + R"(,"args":{"value":)" + n + "}}";
        break;
      case 7:
        event = R"({"ph":"B","cat":")" + cat + R"(","name":"range",)" + at + "}";
        break;
      case 8:
        event = R"({"ph":"E",)" + at + R"(,"args":{"late":)" + n + "}}";
        break;
      case 9:
        event = R"({"ph":"O","cat":"own","name":"object","id":")" + n + "\"," + at + "}";
        break;
      case 10: {
        // Each id makes a row, whose name is a string that was not there before.
        const std::string id = pick(2) == 0 ? std::to_string(pick(50)) : "\"q" + n + "\"";
        event =
            R"({"ph":"C","name":"queue","id":)" + id + "," + at + R"(,"args":{"depth":)" + n + "}}";
        break;
      }
      default:
        event = R"({"ph":"X","cat":")" + cat + R"(","name":"op )" + std::to_string(pick(20)) +
                "\"," + at + R"(,"dur":2,"args":{"Input Dims":[[)" + std::to_string(pick(9)) +
                R"(]],"External id":)" + n + "}}";
    }
    if (damaged && pick(40) == 0) event.erase(static_cast<size_t>(pick(20)), 3);
    if (damaged && pick(60) == 0) event = "17";
    text += (i == 0 ? "" : ",\n") + event;
  }
  return text + "]}";
}

Result<ReadResult> ReadFrom(const std::string& text, uint64_t alone, size_t ahead = 0,
                            size_t batch_bytes = 1 << 18) {
  ReadOptions options;
  options.alone_events = alone;
  options.readers_ahead = ahead;
  options.batch_bytes = batch_bytes;
  return ReadTraceText(text, options);
}

bool SameArgs(const TraceStore& a, const TraceStore& b, SliceIndex i) {
  const auto left = a.Args(i), right = b.Args(i);
  if (left.size() != right.size()) return false;
  for (size_t k = 0; k < left.size(); ++k) {
    const StringId key = left[k].first;
    if (key != right[k].first || a.ArgText(i, key) != b.ArgText(i, key)) return false;
    if (a.ArgNumber(i, key) != b.ArgNumber(i, key)) return false;
  }
  return true;
}

void CheckSame(const TraceStore& a, const TraceStore& b) {
  REQUIRE(a.slice_count() == b.slice_count());
  REQUIRE(a.strings().size() == b.strings().size());
  bool same = true;
  for (StringId i = 0; i < a.strings().size() && same; ++i) {
    same = a.strings().Get(i) == b.strings().Get(i);
  }
  CHECK(same);
  for (SliceIndex i = 0; i < a.slice_count() && same; ++i) {
    same = a.start(i) == b.start(i) && a.duration(i) == b.duration(i) && a.name(i) == b.name(i) &&
           a.kind(i) == b.kind(i) && a.track(i) == b.track(i) && a.parent(i) == b.parent(i) &&
           a.depth(i) == b.depth(i) && a.event_index(i) == b.event_index(i) &&
           a.category(i) == b.category(i) && SameArgs(a, b, i);
  }
  CHECK(same);
  CHECK(a.instants().size() == b.instants().size());
  CHECK(a.memory().size() == b.memory().size());
  REQUIRE(a.counters().size() == b.counters().size());
  for (size_t i = 0; i < a.counters().size(); ++i) {
    const CounterSample &left = a.counters()[i], &right = b.counters()[i];
    REQUIRE(left.ts == right.ts);
    REQUIRE(a.strings().Get(left.name) == b.strings().Get(right.name));
    REQUIRE(a.ArgsAt(left.args).size() == b.ArgsAt(right.args).size());
  }
  REQUIRE(a.flows().size() == b.flows().size());
  for (size_t i = 0; i < a.flows().size(); ++i) {
    REQUIRE(a.flows()[i].id == b.flows()[i].id);
    REQUIRE(a.flows()[i].slice == b.flows()[i].slice);
  }
  for (size_t i = 0; i < a.memory().size(); ++i) {
    REQUIRE(a.memory()[i].bytes == b.memory()[i].bytes);
  }
  CHECK(a.counts().by_category == b.counts().by_category);
  CHECK(a.counts().dropped == b.counts().dropped);
  REQUIRE(a.problems().size() == b.problems().size());
  for (size_t i = 0; i < a.problems().size(); ++i) {
    CHECK(a.problems()[i].kind == b.problems()[i].kind);
    CHECK(a.problems()[i].count == b.problems()[i].count);
    CHECK(a.problems()[i].first_offset == b.problems()[i].first_offset);
  }
}

constexpr uint64_t kNeverHelped = ~uint64_t{0};

// An event with so many args, among the names of which are those of all with fewer.
std::string WithArgs(int number, int args) {
  std::string event = R"({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"dur":1,"ts":)" +
                      std::to_string(number) + R"(,"args":{"n":)" + std::to_string(number);
  for (int i = 0; i < args; ++i) event += ",\"a" + std::to_string(i) + "\":" + std::to_string(i);
  return event + "}}";
}

TEST_CASE("two threads read what one reads, however many args an event has", "[queue]") {
  std::string text = "{\"traceEvents\": [";
  for (int i = 0; i < 600; ++i) {
    // Several fill what is handed over at once, and one may be larger than all of that.
    const int args = i % 100 == 50 ? 20'000 : i % 100 == 51 ? 8'191 : i % 10 == 0 ? 3'000 : 2;
    text += (i == 0 ? "" : ",\n") + WithArgs(i, args);
  }
  text += "]}";
  const auto one = ReadFrom(text, kNeverHelped);
  REQUIRE(one.ok());
  REQUIRE(one->store->slice_count() == 600);
  REQUIRE(one->store->Args(50).size() == 20'001);
  const auto two = ReadFrom(text, 1);
  REQUIRE(two.ok());
  CheckSame(*one->store, *two->store);
}

TEST_CASE("two threads read what one reads", "[queue]") {
  for (const bool damaged : {false, true}) {
    for (const uint32_t seed : {1u, 2u, 3u}) {
      const std::string text = ManyEvents(seed, 9000, damaged);
      const auto one = ReadFrom(text, kNeverHelped);
      REQUIRE(one.ok());
      CHECK(one->store->counts().events > 8000);
      for (const uint64_t alone : {uint64_t{1}, uint64_t{2}, uint64_t{777}, uint64_t{8500}}) {
        const auto two = ReadFrom(text, alone);
        REQUIRE(two.ok());
        CheckSame(*one->store, *two->store);
        fixture::CheckCounts(*two->store);
      }
    }
  }
}

TEST_CASE("pieces that are read ahead are what one thread reads", "[queue]") {
  for (const bool damaged : {false, true}) {
    for (const uint32_t seed : {4u, 5u, 6u, 7u}) {
      const std::string text = ManyEvents(seed, 30'000, damaged);
      const auto one = ReadFrom(text, kNeverHelped);
      REQUIRE(one.ok());
      for (const size_t ahead : {size_t{1}, size_t{2}, size_t{5}}) {
        for (const size_t batch : {size_t{150}, size_t{2000}, size_t{1} << 18}) {
          INFO(damaged << " seed " << seed << " ahead " << ahead << " batch " << batch);
          const auto many = ReadFrom(text, ahead == 2 ? 7000 : 1, ahead, batch);
          REQUIRE(many.ok());
          CheckSame(*one->store, *many->store);
          fixture::CheckCounts(*many->store);
        }
      }
    }
  }
}

TEST_CASE("what is read does not depend on where batches end", "[queue]") {
  // Between events stands what begins like the header of a trace, with and without events of its
  // own.
  for (
      const char* other :
      {R"({"deviceProperties":[{"id":7}],"ph":"X","name":"op","pid":1,"tid":1,"ts":5,"dur":1})",
       R"({"schemaVersion":1,"traceEvents":[{"ph":"X","name":"b","pid":1,"tid":1,"ts":7,"dur":1}]})"}) {
    std::string text = "{\"traceEvents\": [";
    for (int i = 0; i < 60; ++i) {
      text += (i > 0 ? "," : "") + std::string(R"({"ph":"X","name":"op )") + std::to_string(i) +
              R"(","pid":1,"tid":1,"ts":)" + std::to_string(i) + R"(,"dur":1})";
      if (i == 30) text += std::string(",") + other;
    }
    text += "]}";
    const auto whole = ReadFrom(text, kNeverHelped);
    REQUIRE(whole.ok());
    CHECK(whole->store->slice_count() >= 60);
    for (const size_t batch : {size_t{80}, size_t{200}, size_t{1000}}) {
      const auto other_batches = ReadFrom(text, kNeverHelped, 0, batch);
      REQUIRE(other_batches.ok());
      CheckSame(*whole->store, *other_batches->store);
    }
  }
}

TEST_CASE("readers ahead begin anew when their strings take much", "[queue]") {
  std::string events;
  for (int i = 0; i < 60'000; ++i) {
    events += (i > 0 ? "," : "") + std::string(R"({"ph":"X","cat":"cpu_op","name":"op )") +
              std::to_string(i) + std::string(150, static_cast<char>('a' + i % 26)) +
              R"(","pid":1,"tid":1,"ts":)" + std::to_string(i) + R"(,"dur":1,"args":{"again":")" +
              std::to_string(i / 2) + "\"}}";
  }
  const std::string text = "[" + events + "]";
  const auto one = ReadFrom(text, kNeverHelped), many = ReadFrom(text, 1, 2);
  REQUIRE(one.ok());
  REQUIRE(many.ok());
  CheckSame(*one->store, *many->store);
}

TEST_CASE("a text of which the reader files nearly all is read alone", "[queue]") {
  std::string events;
  for (int i = 0; i < 20'000; ++i) {
    if (i > 0) events += ",";
    events += R"({"ph":"M","name":"thread_name","pid":1,"tid":)" + std::to_string(i) +
              R"(,"args":{"name":"t"}},{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":)" +
              std::to_string(i) + R"(,"ts":1,"dur":1})";
  }
  const std::string text = "[" + events + "]";
  const auto one = ReadFrom(text, kNeverHelped), two = ReadFrom(text, 1);
  REQUIRE(one.ok());
  REQUIRE(two.ok());
  CheckSame(*one->store, *two->store);
}

TEST_CASE("args of one event may be more than a batch holds", "[queue]") {
  std::string args = "\"a\":1";
  for (int i = 0; i < 70'000; ++i)
    args += ",\"k" + std::to_string(i % 50) + "\":" + std::to_string(i);
  std::string events;
  for (int i = 0; i < 6; ++i) {
    events += (i > 0 ? "," : "") +
              std::string(R"({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":)") +
              std::to_string(i) + R"(,"dur":1,"args":{)" + args + "}}";
  }
  const std::string text = "[" + events + "]";
  const auto one = ReadFrom(text, kNeverHelped), two = ReadFrom(text, 1);
  REQUIRE(one.ok());
  REQUIRE(two.ok());
  CheckSame(*one->store, *two->store);
}

TEST_CASE("reading with two threads can be cancelled", "[queue]") {
  const std::string text = ManyEvents(5, 60'000, false);
  ReadOptions options;
  options.alone_events = 1;
  options.readers_ahead = 2;
  int steps = 0;
  options.progress = [&](std::string_view, double) {
    if (++steps == 3) options.cancel.Cancel();
  };
  const auto read = ReadTraceText(text, options);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().kind == ErrorKind::kCancelled);
}

}  // namespace
}  // namespace emberline
