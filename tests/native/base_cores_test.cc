#include <catch2/catch.hpp>
#include <thread>

#include "base/cores.h"

#if defined(__linux__)
#include <sched.h>
#endif

#include "temporary_folder.h"

namespace emberline {

TEST_CASE("there is at least one core") {
  CHECK(UsableCores() >= 1);
  CHECK(UsableCores() == CountUsableCores("/"));
}

#if defined(__linux__)

TEST_CASE("processors that a process may not run on do not count") {
  size_t cores = 0;
  std::thread([&] {
    cpu_set_t allowed;
    REQUIRE(sched_getaffinity(0, sizeof(allowed), &allowed) == 0);
    int first = 0;
    while (!CPU_ISSET(first, &allowed)) ++first;
    CPU_ZERO(&allowed);
    CPU_SET(first, &allowed);
    REQUIRE(sched_setaffinity(0, sizeof(allowed), &allowed) == 0);
    cores = CountUsableCores("/nowhere");
  }).join();
  CHECK(cores == 1);
}

TEST_CASE("a control group's limit counts, rounded up") {
  const TemporaryFolder root;
  root.Write("proc/self/cgroup", "0::/job/step\n");
  const size_t all = CountUsableCores(root.path());
  if (all < 2) return;  // one core cannot be limited any further
  root.Write("sys/fs/cgroup/job/step/cpu.max", "max 100000\n");
  CHECK(CountUsableCores(root.path()) == all);
  root.Write("sys/fs/cgroup/job/cpu.max", "110000 100000\n");
  CHECK(CountUsableCores(root.path()) == 2);
  root.Write("sys/fs/cgroup/job/step/cpu.max", "50000 100000\n");
  CHECK(CountUsableCores(root.path()) == 1);
}

TEST_CASE("in a container, the limit stands at the root of what is mounted") {
  const TemporaryFolder root;
  // The first version of control groups, and a path as only the host has it.
  root.Write("proc/self/cgroup", "5:memory:/docker/ab12\n4:cpu,cpuacct:/docker/ab12\n0::/\n");
  root.Write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n");
  root.Write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  CHECK(CountUsableCores(root.path()) == 1);
  root.Write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  CHECK(CountUsableCores(root.path()) == CountUsableCores("/nowhere"));
}

TEST_CASE("limits that say nothing are none") {
  const TemporaryFolder root;
  const size_t all = CountUsableCores("/nowhere");
  root.Write("proc/self/cgroup", "nothing\n:\n0:\n0::\n0::/../../etc\n");
  for (const char* text : {"", "max", "0 0", "-5 100000", "nan nan", "1e300 1", "5"}) {
    root.Write("sys/fs/cgroup/cpu.max", text);
    CHECK(CountUsableCores(root.path()) == all);
  }
}

#endif

}  // namespace emberline
