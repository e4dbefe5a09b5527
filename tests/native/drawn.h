// Traces drawn event by event for the tests of the model and the analyses. Times are microseconds.
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "ingest/read_trace.h"
#include "model/model.h"

namespace emberline::drawn {

// The model of events given as JSON, on a trace with one device.
inline std::shared_ptr<const Model> LoadEvents(const std::string& events) {
  auto read = ReadTraceText(
      R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"G"}],"traceEvents":[)" + events +
      "]}");
  REQUIRE(read.ok());
  auto model = BuildModel(read->store);
  REQUIRE(model.ok());
  return *model;
}

// A slice of thread 1 of process 1 as JSON.
inline std::string HostSlice(const char* cat, const std::string& name, int ts, int dur,
                             const std::string& args = "") {
  return std::string(R"({"ph":"X","cat":")") + cat + R"(","name":")" + name +
         R"(","pid":1,"tid":1,"ts":)" + std::to_string(ts) + R"(,"dur":)" + std::to_string(dur) +
         R"(,"args":{)" + args + "}}";
}

// Collects events; every method returns the event's number, by which Loaded finds its slice.
class Drawing {
 public:
  explicit Drawing(std::string top_level = "") : top_level_(std::move(top_level)) {}

  int Event(const std::string& json) {
    events_ += (count_ == 0 ? "" : ",\n") + json;
    return count_++;
  }
  int Slice(const std::string& category, const std::string& name, const std::string& pid,
            const std::string& tid, double ts, double dur, const std::string& args = "") {
    return Event("{\"ph\":\"X\",\"cat\":\"" + category + "\",\"name\":\"" + name +
                 "\",\"pid\":" + pid + ",\"tid\":" + tid + ",\"ts\":" + Number(ts) +
                 ",\"dur\":" + Number(dur) + ",\"args\":{" + args + "}}");
  }
  int Op(const std::string& name, double ts, double dur, const std::string& args = "",
         const std::string& tid = "10") {
    return Slice("cpu_op", name, "1", tid, ts, dur, args);
  }
  int Annotation(const std::string& name, double ts, double dur, const std::string& tid = "10") {
    return Slice("user_annotation", name, "1", tid, ts, dur);
  }
  int Python(const std::string& name, double ts, double dur, const std::string& args = "",
             const std::string& tid = "10") {
    return Slice("python_function", name, "1", tid, ts, dur, args);
  }
  int Step(int number, double ts, double dur) {
    return Annotation("ProfilerStep#" + std::to_string(number), ts, dur);
  }
  int Launch(int correlation, double ts, double dur, const std::string& args = "",
             const std::string& category = "cuda_runtime", const std::string& tid = "10") {
    return Slice(
        category, category == "cuda_driver" ? "cuLaunchKernel" : "cudaLaunchKernel", "1", tid, ts,
        dur, "\"correlation\":" + std::to_string(correlation) + (args.empty() ? "" : ",") + args);
  }
  int Kernel(const std::string& name, int correlation, double ts, double dur,
             const std::string& args = "", int device = 0, int stream = 7) {
    return Device("kernel", name, correlation, ts, dur, args, device, stream);
  }
  int Device(const std::string& category, const std::string& name, int correlation, double ts,
             double dur, const std::string& args = "", int device = 0, int stream = 7) {
    return Slice(category, name, std::to_string(device), std::to_string(stream), ts, dur,
                 "\"device\":" + std::to_string(device) + ",\"stream\":" + std::to_string(stream) +
                     ",\"correlation\":" + std::to_string(correlation) + (args.empty() ? "" : ",") +
                     args);
  }
  int Flow(const std::string& phase, int id, double ts, const std::string& tid) {
    return Event("{\"ph\":\"" + phase + "\",\"cat\":\"fwdbwd\",\"name\":\"fwdbwd\",\"id\":" +
                 std::to_string(id) + ",\"pid\":1,\"tid\":" + tid + ",\"ts\":" + Number(ts) +
                 (phase == "f" ? ",\"bp\":\"e\"}" : "}"));
  }
  std::string Text() const {
    return "{\"schemaVersion\":1," + top_level_ + (top_level_.empty() ? "" : ",") +
           "\"traceEvents\":[\n" + events_ + "]}";
  }

 private:
  static std::string Number(double value) {
    std::string text = std::to_string(value);
    text.erase(text.size() - 3);  // ns resolution
    return text;
  }
  std::string top_level_;
  std::string events_;
  int count_ = 0;
};

struct Loaded {
  std::shared_ptr<const Model> model;
  const Model& operator*() const { return *model; }
  const Model* operator->() const { return model.get(); }
  // The slice of an event by its number; kNone when it became none.
  SliceIndex At(int event) const {
    const TraceStore& s = model->store();
    for (SliceIndex i = 0; i < s.slice_count(); ++i) {
      if (s.event_index(i) == static_cast<uint32_t>(event)) return i;
    }
    return kNone;
  }
};

inline Loaded Load(const Drawing& drawing) {
  auto read = ReadTraceText(drawing.Text());
  INFO((read.ok() ? std::string() : read.error().message));
  REQUIRE(read.ok());
  auto model = BuildModel(read->store);
  REQUIRE(model.ok());
  return {*model};
}

inline constexpr Ns kUs = 1000;

inline const char* const kV100 =
    R"("deviceProperties":[{"id":0,"name":"Tesla V100","totalGlobalMem":34084028416,"computeMajor":7,)"
    R"("computeMinor":0,"warpSize":32,"numSms":80}])";

inline const char* const kH100 =
    R"("deviceProperties":[{"id":0,"name":"NVIDIA H100 80GB HBM3","totalGlobalMem":85018279936,)"
    R"("computeMajor":9,"computeMinor":0,"warpSize":32,"numSms":132}])";

}  // namespace emberline::drawn
