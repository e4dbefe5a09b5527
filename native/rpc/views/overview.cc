// view/overview: steps, devices, configuration, recommendations.
#include "analysis/overview.h"

#include "analysis/findings.h"
#include "rpc/views/common.h"
#include "rpc/views/view.h"

namespace emberline {
namespace {

Json OptionalRatio(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json PartsJson(const std::array<double, kRoleCount>& parts_ns) {
  Json json = Json::object();
  for (size_t role = 0; role < kRoleCount; ++role) {
    json[RoleKey(static_cast<Role>(role))] = parts_ns[role] / 1000.0;
  }
  return json;
}

}  // namespace

Json FindingJson(const Model& model, const Finding& finding) {
  Json json = {{"id", finding.id},     {"severity", finding.severity}, {"title", finding.title},
               {"text", finding.text}, {"action", finding.action},     {"snippet", finding.snippet}};
  json["evidence"] = Json::array();
  for (const Evidence& e : finding.evidence) {
    json["evidence"].push_back({{"label", e.label}, {"value", e.value}, {"unit", UnitName(e.unit)}});
  }
  json["gainUs"] = finding.gain_us ? Json(*finding.gain_us) : Json();
  json["slices"] = Json::array();
  for (SliceIndex slice : finding.slices) json["slices"].push_back(SliceRefJson(model.store(), slice));
  json["frames"] = Json::array();
  for (const Frame& frame : finding.frames) json["frames"].push_back(FrameJson(frame));
  return json;
}

Result<Json> OverviewView(const ViewRequest& request) {
  const Model& model = *request.trace.model;
  Result<TensorCoreRules> rules = RulesOf(request);
  if (!rules.ok()) return rules.error();
  Result<Overview> overview = AnalyzeOverview(model, request.steps, *rules, request.cancel);
  if (!overview.ok()) return overview.error();

  Json result = Json::object();
  result["configuration"] = Json::array();
  for (const ConfigEntry& entry : overview->configuration) {
    result["configuration"].push_back({{"name", entry.name}, {"value", entry.value}});
  }
  result["hasRecordedSteps"] = model.has_recorded_steps;
  result["hasDeviceWork"] = overview->has_device_work;
  result["roles"] = Json::array();
  for (size_t r = 0; r < kRoleCount; ++r) {
    const auto role = static_cast<Role>(r);
    result["roles"].push_back({{"key", RoleKey(role)},
                               {"title", RoleTitle(role)},
                               {"definition", RoleDefinition(role)},
                               {"present", overview->steps.present[r]}});
  }
  result["steps"] = Json::array();
  for (const StepParts& parts : overview->steps.steps) {
    const Step& step = model.steps[parts.step];
    std::array<double, kRoleCount> ns{};
    for (size_t r = 0; r < kRoleCount; ++r) ns[r] = static_cast<double>(parts.parts[r]);
    result["steps"].push_back({{"name", step.name},
                               {"startNs", step.time.begin},
                               {"durationUs", Us(step.time.Length())},
                               {"partial", step.partial},
                               {"parts", PartsJson(ns)}});
  }
  result["average"] = {{"steps", overview->steps.averaged_steps},
                       {"durationUs", overview->steps.average_total_ns / 1000.0},
                       {"parts", PartsJson(overview->steps.average_ns)}};
  result["gpus"] = Json::array();
  for (const GpuSummary& gpu : overview->gpus) {
    result["gpus"].push_back(
        {{"index", gpu.index},
         {"name", gpu.name},
         {"memoryBytes", gpu.memory_bytes > 0 ? Json(gpu.memory_bytes) : Json()},
         {"computeCapability", gpu.compute_capability.empty() ? Json() : Json(gpu.compute_capability)},
         {"multiprocessors", gpu.multiprocessors > 0 ? Json(gpu.multiprocessors) : Json()},
         {"utilization", OptionalRatio(gpu.utilization)},
         {"estSmEfficiency", OptionalRatio(gpu.est_sm_efficiency)},
         {"estOccupancy", OptionalRatio(gpu.est_occupancy)},
         {"tensorCoreShare", OptionalRatio(gpu.tensor_core_share)},
         {"kernelUs", Us(gpu.kernel_ns)}});
  }
  result["tensorCoreShare"] = OptionalRatio(overview->tensor_core_share);
  result["tensorCoreEligibleShare"] = OptionalRatio(overview->tensor_core_eligible_share);
  result["recommendations"] = Json::array();
  for (const Finding& finding : FindFindings(model, request.steps, *overview, request.cancel)) {
    result["recommendations"].push_back(FindingJson(model, finding));
  }
  return result;
}

}  // namespace emberline
