#include "rpc/methods.h"

#include <new>

#include "base/errors.h"
#include "rpc/errors.h"
#include "rpc/messages.h"
#include "rpc/params.h"
#include "rpc/schema.h"
#include "rpc/views/common.h"
#include "rpc/views/compare.h"
#include "rpc/views/distributed.h"
#include "rpc/views/profile.h"
#include "rpc/views/view.h"
#include "session/trace_set.h"

namespace emberline {
namespace {

const ViewMethod* FindView(const std::string& method) {
  for (const ViewMethod& view : AllViews()) {
    if (method == view.method) return &view;
  }
  return nullptr;
}

// The steps that `params` selects. Errors: kInvalidArgument for steps that the trace has not.
Result<StepSelection> StepsOf(const LoadedTrace& trace, const Json& params) {
  const std::string text = TextParam(params, "steps");
  if (text.empty() || text == "all") return StepSelection{};
  return ParseSteps(*trace.model, text);
}

Result<Json> CallView(const ViewMethod& view, const Json& params, const CallContext& context) {
  const std::shared_ptr<void> work =
      context.session.BeginWork(TextParam(params, "profileId"), context.cancel);
  Result<std::shared_ptr<const LoadedTrace>> trace =
      context.session.Load(TextParam(params, "profileId"), SelectionOf(params),
                           ReadOptions{context.cancel, context.progress});
  if (!trace.ok()) return trace.error();
  const Result<StepSelection> steps = StepsOf(*trace.value(), params);
  if (!steps.ok()) return steps.error();
  const auto workers = [&] {
    const Result<Profile> profile = context.session.Find(TextParam(params, "profileId"));
    return profile.ok() ? WorkersOf(*profile, SelectionOf(params)) : 0;
  };
  const ViewRequest request{*trace.value(), params, context.cancel, *steps, workers, context.sink};
  Result<Json> result = view.function(request);
  if (result.ok()) DropMisplacedAdvice(*trace.value()->store, &result.value());
  return result;
}

const CompareMethod* FindCompare(const std::string& method) {
  for (const CompareMethod& compare : CompareMethods()) {
    if (method == compare.method) return &compare;
  }
  return nullptr;
}

Result<Json> CallCompare(const CompareMethod& compare, const Json& params,
                         const CallContext& context) {
  std::vector<TraceRef> refs;
  std::vector<std::shared_ptr<void>> work;
  for (const char* side : {"baseline", "candidate"}) {
    const std::string profile = TextParam(params[side], "profileId");
    refs.push_back({profile, SelectionOf(params[side])});
    work.push_back(context.session.BeginWork(profile, context.cancel));
  }
  auto members = LoadAll(context.session, refs, ReadOptions{context.cancel, context.progress});
  if (!members.ok()) return members.error();
  const auto workers = [] { return size_t{1}; };
  // Where the source of the baseline is another version than that of now.
  Json before = params;
  before["revision"] = TextParam(params, "baselineRevision");
  if (params.contains("baselineText")) before["recordedText"] = params["baselineText"];
  std::vector<ViewRequest> sides;
  for (size_t i = 0; i < members->size(); ++i) {
    const auto& trace = (*members)[i].trace;
    if (!trace.ok()) {
      Error error = trace.error();
      error.message = Say(i == 0 ? messages::kBaselineFailed : messages::kCandidateFailed,
                          {{"reason", error.message}})
                          .text;
      error.arguments.emplace_back("side", i == 0 ? "baseline" : "candidate");
      return error;
    }
    const Result<StepSelection> steps =
        StepsOf(*trace.value(), params[i == 0 ? "baseline" : "candidate"]);
    if (!steps.ok()) return steps.error();
    sides.push_back(
        ViewRequest{*trace.value(), i == 0 ? before : params, context.cancel, *steps, workers});
  }
  return compare.function({sides[0], sides[1], params, context.cancel, context.sink});
}

}  // namespace

TraceSelection SelectionOf(const Json& params) {
  return {TextParam(params, "run"), TextParam(params, "worker"), TextParam(params, "span")};
}

bool IsMethod(const std::string& method) {
  return FindProfileMethod(method) != nullptr || FindView(method) != nullptr ||
         FindCompare(method) != nullptr || FindDistributedMethod(method) != nullptr;
}

Result<Json> CallMethod(const std::string& method, const Json& params, const CallContext& context) {
  try {
    if (context.cancel.cancelled()) {
      return Cancelled();
    }
    Result<bool> checked = CheckParams(method, params);
    if (!checked.ok()) return checked.error();
    if (const ProfileFunction profile = FindProfileMethod(method)) return profile(params, context);
    if (const ViewMethod* view = FindView(method)) return CallView(*view, params, context);
    if (const CompareMethod* compare = FindCompare(method)) {
      return CallCompare(*compare, params, context);
    }
    if (const DistributedFunction distributed = FindDistributedMethod(method)) {
      return distributed(params, context);
    }
    return MakeError(errors::kNoSuchMethod, {{"method", method}});
  } catch (const std::bad_alloc&) {
    return MakeError(errors::kNoMemoryForRequest);
  } catch (const std::exception& e) {
    return MakeError(errors::kRequestFailed, {{"reason", e.what()}});
  }
}

}  // namespace emberline
