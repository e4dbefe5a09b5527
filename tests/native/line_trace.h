// Small drawn traces and source files whose lines are looked for.
#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <string>

#include "ingest/read_trace.h"
#include "session/lines.h"
#include "temporary_folder.h"

namespace emberline {
namespace fs = std::filesystem;

// One event of category `cat`; times in us.
inline std::string Event(const std::string& cat, const std::string& name, double ts, double dur,
                         int tid = 1, const std::string& args = "") {
  return "{\"ph\":\"X\",\"cat\":\"" + cat + "\",\"name\":\"" + name +
         "\",\"pid\":1,\"tid\":" + std::to_string(tid) + ",\"ts\":" + std::to_string(ts) +
         ",\"dur\":" + std::to_string(dur) + ",\"args\":{" + args + "}}";
}
inline std::string Py(const std::string& name, double ts, double dur,
                      const std::string& args = "") {
  return Event("python_function", name, ts, dur, 1, args);
}
inline std::string Op(const std::string& name, double ts, double dur, const std::string& args = "",
                      int tid = 1) {
  return Event("cpu_op", name, ts, dur, tid, args);
}
inline std::string Launch(double ts, double dur, int correlation, int tid = 1) {
  return Event("cuda_runtime", "cudaLaunchKernel", ts, dur, tid,
               "\"correlation\":" + std::to_string(correlation));
}
inline std::string Kernel(const std::string& name, double ts, double dur, int correlation) {
  return "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" + name +
         "\",\"pid\":0,\"tid\":7,\"ts\":" + std::to_string(ts) + ",\"dur\":" + std::to_string(dur) +
         ",\"args\":{\"device\":0,\"stream\":7,\"correlation\":" + std::to_string(correlation) +
         "}}";
}

inline std::unique_ptr<LoadedTrace> Load(const std::vector<std::string>& events) {
  std::string text = "{\"schemaVersion\":1,\"traceEvents\":[";
  for (size_t i = 0; i < events.size(); ++i) text += (i ? ",\n" : "\n") + events[i];
  text += "]}";
  Result<ReadResult> read = ReadTraceText(text);
  REQUIRE(read.ok());
  Result<std::shared_ptr<const Model>> model = BuildModel(read->store);
  REQUIRE(model.ok());
  auto trace = std::make_unique<LoadedTrace>();
  trace->store = read->store;
  trace->model = *model;
  return trace;
}

class Folder : public TemporaryFolder {
 public:
  std::string Write(const std::string& name, const std::string& text) const {
    return TemporaryFolder::Write(name, text).string();
  }
  SourceSpace Space() const {
    SourceSpace space;
    space.roots = {path().string()};
    return space;
  }
};

inline std::shared_ptr<const LineData> Data(const LoadedTrace& trace, const SourceSpace& space) {
  auto data = LinesOf(trace, space, {});
  REQUIRE(data.ok());
  return *data;
}
inline LinesResult Sums(const LoadedTrace& trace, const LineData& data) {
  auto sums = AnalyzeLines(*trace.model, data.attribution, {});
  REQUIRE(sums.ok());
  return *sums;
}
// The cost of a line; fails when there is none with this confidence.
inline LineCost Row(const LineData& data, const LinesResult& sums, int line,
                    LineConfidence confidence) {
  for (const LineCost& c : sums.rows) {
    const LineLocation& l = data.attribution.locations[c.location];
    if (l.line == line && l.confidence == confidence) return c;
  }
  FAIL("no row for line " << line);
  return {};
}

}  // namespace emberline
