#include "model/names.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace emberline {

RangeKind ClassifyRange(std::string_view name) {
  if (name.size() < 12) return RangeKind::kPlain;
  switch (name[0]) {
    case 'P':
      return StepNumber(name) ? RangeKind::kStep : RangeKind::kPlain;
    case 'e':
      if ((name.starts_with("enumerate(DataLoader)#") && name.ends_with(".__next__")) ||
          name.starts_with("enumerate(DataPipe)#")) {
        return RangeKind::kDataLoader;
      }
      return RangeKind::kPlain;
    case 'O':
      return name.starts_with("Optimizer.") ? RangeKind::kOptimizer : RangeKind::kPlain;
    case 'D':
      if (name == "DataParallel.forward") return RangeKind::kDataParallel;
      if (name == "DistributedDataParallel.forward") return RangeKind::kDistributedDataParallel;
      return RangeKind::kPlain;
    default:
      return RangeKind::kPlain;
  }
}

std::optional<int64_t> StepNumber(std::string_view name) {
  constexpr std::string_view kPrefix = "ProfilerStep#";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

std::string_view CollectiveLibrary(std::string_view name) {
  constexpr std::array<std::string_view, 8> kLibraries = {"nccl", "gloo", "rccl", "mpi",
                                                          "ucc",  "xccl", "hccl", "mccl"};
  const size_t colon = name.find(':');
  if (colon == std::string_view::npos || colon + 1 >= name.size() || name[colon + 1] == ':')
    return {};
  const std::string_view head = name.substr(0, colon);
  for (std::string_view library : kLibraries) {
    if (head == library) return head;
  }
  return {};
}

bool IsCommunicationKernelName(std::string_view name) {
  constexpr std::array<std::string_view, 11> kParts = {
      "ncclKernel",          "ncclDevKernel",       "ncclSymkDevKernel",   "ncclSymDevKernel",
      "rcclGenericKernel",   "mscclKernel",         "cross_device_reduce", "multimem_all_",
      "one_shot_all_reduce", "two_shot_all_reduce", "multimem_one_shot"};
  for (std::string_view part : kParts) {
    if (name.find(part) != std::string_view::npos) return true;
  }
  return false;
}

bool IsSynchronisingCall(std::string_view name) {
  // cudaStreamSynchronize, hipEventSynchronize, cuCtxSynchronize, zeEventHostSynchronize, ...
  if (name.find("Synchronize") != std::string_view::npos) return true;
  constexpr std::array<std::string_view, 9> kNames = {
      "cudaMemcpy",    "hipMemcpy",    "hipMemcpyWithStream", "urQueueFinish", "urEventWait",
      "piQueueFinish", "piEventsWait", "synchronizeStream",   "synchronize"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool IsBackwardName(std::string_view name) {
  if (name.starts_with("autograd::engine::evaluate_function")) return true;
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  return name.ends_with("Backward");
}

}  // namespace emberline
