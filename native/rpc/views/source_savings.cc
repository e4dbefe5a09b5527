// source/savings: what the lines of a document would save nearer to the roofs of their devices.
#include "cost/summary.h"
#include "rpc/views/common.h"
#include "rpc/views/cost_inputs.h"
#include "rpc/views/source_params.h"
#include "rpc/views/view.h"
#include "session/byte_size.h"
#include "session/document_costs.h"

namespace emberline {
namespace {

constexpr size_t kMaxLines = 300;

// Everything that a saving depends on besides the trace and the sources.
std::string SavingsKey(const Json& params) {
  std::string key = "savings";
  for (const char* name : {"steps", "target", "devicePeaks", "costRules"}) {
    const auto it = params.find(name);
    key += '\n' + (it == params.end() ? "" : DumpJson(*it));
  }
  return key;
}

// What the kernels of each line would save, as sums over lines; kept with the trace.
Result<std::shared_ptr<const LinesResult>> SavingsOnLines(const ViewRequest& request,
                                                          const LineData& data) {
  return request.trace.results.Get<LinesResult>(
      data.key + '\n' + SavingsKey(request.params), request.cancel, [&]() -> Result<LinesResult> {
        const auto inputs = InputsOf(request);
        if (!inputs.ok()) return inputs.error();
        const auto saved =
            SavingsOfKernels(ContextOf(request, *inputs), TargetOf(request.params), request.cancel);
        if (!saved.ok()) return saved.error();
        return SumOverLines(*request.trace.model, data.attribution, request.steps, *saved,
                            request.cancel);
      });
}

}  // namespace

Result<Json> SourceSavings(const ViewRequest& request) {
  Json result = {{"target", TargetOf(request.params)}, {"savedUs", 0.0}, {"lines", Json::array()}};
  const auto document = DocumentLinesOf(request.trace, SpaceParam(request.params),
                                        DocumentParam(request.params), request.cancel);
  if (!document.ok()) return document.error();
  if (document->files.empty()) return result;
  const auto sums = SavingsOnLines(request, *document->data);
  if (!sums.ok()) return sums.error();
  result["savedUs"] = Us((*sums)->totals.device);
  const DocumentCosts costs(*document, **sums);
  for (const AnnotatedLine& a : costs.Lines(kMaxLines)) {
    if (a.cost.device_total <= 0) continue;
    result["lines"].push_back({{"line", a.line},
                               {"stale", a.stale},
                               {"savedUs", Us(a.cost.device_total)},
                               {"savedSelfUs", Us(a.cost.device_self)}});
  }
  return result;
}

}  // namespace emberline
