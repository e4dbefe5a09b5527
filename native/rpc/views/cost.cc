// view/kernelList, view/cost, view/roofline.
#include <algorithm>

#include "base/release.h"
#include "cost/advice.h"
#include "cost/launch_columns.h"
#include "cost/launches.h"
#include "cost/messages.h"
#include "cost/summary.h"
#include "cost/what_if.h"
#include "rpc/errors.h"
#include "rpc/messages.h"
#include "rpc/params.h"
#include "rpc/views/common.h"
#include "rpc/views/cost_inputs.h"
#include "rpc/views/place_findings.h"
#include "rpc/views/view.h"
#include "session/byte_size.h"

namespace emberline {
namespace {

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
  return MakeError(errors::kUnknownCostGrouping, {{"grouping", text}});
}

Json AbsencesJson(const ViewRequest& request, const CostContext& context,
                  const CostSummary& summary) {
  Json absences = Json::array();
  if (summary.total.kernels == 0) {
    absences.push_back(NoKernelsJson(request));
    return absences;
  }
  if (!context.model.store().HasArg(ArgRole::kInputShapes)) {
    absences.push_back(AbsenceJson(messages::kNoCosts));
  }
  return absences;
}

Json KnownDevicesJson(std::span<const DevicePeaks> own) {
  Json names = Json::array();
  for (const std::span<const DevicePeaks> devices : {own, KnownDevices()}) {
    for (const DevicePeaks& device : devices) names.push_back(device.name);
  }
  return names;
}

Json WhatIfJson(const DevicePeaks& device, const Prediction& prediction) {
  const double kernels = static_cast<double>(prediction.kernel_time);
  const auto share = [&](double part) { return kernels > 0 ? part / kernels : 0.0; };
  return {{"device", device.name},
          {"source", device.source},
          {"kernelUs", Us(prediction.kernel_time)},
          {"predictedKernelUs", prediction.predicted / 1000},
          {"busyUs", prediction.busy / 1000},
          {"predictedBusyUs", prediction.predicted_busy / 1000},
          {"stepUs", Us(prediction.step_time)},
          {"predictedStepUs", prediction.predicted_step / 1000},
          {"unscaledShare", share(static_cast<double>(prediction.unscaled))},
          {"latencyShare", share(prediction.latency)},
          {"accuracy", messages::kPredictionAccuracy.text.text()},
          {"accuracyCode", messages::kPredictionAccuracy.code}};
}

// A summary with its table, and for the roofline the advice. Does not refer to the costs.
struct KeptCosts {
  CostSummary summary;  // without its rows
  Table table;
  std::vector<Finding> findings;
  std::shared_ptr<const LineData> lines;  // tells the key of another version of the sources apart
  size_t MemoryBytes() const { return HeapBytesOf(summary.steps, summary.unit, table, findings); }
};

// Errors: kCancelled.
Result<KeptCosts> MakeCosts(const CostContext& context, CostGrouping grouping, double target,
                            bool advice, const CancelToken& cancel) {
  auto summary = SummarizeCosts(context, grouping, target, cancel);
  if (!summary.ok()) return summary.error();
  KeptCosts kept;
  kept.table = CostTable(context, *summary, grouping);
  kept.summary = std::move(*summary);
  Release(kept.summary.rows);
  if (!advice) return kept;
  auto findings = CostFindings(context, target, cancel);
  if (!findings.ok()) return findings.error();
  kept.findings = std::move(*findings);
  return kept;
}

Result<Json> CostResult(const ViewRequest& request, bool roofline) {
  const auto grouping = GroupingOf(request.params);
  if (!grouping.ok()) return grouping.error();
  const auto inputs = InputsOf(request);
  if (!inputs.ok()) return inputs.error();
  CostContext context = ContextOf(request, *inputs);
  const double target = TargetOf(request.params);
  const auto lines = LinesWhereAsked(request);
  if (!lines.ok()) return lines.error();
  if (*lines != nullptr) context.lines = &(*lines)->attribution;
  // The lines' address is theirs alone while they are kept beside what was made of them.
  std::string key = std::string(roofline ? "roofline/" : "cost/") + SelectionKey(request) +
                    CostKey(request.params) + "\n" + TextParam(request.params, "groupBy") + "\n" +
                    std::to_string(target) + "\n" +
                    std::to_string(reinterpret_cast<uintptr_t>(lines->get()));
  const auto kept =
      request.trace.results.Get<KeptCosts>(key, request.cancel, [&]() -> Result<KeptCosts> {
        auto made = MakeCosts(context, *grouping, target, roofline, request.cancel);
        if (made.ok()) made->lines = *lines;
        return made;
      });
  if (!kept.ok()) return kept.error();
  const CostSummary* summary = &(*kept)->summary;
  Json params = request.params;
  if (roofline && TextParam(params, "sort").empty()) params["sort"] = "-savedUs";
  const ViewRequest sorted{request.trace, params,          request.cancel,
                           request.steps, request.workers, request.sink};
  Result<Json> result = TableResult(sorted, key, (*kept)->table);
  if (!result.ok()) return result;
  (*result)["totals"] = SharesJson(summary->total);
  (*result)["target"] = target;
  (*result)["utilization"] = UtilizationJson(request, *summary);
  (*result)["devices"] = DevicesJson(context);
  (*result)["faultyCalls"] = inputs->costs->faulty_calls;
  (*result)["knownDevices"] = KnownDevicesJson(inputs->own);
  const std::string other = TextParam(request.params, "whatIf");
  if (!other.empty()) {
    const DevicePeaks* device = FindDeviceByName(other, inputs->own);
    if (device == nullptr) {
      std::string known;
      for (const DevicePeaks& entry : KnownDevices())
        known += (known.empty() ? "" : ", ") + entry.name;
      return MakeError(errors::kUnknownDevicePeaks, {{"device", other}, {"known", known}});
    }
    const auto prediction = PredictOn(context, *device, request.cancel);
    if (!prediction.ok()) return prediction.error();
    (*result)["whatIf"] = WhatIfJson(*device, *prediction);
  } else {
    (*result)["whatIf"] = nullptr;
  }
  if (roofline) {
    (*result)["findings"] = Json::array();
    for (Finding finding : (*kept)->findings) {
      if (*lines != nullptr) PlaceFinding(context.model, **lines, &finding);
      (*result)["findings"].push_back(FindingJson(context.model, finding));
    }
  }
  (*result)["absences"] = AbsencesJson(request, context, *summary);
  return result;
}

}  // namespace

Result<Json> KernelListView(const ViewRequest& request) {
  const auto inputs = InputsOf(request);
  if (!inputs.ok()) return inputs.error();
  CostContext context = ContextOf(request, *inputs);
  const auto stacks = StacksOf(request);
  if (!stacks.ok()) return stacks.error();
  context.stacks = stacks->get();
  const std::string mode = TextParam(request.params, "costMode");
  const CostMode cost_mode = mode == "pyprof2" ? CostMode::kPyProf2 : CostMode::kCorrected;
  const std::string key =
      "launches/" + SelectionKey(request) + CostKey(request.params) + "\n" + mode;
  const auto rows = request.trace.results.Get<LaunchRows>(
      key, request.cancel, [&] { return ListLaunches(context, cost_mode, request.cancel); });
  if (!rows.ok()) return rows.error();
  Result<Json> result = TableResult(request, key, *LaunchTable(context, **rows));
  if (!result.ok()) return result;
  (*result)["absences"] = Json::array();
  if ((*result)["unfilteredRows"] == 0) {
    (*result)["absences"].push_back(NoKernelsJson(request));
  }
  return result;
}

Result<Json> CostView(const ViewRequest& request) { return CostResult(request, false); }
Result<Json> RooflineView(const ViewRequest& request) { return CostResult(request, true); }

}  // namespace emberline
