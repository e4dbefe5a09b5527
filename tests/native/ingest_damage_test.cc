// Damage costs the events that it touches and no others, each lost one is counted, and what is read
// does not depend on how the text is handed over.
#include <simdjson.h>

#include <algorithm>
#include <random>
#include <vector>

#include "ingest_fixture.h"

namespace emberline {

using namespace fixture;  // NOLINT: helpers of these tests

namespace {

// How a recorder spells its events.
enum class Spelling { kPhaseFirst, kNameFirst, kSorted, kFlow };

std::string Event(int i, Spelling spelling) {
  const std::string n = std::to_string(i);
  const std::string args = R"({"d":[[1,2],[3]],"o":{"k":"v"},"s":"x"})";
  const std::string time = std::to_string(1000 + 10 * i);
  switch (spelling) {
    case Spelling::kPhaseFirst:
      return R"({"ph":"X","cat":"cpu_op","name":"op)" + n + R"(","pid":1,"tid":1,"ts":)" + time +
             R"(,"dur":5,"args":)" + args + "}";
    case Spelling::kNameFirst:
      return R"({"name":"op)" + n + R"(","ph":"X","ts":)" + time +
             R"(,"dur":5,"tid":1,"pid":"CPU functions","args":)" + args + "}";
    case Spelling::kSorted:
      return R"({"args":)" + args + R"(,"cat":"cpu_op","dur":5,"name":"op)" + n +
             R"(","ph":"X","pid":1,"tid":1,"ts":)" + time + "}";
    case Spelling::kFlow:
      return R"({"ph":"s","id":)" + n + R"(,"pid":1,"tid":1,"ts":)" + time +
             R"(,"cat":"ac2g","name":"ac2g","bp":"e"})";
  }
  return "";
}

std::string Trace(int events, Spelling spelling, const std::string& between = ",") {
  std::string text =
      R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"A"}],"traceEvents":[)";
  for (int i = 0; i < events; ++i) text += (i > 0 ? between : "") + Event(i, spelling);
  return text + R"(],"traceName":"t"})";
}

// Events in a text, counted without reading it: each has one key "ph" with a letter.
int EventsIn(const std::string& text) {
  int count = 0;
  for (size_t at = text.find("\"ph\":\""); at != std::string::npos;
       at = text.find("\"ph\":\"", at + 1))
    ++count;
  return count;
}

bool IsSound(const std::string& text) {
  simdjson::dom::parser parser;
  return parser.parse(simdjson::padded_string(text)).error() == simdjson::SUCCESS;
}

struct Reading {
  int events = 0, dropped = 0;
  uint64_t problems = 0;
  std::string digest;  // everything that must not depend on the blocks
  int read() const { return events - dropped; }
};

Reading Take(const Result<ReadResult>& result) {
  REQUIRE(result.ok());
  const TraceStore& store = *result->store;
  CheckCounts(store);
  Reading reading;
  reading.events = static_cast<int>(store.counts().events);
  reading.dropped = static_cast<int>(store.counts().dropped);
  for (SliceIndex i = 0; i < store.slice_count(); ++i) {
    reading.digest += std::string(store.name(i)) + " " + std::to_string(store.start(i)) + " " +
                      std::to_string(store.duration(i)) + " " +
                      std::to_string(store.Args(i).size()) + "\n";
  }
  for (const Problem& problem : store.problems()) {
    reading.problems += problem.count;
    reading.digest += problem.kind + " " + std::to_string(problem.count) + " at " +
                      std::to_string(problem.first_offset) + "\n";
  }
  return reading;
}

// Reads a damaged text whole and in blocks; both must say the same.
Reading ReadAnyhow(const std::string& text, std::initializer_list<size_t> blocks) {
  const Result<ReadResult> whole = ReadTraceText(text);
  INFO((whole.ok() ? std::string() : whole.error().message));
  const Reading reading = Take(whole);
  for (const size_t block : blocks) {
    INFO("blocks of " << block);
    REQUIRE(Take(ReadInBlocks(text, block)).digest == reading.digest);
  }
  return reading;
}

// What every damage must leave true. `events`: that the text holds. True when no more were counted.
bool CheckLoss(const std::string& text, int events, int most_lost,
               std::initializer_list<size_t> blocks) {
  const Reading reading = ReadAnyhow(text, blocks);
  INFO(reading.digest);
  REQUIRE(events - reading.read() <= most_lost);
  REQUIRE(reading.events >= events);
  if (!IsSound(text)) REQUIRE(reading.problems > 0);
  return reading.events == events;
}

}  // namespace

TEST_CASE("every structural character deleted, doubled or replaced costs two events at most") {
  static constexpr char kStructure[] = "{}[]\",:";
  constexpr int kEvents = 4;
  int damages = 0, exact = 0;
  for (const Spelling spelling :
       {Spelling::kPhaseFirst, Spelling::kNameFirst, Spelling::kSorted, Spelling::kFlow}) {
    const std::string sound =
        Trace(kEvents, spelling, spelling == Spelling::kSorted ? ",\n " : ",");
    REQUIRE(IsSound(sound));
    for (size_t at = 0; at < sound.size(); ++at) {
      if (std::string_view(kStructure).find(sound[at]) == std::string_view::npos) continue;
      std::vector<std::string> damaged = {
          sound.substr(0, at) + sound.substr(at + 1),
          sound.substr(0, at) + sound[at] + sound.substr(at),
      };
      for (const char other : std::string_view(kStructure)) {
        if (other == sound[at]) continue;
        damaged.push_back(sound);
        damaged.back()[at] = other;
      }
      for (const std::string& text : damaged) {
        INFO(at << " of " << text);
        ++damages;
        exact += CheckLoss(text, kEvents, 2, {at % 2 == 0 ? size_t{17} : size_t{256}}) ? 1 : 0;
      }
    }
  }
  // A few cannot be told from an event more: a brace behind a value, that of another object.
  INFO(damages << " damages, " << exact << " of them counted exactly");
  CHECK(exact >= damages - damages / 500);
}

TEST_CASE("a list without an object: every structural character of it") {
  constexpr int kEvents = 4;
  std::string sound = "[";
  for (int i = 0; i < kEvents; ++i) sound += (i > 0 ? ", " : "") + Event(i, Spelling::kPhaseFirst);
  sound += "]";
  for (size_t at = 0; at < sound.size(); ++at) {
    for (const char other : std::string_view("{}[]\",:")) {
      if (std::string_view("{}[]\",:").find(sound[at]) == std::string_view::npos) continue;
      std::string text = sound;
      if (other == sound[at]) {
        text.erase(at, 1);
      } else {
        text[at] = other;
      }
      INFO(at << " of " << text);
      CheckLoss(text, kEvents, 2, {33});
      text = sound;
      text.insert(at, 1, other);
      INFO(text);
      CheckLoss(text, kEvents, 2, {33});
    }
  }
}

TEST_CASE("blocks that are swapped, doubled or lost cost the events at their ends") {
  std::mt19937 random(77);
  for (int round = 0; round < 1200; ++round) {
    const auto spelling = static_cast<Spelling>(random() % 4);
    const int events = 40 + static_cast<int>(random() % 60);
    std::string text = Trace(events, spelling);
    const size_t begin = text.find("[{\"", text.find("traceEvents")) + 1;
    const size_t end = text.rfind("],\"traceName");
    std::vector<size_t> cuts(3);
    for (size_t& cut : cuts) cut = begin + random() % (end - begin);
    std::sort(cuts.begin(), cuts.end());
    const std::string head = text.substr(0, cuts[0]), tail = text.substr(cuts[2]);
    const std::string a = text.substr(cuts[0], cuts[1] - cuts[0]);
    const std::string b = text.substr(cuts[1], cuts[2] - cuts[1]);
    int seams = 1;
    switch (random() % 3) {
      case 0:
        text = head + b + a + tail;
        seams = 3;
        break;
      case 1:
        text = head + a + a + b + tail;
        break;
      default:
        text = head + b + tail;
    }
    INFO(round << ": " << text);
    CheckLoss(text, EventsIn(text), 2 * seams, {64, 4096});
  }
}

namespace {

// A long trace with pieces of some events replaced.
std::string WithPieces(int events, std::initializer_list<std::pair<int, std::string>> pieces) {
  std::string text = R"({"traceEvents":[)";
  for (int i = 0; i < events; ++i) {
    std::string event = Event(i, Spelling::kPhaseFirst);
    for (const auto& [at, piece] : pieces) {
      if (at == i) event = piece;
    }
    text += (i > 0 ? "," : "") + event;
  }
  return text + "]}";
}

std::string Replaced(int i, const std::string& what, const std::string& by) {
  std::string event = Event(i, Spelling::kPhaseFirst);
  const size_t at = event.find(what);
  REQUIRE(at != std::string::npos);
  return event.replace(at, what.size(), by);
}

}  // namespace

TEST_CASE("a value does not reach from one damaged event into another") {
  constexpr int kEvents = 2000;
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"[[[[[1,2],[3]]", "[[1,2],[3]]]]]"},      // brackets, balanced again later
      {"[[1,2],[\"3]]", "[[1,2],[3\"]]"},        // a text
      {"[[1,2],[\"3\\\"]]", "[[1,2],[3\"]]"},    // a text with an escaped quote
      {"[{\"x\":[[1,2],[3]]", "[[1,2],[3]]}]"},  // an object
  };
  for (const auto& [open, close] : pairs) {
    INFO(open);
    const std::string d = "[[1,2],[3]]";
    const std::string text =
        WithPieces(kEvents, {{10, Replaced(10, d, open)}, {1900, Replaced(1900, d, close)}});
    CheckLoss(text, kEvents, 2, {1000, 1 << 16});
  }
  // Sound JSON, but for one event in the args of another.
  const std::string swallowing = WithPieces(
      kEvents, {{10, Replaced(10, "[[1,2],[3]],\"o\":{\"k\":\"v\"},\"s\":\"x\"}}", "[0")},
                {1900, Replaced(1900, "\"x\"}}", "\"x\"}}]}}")}});
  REQUIRE(IsSound(swallowing));
  CheckLoss(swallowing, kEvents, 2, {1000, 1 << 16});
}

TEST_CASE("the list goes on behind surplus brackets and damaged events") {
  constexpr int kEvents = 2000;
  const std::string whole = Event(10, Spelling::kPhaseFirst);
  for (const std::string& piece :
       {whole + "}", whole + "]", whole + "]}", "}" + whole, "[" + whole, "{" + whole,
        Replaced(10, "op10\",", "op10\",},"), Replaced(10, "{\"ph\"", "\"ph\""),
        Replaced(10, "[[1,2],[3]]", "[[1,2],[3[["), Replaced(10, "[[1,2],[3]]", "[[[[[1,2],[3]]"),
        Replaced(10, "[[1,2],[3]]", "[[1,2],[\"3]]"), Replaced(10, "\"x\"", "\"x"),
        std::string("{\"ph\" \"X\"}"), std::string("\"ph\""), std::string("{")}) {
    INFO(piece);
    const std::string text = WithPieces(kEvents, {{10, piece}});
    CheckLoss(text, kEvents - (EventsIn(text) < kEvents ? 1 : 0), 2, {1000, 1 << 16});
  }
}

TEST_CASE("each event of a run of damaged ones is counted") {
  std::string text = R"({"traceEvents":[)";
  for (int i = 0; i < 300; ++i) {
    text += (i > 0 ? "," : "") +
            (i / 100 == 1 ? std::string("{\"ph\" \"X\"}") : Event(i, Spelling::kPhaseFirst));
  }
  const Reading reading = ReadAnyhow(text + "]}", {100});
  CHECK(reading.events == 300);
  CHECK(reading.dropped == 100);
}

TEST_CASE("what is read does not depend on what stands in front of it") {
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    std::string events;
    for (int i = 0; i < 3000; ++i) {
      std::string event = Event(i, Spelling::kPhaseFirst);
      if (random() % 100 == 0) event[random() % event.size()] = "{}[]\",:"[random() % 7];
      events += (i > 0 ? ",\n" : "") + event;
    }
    std::string first;
    for (const size_t padding : {size_t{0}, size_t{1}, size_t{4097}, size_t{100'000}}) {
      const std::string text =
          "{\"pad\":\"" + std::string(padding, '-') + "\",\"traceEvents\":[" + events + "]}";
      Reading reading = Take(ReadTraceText(text));
      // Without the offsets, which move.
      std::string digest;
      for (size_t at = 0; at < reading.digest.size();) {
        const size_t end = reading.digest.find('\n', at);
        const std::string line = reading.digest.substr(at, end - at);
        digest += line.substr(0, line.find(" at ")) + "\n";
        at = end + 1;
      }
      if (first.empty()) first = digest;
      INFO(round << " with " << padding);
      REQUIRE(digest == first);
    }
  }
}

TEST_CASE("events in front of the list, behind its end and in a second trace are read") {
  const std::string a = Event(1, Spelling::kPhaseFirst), b = Event(2, Spelling::kPhaseFirst);
  for (const std::string& text : {
           "{\"traceEvents\":[" + a + "]}," + b + "]}",
           "{\"traceEvents\":[" + a + "]}{\"traceEvents\":[" + b + "]}",
           "{\"traceEvents\":[" + a + "],\"x\":{\"y\":1," + b + "]}",
           "{\"x\":{\"y\":1,\"traceEvents\":[" + a + "," + b + "]}",
           a + "\n" + b,
           "[" + a + "]" + b,
       }) {
    INFO(text);
    CheckLoss(text, 2, 0, {7});
  }
}

TEST_CASE("two events that run into one are counted as two") {
  const std::string text =
      R"({"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":5,"ph":"X","name":"b",)"
      R"("pid":1,"tid":1,"ts":20,"dur":5}]})";
  const Reading reading = ReadAnyhow(text, {9});
  CHECK(reading.events == 2);
  CHECK(reading.dropped == 1);
}

TEST_CASE("a type that is given twice in a row is no second event") {
  const Reading reading = ReadAnyhow(
      R"({"traceEvents":[{"ph":"X","ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,)"
      R"("dur":5}]})",
      {9});
  CHECK(reading.events == 1);
  CHECK(reading.dropped == 0);
  CHECK(reading.problems == 1);
  // Another type is that of another event, of which nothing else is left.
  const Reading two = ReadAnyhow(
      R"({"traceEvents":[{"ph":"X","ph":"s","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,)"
      R"("id":5}]})",
      {9});
  CHECK(two.events == 2);
  CHECK(two.dropped == 1);
}

TEST_CASE("an event that damage cuts in pieces is lost once") {
  const std::string sound = Event(1, Spelling::kSorted);
  const auto with = [&](const std::string& what, const std::string& by) {
    std::string event = sound;
    const size_t at = event.find(what);
    REQUIRE(at != std::string::npos);
    return event.replace(at, what.size(), by);
  };
  for (const std::string& piece : {
           with(R"("name":"op1")", R"("name":}op1")"),       // ends early, a word behind it
           with(R"("name":"op1")", R"("name":}[memory]")"),  // a list behind it
           with(R"([3]],)", R"([3]]})"),                     // its args end early
           with(R"("dur":5,)", R"("dur":5},)"),              // it ends early
           with(R"("cpu_op",)", R"("cpu_op"{)"),             // a brace in place of a comma
       }) {
    INFO(piece);
    const std::string text = "{\"traceEvents\":[" + Event(0, Spelling::kSorted) + "," + piece +
                             "," + Event(2, Spelling::kSorted) + "]}";
    const Reading reading = ReadAnyhow(text, {7, 64});
    INFO(reading.digest);
    CHECK(reading.events == 3);
    CHECK(reading.dropped <= 1);
    CHECK(reading.problems > 0);
  }
}

TEST_CASE("damage in the header loses no event and counts none") {
  const std::string events = Event(0, Spelling::kPhaseFirst) + "," + Event(1, Spelling::kSorted);
  for (const char* header : {
           R"({"deviceProperties":[{"id":0,"name":"A}],"traceEvents":[)",
           R"({"a":{"b":[1,{"c:2}]},"schemaVersion":1,"traceEvents":[)",
           R"({"deviceProperties":[[{"id",0,"name":"A"}],"traceEvents":[)",
           R"({"deviceProperties":[{"id"]0,"name":"A"}],"traceEvents":[)",
       }) {
    const std::string text = header + events + R"(],"traceName":"t"})";
    INFO(text);
    const Reading reading = ReadAnyhow(text, {11, 200});
    INFO(reading.digest);
    CHECK(reading.events == 2);
    CHECK(reading.dropped == 0);
    CHECK(reading.problems > 0);
  }
}

TEST_CASE("what a device cannot have is not known") {
  const std::string text =
      R"({"deviceProperties":[{"id":0,"totalGlobalMem":-5,"numSms":-1,"warpSize":-32,)"
      R"("maxThreadsPerBlock":-1,"maxThreadsPerMultiprocessor":-1,"regsPerMultiprocessor":-1,)"
      R"("sharedMemPerMultiprocessor":-1,"computeMajor":-9}],"traceEvents":[)" +
      Event(0, Spelling::kPhaseFirst) + "]}";
  const Result<ReadResult> result = ReadTraceText(text);
  REQUIRE(result.ok());
  REQUIRE(result->store->metadata().devices.size() == 1);
  const DeviceProperties& device = result->store->metadata().devices[0];
  REQUIRE(device.total_global_mem == 0);
  REQUIRE(device.num_sms == 0);
  REQUIRE(device.warp_size == 0);
  REQUIRE(device.max_threads_per_block == 0);
  REQUIRE(device.max_threads_per_sm == 0);
  REQUIRE(device.regs_per_sm == 0);
  REQUIRE(device.shared_mem_per_sm == 0);
  REQUIRE(device.compute_major == 0);
}

TEST_CASE("events without a type are counted behind any damage") {
  constexpr std::string_view kStructure = "{}[]\",:";
  const std::string typeless[] = {
      R"({"name":"n","pid":1,"tid":"[1}","ts":5})",
      R"({"args":{"value":[{"name":"inner"}]},"name":"window","ts":6})",
  };
  for (const std::string& damaged : {Event(1, Spelling::kNameFirst), typeless[0], typeless[1]}) {
    for (size_t at = 0; at < damaged.size(); ++at) {
      if (kStructure.find(damaged[at]) == std::string_view::npos) continue;
      for (const std::string_view put : {"", "[", ",", "\"", "}}"}) {
        std::string text = R"({"traceEvents":[)" + Event(0, Spelling::kPhaseFirst) + "," +
                           damaged.substr(0, at) + std::string(put) + damaged.substr(at + 1);
        for (int i = 0; i < 4; ++i) text += "," + typeless[i % 2];
        text += "," + Event(2, Spelling::kPhaseFirst) + "]}";
        INFO(text);
        const Reading reading = ReadAnyhow(text, {17, 256});
        INFO(reading.digest);
        REQUIRE(reading.read() >= 2);
        REQUIRE(reading.events >= 6);
        // The one that is damaged, and those without a type.
        REQUIRE(reading.problems >= (IsSound(text) ? 4 : 5));
      }
    }
  }
}

TEST_CASE("entries that are no events are counted behind any damage, and no more of them") {
  static constexpr std::string_view kStructure = "{}[]\",:";
  static const std::string kSilent[] = {"{}",
                                        "{ }",
                                        "null",
                                        "17",
                                        "\"te\\\"xt\"",
                                        "[1,[2]]",
                                        R"({"args":{"a":1}})",
                                        R"({"args":{"d":[{"x":1},2,null,{}]}})",
                                        R"({"name":"n"})"};
  std::mt19937 random(5);
  const auto draw = [&](int i) { return Event(i, static_cast<Spelling>(random() % 4)); };
  int damages = 0, too_many = 0;
  for (int round = 0; round < 25; ++round) {
    // Around the event that is damaged stand such entries, and behind them another event.
    const std::string separator = round % 2 == 0 ? "," : ",\n ";
    const int silent = static_cast<int>(random() % 4) + 1;
    std::string front = R"({"traceEvents":[)" + draw(0) + separator, behind;
    // Of an empty one nothing can have been cut off.
    if (random() % 2 == 0) front += "{}" + separator;
    const int before = front.ends_with("{}" + separator) ? 2 : 1;
    for (int i = 0; i < silent; ++i) behind += separator + kSilent[random() % std::size(kSilent)];
    behind += separator + draw(9) + "]}";
    const std::string damaged = draw(5);
    const int entries = before + 1 + silent + 1;
    for (size_t at = 0; at < damaged.size(); ++at) {
      if (kStructure.find(damaged[at]) == std::string_view::npos) continue;
      for (const char other : kStructure) {
        for (const bool insert : {false, true}) {
          std::string text = damaged;
          if (insert) {
            text.insert(at, 1, other);
          } else if (other == text[at]) {
            text.erase(at, 1);
          } else {
            text[at] = other;
          }
          text = front + text + behind;
          INFO(text);
          const Reading reading = ReadAnyhow(text, {size_t{17} + at % 50});
          INFO(reading.digest);
          ++damages;
          REQUIRE(reading.read() >= 1);
          REQUIRE(reading.events >= entries);
          too_many += reading.events > entries ? 1 : 0;
        }
      }
    }
  }
  INFO(damages << " damages, " << too_many << " of them counted too high");
  // A brace too many in front of a key looks like another event.
  CHECK(too_many <= damages / 100);
}

TEST_CASE("entries that are no events are counted in front of the end of the list, too") {
  for (const std::string& damaged :
       {Replaced(5, "\"pid\":", "\"pid\""), Replaced(5, "\"x\"}}", "\"x\"}}}"),
        Replaced(5, "\"x\"}}", "\"x\"}}]"), Replaced(5, "\"x\"}}", "\"x\"}"),
        Replaced(5, "[3]", "[3")}) {
    for (const char* end : {"]}", "]", "],\"traceName\":\"t\"}"}) {
      const std::string text = R"({"traceEvents":[)" + Event(0, Spelling::kPhaseFirst) + "," +
                               damaged + R"(,{},17,{"args":{}},null)" + end;
      INFO(text);
      const Reading reading = ReadAnyhow(text, {17, 64});
      INFO(reading.digest);
      CHECK(reading.events == 6);
      CHECK(reading.read() >= 1);
    }
  }
}

TEST_CASE("a header whose list seems to end in front of the first event is no event") {
  for (const char* header : {R"({"schemaVersion":1,)", R"({"x":1,)", "{"}) {
    std::string text = header + std::string("\"traceEvents\":[");
    const size_t brace = text.size();
    for (int i = 0; i < 50; ++i) text += (i > 0 ? "," : "") + Event(i, Spelling::kSorted);
    text += "]}";
    text[brace] = ']';
    INFO(text);
    const Reading reading = ReadAnyhow(text, {17, 4096});
    INFO(reading.digest);
    CHECK(reading.events == 50);
    CHECK(reading.read() == 49);
    CHECK(reading.problems < 10);
  }
}

TEST_CASE("what a kernel or a copy cannot have is not known") {
  const std::string text =
      R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{)"
      R"("blocks per SM":18446744073709551615,"est. achieved occupancy %":-40,)"
      R"("registers per thread":4294967295,"shared memory":-1,"bytes":-8}},)"
      R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":2,"args":{)"
      R"("blocks per SM":"nan","est. achieved occupancy %":1e300}},)"
      R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":9,"dur":2,"args":{)"
      R"("blocks per SM":7.25,"est. achieved occupancy %":100,"registers per thread":255,)"
      R"("shared memory":0,"bytes":8}}]})";
  const Result<ReadResult> result = ReadTraceText(text);
  REQUIRE(result.ok());
  const TraceStore& store = *result->store;
  REQUIRE(store.slice_count() == 3);
  for (SliceIndex i = 0; i < 2; ++i) {
    INFO(i);
    CHECK(!store.ArgNumber(i, ArgRole::kBlocksPerSm));
    CHECK(!store.ArgNumber(i, ArgRole::kOccupancy));
    CHECK(!store.ArgInt(i, ArgRole::kRegisters));
    CHECK(!store.ArgInt(i, ArgRole::kSharedMemory));
    CHECK(!store.ArgInt(i, ArgRole::kBytes));
  }
  CHECK(store.ArgNumber(2, ArgRole::kBlocksPerSm) == 7.25);
  CHECK(store.ArgNumber(2, ArgRole::kOccupancy) == 100.0);
  CHECK(store.ArgInt(2, ArgRole::kRegisters) == 255);
  CHECK(store.ArgInt(2, ArgRole::kSharedMemory) == 0);
  CHECK(store.ArgInt(2, ArgRole::kBytes) == 8);
}

TEST_CASE("an event without a type behind one that nests too deep is counted") {
  const std::string without = R"({"name":"n","pid":1,"tid":1,"ts":5,"dur":1,"args":{"value":0}})";
  const auto repeated = [](int times, const std::string& text) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  for (const std::string& deep :
       {repeated(300, R"({"a":)") + "1" + repeated(300, "}"),
        R"({"d":)" + repeated(300, "[") + R"("]}\"")" + repeated(300, "]") + "}"}) {
    const std::string event = R"({"name":"deep","pid":1,"tid":1,"ts":1,"dur":1,"args":)" + deep;
    for (const std::string& end : {std::string(R"(,"ph":"X"})"), std::string("}")}) {
      const std::string text = R"({"traceEvents":[)" + Event(0, Spelling::kPhaseFirst) + "," +
                               event + end + "," + without + "," + without + "," +
                               Event(1, Spelling::kNameFirst) + "," + event + end + "]}";
      INFO(text);
      const Reading reading = ReadAnyhow(text, {1, 64, 1000});
      REQUIRE(reading.events == 6);
      REQUIRE(reading.read() == 2);
    }
    // Where brackets do not match, each event that follows is read all the same.
    const std::string unclosed = R"({"traceEvents":[)" + event.substr(0, event.size() - 200) + "," +
                                 Event(0, Spelling::kPhaseFirst) + "," +
                                 Event(1, Spelling::kPhaseFirst) + "]}";
    REQUIRE(ReadAnyhow(unclosed, {1, 64, 1000}).read() == 2);
  }
}

TEST_CASE("values that the recorder broke are kept where they end in their event") {
  const auto store = ReadEvents(
      X("cpu_op", "quoted", 1, 1, 1, 1, R"js({"c": ["", "say "hi" now", "[1, 2]"], "n": 5})js") +
      "," + X("cpu_op", "odd", 3, 1, 1, 1, R"js({"c": [nan, 3., , 1], "n": 6})js") + "," +
      X("cpu_op", "list", 5, 1, 1, 1,
        R"js({"c": [{"name": "x", "id": 1}, {"name": "y", "id": 2}], "n": 7})js"));
  CheckCounts(*store);
  CHECK(store->counts().dropped == 0);
  CHECK(store->ArgInt(Find(*store, "quoted"), "n") == 5);
  CHECK(store->ArgInt(Find(*store, "odd"), "n") == 6);
  CHECK(store->ArgInt(Find(*store, "list"), "n") == 7);
  CHECK(ProblemCount(*store, "rawQuote") == 1);
  CHECK(ProblemCount(*store, "invalidToken") == 1);
}

TEST_CASE("mending stays linear in what a hostile file asks for") {
  // Each of these begins like an event that needs a far look to be told from one.
  for (const std::string& piece :
       {std::string(R"(,{"name":[)"), std::string(R"(,{"ph":1,"a":[)"), std::string(R"(],"k":)"),
        std::string(R"({"name":"x",)"), std::string("\"ph\""), std::string("},{")}) {
    std::string text = "{\"traceEvents\":[" + Event(0, Spelling::kPhaseFirst);
    while (text.size() < 1 << 20) text += piece;
    text += "," + Event(1, Spelling::kPhaseFirst) + "]}";
    INFO(piece);
    const auto result = ReadTraceText(text);
    REQUIRE(result.ok());
    CHECK(Find(*result->store, "op0") != kNone);
  }
}

}  // namespace emberline
