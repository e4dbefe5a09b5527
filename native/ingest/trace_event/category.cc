#include "ingest/trace_event/category.h"

#include <cctype>
#include <string>
#include <unordered_map>

#include "base/case.h"

namespace emberline {

CategoryMeaning MeaningOfCategory(std::string_view raw) {
  using K = SliceKind;
  constexpr Domain kHost = Domain::kHost;
  constexpr Domain kDevice = Domain::kDevice;
  static const std::unordered_map<std::string_view, CategoryMeaning> kTable = {
      {"cpu_op", {K::kCpuOp, kHost}},
      {"operator", {K::kCpuOp, kHost}},
      {"python", {K::kCpuOp, kHost}},
      {"user_annotation", {K::kUserAnnotation, kHost}},
      {"gpu_user_annotation", {K::kGpuUserAnnotation, kDevice}},
      {"user", {K::kGpuUserAnnotation, kDevice}},
      {"kernel", {K::kKernel, kDevice}},
      {"memcpy", {K::kMemcpy, kDevice}},
      {"gpu_memcpy", {K::kMemcpy, kDevice}},
      {"memset", {K::kMemset, kDevice}},
      {"gpu_memset", {K::kMemset, kDevice}},
      {"runtime", {K::kRuntime, kHost}},
      {"cuda_runtime", {K::kRuntime, kHost}},
      {"xpu_runtime", {K::kRuntime, kHost}},
      {"mtia_runtime", {K::kRuntime, kHost}},
      {"privateuse1_runtime", {K::kRuntime, kHost}},
      {"glow_runtime", {K::kRuntime, kHost}},
      {"hip_runtime", {K::kRuntime, kHost}},
      {"cuda_driver", {K::kDriver, kHost}},
      {"xpu_driver", {K::kDriver, kHost}},
      {"privateuse1_driver", {K::kDriver, kHost}},
      {"python_function", {K::kPythonFunction, kHost}},
      {"overhead", {K::kOverhead, Domain::kOverhead}},
      {"cuda_sync", {K::kSync, kDevice}},
      {"xpu_sync", {K::kSync, kDevice}},
      {"cuda_event", {K::kCudaEvent, kDevice}},
      {"trace", {K::kTraceSpan, Domain::kSpan}},
      {"collective_comm", {K::kCollective, Domain::kUnknown}},
      {"mtia_ccp_events", {K::kDeviceOther, kDevice}},
      {"hpu_op", {K::kDeviceOther, kDevice}},
      // Ranges of the counter profiler lie on a device without being its work: their times are made
      // up by dividing the session evenly.
      {"cuda_profiler_range", {K::kGpuUserAnnotation, kDevice}},
      {"cpu_instant_event", {K::kHostOther, kHost}},
  };
  if (raw.size() > 32) return {};
  char lower[32];
  for (size_t i = 0; i < raw.size(); ++i) {
    lower[i] = Lower(raw[i]);
  }
  const std::string_view text(lower, raw.size());
  const auto found = kTable.find(text);
  CategoryMeaning meaning = found == kTable.end() ? CategoryMeaning{} : found->second;
  // MTIA beside CUDA counts its own calls.
  meaning.correlation_space = text.starts_with("mtia") ? 1 : 0;
  return meaning;
}

FlowRole RoleOfFlows(std::string_view text) {
  for (const std::string_view name : {"fwdbwd", "fwd_bwd", "forward_backward"}) {
    if (EqualsLower(text, name)) return FlowRole::kForward;
  }
  for (const std::string_view name : {"ac2g", "async_cpu_to_gpu", "async_gpu"}) {
    if (EqualsLower(text, name)) return FlowRole::kLaunch;
  }
  return FlowRole::kOther;
}

}  // namespace emberline
