// How a view becomes a method: one function from a loaded trace and JSON parameters to a
// JSON result, used by the daemon and the command line alike. One file per view in this folder.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/table.h"
#include "base/cancel.h"
#include "base/result.h"
#include "json/json.h"
#include "session/session.h"

namespace emberline {

struct ViewRequest {
  const LoadedTrace& trace;
  const Json&
      params;  // the method's params object (protocol schema), profileId and selection included
  CancelToken cancel;
  StepSelection steps;              // parsed from params.steps
  std::function<size_t()> workers;  // how many the selected run has; looks through its profile
};

using ViewFunction = Result<Json> (*)(const ViewRequest&);

struct ViewMethod {
  const char* method;  // "view/operators"
  ViewFunction function;
};

// Every view method; the list stands in rpc/views/all_views.cc, one line per method.
const std::vector<ViewMethod>& AllViews();

// {columns, rows, totalRows, unfilteredRows} of `table` under params' sort, filter, offset, limit
// (limit: default 200, at most 2000, or all rows for exports and the command line, which pass limit
// < 0).
Result<Json> TableResult(const Table& table, const Json& params);
// The same of a table that is kept with the trace under `key`: then so is the order of its rows.
Result<Json> TableResult(const ViewRequest& request, const std::string& key, const Table& table);
// The same of a page that was cut already; `all`: its rows may be more than one reply takes.
Json PageJson(const TablePage& page, bool all);
// The same without query, for small tables inside a result.
Json TableJson(const Table& table);

// Microseconds with ns precision from ns.
double Us(Ns ns);

// Makes what the timeline's first picture needs (its rows, and the pyramids of those that are
// open), so that the first request finds it. Any thread; `cancel` ends it early.
void PrepareTimeline(const LoadedTrace& trace, const CancelToken& cancel);

}  // namespace emberline
