#include "rpc/views/compare.h"

#include "rpc/params.h"
#include "rpc/views/compare_tables.h"

namespace emberline {
namespace {

Result<Json> CompareTable(const CompareRequest& request) {
  const auto time = TimeOf(request);
  if (!time.ok()) return time.error();
  auto compared = CompareBy(request, TextParam(request.params, "by"), *time);
  if (!compared.ok()) return compared.error();
  Result<Json> result = TableResult((*compared)->table, request.params, request.sink);
  if (!result.ok()) return result;
  (*result)["measure"] = (*compared)->measure;
  (*result)["time"] = *time == Time::kDevice ? "device" : "host";
  (*result)["per"] = IsPerStep(request) ? "step" : "selection";
  (*result)["matchedShare"] = (*compared)->matched;
  return result;
}

}  // namespace

const std::vector<CompareMethod>& CompareMethods() {
  static const std::vector<CompareMethod> methods = {
      {"compare/verdict", &CompareVerdict},   {"compare/table", &CompareTable},
      {"compare/tree", &CompareTree},         {"compare/annotations", &CompareAnnotations},
      {"compare/timeline", &CompareTimeline}, {"compare/slice", &CompareSlice},
  };
  return methods;
}

}  // namespace emberline
