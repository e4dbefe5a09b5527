// compare/*: two traces side by side.
#pragma once

#include "base/result.h"
#include "json/json.h"
#include "rpc/views/view.h"

namespace emberline {

// Two loaded traces with the steps that are compared. Each side's request has the params of the
// whole call; the baseline's also `revision` and `recordedText`, where its source is another
// version.
struct CompareRequest {
  const ViewRequest& baseline;
  const ViewRequest& candidate;
  const Json& params;
  CancelToken cancel;
  const ResultSink* sink = nullptr;  // see there; null for a result that is whole
};

using CompareFunction = Result<Json> (*)(const CompareRequest&);

struct CompareMethod {
  const char* method;  // "compare/table"
  CompareFunction function;
};

Result<Json> CompareVerdict(const CompareRequest& request);
Result<Json> CompareTree(const CompareRequest& request);
Result<Json> CompareAnnotations(const CompareRequest& request);
Result<Json> CompareTimeline(const CompareRequest& request);
Result<Json> CompareSlice(const CompareRequest& request);

// Every method that compares.
const std::vector<CompareMethod>& CompareMethods();

}  // namespace emberline
