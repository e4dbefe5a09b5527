#include "base/cores.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

namespace emberline {
namespace {

thread_local size_t share = 0;  // 0: none

size_t MachineCores() { return std::max(1U, std::thread::hardware_concurrency()); }

#if defined(__linux__)

// The processors that the process may be scheduled on; 0 where the system does not say.
size_t AllowedCores() {
  // A set that is too small for the machine is refused with EINVAL.
  for (size_t sets = 1; sets <= 64; sets *= 2) {
    std::vector<cpu_set_t> allowed(sets);
    const size_t bytes = sets * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, allowed.data()) == 0) {
      return static_cast<size_t>(CPU_COUNT_S(bytes, allowed.data()));
    }
    if (errno != EINVAL) break;
  }
  return 0;
}

// Time per period, rounded up to whole processors; 0 for no limit.
size_t WholeCores(double quota, double period) {
  if (!(quota > 0) || !(period > 0) || quota / period > 1e6) return 0;
  return static_cast<size_t>((quota + period - 1) / period);
}

// The limit of one control group, of either version; 0 for none.
size_t LimitOf(const std::filesystem::path& group) {
  std::string quota;
  double period = 0;
  if (std::ifstream(group / "cpu.max") >> quota >> period && quota != "max") {
    return WholeCores(std::atof(quota.c_str()), period);
  }
  double time = 0;
  if (std::ifstream(group / "cpu.cfs_quota_us") >> time &&
      std::ifstream(group / "cpu.cfs_period_us") >> period) {
    return WholeCores(time, period);
  }
  return 0;
}

// The least limit of the process' control group and those around it; 0 for none. In a container,
// the group may be named as the host sees it, and be mounted as the root.
size_t LimitedCores(const std::filesystem::path& root) {
  size_t least = 0;
  const auto add = [&](const std::filesystem::path& group) {
    const size_t cores = LimitOf(group);
    if (cores > 0 && (least == 0 || cores < least)) least = cores;
  };
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    // "0::/user.slice", or "4:cpu,cpuacct:/docker/ab12" of the first version.
    const size_t names = line.find(':');
    const size_t path = names == std::string::npos ? names : line.find(':', names + 1);
    if (path == std::string::npos) continue;
    const std::string controllers = "," + line.substr(names + 1, path - names - 1) + ",";
    if (controllers != ",," && controllers.find(",cpu,") == std::string::npos) continue;
    const std::filesystem::path mounted =
        root / (controllers == ",," ? "sys/fs/cgroup" : "sys/fs/cgroup/cpu");
    std::filesystem::path group = std::filesystem::path(line.substr(path + 1)).lexically_normal();
    for (int level = 0; group.has_relative_path() && level < 32; ++level) {
      add(mounted / group.relative_path());
      group = group.parent_path();
    }
    add(mounted);
  }
  return least;
}

#endif

}  // namespace

size_t CountUsableCores([[maybe_unused]] const std::filesystem::path& root) {
  size_t cores = MachineCores();
#if defined(__linux__)
  for (const size_t limit : {AllowedCores(), LimitedCores(root)}) {
    if (limit > 0) cores = std::min(cores, limit);
  }
#endif
  return cores;
}

size_t UsableCores() {
  if (share > 0) return share;
  static const size_t cores = CountUsableCores("/");
  return cores;
}

CoreShare::CoreShare(size_t cores) : before_(std::exchange(share, cores)) {}
CoreShare::~CoreShare() { share = before_; }
size_t CoreShare::OfThisThread() { return share; }

}  // namespace emberline
