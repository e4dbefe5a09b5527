// How a view becomes a method: one function from a loaded trace and JSON parameters to a
// JSON result, used by the daemon and the command line alike. One file per view in this folder.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/lazy_table.h"
#include "analysis/table.h"
#include "base/cancel.h"
#include "base/result.h"
#include "json/json.h"
#include "session/session.h"

namespace emberline {

// Where the rows of a result's main table, or the text of an export, go as they are made, instead
// of into the result: what a command line writes out is never whole in memory.
struct ResultSink {
  // Once, before the first row. An error ends the request.
  std::function<Result<bool>(const Json& columns)> begin;
  // A row by the keys of the columns; false when no more are wanted.
  std::function<bool(const Json& row)> row;
  // The next piece of a text; false when no more is wanted.
  std::function<bool(std::string_view piece)> text;
};

struct ViewRequest {
  const LoadedTrace& trace;
  const Json&
      params;  // the method's params object (protocol schema), profileId and selection included
  CancelToken cancel;
  StepSelection steps;               // parsed from params.steps
  std::function<size_t()> workers;   // how many the selected run has; looks through its profile
  const ResultSink* sink = nullptr;  // see there; null for a result that is whole
};

using ViewFunction = Result<Json> (*)(const ViewRequest&);

struct ViewMethod {
  const char* method;  // "view/operators"
  ViewFunction function;
};

// Every view method; the list stands in rpc/views/all_views.cc, one line per method.
const std::vector<ViewMethod>& AllViews();

// {columns, rows, totalRows, unfilteredRows} of `table` under params' sort, filter, offset, limit
// (limit: default 200, at most 2000; below 0, for exports, as many as a large reply takes). A page
// that ends early has fewer rows than its limit and totalRows; the next begins where it ended.
Result<Json> TableResult(const Table& table, const ViewRequest& request);
Result<Json> TableResult(const Table& table, const Json& params, const ResultSink* sink = nullptr);
// The same of a table that is kept with the trace under `key`: then so is the order of its rows.
Result<Json> TableResult(const ViewRequest& request, const std::string& key, const Table& table);
// The same of a table that is never whole: the order of its rows is kept under `key`.
Result<Json> TableResult(const ViewRequest& request, const std::string& key,
                         const LazyTable& table);
// The same without query, for small tables inside a result.
Json TableJson(const Table& table);

// The overview of a part of a trace: view/overview's result without findings, which a part cannot
// support. Errors: kCancelled.
Result<Json> OverviewOfPart(const ViewRequest& request);

// Microseconds with ns precision from ns.
double Us(Ns ns);

// Makes what the timeline's first picture needs (its rows, and the pyramids of those that are
// open), so that the first request finds it. Any thread; `cancel` ends it early.
void PrepareTimeline(const LoadedTrace& trace, const CancelToken& cancel);

}  // namespace emberline
