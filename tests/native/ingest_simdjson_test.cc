// The tolerant reader against a strict parser, and against the batches that simdjson cuts: on sound
// JSON all must say the same, and what is not sound is left to the tolerant one.
#include <simdjson.h>

#include <cmath>
#include <random>

#include "ingest/trace_event/event_batch.h"
#include "ingest/trace_event/event_reader.h"
#include "ingest/trace_event/scan.h"
#include "ingest/trace_event/window.h"
#include "ingest_fixture.h"

namespace emberline {

using namespace fixture;  // NOLINT: helpers of these tests

namespace {

// Sound JSON of random shape, with everything that makes lexing hard.
class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}

  std::string Space() {
    static const char* const kSpaces[] = {"", "", "", " ", "  ", "\n    ", "\t", "\r\n"};
    return kSpaces[Pick(8)];
  }

  std::string Text() {
    static const char* const kPieces[] = {"aten::",
                                          "add",
                                          " ",
                                          "\\\"",
                                          "\\\\",
                                          "\\/",
                                          "\\n",
                                          "\\u00e9",
                                          "\\ud83d\\ude00",
                                          "\xC3\xA9",
                                          "{",
                                          "}",
                                          "[",
                                          "]",
                                          ",",
                                          ":",
                                          "<lambda()#1>",
                                          "\xF0\x9F\x98\x80",
                                          "\\u0000",
                                          "'",
                                          "0x7f",
                                          "\xE2\x82\xAC"};
    std::string out = "\"";
    const int n = static_cast<int>(Pick(12));
    for (int i = 0; i < n; ++i) out += kPieces[Pick(22)];
    return out + "\"";
  }

  std::string NumberText() {
    switch (Pick(6)) {
      case 0:
        return std::to_string(static_cast<int64_t>(random_()));
      case 1:
        return std::to_string(-static_cast<int64_t>(Pick(1000)));
      case 2:
        return std::to_string(static_cast<double>(Pick(1'000'000)) / 1000);
      case 3:
        return "-0.125";
      case 4:
        return std::to_string(Pick(100)) + "e" + std::to_string(static_cast<int>(Pick(20)) - 10);
      default:
        return std::to_string(Pick(100));
    }
  }

  std::string Value(int depth) {
    switch (Pick(depth > 3 ? 4 : 6)) {
      case 0:
        return Text();
      case 1:
        return NumberText();
      case 2: {
        static const char* const kWords[] = {"true", "false", "null"};
        return kWords[Pick(3)];
      }
      case 3:
        return Text();
      case 4: {
        std::string out = "[" + Space();
        const int n = static_cast<int>(Pick(4));
        for (int i = 0; i < n; ++i) out += (i ? "," + Space() : "") + Value(depth + 1) + Space();
        return out + "]";
      }
      default:
        return Object(depth + 1, 3);
    }
  }

  std::string Object(int depth, uint64_t most) {
    std::string out = "{" + Space();
    const int n = static_cast<int>(Pick(most + 1));
    for (int i = 0; i < n; ++i) {
      std::string key = Text();
      key.insert(1, "k" + std::to_string(i));
      out += (i ? "," + Space() : "") + key + Space() + ":" + Space() + Value(depth) + Space();
    }
    return out + "}";
  }

  uint64_t Pick(uint64_t n) { return random_() % n; }

 private:
  std::mt19937_64 random_;
};

void CheckSame(const ArgItem& item, simdjson::dom::element expected, const StringPool& strings) {
  using Type = simdjson::dom::element_type;
  switch (expected.type()) {
    case Type::INT64:
      REQUIRE(item.type == ArgType::kInt);
      REQUIRE(item.number == int64_t(expected.get_int64().value_unsafe()));
      return;
    case Type::UINT64:
      REQUIRE(item.type == ArgType::kText);
      REQUIRE(strings.Get(item.text) == std::to_string(expected.get_uint64().value_unsafe()));
      return;
    case Type::DOUBLE:
      REQUIRE(item.type == ArgType::kDouble);
      REQUIRE(item.real == double(expected.get_double().value_unsafe()));
      return;
    case Type::BOOL:
      REQUIRE(item.type == (expected.get_bool().value_unsafe() ? ArgType::kTrue : ArgType::kFalse));
      return;
    case Type::NULL_VALUE:
      REQUIRE(item.type == ArgType::kNull);
      return;
    case Type::STRING:
      REQUIRE(item.type == ArgType::kText);
      REQUIRE(strings.Get(item.text) == std::string_view(expected.get_string().value_unsafe()));
      return;
    case Type::ARRAY:
    case Type::OBJECT: {
      REQUIRE(item.type == ArgType::kJson);
      simdjson::dom::parser parser;
      simdjson::dom::element kept;
      REQUIRE(parser.parse(simdjson::padded_string(strings.Get(item.text))).get(kept) ==
              simdjson::SUCCESS);
      REQUIRE(simdjson::minify(kept) == simdjson::minify(expected));
      return;
    }
  }
}

}  // namespace

TEST_CASE("random sound objects read as a strict parser reads them, strictly and leniently") {
  Random random(11);
  for (int round = 0; round < 3000; ++round) {
    const std::string text = random.Object(0, 8);
    std::string padded = text + ",";
    padded.append(Window::kPadding, '\0');
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    INFO(text);
    REQUIRE(parser.parse(text).get(root) == simdjson::SUCCESS);
    StringPool strings;
    EventReader reader(&strings);
    std::vector<ArgItem> items;
    const char* next = nullptr;
    REQUIRE(reader.ReadObject(padded.data(), padded.data() + text.size() + 1, &items, &next) ==
            EventReader::Status::kOk);
    REQUIRE(next == padded.data() + text.size());
    REQUIRE(reader.mended().empty());
    const simdjson::dom::object object = root.get_object().value_unsafe();
    REQUIRE(items.size() == object.size());
    size_t i = 0;
    for (const auto field : object) {
      REQUIRE(strings.Get(items[i].key) == field.key);
      CheckSame(items[i], field.value, strings);
      ++i;
    }
    // Each shorter text ends inside the object.
    const size_t cut = random.Pick(text.size() - 1) + 1;
    const std::string part = text.substr(0, cut) + std::string(Window::kPadding, '\0');
    REQUIRE(reader.ReadObject(part.data(), part.data() + cut, &items, &next) ==
            EventReader::Status::kNeedMore);
  }
}

namespace {

// What a reader holds of its event, as one text.
std::string Describe(const EventReader& reader, const StringPool& strings) {
  const RawEvent& event = reader.event();
  const auto id = [&](const RecordedId& i) {
    return i.is_text ? "'" + std::string(strings.Get(i.text)) + "'" : std::to_string(i.number);
  };
  std::string out = std::string(1, event.phase ? event.phase : '-') + " " +
                    std::string(strings.Get(event.name)) + " cat " +
                    std::string(strings.Get(event.category)) + " pid " + id(event.pid) + " tid " +
                    id(event.tid) + " ts " + std::to_string(event.has_ts ? event.ts : -1) +
                    " dur " + std::to_string(event.has_dur ? event.dur : -1) + " id " +
                    std::to_string(event.has_id ? event.id : 0);
  for (const ArgItem& item : event.args) {
    out += " | " + std::string(strings.Get(item.key)) + "=";
    const bool text = item.type == ArgType::kText || item.type == ArgType::kJson;
    out += text ? std::string(strings.Get(item.text))
                : std::to_string(static_cast<int>(item.type)) + ":" + std::to_string(item.number);
  }
  for (const auto& mended : reader.mended()) {
    out += " mended " + std::to_string(static_cast<int>(mended.first));
  }
  return out;
}

struct BatchResult {
  std::vector<std::string> events;
  size_t reached = 0;  // offset in the text
};

// Reads the events of `list`, which are followed by a comma and another event.
BatchResult ReadBatch(const std::string& list) {
  std::string text = "[" + list + ",{" + std::string(Window::kPadding, '\0');
  const std::string before = text;
  StringPool strings;
  EventReader reader(&strings);
  EventBatch batch(&reader);
  BatchResult result;
  char* const first = text.data() + 1;
  const char* const reached = batch.Read(first, first + list.size(), [&](const char* at) {
    REQUIRE(*at == '{');
    result.events.push_back(Describe(reader, strings));
    return true;
  });
  result.reached = static_cast<size_t>(reached - first);
  REQUIRE(text == before);
  return result;
}

// The same events, one by one.
std::vector<std::string> ReadSingly(const std::vector<std::string>& events) {
  StringPool strings;
  EventReader reader(&strings);
  std::vector<std::string> out;
  for (const std::string& event : events) {
    const std::string text = event + "," + std::string(Window::kPadding, '\0');
    const char* next = nullptr;
    REQUIRE(reader.Read(text.data(), text.data() + event.size() + 1, false, &next) ==
            EventReader::Status::kOk);
    out.push_back(Describe(reader, strings));
  }
  return out;
}

std::string Join(const std::vector<std::string>& events) {
  std::string out;
  for (const std::string& event : events) out += (out.empty() ? "" : ",\n ") + event;
  return out;
}

}  // namespace

TEST_CASE("a batch of sound events holds what reading them one by one holds") {
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> events;
    const int n = 1 + static_cast<int>(random.Pick(20));
    for (int i = 0; i < n; ++i) {
      std::string event = R"({"ph": "X", "cat": "cpu_op", "name": )" + random.Text() +
                          R"(, "pid": 1, "tid": "stream 7", "ts": )" + std::to_string(i) +
                          ".125, \"dur\": 1e1, \"id\": \"0x" + std::to_string(i) + "\"";
      for (uint64_t k = random.Pick(4); k > 0; --k) {
        event += ", \"extra" + std::to_string(k) + "\":" + random.Space() + random.Value(0);
      }
      event += ", \"args\": {";
      for (uint64_t k = random.Pick(6); k > 0; --k) {
        event += "\"arg" + std::to_string(k) + "\":" + random.Value(1) + random.Space() +
                 (k > 1 ? "," : "");
      }
      events.push_back(event + "}}");
    }
    const std::string list = Join(events);
    INFO(list);
    const BatchResult batch = ReadBatch(list);
    CHECK(batch.reached == list.size());
    const std::vector<std::string> single = ReadSingly(events);
    REQUIRE(batch.events.size() == single.size());
    for (size_t i = 0; i < single.size(); ++i) REQUIRE(batch.events[i] == single[i]);
  }
}

namespace {

// The events of `list` as far as they can be read one behind the other.
std::vector<std::string> ReadInTurn(const std::string& list) {
  const std::string text = list + ",{" + std::string(Window::kPadding, '\0');
  const char* const end = text.data() + list.size() + 1;
  StringPool strings;
  EventReader reader(&strings);
  std::vector<std::string> out;
  const char* p = text.data();
  while (p < end && *p == '{') {
    if (reader.Read(p, end, false, &p) != EventReader::Status::kOk) break;
    out.push_back(Describe(reader, strings));
    p = SkipSpace(p, end);
    if (p >= end || *p != ',') break;
    p = SkipSpace(p + 1, end);
  }
  return out;
}

// An event as one of a few recorders would write it, with values of all sorts.
std::string SpelledEvent(Random& random) {
  static const char* const kTimes[] = {"1712195495519689.047", "12",    "0.5",     "-3.25", "1e3",
                                       "9999999999999999",     "\"7\"", "12.3456", "x",     "7."};
  static const char* const kNumbers[] = {"0",    "-7",  "1.25", "+5",    "null",
                                         "true", "NaN", "-",    "12abc", "007"};
  static const char* const kLong[] = {"123456789012345678", "12345678901234567890"};
  static const char* const kNested[] = {"[]",           "[[1, 2], []]", "[[1, 2], [3]]",
                                        "{}",           "[\"a\\\"]\"]", "[3]",
                                        "{\"k\": [1]}", "[1,\n 2]",     "[\"\xC3\xA9\"]"};
  const auto pick = [&](const auto& values) {
    return std::string(values[random.Pick(std::size(values))]);
  };
  const std::string gap = random.Pick(9) == 0 ? " " : "";
  const std::string time =
      gap + (random.Pick(4) == 0 ? pick(kTimes) : std::to_string(random.Pick(100000)));
  const std::string name = random.Pick(3) == 0 ? random.Text() : "\"aten::add\"";
  const std::string number = gap + (random.Pick(3) == 0    ? pick(kNumbers)
                                    : random.Pick(20) == 0 ? pick(kLong)
                                                           : std::to_string(random.Pick(99)));
  const std::string nested = random.Pick(150) == 0 ? "[1, 2}"
                             : random.Pick(3) == 0 ? pick(kNested)
                                                   : "[[1, 2], []]";
  switch (random.Pick(5)) {
    case 0:
      return R"({"ph": "X", "cat": "cpu_op", "name": )" + name + R"(, "pid": 1, "tid": 2, "ts": )" +
             time + R"(, "dur": 3, "args": {"id": )" + number + R"(, "Input Dims": )" + nested +
             "}}";
    case 1:
      return R"({"ph": "X", "cat": "kernel", "name": )" + name +
             R"(, "pid": 0, "tid": "stream 7", "ts": )" + time + R"(, "dur": )" + time +
             R"(, "args": {"grid": )" + nested + R"(, "text": )" + name + R"( } })";
    case 2:
      return R"({"ph": "f", "id": )" + number + R"(, "pid": )" + number + R"(, "tid": 2, "ts": )" +
             time + R"(, "cat": "ac2g", "name": "ac2g", "bp": "e"})";
    case 3:
      return R"({"name":)" + name + R"(,"ph":"i","s":"t","ts":)" + time + R"(,"extra":)" + nested +
             R"(,"args":{}})";
    default:
      return R"({"args": {"ts": )" + number + R"(}, "name": )" + name + R"(, "ts": )" + time +
             R"(, "ph": "C", "cat": "a\\b"})";
  }
}

}  // namespace

TEST_CASE("events that are spelled like others before hold what reading them alone holds") {
  Random random(23);
  size_t taken = 0, damaged = 0;
  for (int round = 0; round < 600; ++round) {
    std::vector<std::string> events;
    for (uint64_t n = 1 + random.Pick(120); n > 0; --n) events.push_back(SpelledEvent(random));
    std::string list = Join(events);
    if (round % 2 == 1) {
      static constexpr char kBytes[] = "\"\\{}[],: \n0a.-\xFF\x01";
      for (uint64_t n = 1 + random.Pick(3); n > 0; --n) {
        const size_t at = 1 + random.Pick(list.size() - 2);
        const char byte = kBytes[random.Pick(sizeof(kBytes) - 1)];
        if (random.Pick(2) == 0) {
          list[at] = byte;
        } else {
          list.insert(at, 1, byte);
        }
      }
      ++damaged;
    }
    INFO(list);
    const BatchResult batch = ReadBatch(list);
    const std::vector<std::string> single = ReadInTurn(list);
    REQUIRE(batch.events.size() <= single.size());
    for (size_t i = 0; i < batch.events.size(); ++i) REQUIRE(batch.events[i] == single[i]);
    taken += batch.events.size();
  }
  CHECK(damaged > 0);
  CHECK(taken > 3000);
}

TEST_CASE("no more spellings are kept than can be tried") {
  std::vector<std::string> events;
  for (int i = 0; i < 1000; ++i) {
    events.push_back(R"({"ph": "X", "cat": "c)" + std::to_string(i % 150) + R"(", "name": "n)" +
                     std::to_string(i) + R"(", "args": {"k)" + std::to_string(i % 90) + "\": 1}}");
  }
  const std::string list = Join(events);
  const BatchResult batch = ReadBatch(list);
  CHECK(batch.reached == list.size());
  CHECK(batch.events == ReadSingly(events));
}

TEST_CASE("a batch ends where an event is not sound, and takes the ones before it") {
  const std::string good = R"({"ph": "X", "name": "a", "ts": 1, "dur": 2, "args": {"x": [1, 2]}})";
  for (const char* bad : {
           R"({"ph": "X" "name": "no comma"})",
           R"({"ph": "X",, "name": "two commas"})",
           R"({"ph": "X", "name": "comma at the end",})",
           R"({"ph": , "name": "no value"})",
           R"({"ph": "X", "name"})",
           R"({"ph": "X", "name": "two "raw" quotes"})",
           R"({"ph": "X", name: "no quotes"})",
           R"({"ph": "X", "args": {"x" 1}})",
           R"({"ph": "X", "args": {"x": 1 2}})",
           R"({"ph": "X", "args": {"a\u0062": 1}})",
           R"("not an object")",
           "17",
           "{\"ph\": \"X\", \"name\": \"an event cut off\"",
       }) {
    INFO(bad);
    const BatchResult batch = ReadBatch(Join({good, good, bad, good}));
    CHECK(batch.events == ReadSingly({good, good}));
    CHECK(batch.reached == Join({good, good}).size());
  }
  // These make the whole list unreadable for a strict parser.
  for (const char* bad : {"{\"name\": \"\xFF\"}", "{\"name\": \"line\nend\"}", "{\"name\": \"open}",
                          R"({"ph": "X", "name": "a raw " quote"})"}) {
    INFO(bad);
    const BatchResult batch = ReadBatch(Join({good, bad, good}));
    CHECK(batch.events.empty());
    CHECK(batch.reached == 0);
  }
  // Nested deeper than one value may be.
  const std::string deep =
      R"({"ph": "X", "args": {"x": )" + std::string(300, '[') + std::string(300, ']') + "}}";
  CHECK(ReadBatch(Join({good, deep})).events == ReadSingly({good}));
  // No JSON, but what recorders write: both readers mend it in the same way.
  const std::string odd =
      R"({"ph": "X", "name": "C:\dir\q", "args": {"a": NaN, "b": -Infinity, "c": .5, "d": 12abc}})";
  const BatchResult mended = ReadBatch(Join({odd, good}));
  CHECK(mended.events == ReadSingly({odd, good}));
}

TEST_CASE("a batch stops when it is told to") {
  const std::string event = R"({"ph": "i", "name": "a"})";
  std::string text = "[" + Join({event, event, event}) + ",{" + std::string(Window::kPadding, '\0');
  StringPool strings;
  EventReader reader(&strings);
  EventBatch batch(&reader);
  char* const first = text.data() + 1;
  int taken = 0;
  const char* const reached =
      batch.Read(first, text.data() + text.rfind(",{"), [&](const char*) { return ++taken < 3; });
  CHECK(reached == first + Join({event, event}).size());
}

TEST_CASE("random bytes over a sound trace never break the count of events") {
  std::mt19937 random(5);
  std::string sound =
      "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0}], \"traceEvents\": [";
  for (int i = 0; i < 12; ++i) {
    sound += (i ? ",\n  " : "") + X("cpu_op", "aten::op" + std::to_string(i), i, 1, 1, 1,
                                    R"js({"Input Dims": [[1, 2], []], "s": "a\\b", "x": 1.5})js");
  }
  sound += "], \"traceName\": \"t\", \"baseTimeNanoseconds\": 17}";
  static constexpr char kBytes[] = "\"\\{}[],: \n0a\xFF\x01";
  for (int round = 0; round < 4000; ++round) {
    std::string text = sound;
    const int changes = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < changes; ++i) {
      const size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = kBytes[random() % (sizeof(kBytes) - 1)];
          break;
        case 1:
          text.erase(at, 1 + random() % 5);
          break;
        default:
          text.insert(at, 1, kBytes[random() % (sizeof(kBytes) - 1)]);
      }
    }
    INFO(text);
    const auto result = ReadInBlocks(text, 1 + random() % 300);
    if (!result.ok()) {
      REQUIRE(result.error().kind == ErrorKind::kUnreadable);
      continue;
    }
    const ReadCounts& c = result->store->counts();
    REQUIRE(c.events == c.slices + c.paired + c.instants + c.memory + c.counters + c.flows +
                            c.metadata + c.dropped);
    uint64_t problems = 0;
    for (const Problem& problem : result->store->problems()) problems += problem.count;
    REQUIRE(problems >= c.dropped);
  }
}

}  // namespace emberline
