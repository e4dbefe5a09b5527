#include "attribution/match_wrapper.h"

#include <algorithm>
#include <unordered_set>

#include "source/names.h"

namespace emberline {

bool IsWrapperName(std::string_view name) {
  static const std::unordered_set<std::string_view> names = {"wrapper",
                                                             "wrapped",
                                                             "_wrapper",
                                                             "wrapped_func",
                                                             "decorate_context",
                                                             "inner",
                                                             "_fn",
                                                             "fn",
                                                             "decorate_autocast",
                                                             "decorate_fwd",
                                                             "decorate_bwd",
                                                             "_inner",
                                                             "wrapper_func",
                                                             "new_func",
                                                             "profile_hook_step",
                                                             "_use_grad",
                                                             "inner_wrapper",
                                                             "wrap",
                                                             "_wrap",
                                                             "_decorated",
                                                             "decorated",
                                                             "newfn",
                                                             "helper",
                                                             "_compile_wrapper",
                                                             "compile_wrapper",
                                                             "func_wrapper",
                                                             "call_with_context",
                                                             "_method",  // of functools
                                                             "instrumented"};
  return names.count(name) > 0;
}

float MatchWrapper(const Site& call, const Observed& o) {
  if (!o.inner.empty()) {
    if (call.name == o.inner) return 0.05f;
    if (std::find(call.aliases.begin(), call.aliases.end(), o.inner) != call.aliases.end())
      return 0.12f;
  }
  if (call.callee_kind == CalleeKind::kDecorated) return o.inner.empty() ? 0.2f : 0.5f;
  if (call.callee_kind == CalleeKind::kFunction || call.callee_kind == CalleeKind::kClass)
    return 2.0f;  // runs as itself
  return call.passes_on ? 0.6f : 0.8f;
}

}  // namespace emberline
