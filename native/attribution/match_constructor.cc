#include "attribution/match_constructor.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "attribution/match_internal.h"
#include "source/names.h"

namespace emberline {
namespace {

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

enum class Provenance : uint8_t { kUnknown, kElsewhere, kPackage, kFile };

// How the file of a constructor lies to the module that the callee is imported from: it is the
// module's, in the module's folder, or in none that the package has.
Provenance ProvenanceOf(const Site& call, const Observed& constructor) {
  std::string module = call.imported_from;
  const bool relative = module.starts_with('.');
  module.erase(0, module.find_first_not_of('.'));
  if (module.empty() || constructor.file.empty()) return Provenance::kUnknown;
  std::replace(module.begin(), module.end(), '.', '/');
  const std::string path = '/' + constructor.file, folder = '/' + module + '/';
  if (path.ends_with('/' + module + ".py") || path.ends_with(folder + "__init__.py"))
    return Provenance::kFile;
  if (path.find(folder) != std::string::npos) return Provenance::kPackage;
  const std::string package = '/' + module.substr(0, module.find('/'));
  const bool same =
      path.find(package + '/') != std::string::npos || path.ends_with(package + ".py");
  return same || relative ? Provenance::kUnknown : Provenance::kElsewhere;
}

// A variable that may hold a class, by what it was assigned.
bool HoldsClass(const Site& call) {
  return std::any_of(call.aliases.begin(), call.aliases.end(),
                     [](const std::string& name) { return StartsUpper(name); });
}

// Of a class whose text is not at hand. Constructors may be inherited from another package.
float MatchUnknownConstructor(const Site& call, const Observed& o) {
  if (call.callee_kind == CalleeKind::kFunction) return kUnlikely;
  const Provenance from = ProvenanceOf(call, o);
  const bool type = LooksLikeClass(call);
  const float late =
      (o.name == "__init__" ? 0.0f : 0.1f) + (from == Provenance::kElsewhere ? 0.3f : 0);
  if (o.manages) return call.managed ? 0.05f + late : type ? 1.0f : kUnlikely;
  if (!type) {
    if (HoldsClass(call)) return 0.3f + late;
    if (from == Provenance::kFile) return 0.3f + late;
    return call.parameter ? 0.9f + late : 2.2f;
  }
  const float near = from == Provenance::kFile ? 0.3f : from == Provenance::kPackage ? 0.2f : 0;
  return (call.managed ? 0.6f : 0.4f) + late - near;
}

bool Inherits(const Observed& constructor, const std::string& type) {
  const std::vector<std::string>& heirs = constructor.heirs;
  return std::find(heirs.begin(), heirs.end(), type) != heirs.end();
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

bool IsConstructorName(std::string_view name) {
  return name == "__init__" || name == "__new__" || name == "__post_init__";
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

bool IsConstructor(const Observed& o) { return IsConstructorName(o.name); }

float MatchConstructor(const Site& call, const Observed& o) {
  if (call.name == "__init__") return MatchBaseConstructor(call, o);
  const float late = o.name == "__init__" ? 0.0f : 0.1f;
  const bool type = LooksLikeClass(call);
  if (!o.owner.empty()) {
    if (call.name == o.owner || Inherits(o, call.name)) return late;
    for (const std::string& name : call.aliases) {
      if (name == o.owner || Inherits(o, name)) return 0.1f + late;
    }
    if (call.family != nullptr) {
      if (call.family->names.count(o.owner)) return 0.1f + late;
      if (call.family->complete) return kUnlikely;
    }
    // It may be inherited from another file of the package.
    if (type && ProvenanceOf(call, o) == Provenance::kPackage) return 0.2f + late;
    return type ? 1.2f : call.parameter && !HoldsClass(call) ? 1.0f : kUnlikely;
  }
  return MatchUnknownConstructor(call, o);
}

}  // namespace emberline
