// A trace of more rows than those from which on threads share the work.
#pragma once

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace emberline::drawn {

// More slices and arrows than those from which on threads share the work: operators of forward and
// backward on two threads, with frames and ranges that cross, calls, work on several streams,
// allocations, and times that lie far from the others.
inline std::string ManyEvents(size_t rounds) {
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
    const uint32_t line = 1 + pick(90);
    const std::string name = "aten::op" + std::to_string(line % 40);
    slice("python_function", "net.py(" + std::to_string(line) + "): forward", 1, 1, at, 60, "");
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
    if (pick(4) == 0) {
      text +=
          R"(,{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":)" +
          std::to_string(at + 2 + pick(60)) + R"(,"args":{"Bytes":)" +
          std::to_string(512 + pick(9) * 512) + R"(,"Addr":)" + id +
          R"(,"Device Id":0,"Device Type":1}})";
    }
  }
  return text;
}

// One number for all values of a column and their order.
template <typename T>
uint64_t SumOf(const T& column) {
  uint64_t sum = 1469598103934665603u;
  for (size_t i = 0; i < column.size(); ++i) {
    sum = (sum ^ static_cast<uint64_t>(column[i])) * 1099511628211u;
  }
  return sum;
}

// Whether a column holds more than one value.
template <typename T>
bool Differ(const T& column) {
  for (size_t i = 1; i < column.size(); ++i) {
    if (column[i] != column[0]) return true;
  }
  return false;
}

// By name of what each sums up.
using Sums = std::vector<std::pair<std::string, uint64_t>>;

// Checks that sums(cores) are the same for each number of cores as for one.
template <typename Of>
void CheckOnCores(std::initializer_list<size_t> numbers, Of&& sums) {
  const Sums expected = sums(1);
  for (const size_t cores : numbers) {
    const Sums many = sums(cores);
    REQUIRE(many.size() == expected.size());
    for (size_t k = 0; k < many.size(); ++k) {
      INFO(cores << " cores: " << expected[k].first);
      CHECK(many[k].second == expected[k].second);
    }
  }
}

}  // namespace emberline::drawn
