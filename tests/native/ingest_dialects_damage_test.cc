// Damage costs as little in every dialect: small traces as each recorder spells them, and pieces of
// real ones where a corpus is at hand.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "ingest_fixture.h"

namespace emberline {

using namespace fixture;  // NOLINT: helpers of these tests

namespace {

namespace fs = std::filesystem;

struct Dialect {
  std::string name;
  std::string head, separator, tail;
  std::vector<std::string> events;

  std::string Text() const {
    std::string text = head;
    for (size_t i = 0; i < events.size(); ++i) text += (i > 0 ? separator : "") + events[i];
    return text + tail;
  }
};

// As libkineto's exporter lays events out, in the releases of four years and on all its devices.
std::string Laid(const std::string& phase, const std::string& category, const std::string& name,
                 const std::string& ids, const std::string& times, const std::string& args,
                 bool old) {
  return "\n  {\n    \"ph\": \"" + phase + "\", \"cat\": \"" + category + "\", " +
         (old ? "\n    " : "") + "\"name\": \"" + name + "\", " + ids + ",\n    " + times +
         ",\n    \"args\": {\n      " + args + "\n    }\n  }";
}

const char kFlowStart[] =
    "\n  {\n    \"ph\": \"s\", \"id\": 7, \"pid\": 1, \"tid\": 1, \"ts\": 1001.5,\n    \"cat\": "
    "\"ac2g\", \"name\": \"ac2g\"\n  }";
const char kFlowEnd[] =
    "\n  {\n    \"ph\": \"f\", \"id\": 7, \"pid\": 0, \"tid\": 7, \"ts\": 1004.5,\n    \"cat\": "
    "\"ac2g\", \"name\": \"ac2g\", \"bp\": \"e\"\n  }";
const char kThreadName[] =
    "\n  {\n    \"name\": \"thread_name\", \"ph\": \"M\", \"ts\": 1000, \"pid\": 1, \"tid\": 1,\n  "
    "  "
    "\"args\": {\n      \"name\": \"thread 1 (python)\"\n    }\n  }";
const char kMemory[] =
    "\n  {\n    \"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": "
    "\"[memory]\",\n    \"pid\": 1, \"tid\": 1,\n    \"ts\": 1003.25,\n    \"args\": {\n      "
    "\"Total "
    "Reserved\": 0, \"Total Allocated\": 4096, \"Bytes\": 4096, \"Addr\": 140, \"Device Id\": -1, "
    "\"Device Type\": 0\n    }\n  }";

std::vector<Dialect> Dialects() {
  std::vector<Dialect> all;
  const std::string head =
      "\n{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n      \"id\": 0, \"name\": "
      "\"A [x]\", \"totalGlobalMem\": 34\n    }\n  ],\n  \"traceEvents\": [";
  const std::string tail = "\n  ],\n  \"traceName\": \"a.json\"\n}";
  all.push_back(
      {"Kineto of 1.8",
       head,
       ",",
       tail,
       {Laid("X", "Operator", "aten::empty", "\"pid\": 1, \"tid\": \"1\"",
             "\"ts\": 1000, \"dur\": 25",
             "\"Device\": 1, \"External id\": 2,\n      \"Trace iteration\": 0 ,\n      \"Input "
             "Dims\": [[], [2, 3]], \"Call stack\": \"a/b.py(6): __init__;c.py(54): <module>\", "
             "\"Input type\": [\"GenericList\", \"\"]",
             true),
        Laid("X", "Runtime", "cudaLaunchKernel", "\"pid\": 1, \"tid\": \"1\"",
             "\"ts\": 1030, \"dur\": 9", "\"cbid\": 211, \"correlation\": 5", true),
        Laid("X", "Kernel", "void at::native::k<int, 4>(T1, [x] \\\"y\\\")",
             "\"pid\": 0, \"tid\": \"stream 7\"", "\"ts\": 1040, \"dur\": 4",
             "\"queued\": 0, \"grid\": [1, 1, 1],\n      \"block\": [64, 1, 1]", true),
        std::string(kMemory), std::string(kThreadName), std::string(kFlowStart),
        std::string(kFlowEnd)}});
  all.push_back(
      {"Kineto of today",
       head,
       ",",
       tail,
       {Laid("X", "cpu_op", "autograd::engine::evaluate_function: MmBackward0",
             "\"pid\": 1, \"tid\": 1", "\"ts\": 1000.407, \"dur\": 340.024",
             "\"External id\": 513,\"Record function id\": 35, \"Concrete Inputs\": [\"\", \"[1, "
             "2]\"], \"Input Strides\": [[], [3, 1]], \"Ev Idx\": 0",
             false),
        Laid("X", "python_function", "a/b.py(17): forward", "\"pid\": 1, \"tid\": 1",
             "\"ts\": 1001.000, \"dur\": 20.000",
             "\"Python parent id\": 3, \"Python id\": 4, \"Ev Idx\": 2", false),
        std::string(kFlowStart),
        Laid("X", "cuda_driver", "cuLaunchKernelEx", "\"pid\": 1, \"tid\": 1",
             "\"ts\": 1001.500, \"dur\": 1.803",
             "            \"cid\": 370, \"correlation\": 7,\n            \"cbid\": 652", false),
        std::string(kFlowEnd), std::string(kThreadName), std::string(kMemory)}});
  all.push_back(
      {"ROCm",
       head,
       ",",
       tail,
       {Laid("X", "cuda_runtime", "hipExtModuleLaunchKernel", "\"pid\": 1, \"tid\": 1",
             "\"ts\": 1027.510, \"dur\": 6.400",
             "          \"kernel\": \"Sub<{x}>\", \"cid\": 65, \"correlation\": 2,      \"grid\": "
             "[65536, 1, 1],      \"shared memory\": 0",
             false),
        Laid("X", "kernel", "Cijk_Alik_Bljk_HB [clone .kd]", "\"pid\": 2, \"tid\": 0",
             "\"ts\": 1030.510, \"dur\": 6.400",
             "\"device\": 2, \"stream\": 0,\n      \"kernel args\": \"\",\n      \"grid\": [1, 1, "
             "1]",
             false),
        std::string(kThreadName), std::string(kFlowStart), std::string(kFlowEnd)}});
  all.push_back(
      {"XPU",
       head,
       ",",
       tail,
       {Laid("X", "xpu_runtime", "piEnqueueKernelLaunch", "\"pid\": 1, \"tid\": 1",
             "\"ts\": 1001.1, \"dur\": 2.5", "\"external id\": 3, \"correlation\": 4", false),
        Laid("X", "kernel", "gemm_kernel<sycl::half{}>", "\"pid\": 0, \"tid\": 1",
             "\"ts\": 1005.1, \"dur\": 2.5",
             "\"appended\": 5, \"submitted\": 6, \"device\": 0, \"context\": 0, \"sycl queue\": 1",
             false),
        std::string(kThreadName)}});
  all.push_back(
      {"Ascend",
       "[",
       ", ",
       "]",
       {(R"({"ph": "X", "name": "aten::empty", "pid": 9, "tid": 9, "ts": "1736408883690507.080", )"
         R"("dur": 159.07, "cat": "cpu_op", "args": {"Sequence number": -1, "Input Dims": )"
         R"(";\r\n;\r\n", "Call stack": "/a/b.py(180): f;\r\n/c.py(1): g;\r\n"}})"),
        (R"({"name": "process_name", "pid": 31, "tid": 0, "args": {"name": "Ascend Hardware"}, )"
         R"("ph": "M"})"),
        (R"({"name": "MatMulV2", "pid": 31, "tid": 3, "ts": "1736408883690600.120", "dur": 8.5, )"
         R"("args": {"Model Id": 1, "Task Type": "AI_CORE", "Physic Stream Id": 3}, "ph": "X"})"),
        (R"({"name": "HostToDevice1", "ph": "s", "id": "42", "pid": 9, "tid": 9, "ts": )"
         R"("1736408883690508.080", "cat": "HostToDevice"})"),
        (R"({"name": "HostToDevice1", "ph": "f", "id": "42", "pid": 31, "tid": 3, "ts": )"
         R"("1736408883690600.120", "cat": "HostToDevice", "bp": "e"})")}});
  const std::string four = "\n    ";
  all.push_back(
      {"TraceLens",
       "{\n  \"metadata\": {\n    \"errors\": {},\n    \"a\": [\n      1\n    ]\n  },\n "
       " \"traceEvents\": [",
       ",",
       "\n  ]\n}",
       {four +
            "{\n      \"ph\": \"X\",\n      \"cat\": \"cpu_op\",\n      \"name\": "
            "\"aten::slice\",\n      \"pid\": 1,\n      \"tid\": 1,\n      \"ts\": 1000.708,\n   "
            "   \"dur\": 22.51,\n      \"args\": {\n        \"Concrete Inputs\": [\n          "
            "\"\",\n          \"0\"\n        ],\n        \"Input Dims\": [\n          [\n         "
            "   1,\n            512\n          ],\n          []\n        ]\n      }\n    }",
        four +
            "{\n      \"name\": \"process_name\",\n      \"ph\": \"M\",\n      \"ts\": 1000,\n     "
            " \"pid\": 1,\n      \"tid\": 0,\n      \"args\": {\n        \"name\": \"python\"\n   "
            "   }\n    }",
        four +
            "{\n      \"ph\": \"f\",\n      \"id\": 6,\n      \"pid\": 0,\n      \"tid\": 7,\n     "
            " \"ts\": 1004.1,\n      \"cat\": \"ac2g\",\n      \"name\": \"ac2g\",\n      "
            "\"bp\": \"e\"\n    }"}});
  all.push_back(
      {"HTA",
       R"({"distributedInfo": {"rank": 1, "pg": [{"a": "b"}]}, "traceEvents": [)",
       ", ",
       R"(], "traceName": "x"})",
       {R"({"ph": "X", "cat": "cpu_op", "name": "aten::zeros", "pid": 25, "tid": 25, "ts": 1000, )"
        R"("dur": 25, "args": {"Trace iteration": 0, "Input Dims": [[], [4, [2]]], "Input type": )"
        R"(["", "Scalar"], "Module Hierarchy": "", "Call stack": ""}})",
        R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1010, "dur": 5, )"
        R"("args": {"queued": 0, "block": [1, 2, 3]}})",
        R"({"ph": "i", "s": "t", "name": "Record Window End", "pid": "", "tid": "", "ts": 1020})"}});
  all.push_back(
      {"compact, sorted",
       R"({"displayTimeUnit":"ns","traceEvents":[)",
       ",",
       "]}",
       {R"({"args":{"a":[1,{"b":[]}],"s":"x, y"},"cat":"cpu_op","dur":5,"name":"a","ph":"X","pid":1,)"
        R"("tid":1,"ts":1})",
        R"({"args":{"name":"p"},"name":"process_name","ph":"M","pid":1,"tid":1,"ts":0})",
        R"({"cat":"c","dur":5,"name":"b","ph":"X","pid":1,"tid":1,"ts":9})"}});
  return all;
}

// Events in a text, counted without reading it: each has one key "ph" with a letter. The same twice
// in a row is a part of an event that stands there twice.
int TypesIn(const std::string& text) {
  int count = 0;
  size_t end = 0;  // of the type before
  char type = '\0';
  for (size_t at = text.find("\"ph\":"); at != std::string::npos;
       at = text.find("\"ph\":", at + 1)) {
    const size_t quote = text.find_first_not_of(' ', at + 5);
    if (quote == std::string::npos || text[quote] != '"' || quote + 2 >= text.size()) continue;
    const bool again = type == text[quote + 1] && text.find_first_not_of(" ,\n", end) == at;
    count += again ? 0 : 1;
    type = text[quote + 1];
    end = quote + 3;
  }
  return count;
}

// A text with one damage, and how many seams that made.
struct Damaged {
  std::string text;
  int seams = 1;
};

Damaged Damage(const Dialect& dialect, std::mt19937& random) {
  static constexpr std::string_view kStructure = "{}[]\",:";
  Damaged damaged{dialect.Text()};
  std::string& text = damaged.text;
  if (random() % 4 != 0) {
    size_t at = random() % text.size();
    while (kStructure.find(text[at]) == std::string_view::npos) at = (at + 1) % text.size();
    switch (random() % 3) {
      case 0:
        text.erase(at, 1);
        break;
      case 1:
        text.insert(at, 1, text[at]);
        break;
      default:
        text[at] = kStructure[random() % kStructure.size()];
    }
    return damaged;
  }
  const size_t begin = dialect.head.size(), end = text.size() - dialect.tail.size();
  std::vector<size_t> cuts(3);
  for (size_t& cut : cuts) cut = begin + random() % (end - begin);
  std::sort(cuts.begin(), cuts.end());
  const std::string a = text.substr(cuts[0], cuts[1] - cuts[0]);
  const std::string b = text.substr(cuts[1], cuts[2] - cuts[1]);
  const std::string first = text.substr(0, cuts[0]), last = text.substr(cuts[2]);
  switch (random() % 3) {
    case 0:
      damaged.seams = 3;
      text = first + b + a + last;
      break;
    case 1:
      text = first + a + a + b + last;
      break;
    default:
      text = first + b + last;
  }
  return damaged;
}

// What damage did beyond its bounds; "" where it did nothing.
std::string Fault(const std::string& text, int seams) {
  const int events = TypesIn(text);
  std::string digest;
  for (const size_t block : {size_t{64} << 20, size_t{193}}) {
    const auto result = ReadInBlocks(text, block);
    if (!result.ok()) return "does not read: " + result.error().message;
    const TraceStore& store = *result->store;
    const auto counted = static_cast<int>(store.counts().events);
    const int read = counted - static_cast<int>(store.counts().dropped);
    std::string told = std::to_string(counted) + " counted, " + std::to_string(read) + " read of " +
                       std::to_string(events);
    if (counted < events) return told + ": not all are counted";
    if (events - read > 2 * seams) return told + ": too many are lost";
    for (const Problem& problem : store.problems()) {
      told += " " + problem.kind + " " + std::to_string(problem.count) + " at " +
              std::to_string(problem.first_offset);
    }
    if (!digest.empty() && digest != told) return told + ": in blocks; whole: " + digest;
    digest = told;
  }
  return "";
}

void CheckDialect(const Dialect& dialect, int rounds, uint32_t seed) {
  INFO(dialect.name);
  const std::string sound = dialect.Text();
  {
    INFO(sound);
    const auto result = ReadTraceText(sound);
    REQUIRE(result.ok());
    REQUIRE(static_cast<int>(result->store->counts().events) == TypesIn(sound));
  }
  std::mt19937 random(seed);
  for (int round = 0; round < rounds; ++round) {
    const Damaged damaged = Damage(dialect, random);
    const std::string fault = Fault(damaged.text, damaged.seams);
    if (fault.empty()) continue;
    INFO("round " << round << ": " << fault << "\n" << damaged.text);
    CHECK(fault.empty());
  }
}

// The text of a list of events from `begin`, cut into its elements.
std::vector<std::string> Elements(const std::string& text, size_t begin, size_t most) {
  std::vector<std::string> elements;
  int depth = 0;
  bool quoted = false;
  size_t start = begin;
  for (size_t at = begin; at < text.size() && elements.size() < most; ++at) {
    const char c = text[at];
    if (quoted) {
      if (c == '\\') ++at;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (--depth < 0) break;
      if (depth == 0) elements.push_back(text.substr(start, at + 1 - start));
    } else if (c == ',' && depth == 0) {
      start = at + 1;
    }
  }
  return elements;
}

// A small trace of events of a real file, one of each phase and category and some more.
std::optional<Dialect> PieceOf(const fs::path& path) {
  HeadReader reader;
  const auto head = reader.Read(path, 4 << 20);
  if (!head.ok()) return std::nullopt;
  const std::string text(*head);
  const size_t list = text.find("\"traceEvents\"");
  size_t begin = text.find_first_not_of(" \n\r");
  if (begin == std::string::npos) return std::nullopt;
  if (text[begin] != '[') {
    if (list == std::string::npos) return std::nullopt;
    begin = text.find('[', list);
    if (begin == std::string::npos) return std::nullopt;
  }
  Dialect piece;
  piece.name = path.string();
  const bool bare = list == std::string::npos || list > begin;
  piece.head = bare ? "[" : "{\"schemaVersion\": 1, \"traceEvents\": [";
  piece.separator = ",";
  piece.tail = bare ? "]" : "\n]}";
  std::set<std::string> kinds;
  for (const std::string& event : Elements(text, begin + 1, 20'000)) {
    if (event.size() > 2000 || TypesIn(event) != 1) continue;
    const auto word = [&](const char* key) {
      const size_t at = event.find(key);
      return at == std::string::npos ? std::string()
                                     : event.substr(at, event.find('"', at + 8) - at);
    };
    if (kinds.insert(word("\"ph\":") + word("\"cat\":")).second || piece.events.size() < 4) {
      piece.events.push_back(event);
    }
    if (piece.events.size() == 16) break;
  }
  if (piece.events.size() < 3) return std::nullopt;
  return piece;
}

}  // namespace

TEST_CASE("damage costs as little however a recorder spells its events") {
  uint32_t seed = 1;
  for (Dialect& dialect : Dialects()) {
    // Again, so that there is something behind every event.
    const std::vector<std::string> once = dialect.events;
    dialect.events.insert(dialect.events.end(), once.begin(), once.end());
    CheckDialect(dialect, 600, seed++);
  }
}

TEST_CASE("damage costs as little in pieces of real traces") {
  const char* corpus = std::getenv("EMBERLINE_CORPUS");
  if (corpus == nullptr || *corpus == '\0') return;  // only where there is one
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(corpus)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && (name.ends_with(".json") || name.ends_with(".json.gz"))) {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  int pieces = 0;
  for (size_t i = 0; i < paths.size(); ++i) {
    const auto piece = PieceOf(paths[i]);
    if (!piece) continue;
    ++pieces;
    CheckDialect(*piece, 60, static_cast<uint32_t>(i));
  }
  CHECK(pieces > 0);
}

}  // namespace emberline
