#include "model/names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "base/case.h"
#include "base/text.h"

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

namespace {

// The words of a kernel's function and of the namespaces around it, in lower case and without its
// types: "void mori::moe::EpDispatchIntraNodeKernel<T>(T*)" has mori, moe, ep, dispatch, intra,
// node and kernel. Numbers go with the letters before them.
std::vector<std::string> WordsOf(std::string_view name) {
  std::vector<std::string> words;
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    // Types follow, unless this is "(anonymous namespace)".
    if (c == '<' || (c == '(' && !name.substr(i).starts_with("(anonymous"))) break;
    if (!is_lower(c) && !is_upper(c) && !IsDigit(c)) {
      finish();
      continue;
    }
    if (is_upper(c) && i > 0) {
      const char before = name[i - 1];
      const bool begins = i + 1 < name.size() && is_lower(name[i + 1]);
      if (is_lower(before) || (IsDigit(before) && begins) || (is_upper(before) && begins)) {
        finish();
      }
    }
    word += Lower(c);
  }
  finish();
  return words;
}

// Where experts lie on several devices, their tokens are sent there and back: libraries of that are
// known by one of their words, as "dispatch" and "combine" alone are also said of one device.
bool SendsTokens(const std::vector<std::string>& words) {
  const auto has = [&](std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  if (!has("dispatch") && !has("combine")) return false;
  for (const std::string_view word : {"intranode", "internode", "a2a", "ep", "pplx", "mori"}) {
    if (has(word)) return true;
  }
  return false;
}

// Before 2.8, NCCL named kernels by operation, algorithm and protocol first:
// ncclBroadcastRingLLKernel_copy_i8, ncclReduceRingLL128Kernel_sum_f32.
bool IsNcclFunction(std::string_view lower) {
  lower = lower.substr(0, lower.find_first_of("<("));
  return (lower.starts_with("nccl") || lower.starts_with("rccl")) && Contains(lower, "kernel");
}

}  // namespace

bool IsTokenExchangeName(std::string_view name) { return SendsTokens(WordsOf(name)); }

bool IsCommunicationKernelName(std::string_view name) {
  const std::string lower = LowerText(name);
  const auto has = [&](std::string_view part) { return lower.find(part) != std::string::npos; };
  // Inductor names pointwise work and reductions after what they were fused with, whatever the kind
  // of kernel: triton_poi_fused_, triton_red_fused_, triton_unk_fused_.
  constexpr std::array<std::string_view, 5> kFused = {"triton_poi_", "triton_red_", "triton_per_",
                                                      "triton_for_", "triton_tem_"};
  if (std::any_of(kFused.begin(), kFused.end(), has)) return false;
  if (lower.starts_with("triton_") && has("_fused_")) return false;
  // Only counts what will be sent.
  if (has("get_dispatch_layout")) return false;
  constexpr std::array<std::string_view, 16> kLibraries = {
      "ncclkernel", "nccldevkernel", "ncclsymk", "ncclsymdev", "rcclgenerickernel", "rccldevkernel",
      "rcclkernel", "msccl", "nvshmem", "deep_ep::", "dpsk::ep::", "oneccl", "hcom_", "userbuffers",
      "symmetric_memory::",
      // NVSHMEM's collectives that the host asks for: barrier_on_stream_kernel_threadgroup.
      "_on_stream_kernel"};
  constexpr std::array<std::string_view, 13> kOperations = {
      "allreduce",           "all_reduce",  "allgather",   "all_gather", "reducescatter",
      "reduce_scatter",      "alltoall",    "all_to_all",  "all2all",    "multimem_",
      "cross_device_reduce", "quickreduce", "quick_reduce"};
  const auto any = [&](const auto& parts) { return std::any_of(parts.begin(), parts.end(), has); };
  if (any(kLibraries) || IsNcclFunction(lower)) return true;
  // PyTorch's kernels for tensors of one device; "reduce_scatter" is an index operation there.
  if (Contains(lower.substr(0, lower.find('<')), "at::native::") && !has("multimem_") &&
      !has("_shot_")) {
    return false;
  }
  // Threads of a block or warp reduce among themselves too.
  if (has("block_all") || has("blockall") || has("warp_all") || has("warpall")) return false;
  return any(kOperations) || IsTokenExchangeName(name);
}

bool IsSynchronizingCall(std::string_view name) {
  // cudaStreamSynchronize, hipEventSynchronize, cuCtxSynchronize, zeEventHostSynchronize, ...
  if (name.find("Synchronize") != std::string_view::npos) return true;
  constexpr std::array<std::string_view, 10> kNames = {
      "cudaMemcpy",  "hipMemcpy",           "hipMemcpyWithStream", "urQueueFinish",
      "urEventWait", "piQueueFinish",       "piEventsWait",        "synchronizeStream",
      "synchronize", "AscendCL@aclrtMemcpy"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool IsBackwardName(std::string_view name) {
  if (name.starts_with("autograd::engine::evaluate_function")) return true;
  while (!name.empty() && IsDigit(name.back())) name.remove_suffix(1);
  return name.ends_with("Backward");
}

FrameKind ClassifyFrame(std::string_view name) {
  if (name.starts_with(kModulePrefix)) return FrameKind::kModule;
  if (name.starts_with("<built-in method run_backward of ")) return FrameKind::kEngine;
  const size_t colon = name.rfind("): ");
  const size_t bracket = colon == std::string_view::npos ? colon : name.rfind('(', colon);
  if (bracket == std::string_view::npos) return FrameKind::kOther;
  const std::string_view function = name.substr(colon + 3);
  std::string file(name.substr(0, bracket));
  std::replace(file.begin(), file.end(), '\\', '/');
  if (file.ends_with("torch/utils/checkpoint.py")) {
    for (const std::string_view again : {"unpack", "unpack_hook", "recompute_fn", "backward"}) {
      if (function == again) return FrameKind::kRecompute;
    }
    return FrameKind::kCheckpoint;
  }
  if ((file.ends_with("torch/autograd/__init__.py") &&
       (function == "backward" || function == "grad")) ||
      (file.ends_with("torch/autograd/graph.py") && function == "_engine_run_backward")) {
    return FrameKind::kEngine;
  }
  return FrameKind::kOther;
}

}  // namespace emberline
