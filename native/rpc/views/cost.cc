// view/kernelList, view/cost, view/roofline.
#include <algorithm>
#include <cmath>
#include <set>

#include "cost/advice.h"
#include "cost/attribution.h"
#include "cost/launches.h"
#include "cost/summary.h"
#include "rpc/params.h"
#include "rpc/views/common.h"
#include "rpc/views/view.h"

namespace emberline {
namespace {

constexpr double kDefaultTarget = 0.6;

// A member of an object of the user's; errors name it.
Error WrongMember(const char* what, const std::string& key) {
  return {ErrorKind::kInvalidArgument,
          std::string(what) + ": \"" + key + "\" cannot be used.",
          "See the list of members in the protocol.",
          {}};
}

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

// The user's devices. An entry takes what it leaves out from the device of the table that its name
// means.
Result<std::vector<DevicePeaks>> OwnDevices(const Json& params) {
  std::vector<DevicePeaks> own;
  const auto list = params.find("devicePeaks");
  if (list == params.end() || !list->is_array()) return own;
  for (const Json& entry : *list) {
    DevicePeaks device;
    const std::string name = TextParam(entry, "name");
    if (name.empty()) return WrongMember("devicePeaks", "name");
    if (const DevicePeaks* known = FindDeviceByName(name)) device = *known;
    device.name = name;
    device.aliases = {name};
    device.source = "own table";
    for (const PeakMember& peak : kPeakMembers) {
      const auto value = entry.find(peak.key);
      if (value == entry.end()) continue;
      const double number = value->is_number() ? value->get<double>() : -1;
      if (!std::isfinite(number) || number < 0 || number > 1e9) {
        return WrongMember("devicePeaks", peak.key);
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

// What all three views stand on, kept together because each refers to the one before.
struct CostInputs {
  std::shared_ptr<const CostAttribution> costs;
  std::vector<DevicePeaks> own;
  std::unique_ptr<TensorCoreKernels> tensor_cores;
  size_t MemoryBytes() const { return costs->MemoryBytes(); }
};

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

Result<CostInputs> InputsOf(const ViewRequest& request) {
  auto costs = CostsOf(request);
  if (!costs.ok()) return costs.error();
  auto own = OwnDevices(request.params);
  if (!own.ok()) return own.error();
  const auto rules = RulesOf(request);
  if (!rules.ok()) return rules.error();
  return CostInputs{std::move(*costs), std::move(*own),
                    std::make_unique<TensorCoreKernels>(*request.trace.model, *rules)};
}

CostContext ContextOf(const ViewRequest& request, const CostInputs& inputs) {
  return {*request.trace.model, *inputs.costs, *inputs.tensor_cores, request.steps, inputs.own};
}

TableQuery QueryOf(const Json& params) {
  constexpr int64_t kDefaultLimit = 200, kMaxLimit = 2000;
  TableQuery query;
  query.sort = TextParam(params, "sort");
  query.filter = TextParam(params, "filter");
  query.offset = static_cast<uint64_t>(std::max<int64_t>(0, IntegerParam(params, "offset", 0)));
  const int64_t limit = IntegerParam(params, "limit", kDefaultLimit);
  query.limit = limit < 0 ? UINT64_MAX : static_cast<uint64_t>(std::min(limit, kMaxLimit));
  return query;
}

double TargetOf(const Json& params) {
  const auto it = params.find("target");
  const double target = it != params.end() && it->is_number() ? it->get<double>() : kDefaultTarget;
  return std::clamp(target, 0.01, 1.0);
}

Json OptionalNumber(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json SharesJson(const CostSums& sums) {
  const double time = static_cast<double>(sums.time);
  const auto share = [&](double part) { return time > 0 ? part / time : 0.0; };
  return {{"kernelUs", Us(sums.time)},
          {"kernels", sums.kernels},
          {"flops", sums.flops},
          {"readBytes", sums.read_bytes},
          {"writtenBytes", sums.written_bytes},
          {"unknownShare", share(static_cast<double>(sums.time - sums.costed))},
          {"unknownFlopsShare", share(static_cast<double>(sums.time - sums.flops_time))},
          {"unknownBytesShare", share(static_cast<double>(sums.time - sums.bytes_time))},
          {"unknownRoofShare", share(static_cast<double>(sums.time - sums.measured))},
          {"roofShare",
           sums.measured > 0 ? Json(sums.bound / static_cast<double>(sums.measured)) : Json()},
          {"savedUs", sums.saved / 1000}};
}

// Devices of the trace with their roofs.
Json DevicesJson(const CostContext& context) {
  Json devices = Json::array();
  for (const Device& device : context.model.devices) {
    DeviceProperties named;
    named.name = device.name;
    const DevicePeaks* peaks =
        FindDevice(device.properties != nullptr ? *device.properties : named, context.own_devices);
    Json entry = {{"device", device.ordinal},
                  {"label", DeviceLabel(device)},
                  {"name", device.name},
                  {"known", peaks != nullptr ? peaks->name : ""},
                  {"source", peaks != nullptr ? peaks->source : ""},
                  {"peaks", Json::array()},
                  {"bandwidths", Json::array()}};
    if (peaks != nullptr) {
      const auto peak = [&](const char* unit, double tera) {
        if (tera > 0) entry["peaks"].push_back({{"unit", unit}, {"tflopsPerS", tera}});
      };
      peak("fp64 vector", peaks->fp64);
      peak("fp64 matrix", peaks->fp64_matrix);
      peak("fp32 vector", peaks->fp32);
      peak("fp32 matrix", peaks->fp32_matrix);
      peak("tf32 matrix", peaks->tf32);
      peak("fp16 matrix", peaks->fp16);
      peak("bf16 matrix", peaks->bf16);
      peak("fp8 matrix", peaks->fp8);
      peak("fp4 matrix", peaks->fp4);
      peak("int8 matrix", peaks->int8);
      const auto bandwidth = [&](const char* level, double gb, double mib) {
        if (gb <= 0 && mib <= 0) return;
        entry["bandwidths"].push_back({{"level", level},
                                       {"gbPerS", gb > 0 ? Json(gb) : Json()},
                                       {"sizeMib", mib > 0 ? Json(mib) : Json()}});
      };
      bandwidth("memory", peaks->memory_gb_per_s, 0);
      bandwidth("cache", peaks->cache_gb_per_s, peaks->cache_mib);
      bandwidth("link", peaks->link_gb_per_s, 0);
    }
    devices.push_back(std::move(entry));
  }
  return devices;
}

Json UtilizationJson(const ViewRequest& request, const CostSummary& summary) {
  constexpr size_t kMaxSteps = 200;
  Json steps = Json::array();
  for (const StepUtilization& step : summary.steps) {
    if (steps.size() >= kMaxSteps) break;
    steps.push_back({{"step", request.trace.model->steps[step.step].name},
                     {"durationUs", Us(step.duration)},
                     {"modelFlops", step.model_flops},
                     {"hardwareFlops", step.hardware_flops},
                     {"mfu", OptionalNumber(step.mfu)},
                     {"hfu", OptionalNumber(step.hfu)}});
  }
  return {{"mfu", OptionalNumber(summary.mfu)},
          {"hfu", OptionalNumber(summary.hfu)},
          {"unit", summary.unit},
          {"peakTflopsPerS", summary.peak_flops > 0 ? Json(summary.peak_flops / 1e12) : Json()},
          {"forwardFlops", summary.forward_flops},
          {"backwardFlops", summary.backward_flops},
          {"recomputeFlops", summary.recompute_flops},
          {"steps", std::move(steps)}};
}

Result<CostGrouping> GroupingOf(const Json& params) {
  const std::string text = TextParam(params, "groupBy");
  constexpr std::pair<std::string_view, CostGrouping> kWords[] = {
      {"", CostGrouping::kOperator},     {"operator", CostGrouping::kOperator},
      {"shape", CostGrouping::kShape},   {"kernel", CostGrouping::kKernel},
      {"module", CostGrouping::kModule}, {"line", CostGrouping::kLine},
      {"class", CostGrouping::kClass}};
  for (const auto& [word, grouping] : kWords) {
    if (word == text) return grouping;
  }
  return Error{ErrorKind::kInvalidArgument, "Costs cannot be grouped by \"" + text + "\".",
               "Groupings: operator, shape, kernel, module, line, class.", std::nullopt};
}

Json AbsencesJson(const CostContext& context, const CostSummary& summary) {
  Json absences = Json::array();
  if (summary.total.kernels == 0) {
    absences.push_back(NoActivityJson("The trace holds no kernels in the selected steps."));
    return absences;
  }
  if (!context.model.store().HasArg(ArgRole::kInputShapes)) {
    absences.push_back(AbsenceJson(
        "Shapes were not recorded, so no operator's cost is known.", "record_shapes=True",
        "with torch.profiler.profile(record_shapes=True) as prof:\n    ..."));
  }
  return absences;
}

Result<Json> CostResult(const ViewRequest& request, bool roofline) {
  const auto grouping = GroupingOf(request.params);
  if (!grouping.ok()) return grouping.error();
  const auto inputs = InputsOf(request);
  if (!inputs.ok()) return inputs.error();
  const CostContext context = ContextOf(request, *inputs);
  const double target = TargetOf(request.params);
  const auto summary = SummarizeCosts(context, *grouping, target, request.cancel);
  if (!summary.ok()) return summary.error();
  Json params = request.params;
  if (roofline && TextParam(params, "sort").empty()) params["sort"] = "-savedUs";
  Result<Json> result = TableResult(CostTable(context, *summary, *grouping), params);
  if (!result.ok()) return result;
  (*result)["totals"] = SharesJson(summary->total);
  (*result)["target"] = target;
  (*result)["utilization"] = UtilizationJson(request, *summary);
  (*result)["devices"] = DevicesJson(context);
  (*result)["faultyCalls"] = inputs->costs->faulty_calls;
  const std::string other = TextParam(request.params, "whatIf");
  if (!other.empty()) {
    const DevicePeaks* device = FindDeviceByName(other, inputs->own);
    if (device == nullptr) {
      std::string known;
      for (const DevicePeaks& entry : KnownDevices())
        known += (known.empty() ? "" : ", ") + entry.name;
      return Error{ErrorKind::kInvalidArgument, "No device \"" + other + "\" is known.",
                   "Known: " + known + ".", std::nullopt};
    }
    const auto prediction = PredictOn(context, *device, request.cancel);
    if (!prediction.ok()) return prediction.error();
    const double kernel_time = static_cast<double>(prediction->kernel_time);
    (*result)["whatIf"] = {
        {"device", device->name},
        {"kernelUs", Us(prediction->kernel_time)},
        {"predictedKernelUs", prediction->predicted / 1000},
        {"stepUs", Us(prediction->step_time)},
        {"predictedStepUs", prediction->predicted_step / 1000},
        {"unscaledShare",
         kernel_time > 0 ? static_cast<double>(prediction->unscaled) / kernel_time : 0.0}};
  } else {
    (*result)["whatIf"] = nullptr;
  }
  if (roofline) {
    const auto findings = CostFindings(context, target, request.cancel);
    if (!findings.ok()) return findings.error();
    (*result)["findings"] = Json::array();
    for (const Finding& finding : *findings) {
      (*result)["findings"].push_back(FindingJson(context.model, finding));
    }
  }
  (*result)["absences"] = AbsencesJson(context, *summary);
  return result;
}

}  // namespace

Result<Json> KernelListView(const ViewRequest& request) {
  const auto inputs = InputsOf(request);
  if (!inputs.ok()) return inputs.error();
  const CostContext context = ContextOf(request, *inputs);
  const std::string mode = TextParam(request.params, "costMode");
  const auto page =
      QueryLaunches(context, mode == "pyprof2" ? CostMode::kPyProf2 : CostMode::kCorrected,
                    QueryOf(request.params), request.cancel);
  if (!page.ok()) return page.error();
  Json result = PageJson(*page, IntegerParam(request.params, "limit", 0) < 0);
  result["absences"] = Json::array();
  if (page->unfiltered_rows == 0) {
    result["absences"].push_back(
        NoActivityJson("The trace holds no kernels in the selected steps."));
  }
  return result;
}

Result<Json> CostView(const ViewRequest& request) { return CostResult(request, false); }
Result<Json> RooflineView(const ViewRequest& request) { return CostResult(request, true); }

}  // namespace emberline
