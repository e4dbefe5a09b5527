#include "source/match_constructor.h"

#include <limits>
#include <set>
#include <string_view>

#include "source/names.h"

namespace emberline {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();
// Nearly the cost of no place at all: nothing but the order speaks for the site.
constexpr float kUnlikely = 2.4f;

// Classes whose names do not look like it, and that no file defines which imports them.
bool IsLowerCaseClass(std::string_view name) {
  static const std::set<std::string_view> names = {"no_grad",
                                                   "enable_grad",
                                                   "set_grad_enabled",
                                                   "inference_mode",
                                                   "autocast",
                                                   "record_function",
                                                   "profile",
                                                   "emit_nvtx",
                                                   "emit_itt",
                                                   "detect_anomaly",
                                                   "set_detect_anomaly",
                                                   "saved_tensors_hooks",
                                                   "save_on_cpu",
                                                   "disable_saved_tensors_hooks",
                                                   "fork_rng",
                                                   "closing",
                                                   "suppress",
                                                   "nullcontext",
                                                   "redirect_stdout",
                                                   "redirect_stderr",
                                                   "cached_property",
                                                   "finalize",
                                                   "local",
                                                   "count",
                                                   "tqdm",
                                                   "trange"};
  return names.count(name) > 0;
}

bool LooksLikeClass(const Site& call) {
  switch (call.callee_kind) {
    case CalleeKind::kClass:
      return true;
    case CalleeKind::kFunction:
      return false;
    default:
      return StartsUpper(call.name) || IsLowerCaseClass(call.name);
  }
}

// Base.__init__(self) and super().__init__().
float MatchBaseConstructor(const Site& call, const Observed& constructor) {
  if (constructor.name != "__init__") return kInfinite;
  if (constructor.owner.empty() || call.family == nullptr) return 0;
  if (call.family->names.count(constructor.owner)) return 0;
  // A class beside this one, where both are bases of a third.
  return call.family->complete ? 0.6f : 0.25f;
}

}  // namespace

bool IsConstructor(const Observed& o) {
  return o.name == "__init__" || o.name == "__new__" || o.name == "__post_init__";
}

float MatchConstructor(const Site& call, const Observed& o) {
  if (call.name == "__init__") return MatchBaseConstructor(call, o);
  const float late = o.name == "__init__" ? 0.0f : 0.1f;
  const bool type = LooksLikeClass(call);
  if (!o.owner.empty()) {
    if (call.name == o.owner) return late;
    if (call.family != nullptr) {
      if (call.family->names.count(o.owner)) return 0.1f + late;
      if (call.family->complete) return kUnlikely;
    }
    return type ? 1.2f : kUnlikely;
  }
  // The class is not known: its text is not at hand.
  if (call.callee_kind == CalleeKind::kFunction) return kUnlikely;
  if (o.manages) return call.managed ? 0.05f + late : type ? 1.0f : kUnlikely;
  return type ? (call.managed ? 0.6f : 0.4f) + late : 2.2f;
}

}  // namespace emberline
