// The critical path summed, its edges, and what steps would take without a part of what ran.
#include <algorithm>
#include <map>
#include <random>

#include "drawn.h"
#include "ranks/critical_path.h"
#include "ranks/digest_parts.h"
#include "ranks/job_tables.h"
#include "ranks/what_if.h"

namespace emberline {
namespace {

using drawn::Drawing;

// Two kernels of one stream that the host waits for, and one beside them.
Drawing TwoKernels() {
  Drawing d;
  d.Step(1, 0, 1000);
  d.Op("aten::mm", 10, 30);
  d.Launch(1, 20, 10);
  d.Kernel("gemm", 1, 40, 500);
  d.Op("aten::relu", 50, 20);
  d.Launch(2, 55, 10);
  d.Kernel("relu", 2, 545, 100);
  d.Op("aten::copy_", 72, 6);
  d.Launch(3, 73, 4);
  d.Kernel("beside", 3, 95, 300, "", 0, 9);
  d.Slice("cuda_runtime", "cudaDeviceSynchronize", "1", "10", 80, 570);
  d.Python("/a/train.py(7): tail", 700, 250);
  return d;
}

std::map<std::string, PathDigest> SumsBy(const Model& model, PathGrouping by) {
  RankDigest digest;
  FrameFinder frames(model);
  const CollectiveList none;
  AddCriticalPath({model, none, frames, {}}, &digest);
  std::map<std::string, PathDigest> rows;
  for (const PathDigest& row : digest.critical_path) {
    if (row.by == by) rows[by == kPathLines ? row.place : row.name] = row;
  }
  return rows;
}

TEST_CASE("a step without a kernel takes what its other parts wait for") {
  const auto loaded = drawn::Load(TwoKernels());
  auto kernels = SumsBy(*loaded, kPathKernels);
  // 40 to 540, and the 20 us from its launch; without it, the device ends with "beside", at 395.
  CHECK(kernels["gemm"].time == 520'000);
  CHECK(kernels["gemm"].device == 500'000);
  CHECK(kernels["gemm"].without == 750'000);
  CHECK(kernels["relu"].time == 105'000);
  CHECK(kernels["relu"].without == 900'000);
  CHECK(kernels.count("beside") == 0);  // nobody waits for it
}

TEST_CASE("operators and lines are summed over host and device") {
  const auto loaded = drawn::Load(TwoKernels());
  auto operators = SumsBy(*loaded, kPathOperators);
  // 10 us before its launch, the launch, and the kernel.
  CHECK(operators["aten::mm"].time == 530'000);
  CHECK(operators["aten::mm"].host == 10'000);
  CHECK(operators["aten::mm"].device == 500'000);
  // Its 30 us on the host go too, and "beside" comes so much earlier.
  CHECK(operators["aten::mm"].without == 720'000);
  Ns sum = 0;
  for (const auto& [name, row] : operators) sum += row.time;
  CHECK(sum == 1'000'000);
  auto lines = SumsBy(*loaded, kPathLines);
  CHECK(lines["/a/train.py:7 (tail)"].time == 250'000);
  CHECK(lines["/a/train.py:7 (tail)"].without == 750'000);
}

TEST_CASE("operators on the path name the devices that their work ran on") {
  Drawing d;
  d.Step(1, 0, 1000);
  for (int i = 0; i < 2; ++i) {
    // Both devices compute mm, one after the other; only the second adds.
    d.Op("aten::mm", 10 + 400 * i, 20);
    d.Launch(1 + i, 15 + 400 * i, 10);
    d.Kernel("gemm", 1 + i, 40 + 400 * i, 300, "", i);
    d.Slice("cuda_runtime", "cudaStreamSynchronize", "1", "10", 50 + 400 * i, 300);
  }
  d.Op("aten::add", 800, 20);
  d.Launch(3, 805, 10);
  d.Kernel("add", 3, 830, 100, "", 1);
  d.Slice("cuda_runtime", "cudaStreamSynchronize", "1", "10", 825, 110);
  const auto loaded = drawn::Load(d);
  auto operators = SumsBy(*loaded, kPathOperators);
  CHECK(operators["aten::mm"].device == 600'000);
  CHECK(operators["aten::mm"].devices == "0, 1");
  CHECK(operators["aten::add"].devices == "1");
  CHECK(operators[""].devices.empty());
  // One row of a table for each, whose column nobody needs where all work is one device's.
  RankDigest rank;
  FrameFinder frames(*loaded);
  const CollectiveList none;
  AddCriticalPath({*loaded, none, frames, {}}, &rank);
  const auto column = [&](bool one_device) {
    Job job;
    RankDigest digest = rank;
    for (PathDigest& row : digest.critical_path) {
      if (one_device && !row.devices.empty()) row.devices = "1";
    }
    job.ranks.emplace_back().digest = &digest;
    const Table table = CriticalOperatorsTable(job);
    const auto at = std::find_if(table.columns.begin(), table.columns.end(),
                                 [](const Column& c) { return c.key == "devices"; });
    REQUIRE(at != table.columns.end());
    return at->hidden;
  };
  CHECK_FALSE(column(false));
  CHECK(column(true));
}

TEST_CASE("a kernel beside the path is waited for when the path gets shorter") {
  const auto loaded = drawn::Load(TwoKernels());
  const Model& model = *loaded;
  const CriticalPathFinder finder(model, {});
  const WorkGraph& graph = finder.graph();
  WhatIf what_if(graph);
  std::vector<uint8_t> host(graph.host().size(), 0), works(graph.works().size(), 0);
  for (size_t w = 0; w < works.size(); ++w) {
    const auto name = model.store().name(graph.works()[w].slice);
    if (name == "beside") works[w] = 0b001;
    if (name != "beside") works[w] = 0b010;
    works[w] |= 0b100;
  }
  const auto steps = StepsOfPaths(model);
  const auto saved = what_if.Saved(host, works, steps.back(), {});
  CHECK(saved[0] == 0);
  // Then "beside" ends last, at 395.
  CHECK(saved[1] == 250'000);
  CHECK(saved[2] > saved[1]);
  CHECK(saved[3] == 0);
}

TEST_CASE("edges lead from what ran to what waited for it") {
  const auto loaded = drawn::Load(TwoKernels());
  const CriticalPathFinder finder(*loaded, {});
  const auto path = CriticalPaths(finder, StepsOfPaths(*loaded), {});
  REQUIRE(path.ok());
  std::vector<std::string> told;
  for (const PathEdge& edge : EdgesOf(*path)) {
    const TraceStore& s = loaded->store();
    told.push_back(std::string(s.name(edge.from)) + " > " + std::string(s.name(edge.to)) + " " +
                   PathKindName(edge.kind) + " " + std::to_string(edge.time.Length() / 1000));
  }
  CHECK(told ==
        std::vector<std::string>{"aten::mm > gemm launch 20", "gemm > relu kernelGap 5",
                                 "relu > cudaDeviceSynchronize synchronization 5",
                                 "cudaDeviceSynchronize > /a/train.py(7): tail hostUnknown 50"});
}

TEST_CASE("a stream that begins when another ends had waited for it, recorded or not") {
  Drawing d;
  d.Step(1, 0, 1000);
  d.Op("aten::mm", 10, 30);
  d.Launch(1, 20, 10);
  d.Kernel("gemm", 1, 40, 500);
  d.Op("nccl:all_reduce", 50, 20);
  d.Launch(2, 55, 10);
  d.Kernel("ncclDevKernel_AllReduce_Sum", 2, 544, 100, "", 0, 20);
  d.Slice("cuda_runtime", "cudaDeviceSynchronize", "1", "10", 80, 570);
  const auto loaded = drawn::Load(d);
  auto kernels = SumsBy(*loaded, kPathKernels);
  CHECK(kernels["gemm"].device == 500'000);
  CHECK(kernels["ncclDevKernel_AllReduce_Sum"].device == 100'000);
  // Soon after its launch it waited for nothing.
  CHECK(kernels["gemm"].without < 550'000);
}

TEST_CASE("whatever ran: playing it all gives what was recorded, and leaving more out saves more") {
  std::mt19937 random(7);
  const auto pick = [&](int most) { return static_cast<int>(random() % (most + 1)); };
  for (int round = 0; round < 60; ++round) {
    Drawing d;
    double host = 0;
    std::map<int, double> free;
    d.Step(1, 0, 5000);
    for (int i = 1; host < 4000; ++i) {
      const double begin = host + pick(30);
      const double length = 5 + pick(20);
      if (pick(9) == 0) {
        double last = begin;
        for (const auto& [stream, at] : free) last = std::max(last, at);
        d.Slice("cuda_runtime", "cudaDeviceSynchronize", "1", "10", begin, last + 3 - begin);
        host = last + 3;
        continue;
      }
      d.Op("aten::op" + std::to_string(pick(3)), begin, length);
      d.Launch(i, begin + 1, 3);
      const int stream = 7 + pick(2);
      const double start = std::max(free[stream] + pick(2), begin + 6);
      const double work = pick(60);
      d.Kernel("k" + std::to_string(pick(3)), i, start, work, "", 0, stream);
      free[stream] = start + work;
      host = begin + length;
    }
    const auto loaded = drawn::Load(d);
    const CriticalPathFinder finder(*loaded, {});
    const WorkGraph& graph = finder.graph();
    WhatIf what_if(graph);
    std::vector<uint8_t> host_mask(graph.host().size()), work_mask(graph.works().size());
    // Alternative 1 leaves out some, 2 these and more, 3 everything.
    for (auto* masks : {&host_mask, &work_mask}) {
      for (uint8_t& mask : *masks) {
        mask = 0b1000;
        if (pick(3) == 0) mask |= 0b0110;
        if (pick(3) == 0) mask |= 0b0100;
      }
    }
    const auto saved = what_if.Saved(host_mask, work_mask, StepsOfPaths(*loaded).back(), {});
    CHECK(saved[0] == 0);
    CHECK(saved[1] >= 0);
    CHECK(saved[2] >= saved[1]);
    CHECK(saved[3] >= saved[2]);
  }
}

}  // namespace
}  // namespace emberline
