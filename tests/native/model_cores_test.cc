// A load gives the same on any number of cores.
#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "base/cores.h"
#include "base/parallel.h"
#include "drawn.h"

namespace emberline::drawn {
namespace {

// More slices and arrows than those from which on threads share the work: operators of forward and
// backward on two threads, with frames and ranges that cross, calls, work on several streams, and
// times that lie far from the others.
std::string ManyEvents(size_t rounds) {
  std::mt19937 random(7);
  const auto pick = [&](uint32_t n) { return random() % n; };
  std::string text;
  const auto slice = [&](const char* cat, const std::string& name, int pid, uint32_t tid, double ts,
                         double dur, const std::string& args) {
    text += (text.empty() ? "" : ",\n") + std::string(R"({"ph":"X","cat":")") + cat +
            R"(","name":")" + name + R"(","pid":)" + std::to_string(pid) + R"(,"tid":)" +
            std::to_string(tid) + R"(,"ts":)" + std::to_string(ts) + R"(,"dur":)" +
            std::to_string(dur) + R"(,"args":{)" + args + "}}";
  };
  const auto arrow = [&](char phase, const char* cat, size_t id, int pid, uint32_t tid, double ts) {
    text += std::string(R"(,{"ph":")") + phase + R"(","cat":")" + cat + R"(","name":")" + cat +
            R"(","id":)" + std::to_string(id) + R"(,"pid":)" + std::to_string(pid) + R"(,"tid":)" +
            std::to_string(tid) + R"(,"ts":)" + std::to_string(ts) +
            (phase == 'f' ? R"(,"bp":"e"})" : "}");
  };
  const size_t per_step = rounds / 5;
  for (size_t i = 0; i < rounds; ++i) {
    if (i % per_step == 0) {
      slice("user_annotation", "ProfilerStep#" + std::to_string(i / per_step), 1, 1,
            100.0 * static_cast<double>(i), 100.0 * static_cast<double>(per_step), "");
    }
    const double at = 100.0 * static_cast<double>(i) + pick(5);
    const std::string id = std::to_string(i + 1), second = std::to_string(rounds + i + 1);
    const std::string name = "aten::op" + std::to_string(pick(40));
    slice("python_function", "net.py(" + std::to_string(pick(90)) + "): forward", 1, 1, at, 60, "");
    slice("cpu_op", name, 1, 1, at + 1, 40,
          R"("External id":)" + id + R"(,"Sequence number":)" + id + R"(,"Fwd thread id":0)");
    slice("cuda_runtime", "cudaLaunchKernel", 1, 1, at + 5, 4 + pick(40),
          R"("correlation":)" + id + R"(,"External id":)" + id);
    slice("kernel", "kernel" + std::to_string(pick(30)), 0, 7 + pick(3), at + 30, 20 + pick(90),
          R"("correlation":)" + id + R"(,"External id":)" + id + R"(,"device":0,"stream":7)");
    arrow('s', "ac2g", i + 1, 1, 1, at + 5);
    arrow('f', "ac2g", i + 1, 0, 7, at + 30);
    // Backward comes in the order of time here, from the round that lies as far from the middle.
    const std::string number = std::to_string(rounds - i);
    slice(
        "cpu_op", "autograd::engine::evaluate_function: OpBackward0", 1, 2, at + 2, 50,
        R"("External id":)" + second + R"(,"Sequence number":)" + number + R"(,"Fwd thread id":1)");
    slice("cpu_op", "OpBackward0", 1, 2, at + 3, 30 + pick(40), "");
    if (pick(3) == 0) {
      arrow('s', "fwdbwd", i + 1, 1, 1, at + 1);
      arrow('f', "fwdbwd", i + 1, 1, 2, at + 2);
    }
    if (pick(1000) == 0) slice("cpu_op", "late", 1, 3, at + 5e9, 10, "");
  }
  return text;
}

template <typename T>
uint64_t SumOf(const T& column) {
  uint64_t sum = 1469598103934665603u;
  for (const auto value : column) sum = (sum ^ static_cast<uint64_t>(value)) * 1099511628211u;
  return sum;
}

// Each with the name of what it sums up.
std::vector<std::pair<std::string, uint64_t>> SumsOf(const Model& m) {
  const TraceStore& s = m.store();
  std::vector<std::pair<std::string, uint64_t>> sums;
  const auto of_slices = [&](const char* name, auto&& of) {
    std::vector<uint64_t> values;
    for (SliceIndex i = 0; i < s.slice_count(); ++i) values.push_back(static_cast<uint64_t>(of(i)));
    sums.emplace_back(name, SumOf(values));
  };
  of_slices("start", [&](SliceIndex i) { return s.start(i); });
  of_slices("duration", [&](SliceIndex i) { return s.duration(i); });
  of_slices("track", [&](SliceIndex i) { return s.track(i); });
  of_slices("name", [&](SliceIndex i) { return s.name_id(i); });
  of_slices("category", [&](SliceIndex i) { return s.category(i); });
  of_slices("parent", [&](SliceIndex i) { return s.parent(i); });
  of_slices("depth", [&](SliceIndex i) { return s.depth(i); });
  of_slices("event", [&](SliceIndex i) { return s.event_index(i); });
  of_slices("is_op", [&](SliceIndex i) { return m.IsOp(i); });
  std::vector<uint64_t> flows;
  for (const FlowPoint& flow : s.flows()) {
    for (const uint64_t value :
         {flow.id, static_cast<uint64_t>(flow.ts), uint64_t{flow.slice}, uint64_t{flow.track}}) {
      flows.push_back(value);
    }
  }
  sums.emplace_back("flows", SumOf(flows));
  std::vector<uint64_t> tracks;
  for (const Track& track : s.tracks()) {
    for (const uint64_t value : {track.first, track.last, SliceIndex{track.max_depth}})
      tracks.push_back(value);
  }
  sums.emplace_back("tracks", SumOf(tracks));
  sums.emplace_back("op", SumOf(m.op));
  sums.emplace_back("frame", SumOf(m.frame));
  sums.emplace_back("annotation", SumOf(m.annotation));
  sums.emplace_back("launch", SumOf(m.launch));
  sums.emplace_back("launched", SumOf(m.launched.items));
  sums.emplace_back("forward", SumOf(m.forward));
  sums.emplace_back("repeats", SumOf(m.repeats));
  sums.emplace_back("pass", SumOf(m.pass));
  sums.emplace_back("step", SumOf(m.step));
  sums.emplace_back("host self", SumOf(m.host_self));
  sums.emplace_back("host api", SumOf(m.host_api));
  sums.emplace_back("device self", SumOf(m.device_self));
  sums.emplace_back("device total", SumOf(m.device_total));
  return sums;
}

}  // namespace

TEST_CASE("one core and many give the same model", "[cores]") {
  const std::string events = ManyEvents(25'000);
  const auto load = [&](size_t cores) {
    const CoreShare share(cores);
    return LoadEvents(events);
  };
  const auto one = load(1);
  REQUIRE(one->store().slice_count() > kManyRows);
  REQUIRE(one->steps.size() == 5);
  // Nothing of what is compared is empty.
  const auto some = [](const auto& column) {
    return std::any_of(column.begin(), column.end(),
                       [&](const auto value) { return value != *column.begin(); });
  };
  CHECK(some(one->op));
  CHECK(some(one->launch));
  CHECK(some(one->forward));
  CHECK(some(one->step));
  CHECK(some(one->host_api));
  CHECK(some(one->device_total));
  const auto expected = SumsOf(*one);
  for (const size_t cores : {size_t{2}, size_t{3}, size_t{4}, size_t{8}}) {
    const auto many = SumsOf(*load(cores));
    REQUIRE(many.size() == expected.size());
    for (size_t k = 0; k < many.size(); ++k) {
      INFO(cores << " cores: " << expected[k].first);
      CHECK(many[k].second == expected[k].second);
    }
  }
}

}  // namespace emberline::drawn
