// Damage that recorders and transports really do, each form by itself.
#include <cmath>

#include "ingest_fixture.h"

namespace emberline {

using namespace fixture;  // NOLINT: helpers of these tests

namespace {

// An event whose name is spelled literally, between two sound ones.
std::shared_ptr<const TraceStore> ReadWithName(const std::string& name) {
  return ReadEvents(
      X("cpu_op", "before", 1, 1) + ",\n  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"" +
      name +
      "\", \"pid\": 1, \"tid\": 1, \"ts\": 3, \"dur\": 1,\n    \"args\": {\"k\": 5}\n  },\n  " +
      X("cpu_op", "after", 5, 1));
}

void CheckName(const std::string& spelled, const std::string& expected,
               const std::string& problem) {
  INFO(spelled);
  const auto store = ReadWithName(spelled);
  CheckCounts(*store);
  CHECK(store->slice_count() == 3);
  CHECK(store->counts().dropped == 0);
  const SliceIndex found = Find(*store, expected);
  REQUIRE(found != kNone);
  CHECK(store->ArgInt(found, "k") == 5);
  if (problem.empty()) {
    CHECK(store->problems().empty());
  } else {
    CHECK(ProblemCount(*store, problem) == 1);
  }
}

}  // namespace

TEST_CASE("names with escapes, sound and unsound") {
  CheckName(R"js(a\"b\\c\/d\ne)js", "a\"b\\c/d\ne", "");
  CheckName(R"js(caf\u00e9 \ud83d\ude00)js", "caf\xC3\xA9 \xF0\x9F\x98\x80", "");
  CheckName(R"js(C:\Users\me\new\train.py(3): f)js", R"js(C:\Users\me\new\train.py(3): f)js",
            "badEscape");
  CheckName(R"js(bad \u12G4 hex)js", R"js(bad \u12G4 hex)js", "badEscape");
  CheckName(R"js(lone \ud83d half)js", "lone \xEF\xBF\xBD half", "invalidUtf8");
  CheckName("void k<{lambda()#1}>([](int){ return 1; }, x)",
            "void k<{lambda()#1}>([](int){ return 1; }, x)", "");
}

TEST_CASE("raw bytes in names") {
  CheckName("line\nbreak\tand tab", "line\nbreak\tand tab", "controlCharacter");
  CheckName("latin \xE9 name", "latin \xEF\xBF\xBD name", "invalidUtf8");
  CheckName("caf\xC3\xA9", "caf\xC3\xA9", "");
  CheckName("over\xC0\xAFlong", "over\xEF\xBF\xBD\xEF\xBF\xBDlong", "invalidUtf8");
}

TEST_CASE("raw quotes in names are mended") {
  CheckName(R"js(<eval "f(x)">(1): g)js", R"js(<eval "f(x)">(1): g)js", "rawQuote");
  CheckName(R"js({"a": 1, "b": 2} step)js", R"js({"a": 1, "b": 2} step)js", "rawQuote");
  CheckName(R"js(say "hi", please)js", R"js(say "hi", please)js", "rawQuote");
}

TEST_CASE("a trace whose every name holds raw quotes is mended as a whole") {
  std::string events;
  constexpr int kCount = 30'000;
  for (int i = 0; i < kCount; ++i) {
    events +=
        (i ? ",\n" : "") + X("python_function", "<eval \"f(x)\">(1): g" + std::to_string(i), i, 1);
  }
  const auto store = ReadEvents(events);
  CheckCounts(*store);
  CHECK(store->slice_count() == kCount);
  CHECK(ProblemCount(*store, "rawQuote") == kCount);
}

TEST_CASE("an event beyond mending is left out, its neighbors are not") {
  for (const char* broken :
       {R"js({"ph": "X", "name": "x" "ts" 1, "pid": 1})js", R"js({"ph": "X", , ; "name"})js",
        R"js({"ph" "X", "name": "x"})js", R"js({"ph": ]})js",
        R"js({"name": "x", "args": {"a": [1, 2, })js", R"js({"ph": "X" "name")js"}) {
    INFO(broken);
    const auto store = ReadEvents(X("cpu_op", "before", 1, 1) + ",\n" + broken + ",\n" +
                                  X("cpu_op", "after", 5, 1) + ",\n" + X("cpu_op", "last", 7, 1));
    CheckCounts(*store);
    CHECK(Find(*store, "before") != kNone);
    CHECK(Find(*store, "last") != kNone);
    CHECK(store->counts().dropped >= 1);
    CHECK(store->problems().size() >= 1);
  }
}

TEST_CASE("a damaged last event does not hide the keys behind the list") {
  const auto store = Read("{\"traceEvents\": [" + X("cpu_op", "op", 1, 1) +
                          R"js(,{"ph": "X", "name" broken}
      ], "traceName": "t", "displayTimeUnit": "ms", "baseTimeNanoseconds": 5000})js");
  CheckCounts(*store);
  CHECK(ProblemCount(*store, "malformedEvent") == 1);
  CHECK(store->metadata().base_time_ns == 5000);
  CHECK(store->metadata().trace_name == "t");
}

TEST_CASE("the offset of the first problem points into the event") {
  const std::string sound = X("cpu_op", "before", 1, 1) + ",\n";
  const std::string head = "{\"traceEvents\": [";
  const auto store = Read(head + sound + "{\"ph\" broken},\n" + X("cpu_op", "after", 5, 1) + "]}");
  REQUIRE(store->problems().size() == 1);
  CHECK(store->problems()[0].kind == "malformedEvent");
  CHECK(store->problems()[0].first_offset == head.size() + sound.size());
}

TEST_CASE("tokens that are no JSON are kept") {
  const auto store =
      ReadEvents(X("kernel", "k", 1, 1, 0, 7,
                   R"js({"a": N/A, "b": inf, "c": -inf, "d": nan, "e": NaN, "f": Infinity,
                                      "g": 3., "h": , "i": "N/A", "j": 1e5, "k": -1., "l": 007})js"));
  CheckCounts(*store);
  CHECK(store->slice_count() == 1);
  CHECK(store->ArgText(0, "a") == "N/A");
  CHECK(std::isinf(*store->ArgNumber(0, "b")));
  CHECK(*store->ArgNumber(0, "c") < 0);
  CHECK(std::isnan(*store->ArgNumber(0, "d")));
  CHECK(std::isnan(*store->ArgNumber(0, "e")));
  CHECK(std::isinf(*store->ArgNumber(0, "f")));
  CHECK(store->ArgNumber(0, "g") == 3.0);
  CHECK(std::holds_alternative<std::monostate>(store->Arg(0, "h")->v));
  CHECK(store->ArgText(0, "i") == "N/A");
  CHECK(store->ArgNumber(0, "j") == 1e5);
  CHECK(store->ArgNumber(0, "k") == -1.0);
  CHECK(store->ArgInt(0, "l") == 7);
  CHECK(ProblemCount(*store, "missingValue") == 1);
  CHECK(ProblemCount(*store, "invalidToken") == 8);
  CHECK_FALSE(store->ArgInt(0, "d").has_value());
}

TEST_CASE("commas too many and too few") {
  const auto store = ReadEvents(
      R"js({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "args": {"x": 1,},},
         ,{"ph": "X", "cat": "cpu_op", "name": "b", "pid": 1 "tid": 1, "ts": 3, "dur": 1}
         {"ph": "X", "cat": "cpu_op", "name": "c", "pid": 1, "tid": 1, "ts": 5, "dur": 1},)js");
  CheckCounts(*store);
  CHECK(store->slice_count() == 3);
  CHECK(store->counts().dropped == 0);
  CHECK(ProblemCount(*store, "strayComma") >= 4);
}

TEST_CASE("a key that lost a quote") {
  const auto store =
      ReadEvents(R"js({"name": "aten::add", "ph": "X", "ts": 1, "dur": 2, tid": 9, "pid": 3})js");
  CheckCounts(*store);
  REQUIRE(store->slice_count() == 1);
  CHECK(store->tracks()[0].tid.number == 9);
}

TEST_CASE("entries that are no events are counted") {
  const auto store =
      ReadEvents("1, null, \"text\", [1, {\"ph\": \"X\"}], {}, " + X("cpu_op", "op", 1, 1) +
                 R"js(, {"ph": "v", "name": "memory dump", "pid": 1, "tid": 1, "ts": 1, "id": 1},
                                   {"ph": "Z", "name": "no such phase", "ts": 1},
                                   {"ph": "XY", "name": "odd"}, {"ph": "X", "name": "no time"},
                                   {"ph": "X", "name": "text time", "ts": "soon"},
                                   {"ph": "X", "name": "far", "ts": 99999999999999999999, "dur": 1})js");
  CheckCounts(*store);
  CHECK(store->counts().events == 12);
  CHECK(store->slice_count() == 1);
  CHECK(store->counts().instants == 1);
  CHECK(store->instants()[0].scope == 'v');
  CHECK(ProblemCount(*store, "notAnObject") == 4);
  CHECK(ProblemCount(*store, "missingPhase") == 2);
  CHECK(ProblemCount(*store, "unsupportedPhase") == 1);
  CHECK(ProblemCount(*store, "missingTime") == 2);
  CHECK(ProblemCount(*store, "timeOutOfRange") == 1);
}

TEST_CASE("missing and negative durations count as 0, missing names and ids are accepted") {
  const auto store = ReadEvents(R"js({"ph": "X", "name": "none", "ts": 1, "pid": 1, "tid": 1},
    {"ph": "X", "name": "negative", "ts": 2, "dur": -0.001, "pid": 1, "tid": 1},
    {"ph": "X", "ts": 3, "dur": 1, "pid": 1, "tid": 1},
    {"ph": "X", "cat": "cpu_op", "name": "nowhere", "ts": 4, "dur": 1})js");
  CheckCounts(*store);
  CHECK(store->slice_count() == 4);
  CHECK(store->duration(Find(*store, "none")) == 0);
  CHECK(store->duration(Find(*store, "negative")) == 0);
  CHECK(ProblemCount(*store, "missingDuration") == 1);
  CHECK(ProblemCount(*store, "negativeDuration") == 1);
  CHECK(ProblemCount(*store, "missingName") == 1);
}

TEST_CASE("times may be quoted") {
  const auto store = ReadEvents(
      R"js({"ph": "X", "name": "q", "cat": "cpu_op", "ts": "12.500", "dur": "3", "pid": "1", "tid": "1"})js");
  CHECK(store->base_ns() == 12'500);
  CHECK(store->duration(0) == 3'000);
  CHECK(store->problems().empty());
}

TEST_CASE("deep nesting is refused without recursion, brackets in texts do not count") {
  const std::string deep = std::string(5000, '[') + std::string(5000, ']');
  const auto store = ReadEvents(
      X("cpu_op", "before", 1, 1) + "," + X("cpu_op", "deep", 3, 1, 1, 1, "{\"x\": " + deep + "}") +
      "," + X("cpu_op", "text", 5, 1, 1, 1, "{\"x\": [\"" + std::string(5000, '[') + "\"]}") + "," +
      X("cpu_op", "after", 7, 1));
  CheckCounts(*store);
  CHECK(ProblemCount(*store, "tooDeep") == 1);
  CHECK(Find(*store, "deep") == kNone);
  CHECK(Find(*store, "text") != kNone);
  CHECK(Find(*store, "after") != kNone);
}

TEST_CASE("a list that is never closed ends with its object") {
  const auto store = Read("{\"traceEvents\": [" + X("cpu_op", "op", 1, 1) + "}");
  CHECK(store->slice_count() == 1);
  CHECK(ProblemCount(*store, "brokenListEnd") == 1);
}

TEST_CASE("damage outside the events") {
  const auto store = Read(
      R"js({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": , "world_size": 4},
    "empty": , "bare": some text, "deviceProperties": "none", "s": "raw }] text", "traceEvents": [)js" +
      X("cpu_op", "op", 1, 1) + R"js(], "x": [1, 2, "late": 1, "traceName": "n"})js");
  CHECK(store->slice_count() == 1);
  REQUIRE(store->metadata().distributed.has_value());
  CHECK(store->metadata().distributed->rank == -1);
  CHECK(store->metadata().distributed->world_size == 4);
  CHECK(ProblemCount(*store, "missingValue") == 2);
  const std::map<std::string, std::string> others(store->metadata().others.begin(),
                                                  store->metadata().others.end());
  CHECK(others.at("bare") == "some text");
  CHECK(others.at("s") == "\"raw }] text\"");
}

TEST_CASE("a second list of events is read too, a repeated key replaces") {
  const auto store = Read("{\"k\": 1, \"k\": 2, \"traceEvents\": [" + X("cpu_op", "a", 1, 1) +
                          "], \"traceEvents\": [" + X("cpu_op", "b", 2, 1) + "]}");
  CHECK(store->slice_count() == 2);
  REQUIRE(store->metadata().others.size() == 1);
  CHECK(store->metadata().others[0].second == "2");
}

TEST_CASE("keys without a colon or without an end hide nothing before the end") {
  const auto store =
      Read("{\"odd\" 1, \"traceEvents\": [" + X("cpu_op", "op", 1, 1) +
           ",{\"ph\" broken}\n], \"displayTimeUnit\": \"ms\", \"odd\" 2, \"traceName\": \"n\"}");
  CHECK(store->slice_count() == 1);
  CHECK(store->metadata().trace_name == "n");
  CHECK(ProblemCount(*store, "malformedHeader") >= 2);
  CHECK(ProblemCount(*store, "truncated") == 0);
  const auto cut = Read("{\"traceEvents\": [" + X("cpu_op", "op", 1, 1) + "], \"trace");
  CHECK(ProblemCount(*cut, "truncated") == 1);
}

TEST_CASE("bytes behind the end are counted") {
  const auto store = Read("{\"traceEvents\": []} {\"more\": 1}");
  CHECK(ProblemCount(*store, "trailingBytes") == 1);
  CHECK(Read("{\"traceEvents\": []} \n\n")->problems().empty());
}

TEST_CASE("a byte order mark and zero bytes are skipped") {
  CHECK(Read("\xEF\xBB\xBF{\"traceEvents\": [" + X("cpu_op", "op", 1, 1) + "]}")->slice_count() ==
        1);
  const auto store = Read("{\"traceEvents\": [" + X("cpu_op", "op", 1, 1) + std::string(100, '\0'));
  CHECK(store->slice_count() == 1);
  CHECK(ProblemCount(*store, "truncated") == 1);
}

TEST_CASE("what is no trace is refused with a reason and a hint") {
  struct Case {
    std::string text;
    const char* reason;
  };
  const Case cases[] = {
      {"", "is empty"},
      {" \n ", "is empty"},
      {"\x28\xB5\x2F\xFD rest of a frame", "zstd"},
      {"PK\x03\x04 rest of an archive", "zip"},
      {"SQLite format 3 and more", "SQLite"},
      {std::string("\x80\x04\x95 pickle pickle", 17), "pickle"},
      {"<!DOCTYPE html><html></html>", "HTML"},
      {"hello, this is text", "must begin here"},
      {"123456", "must begin here"},
      {"\x7F"
       "ELF\x02\x01 a program",
       "binary data"},
      {"[[1, 2], [3, 4]]", "list of lists"},
      {"[1, 2]", "a list, but not of events"},
      {"[{\"a\": 1}, {\"b\": 2}]", "none of them is an event"},
      {"{}", "empty"},
      {"{\"schema\": \"1.1.1\", \"pid\": 1, \"nodes\": [{\"id\": 1}]}", "execution trace"},
      {"{\"frames\": [1]}", "frames"},
      {"{\"schemaVersion\": 1, \"devicePro", "ends before its events"},
      {"{\"schemaVersion\": 1, \"traceName\": 5}", "no \"traceEvents\""},
      {"{\"schemaVersion\": 1, \"traceEvents\": 5}", "is not a list"},
  };
  for (const Case& c : cases) {
    INFO(c.text);
    const auto result = ReadTraceText(c.text);
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().kind == ErrorKind::kUnreadable);
    INFO(result.error().message);
    CHECK(result.error().message.find(c.reason) != std::string::npos);
    CHECK_FALSE(result.error().hint.empty());
    CHECK(result.error().offset.has_value());
  }
}

TEST_CASE("text in another encoding is named, and what to do") {
  const std::string trace = "{\"traceEvents\": [" + X("cpu_op", "op", 1, 1) + "]}";
  const auto wide = [&](size_t unit, size_t low, const std::string& mark) {
    std::string text = mark;
    for (const char c : trace) {
      std::string one(unit, '\0');
      one[low] = c;
      text += one;
    }
    return text;
  };
  const std::pair<std::string, const char*> cases[] = {
      {wide(2, 0, "\xFF\xFE"), "UTF-16"},
      {wide(2, 1, "\xFE\xFF"), "UTF-16"},
      {wide(2, 0, ""), "UTF-16LE"},
      {wide(2, 1, ""), "UTF-16BE"},
      {wide(4, 0, std::string("\xFF\xFE\0\0", 4)), "UTF-32"},
      {wide(4, 3, std::string("\0\0\xFE\xFF", 4)), "UTF-32"},
      {wide(4, 0, ""), "UTF-32LE"},
      {wide(4, 3, ""), "UTF-32BE"},
  };
  for (const auto& [text, encoding] : cases) {
    INFO(encoding);
    for (const size_t block : {size_t{3}, size_t{1} << 18}) {
      const auto result = ReadInBlocks(text, block);
      REQUIRE_FALSE(result.ok());
      CHECK(result.error().message.find(std::string(encoding).substr(0, 6)) != std::string::npos);
      CHECK(result.error().hint.find(std::string("iconv -f ") + encoding + " ") !=
            std::string::npos);
    }
  }
  // Zero bytes in front of a trace are no encoding.
  CHECK(Read(std::string(3, '\0') + "\n" + trace)->slice_count() == 1);
}

TEST_CASE("a text cut anywhere reads up to the cut or is refused, and never counts wrongly") {
  const std::string text =
      "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"A\\\"100\"}],\n"
      "\"traceEvents\": [" +
      X("cpu_op", "first \\u00e9", 1.25, 4) + ",\n  " +
      X("cuda_runtime", "caf\xC3\xA9", 2, 1, 1, 1, "{\"list\": [1, [2, \"]\"]], \"t\": \"x\"}") +
      ",\n" +
      R"js({"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": 3, "args": {"Bytes": 5}})js" +
      "], \"traceName\": \"n\", \"baseTimeNanoseconds\": 1000}";
  const size_t events_begin = text.find("\"traceEvents\": [") + 16;
  uint64_t last = 0;
  for (size_t cut = 0; cut < text.size(); ++cut) {
    const auto result = ReadTraceText(std::string_view(text).substr(0, cut));
    INFO(cut);
    if (cut < events_begin) {
      REQUIRE_FALSE(result.ok());
      continue;
    }
    REQUIRE(result.ok());
    const TraceStore& store = *result->store;
    CheckCounts(store);
    REQUIRE(ProblemCount(store, "truncated") == 1);
    const uint64_t whole = store.counts().slices + store.counts().memory;
    REQUIRE(whole >= last);
    last = whole;
  }
  CHECK(last == 3);
}

TEST_CASE("where the blocks end does not matter") {
  const std::string text =
      "{\"schemaVersion\": 1, \"k\": {\"nested\": [1, 2]}, \"traceEvents\": [" +
      X("cpu_op", "a long enough name \\u00e9\\ud83d\\ude00 caf\xC3\xA9", 1.25, 4) + ",\n" +
      X("kernel", "k", 2, 1, 0, 7,
        R"js({"grid": [1, 2, 3], "x": -12.5, "big": 123456789012, "s": "a\\b"})js") +
      ",\n" + R"js({"ph": "X" broken "}, {"name": "skipped"} )js" + ",\n" +
      X("cpu_op", "quote \"in\" it", 5, 1) + ",\n" + X("cpu_op", "last", 7, 1) +
      "], \"traceName\": \"n\", \"baseTimeNanoseconds\": 1000}";
  const auto whole = ReadInBlocks(text, 1 << 20);
  REQUIRE(whole.ok());
  const TraceStore& expected = *whole->store;
  REQUIRE(Find(expected, "last") != kNone);
  for (size_t block = 1; block <= 70; ++block) {
    const auto result = ReadInBlocks(text, block);
    INFO(block);
    REQUIRE(result.ok());
    const TraceStore& store = *result->store;
    CheckCounts(store);
    REQUIRE(store.slice_count() == expected.slice_count());
    REQUIRE(store.base_ns() == expected.base_ns());
    for (SliceIndex i = 0; i < store.slice_count(); ++i) {
      REQUIRE(store.name(i) == expected.name(i));
      REQUIRE(store.start(i) == expected.start(i));
      REQUIRE(store.duration(i) == expected.duration(i));
      REQUIRE(store.Args(i).size() == expected.Args(i).size());
    }
    REQUIRE(store.problems().size() == expected.problems().size());
    for (size_t p = 0; p < store.problems().size(); ++p) {
      REQUIRE(store.problems()[p].kind == expected.problems()[p].kind);
      REQUIRE(store.problems()[p].count == expected.problems()[p].count);
      REQUIRE(store.problems()[p].first_offset == expected.problems()[p].first_offset);
    }
  }
}

// Mending stops where a file asks for too much of it, and at a very large event: at the same ones
// however the text comes, and what is beyond mending takes nothing from the others.
TEST_CASE("limits hold at the same place whatever the blocks") {
  std::string hopeless = R"js({"ph": "X", "name": "never ends)js";
  for (int i = 0; i < 7000; ++i) hopeless += "\" and on, ";
  std::string text = "{\"traceEvents\": [" + X("cpu_op", "begin", 0, 1);
  for (int i = 0; i < 400; ++i) text += ",{\"ph\":\"a\" b";
  text += hopeless + "}, ";
  for (int i = 0; i < 600; ++i) {
    text += "{\"ph\": \"X\", \"name\": \"" + std::string(i % 7, 'x') + "\",{\"ph\":\"a\" b";
    text += hopeless.substr(0, 40 + static_cast<size_t>(i) * 40) + "}";
    text += ", " + X("cpu_op", "say \"" + std::to_string(i) + "\"", i, 1) + ",\n";
  }
  text += X("cpu_op", "end", 9000, 1) + "]}";
  const auto check = [](const std::string& what, std::initializer_list<size_t> blocks) {
    const auto whole = ReadInBlocks(what, what.size());
    REQUIRE(whole.ok());
    CheckCounts(*whole->store);
    for (const size_t block : blocks) {
      INFO(block);
      const auto result = ReadInBlocks(what, block);
      REQUIRE(result.ok());
      CHECK(result->store->slice_count() == whole->store->slice_count());
      for (const char* kind : {"rawQuote", "malformedEvent", "oversizedEvent", "truncated"}) {
        CHECK(ProblemCount(*result->store, kind) == ProblemCount(*whole->store, kind));
      }
    }
    return whole->store;
  };
  const auto store = check(text, {64, 4096, 1 << 18});
  CHECK(ProblemCount(*store, "rawQuote") == 600);
  const std::string large = "{\"blob\": \"" + std::string((16 << 20) + 1000, 'x') + "\"}";
  const auto oversized = check("{\"traceEvents\": [" + X("cpu_op", "large", 1, 1, 1, 1, large) +
                                   "," + X("cpu_op", "after", 5, 1) + "]}",
                               {1 << 12, 1 << 18});
  CHECK(ProblemCount(*oversized, "oversizedEvent") == 1);
  CHECK(Find(*oversized, "after") != kNone);
}

TEST_CASE("an event larger than a block, and one larger than allowed") {
  const std::string large = "{\"blob\": \"" + std::string(3 << 20, 'x') + "\"}";
  const std::string huge = "{\"blob\": \"" + std::string(20 << 20, 'y') + "\"}";
  const auto store =
      ReadEvents(X("cpu_op", "large", 1, 1, 1, 1, large) + "," +
                 X("cpu_op", "huge", 2, 1, 1, 1, huge) + "," + X("cpu_op", "after", 5, 1));
  CheckCounts(*store);
  CHECK(store->ArgText(Find(*store, "large"), "blob").size() == 3 << 20);
  CHECK(Find(*store, "huge") == kNone);
  CHECK(Find(*store, "after") != kNone);
  CHECK(ProblemCount(*store, "oversizedEvent") == 1);
}

TEST_CASE("a hostile text of unfinished events comes to an end") {
  std::string text = "{\"traceEvents\": [";
  for (int i = 0; i < 20'000; ++i) text += ",{\"ph\":\"";
  const auto result = ReadTraceText(text);
  REQUIRE(result.ok());
  CheckCounts(*result->store);
  text = "{\"traceEvents\": [";
  for (int i = 0; i < 20'000; ++i) text += "{\"args\":{\"a\":[";
  const auto nested = ReadTraceText(text);
  REQUIRE(nested.ok());
  CheckCounts(*nested->store);
}

TEST_CASE("reading can be cancelled, and tells its progress") {
  std::string text = "{\"traceEvents\": [";
  for (int i = 0; i < 50'000; ++i) text += (i ? "," : "") + X("cpu_op", "op", i, 1);
  text += "]}";
  ReadOptions options;
  double last = -1;
  bool forward = true;
  options.progress = [&](std::string_view, double fraction) {
    forward &= fraction >= last && fraction <= 1;
    last = fraction;
  };
  REQUIRE(ReadTraceText(text, options).ok());
  CHECK(forward);
  CHECK(last == 1);
  const CancelToken cancel = options.cancel;
  options.progress = [&](std::string_view, double) { cancel.Cancel(); };
  const auto cancelled = ReadTraceText(text, options);
  REQUIRE_FALSE(cancelled.ok());
  CHECK(cancelled.error().kind == ErrorKind::kCancelled);
}

}  // namespace emberline
