// Methods by name: from parameters to a result, without ids, framing or threads. The daemon and the
// command line call the same functions.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/cancel.h"
#include "base/result.h"
#include "json/json.h"
#include "rpc/views/view.h"
#include "session/session.h"

namespace emberline {

struct CallContext {
  Session& session;
  CancelToken cancel;
  ProgressFn progress;  // must stay callable after the call returned: a shared load may report late
  // Told by profile/load, for work that may follow the reply. May be empty.
  std::function<void(std::shared_ptr<const LoadedTrace>)> loaded = {};
  // Takes what is large of the result; may be null.
  const ResultSink* sink = nullptr;
  // Told when profile/firstPicture can be asked for the trace that profile/load reads. May be
  // empty, and must stay callable as `progress` does.
  std::function<void()> first_picture = {};
};

// True for the methods that CallMethod answers.
bool IsMethod(const std::string& method);

// Answers profile/* and every method of AllViews(): checks the parameters, loads the selected
// trace, parses the steps, calls. Blocks; any thread; never throws.
Result<Json> CallMethod(const std::string& method, const Json& params, const CallContext& context);

// The members run, worker and span of `params`.
TraceSelection SelectionOf(const Json& params);

}  // namespace emberline
