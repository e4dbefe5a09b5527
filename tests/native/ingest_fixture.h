// Traces drawn as text for the reader's tests.
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "ingest/byte_source.h"
#include "ingest/read_trace.h"

namespace emberline::fixture {

// The store of a text that must read.
inline std::shared_ptr<const TraceStore> Read(std::string_view text) {
  auto result = ReadTraceText(text);
  INFO((result ? std::string() : result.error().message));
  REQUIRE(result.ok());
  return result->store;
}

// The store of a list of events.
inline std::shared_ptr<const TraceStore> ReadEvents(const std::string& events) {
  return Read("{\"schemaVersion\": 1, \"traceEvents\": [" + events + "]}");
}

// The same, handed over in blocks of so many bytes.
inline Result<ReadResult> ReadInBlocks(std::string_view text, size_t block_bytes) {
  const auto source = MakeTextSource(text, block_bytes);
  return ReadTraceFrom(*source, {"The text", {}}, {});
}

inline uint64_t ProblemCount(const TraceStore& store, std::string_view kind) {
  for (const Problem& problem : store.problems()) {
    if (problem.kind == kind) return problem.count;
  }
  return 0;
}

// Every event of the file is in exactly one table, or dropped.
inline void CheckCounts(const TraceStore& store) {
  const ReadCounts& c = store.counts();
  CHECK(c.events == c.slices + c.paired + c.instants + c.memory + c.counters + c.flows +
                        c.metadata + c.dropped);
  CHECK(store.slice_count() == c.slices);
  CHECK(store.instants().size() == c.instants);
  CHECK(store.memory().size() == c.memory);
  CHECK(store.counters().size() == c.counters);
  CHECK(store.flows().size() == c.flows);
  uint64_t by_category = 0;
  for (const auto& [name, count] : c.by_category) by_category += count;
  CHECK(by_category <= c.events);
}

// First slice with a name; kNone when there is none.
inline SliceIndex Find(const TraceStore& store, std::string_view name) {
  for (SliceIndex i = 0; i < store.slice_count(); ++i) {
    if (store.name(i) == name) return i;
  }
  return kNone;
}

// One complete event: op("aten::add", 10, 5) and the like.
inline std::string X(const std::string& cat, const std::string& name, double ts, double dur,
                     int pid = 1, int tid = 1, const std::string& args = "{}") {
  return "{\"ph\": \"X\", \"cat\": \"" + cat + "\", \"name\": \"" + name +
         "\", \"pid\": " + std::to_string(pid) + ", \"tid\": " + std::to_string(tid) +
         ", \"ts\": " + std::to_string(ts) + ", \"dur\": " + std::to_string(dur) +
         ", \"args\": " + args + "}";
}

}  // namespace emberline::fixture
