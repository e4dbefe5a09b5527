#include "rpc/views/common.h"

namespace emberline {
namespace {

// Kernel names reach kilobytes; a reference needs enough to be recognised.
constexpr size_t kMaxRefName = 400;

std::string ShortName(std::string_view name) {
  if (name.size() <= kMaxRefName) return std::string(name);
  size_t end = kMaxRefName;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80)
    --end;  // whole characters
  return std::string(name.substr(0, end)) + "...";
}

}  // namespace

Json FrameJson(const Frame& frame) {
  return {{"file", frame.file},
          {"line", frame.line},
          {"function", frame.function},
          {"lineIsDefinition", frame.line_is_definition},
          {"library", frame.library}};
}

Json SliceRefJson(const TraceStore& store, SliceIndex slice) {
  return {{"slice", slice},
          {"name", ShortName(store.name(slice))},
          {"startNs", store.start(slice)},
          {"durationNs", store.duration(slice)},
          {"track", store.track(slice)}};
}

Result<TensorCoreRules> RulesOf(const ViewRequest& request) {
  const auto vendor =
      request.trace.Cached<Vendor>("vendor", [&] { return VendorOf(*request.trace.model); });
  TensorCoreRules rules(*vendor);
  const auto own = request.params.find("tensorCoreRules");
  if (own != request.params.end() && own->is_array()) {
    for (const Json& rule : *own) {
      if (!rule.is_string()) continue;
      const Result<bool> added = rules.Add(rule.get_ref<const std::string&>());
      if (!added.ok()) return added.error();
    }
  }
  return rules;
}

std::shared_ptr<const StackIds> StacksOf(const ViewRequest& request) {
  return request.trace.Cached<StackIds>("stackIds", [&] { return StackIds(*request.trace.model); });
}

std::shared_ptr<const MemoryData> MemoryOf(const ViewRequest& request) {
  return request.trace.Cached<MemoryData>("memory", [&] {
    // Not cancelled half-way: the result is kept for the next request.
    auto data = AnalyzeMemory(*request.trace.model, {});
    return data.ok() ? std::move(*data) : MemoryData{};
  });
}

bool HasDeviceWork(const ViewRequest& request) {
  return *request.trace.Cached<bool>("hasDeviceWork", [&] {
    const TraceStore& store = *request.trace.store;
    for (SliceIndex i = 0; i < store.slice_count(); ++i) {
      if (IsDeviceWork(store.kind(i))) return true;
    }
    return false;
  });
}

std::string StepsKey(const ViewRequest& request) {
  const StepSelection& steps = request.steps;
  return steps.all ? "all" : std::to_string(steps.first) + "-" + std::to_string(steps.last);
}

std::string SelectionKey(const ViewRequest& request) {
  std::string key = StepsKey(request);
  const auto own = request.params.find("tensorCoreRules");
  if (own != request.params.end() && own->is_array() && !own->empty()) key += "/" + DumpJson(*own);
  return key;
}

}  // namespace emberline
