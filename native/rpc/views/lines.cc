#include "analysis/stack_of.h"
#include "rpc/errors.h"
#include "rpc/messages.h"
#include "rpc/views/common.h"
#include "rpc/views/source_params.h"
#include "rpc/views/view.h"

namespace emberline {

Json LineCostJson(const LineAttribution& attribution, const LineCost& cost) {
  const LineLocation& l = attribution.locations[cost.location];
  return {{"file", l.file},
          {"line", l.line},
          {"function", l.function},
          {"deviceSelfUs", Us(cost.device_self)},
          {"deviceTotalUs", Us(cost.device_total)},
          {"backwardDeviceUs", Us(cost.backward_device)},
          {"recomputeDeviceUs", Us(cost.recompute_device)},
          {"hostSelfUs", Us(cost.host_self)},
          {"hostTotalUs", Us(cost.host_total)},
          {"backwardHostUs", Us(cost.backward_host)},
          {"recomputeHostUs", Us(cost.recompute_host)},
          {"runs", cost.runs},
          {"calls", cost.calls},
          {"allocatedBytes", cost.allocated_bytes},
          {"collectives", cost.collectives},
          {"collectiveUs", Us(cost.collective)},
          {"synchronizationUs", Us(cost.synchronization)},
          {"idleUs", Us(cost.idle)},
          {"confidence", LineConfidenceName(l.confidence)},
          {"operators", cost.operators}};
}

Json LineTotalsJson(const LineTotals& totals) {
  return {
      {"deviceUs", Us(totals.device)},          {"hostUs", Us(totals.host)},
      {"lineDeviceUs", Us(totals.line_device)}, {"functionDeviceUs", Us(totals.function_device)},
      {"lineHostUs", Us(totals.line_host)},     {"functionHostUs", Us(totals.function_host)}};
}

namespace {

// Notebook and console cells that ran and whose text nobody has shown yet.
size_t UnknownCells(const LineData& data) {
  size_t count = 0;
  for (const auto& [recorded, file] : data.files) {
    if (file.module == nullptr && IsCellPath(recorded)) ++count;
  }
  return count;
}

}  // namespace

Result<Json> LinesView(const ViewRequest& request) {
  const std::string group = TextParam(request.params, "groupBy");
  LineGrouping grouping = LineGrouping::kLine;
  if (group == "function")
    grouping = LineGrouping::kFunction;
  else if (group == "file")
    grouping = LineGrouping::kFile;
  else if (!group.empty() && group != "line") {
    return MakeError(errors::kUnknownLineGrouping, {{"grouping", group}});
  }
  const auto data = LinesOf(request.trace, SpaceParam(request.params), request.cancel);
  if (!data.ok()) return data.error();
  const auto sums = LineSumsOf(request.trace, **data, request.steps, request.cancel);
  if (!sums.ok()) return sums.error();
  const LineAttribution& attribution = (*data)->attribution;
  Result<Json> result = TableResult(LinesTable(attribution, **sums, grouping), request);
  if (!result.ok()) return result;
  (*result)["totals"] = LineTotalsJson((*sums)->totals);
  const size_t cells = UnknownCells(**data);
  Json absences = Json::array();
  if (!attribution.has_stacks) {
    absences.push_back(AbsenceJson(messages::kNoLines));
  } else if (!attribution.has_sources && cells == 0 && !attribution.contexts.empty()) {
    absences.push_back(AbsenceJson(messages::kNoSources));
  }
  if (cells > 0) absences.push_back(AbsenceJson(messages::kUnknownCells, {{"cells", cells}}));
  (*result)["absences"] = std::move(absences);
  return result;
}

}  // namespace emberline
