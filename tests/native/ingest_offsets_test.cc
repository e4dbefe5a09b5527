// Every problem says where it was met first, whatever its kind and whoever found it.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "ingest_fixture.h"
#include "store/problems.h"

namespace emberline {

using namespace fixture;  // NOLINT: helpers of these tests

namespace {

const std::string kSound = X("cpu_op", "sound", 1, 1);

// A text in which one part is marked with << and >>: the problem's offset lies in it.
struct Marked {
  std::string text;
  size_t begin = 0, end = 0;

  explicit Marked(std::string marked) : text(std::move(marked)) {
    begin = text.find("<<");
    REQUIRE(begin != std::string::npos);
    text.erase(begin, 2);
    end = text.find(">>");
    REQUIRE(end != std::string::npos);
    text.erase(end, 2);
  }
};

// The marked text stands among sound events.
std::string Among(const std::string& marked) {
  return "{\"traceEvents\": [" + kSound + ",\n" + marked + ",\n" + X("cpu_op", "after", 9, 1) +
         "], \"traceName\": \"t\"}";
}
std::string Behind(const std::string& marked) {
  return "{\"traceEvents\": [" + kSound + "]" + marked;
}

std::string Event(const std::string& members) {
  return "<<{\"cat\": \"cpu_op\", \"pid\": 1, \"tid\": 1" + members + "}>>";
}

std::string Metadata(const std::string& pid, const std::string& name) {
  return "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": " + pid +
         ", \"args\": {\"name\": \"" + name + "\"}}";
}

std::string Memory(const std::string& bytes) {
  return "{\"ph\": \"i\", \"s\": \"t\", \"cat\": \"cpu_instant_event\", \"name\": \"[memory]\", "
         "\"pid\": 1, \"tid\": 1, \"ts\": 5, \"args\": {\"Bytes\": " +
         bytes + ", \"Total Allocated\": 1, \"Device Id\": 0, \"Device Type\": 1, \"Addr\": 1}}";
}

struct Case {
  const char* kind;
  std::string marked;
};

const std::vector<Case>& Cases() {
  const std::string deep = std::string(5000, '[') + std::string(5000, ']');
  static const std::vector<Case> cases = {
      {"truncated", "{\"traceEvents\": [" + kSound + ",<< {\"ph\": \"X\", \"na>>"},
      {"trailingBytes", Behind("}<< no event>>")},
      {"malformedEvent", Among("<<{\"ph\": \"X\" \"name\" broken}>>")},
      {"oversizedEvent", Among(Event(", \"ph\": \"X\", \"name\": \"n\", \"ts\": 2, \"dur\": 1, "
                                     "\"args\": {\"a\": \"" +
                                     std::string(17 << 20, 'x') + "\"}"))},
      {"tooDeep", Among(Event(", \"ph\": \"X\", \"name\": \"n\", \"ts\": 2, \"dur\": 1, \"args\": "
                              "{\"a\": " +
                              deep + "}"))},
      {"notAnObject", Among("<<17>>")},
      {"mergedEvents",
       Among("<<{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"a\", \"pid\": 1, \"ts\": 2, "
             "\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"b\", \"pid\": 1, \"tid\": 1, "
             "\"ts\": 3, \"dur\": 1}>>")},
      {"repeatedPhase", Among("<<{\"ph\": \"X\", \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": "
                              "\"a\", \"pid\": 1, \"tid\": 1, \"ts\": 2, \"dur\": 1}>>")},
      {"strayText", Among("<<\"rest\": 1}>>, " + X("cpu_op", "b", 3, 1))},
      {"strayBracket", Among("<<}}>>, " + X("cpu_op", "b", 3, 1))},
      {"brokenListEnd", "{\"traceEvents\": [" + kSound + "<<, \"traceName\": \"t\"}>>"},
      {"eventsOutsideList", "\n<<" + kSound + ">>\n" + X("cpu_op", "b", 3, 1)},
      {"rawQuote", Among(Event(", \"ph\": \"X\", \"name\": \"a \"b\" c\", \"ts\": 2, \"dur\": 1"))},
      {"controlCharacter", Among(Event(", \"ph\": \"X\", \"name\": \"a\nb\", \"ts\": 2, \"dur\": "
                                       "1"))},
      {"badEscape", Among(Event(", \"ph\": \"X\", \"name\": \"C:\\q\", \"ts\": 2, \"dur\": 1"))},
      {"invalidUtf8", Among(Event(", \"ph\": \"X\", \"name\": \"\xff\", \"ts\": 2, \"dur\": 1"))},
      {"invalidToken", Among(Event(", \"ph\": \"X\", \"name\": \"a\", \"ts\": 2, \"dur\": 1, "
                                   "\"args\": {\"a\": N/A}"))},
      {"missingValue", Among(Event(", \"ph\": \"X\", \"name\": \"a\", \"ts\": 2, \"dur\": 1, "
                                   "\"args\": {\"a\": }"))},
      {"strayComma", Among("<<, ," + kSound + ">>")},
      {"malformedHeader", Behind("<<, \"odd\" 1>>, \"traceName\": \"t\"}")},
      {"missingPhase", Among(Event(", \"name\": \"a\", \"ts\": 2, \"dur\": 1"))},
      {"unsupportedPhase", Among(Event(", \"ph\": \"?\", \"name\": \"a\", \"ts\": 2"))},
      {"missingAsyncId", Among(Event(", \"ph\": \"b\", \"name\": \"a\", \"ts\": 2"))},
      {"missingTime", Among(Event(", \"ph\": \"X\", \"name\": \"a\", \"dur\": 1"))},
      {"timeOutOfRange", Among(Event(", \"ph\": \"X\", \"name\": \"a\", \"ts\": 1e300, \"dur\": "
                                     "1"))},
      {"missingName", Among(Event(", \"ph\": \"X\", \"ts\": 2, \"dur\": 1"))},
      {"missingDuration", Among(Event(", \"ph\": \"X\", \"name\": \"a\", \"ts\": 2"))},
      {"negativeDuration", Among(Event(", \"ph\": \"X\", \"name\": \"a\", \"ts\": 2, \"dur\": "
                                       "-1"))},
      {"unfinishedEvent", Among(Event(", \"ph\": \"B\", \"name\": \"a\", \"ts\": 2"))},
      {"endWithoutBegin", Among(Event(", \"ph\": \"E\", \"name\": \"a\", \"ts\": 2"))},
      {"missingFlowId", Among(Event(", \"ph\": \"s\", \"name\": \"a\", \"ts\": 2"))},
      {"lostTimestamp", "{\"traceEvents\": [" + X("cpu_op", "sound", 1e12, 1) + ",\n" +
                            Event(", \"ph\": \"X\", \"name\": \"a\", \"ts\": 0, \"dur\": 1") +
                            "]}"},
      {"farTime", "{\"traceEvents\": [" + kSound + ", " + kSound + ", " + kSound + ",\n" +
                      Event(", \"ph\": \"X\", \"name\": \"a\", \"ts\": 5e12, \"dur\": 1") + "]}"},
      {"absurdDuration", Among(Event(", \"ph\": \"X\", \"name\": \"a\", \"ts\": 2, \"dur\": "
                                     "1000000000000"))},
      {"absurdSize", "{\"traceEvents\": [" + kSound + ", " + Memory("10") + ", <<" +
                         Memory("9000000000000000000") + ">>, " + Memory("9000000000000000000") +
                         "]}"},
      {"unknownTask",
       "[" + Metadata("31", "CANN") + ", " + Metadata("32", "Ascend Hardware") +
           ", {\"ph\": \"X\", \"name\": \"Add\", \"pid\": 32, \"tid\": 1, \"ts\": 10, \"dur\": 3, "
           "\"args\": {\"Task Type\": \"AI_CORE\"}}, <<{\"ph\": \"X\", \"name\": \"Mul\", "
           "\"pid\": 32, \"tid\": 1, \"ts\": 20, \"dur\": 3, \"args\": {\"Task Type\": "
           "\"QUANTUM_CORE\"}}>>]"},
      // Named by what was found.
      {"unknownRecorder", "{\"traceEvents\": [" + Metadata("1", "browser") +
                              ", <<{\"ph\": \"X\", \"cat\": \"toplevel\", \"name\": \"task\", "
                              "\"pid\": 1, \"tid\": 1, \"ts\": 1, \"dur\": 1}>>]}"},
      // A category is met first where it is harmless.
      {"unknownDeviceWork",
       "{\"schemaVersion\": 1, \"traceEvents\": [" + kSound + ", " +
           X("gaudi_work", "host", 1, 5, 1, 1) +
           ", {\"ph\": \"M\", \"name\": \"process_labels\", \"pid\": 0, \"args\": {\"labels\": "
           "\"HPU 0\"}}, <<" +
           X("gaudi_work", "gemm", 2, 5, 0, 3) + ">>]}"},
  };
  return cases;
}

const Problem* FindProblem(const TraceStore& store, std::string_view kind) {
  for (const Problem& problem : store.problems()) {
    if (problem.kind == kind) return &problem;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("a problem of each kind says where it was met first") {
  for (const Case& one : Cases()) {
    const Marked marked(one.marked);
    for (const size_t block : {size_t{64} << 20, size_t{100'000}}) {
      INFO(one.kind << " in blocks of " << block);
      const auto result = ReadInBlocks(marked.text, block);
      REQUIRE(result.ok());
      const Problem* problem = FindProblem(*result->store, one.kind);
      REQUIRE(problem != nullptr);
      CHECK(problem->count >= 1);
      CHECK(problem->first_offset >= marked.begin);
      CHECK(problem->first_offset <= marked.end);
    }
  }
}

TEST_CASE("no kind of problem is without a test of its place") {
  std::set<std::string> tested;
  for (const Case& one : Cases()) tested.insert(one.kind);
  // Those of compressed files stand at the end of what could be inflated, which the tests of files
  // check; more events than have numbers fit into no test.
  tested.insert({"truncatedGzip", "damagedGzip", "tooManyEvents"});
  for (int kind = 0; kind < kProblemKindCount; ++kind) {
    const std::string name = ProblemKindName(static_cast<ProblemKind>(kind));
    INFO(name);
    CHECK(tested.count(name) == 1);
  }
}

}  // namespace emberline
