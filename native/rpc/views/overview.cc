// view/overview: steps, devices, configuration, recommendations.
#include "analysis/overview.h"

#include <algorithm>

#include "analysis/findings.h"
#include "analysis/headline.h"
#include "json/message_json.h"
#include "rpc/messages.h"
#include "rpc/views/common.h"
#include "rpc/views/place_findings.h"
#include "rpc/views/view.h"

namespace emberline {
namespace {

// Steps in a reply that is no export; a reply stays below 256 KiB.
constexpr int64_t kDefaultSteps = 400;
// Slices and frames of one finding, and what all findings may take.
constexpr size_t kMaxLinks = 20;
constexpr size_t kFindingsBytes = 96 << 10;

Json OptionalRatio(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

double ShareOf(Ns part, Ns whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

Json PartsJson(const std::array<double, kRoleCount>& parts_ns) {
  Json json = Json::object();
  for (size_t role = 0; role < kRoleCount; ++role) {
    json[RoleKey(static_cast<Role>(role))] = parts_ns[role] / 1000.0;
  }
  return json;
}

}  // namespace

Json FindingJson(const Model& model, const Finding& finding) {
  Json json = {{"id", finding.id},
               {"severity", finding.severity},
               {"title", finding.title},
               {"text", finding.text},
               {"action", finding.action},
               {"snippet", finding.snippet},
               {"arguments", ArgumentsJson(finding.arguments)}};
  json["evidence"] = Json::array();
  for (const Evidence& e : finding.evidence) {
    json["evidence"].push_back({{"label", e.label.text},
                                {"code", e.label.code},
                                {"arguments", ArgumentsJson(e.label.arguments)},
                                {"value", e.value},
                                {"unit", UnitName(e.unit)}});
  }
  json["gainUs"] = finding.gain_us ? Json(*finding.gain_us) : Json();
  json["slices"] = Json::array();
  for (SliceIndex slice : finding.slices) {
    if (json["slices"].size() >= kMaxLinks) break;
    json["slices"].push_back(SliceRefJson(model.store(), slice));
  }
  json["frames"] = Json::array();
  for (const Frame& frame : finding.frames) {
    if (json["frames"].size() >= kMaxLinks) break;
    json["frames"].push_back(FrameJson(frame));
  }
  return json;
}

namespace {

// What an overview rests on: passes over the whole trace, made once.
struct KeptOverview {
  Overview overview;
  std::vector<Finding> findings;
  size_t MemoryBytes() const { return HeapBytesOf(overview, findings); }
};

Result<std::shared_ptr<const KeptOverview>> KeptOverviewOf(const ViewRequest& request,
                                                           Extent extent) {
  const Result<TensorCoreRules> rules = RulesOf(request);
  if (!rules.ok()) return rules.error();
  const auto make = [&]() -> Result<KeptOverview> {
    const Model& model = *request.trace.model;
    Result<Overview> overview = AnalyzeOverview(model, request.steps, *rules, request.cancel);
    if (!overview.ok()) return overview.error();
    std::vector<Finding> findings;
    if (extent == Extent::kFile) {
      findings = FindFindings(model, request.steps, *overview, request.cancel);
    }
    if (request.cancel.cancelled()) {
      return Cancelled();
    }
    return KeptOverview{std::move(*overview), std::move(findings)};
  };
  return request.trace.results.Get<KeptOverview>("overview/" + SelectionKey(request),
                                                 request.cancel, make);
}

Result<Json> OverviewJson(const ViewRequest& request, Extent extent) {
  const Model& model = *request.trace.model;
  const auto kept = KeptOverviewOf(request, extent);
  if (!kept.ok()) return kept.error();
  const Overview* overview = &(*kept)->overview;

  Json result = Json::object();
  result["configuration"] = Json::array();
  result["configuration"].push_back(
      {{"name", Say(messages::kWorkersInRun).text}, {"value", std::to_string(request.workers())}});
  for (const ConfigEntry& entry : overview->configuration) {
    result["configuration"].push_back({{"name", entry.name}, {"value", entry.value}});
  }
  const Headline headline = MakeHeadline(model, *overview, extent);
  result["headline"] = {{"text", headline.message.text},
                        {"code", headline.message.code},
                        {"arguments", ArgumentsJson(headline.message.arguments)},
                        {"bound", BoundName(headline.bound)},
                        {"busy", headline.busy},
                        {"lostUs", headline.lost_ns / 1000.0},
                        {"totalUs", headline.total_ns / 1000.0}};
  result["hasRecordedSteps"] = model.has_recorded_steps;
  result["hasDeviceWork"] = overview->has_device_work;
  result["roles"] = Json::array();
  for (size_t r = 0; r < kRoleCount; ++r) {
    const auto role = static_cast<Role>(r);
    result["roles"].push_back({{"key", RoleKey(role)},
                               {"title", RoleTitle(role).text.text()},
                               {"titleCode", RoleTitle(role).code},
                               {"definition", RoleDefinition(role).text.text()},
                               {"definitionCode", RoleDefinition(role).code},
                               {"present", overview->steps.present[r]}});
  }
  const int64_t limit = request.params.value("limit", kDefaultSteps);
  const bool all = limit < 0;
  result["totalSteps"] = overview->steps.steps.size();
  result["steps"] = Json::array();
  for (const StepParts& parts : overview->steps.steps) {
    if (!all && static_cast<int64_t>(result["steps"].size()) >= std::min(limit, kDefaultSteps))
      break;
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
         {"label", gpu.label},
         {"name", gpu.name},
         {"memoryBytes", gpu.memory_bytes > 0 ? Json(gpu.memory_bytes) : Json()},
         {"computeCapability",
          gpu.compute_capability.empty() ? Json() : Json(gpu.compute_capability)},
         {"multiprocessors", gpu.multiprocessors > 0 ? Json(gpu.multiprocessors) : Json()},
         {"utilization", OptionalRatio(gpu.utilization)},
         {"estSmEfficiency", OptionalRatio(gpu.est_sm_efficiency)},
         {"estOccupancy", OptionalRatio(gpu.est_occupancy)},
         {"tensorCoreShare", OptionalRatio(gpu.tensor_core_share)},
         {"tensorCoreUnknownShare", OptionalRatio(gpu.tensor_core_unknown_share)},
         {"kernelUs", Us(gpu.kernel_ns)}});
  }
  result["tensorCoreShare"] = OptionalRatio(overview->tensor_core_share);
  result["tensorCoreUnknownShare"] = OptionalRatio(overview->tensor_core_unknown_share);
  result["tensorCoreEligibleShare"] = OptionalRatio(overview->tensor_core_eligible_share);
  if (overview->recompute) {
    const RecomputeCost& cost = *overview->recompute;
    result["recompute"] = {{"hostUs", Us(cost.host)},
                           {"hostShare", ShareOf(cost.host, cost.all_host)},
                           {"deviceUs", Us(cost.device)},
                           {"deviceShare", ShareOf(cost.device, cost.all_device)}};
  }
  result["recommendations"] = Json::array();
  size_t bytes = 0;
  const auto lines = LinesWhereAsked(request);
  if (!lines.ok()) return lines.error();
  for (Finding finding : (*kept)->findings) {
    if (*lines != nullptr) PlaceFinding(model, **lines, &finding);
    Json json = FindingJson(model, finding);
    bytes += DumpJson(json).size();
    if (bytes > kFindingsBytes && !all) {
      // Only hostile names get here: the finding stays, its links go.
      json["slices"] = Json::array();
      json["frames"] = Json::array();
    }
    result["recommendations"].push_back(std::move(json));
  }
  return result;
}

}  // namespace

Result<Json> OverviewView(const ViewRequest& request) {
  return OverviewJson(request, Extent::kFile);
}

Result<Json> OverviewOfPart(const ViewRequest& request) {
  return OverviewJson(request, Extent::kPart);
}

}  // namespace emberline
