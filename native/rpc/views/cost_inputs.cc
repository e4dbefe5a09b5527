#include "rpc/views/cost_inputs.h"

#include <algorithm>
#include <cmath>

#include "rpc/errors.h"
#include "rpc/params.h"
#include "rpc/views/common.h"

namespace emberline {
namespace {

struct PeakMember {
  const char* key;
  double DevicePeaks::*member;
};
constexpr PeakMember kPeakMembers[] = {{"fp64", &DevicePeaks::fp64},
                                       {"fp64Matrix", &DevicePeaks::fp64_matrix},
                                       {"fp32", &DevicePeaks::fp32},
                                       {"fp32Matrix", &DevicePeaks::fp32_matrix},
                                       {"tf32", &DevicePeaks::tf32},
                                       {"fp16", &DevicePeaks::fp16},
                                       {"bf16", &DevicePeaks::bf16},
                                       {"fp8", &DevicePeaks::fp8},
                                       {"fp4", &DevicePeaks::fp4},
                                       {"int8", &DevicePeaks::int8},
                                       {"memoryGbPerS", &DevicePeaks::memory_gb_per_s},
                                       {"cacheMib", &DevicePeaks::cache_mib},
                                       {"cacheGbPerS", &DevicePeaks::cache_gb_per_s},
                                       {"linkGbPerS", &DevicePeaks::link_gb_per_s}};

Error WrongPeak(const char* key) {
  return MakeError(errors::kUnusableMember, {{"list", "devicePeaks"}, {"member", key}});
}

// The user's devices. An entry takes what it leaves out from the device of the table that its name
// means.
Result<std::vector<DevicePeaks>> OwnDevices(const Json& params) {
  std::vector<DevicePeaks> own;
  const auto list = params.find("devicePeaks");
  if (list == params.end() || !list->is_array()) return own;
  for (const Json& entry : *list) {
    DevicePeaks device;
    const std::string name = TextParam(entry, "name");
    if (name.empty()) return WrongPeak("name");
    if (const DevicePeaks* known = FindDeviceByName(name)) device = *known;
    device.name = name;
    device.aliases = {name};
    device.source = "own table";
    for (const PeakMember& peak : kPeakMembers) {
      const auto value = entry.find(peak.key);
      if (value == entry.end()) continue;
      const double number = value->is_number() ? value->get<double>() : -1;
      if (!std::isfinite(number) || number < 0 || number > 1e9) {
        return WrongPeak(peak.key);
      }
      device.*peak.member = number;
    }
    own.push_back(std::move(device));
  }
  return own;
}

Result<std::shared_ptr<const CostRules>> OwnRules(const Json& params) {
  const auto list = params.find("costRules");
  if (list == params.end() || !list->is_array() || list->empty()) {
    return std::shared_ptr<const CostRules>();
  }
  std::vector<CostRule> rules;
  for (const Json& entry : *list) {
    const auto matrix = entry.find("matrix");
    rules.push_back({TextParam(entry, "name"), TextParam(entry, "flops"),
                     TextParam(entry, "readBytes"), TextParam(entry, "writtenBytes"),
                     matrix != entry.end() && matrix->is_boolean() && matrix->get<bool>()});
  }
  return CostRules::Make(std::move(rules));
}

std::string KeyOfParam(const Json& params, const char* key) {
  const auto it = params.find(key);
  return it == params.end() ? "" : DumpJson(*it);
}

Result<std::shared_ptr<const CostAttribution>> CostsOf(const ViewRequest& request) {
  struct Kept {
    std::shared_ptr<const CostAttribution> costs;
    size_t MemoryBytes() const { return costs->MemoryBytes(); }
  };
  const auto kept = request.trace.results.Get<Kept>(
      "kernelCosts/" + KeyOfParam(request.params, "costRules"), request.cancel,
      [&]() -> Result<Kept> {
        const auto rules = OwnRules(request.params);
        if (!rules.ok()) return rules.error();
        auto costs = AttributeCosts(*request.trace.model, rules->get(), request.cancel);
        if (!costs.ok()) return costs.error();
        return Kept{std::move(*costs)};
      });
  if (!kept.ok()) return kept.error();
  return (*kept)->costs;
}

}  // namespace

Result<CostInputs> InputsOf(const ViewRequest& request) {
  auto costs = CostsOf(request);
  if (!costs.ok()) return costs.error();
  auto own = OwnDevices(request.params);
  if (!own.ok()) return own.error();
  const auto rules = RulesOf(request);
  if (!rules.ok()) return rules.error();
  auto tensor_cores = request.trace.results.Get<TensorCoreKernels>(
      "matrixUse/" + KeyOfParam(request.params, "tensorCoreRules"), request.cancel,
      [&] { return TensorCoreKernels(*request.trace.model, *rules); });
  if (!tensor_cores.ok()) return tensor_cores.error();
  return CostInputs{std::move(*costs), std::move(*own), std::move(*tensor_cores)};
}

std::string CostKey(const Json& params) {
  return "\n" + KeyOfParam(params, "costRules") + "\n" + KeyOfParam(params, "devicePeaks");
}

CostContext ContextOf(const ViewRequest& request, const CostInputs& inputs) {
  return {*request.trace.model, *inputs.costs, *inputs.tensor_cores, request.steps, inputs.own};
}

double TargetOf(const Json& params) {
  constexpr double kDefaultTarget = 0.6;
  const auto it = params.find("target");
  const double target = it != params.end() && it->is_number() ? it->get<double>() : kDefaultTarget;
  return std::clamp(target, 0.01, 1.0);
}

}  // namespace emberline
