#include "analysis/module_labels.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "analysis/modules.h"
#include "analysis/stack_of.h"
#include "model/host_place.h"

namespace emberline {
namespace {

constexpr std::string_view kLightningModule = "[pl][module]";
constexpr std::string_view kLightningHook = "[pl][profile]";
bool IsRange(SliceKind kind) {
  return kind == SliceKind::kCpuOp || kind == SliceKind::kUserAnnotation;
}

// "Linear_3" -> "Linear".
std::string ClassOf(std::string_view instance) {
  const size_t underscore = instance.rfind('_');
  if (underscore == std::string_view::npos || underscore + 1 == instance.size())
    return std::string(instance);
  for (char c : instance.substr(underscore + 1)) {
    if (c < '0' || c > '9') return std::string(instance);
  }
  return std::string(instance.substr(0, underscore));
}

bool HasModuleHierarchy(const TraceStore& store) {
  if (!store.HasArg(ArgRole::kModule)) return false;
  for (SliceIndex i = 0; i < store.all_slice_count(); ++i) {
    if (store.kind(i) == SliceKind::kCpuOp && !store.ArgText(i, ArgRole::kModule).empty())
      return true;
  }
  return false;
}

bool AnySlice(const TraceStore& store,
              const std::function<bool(std::string_view, SliceKind)>& test) {
  // Names are interned: each distinct (name, kind) is asked once.
  std::vector<uint8_t> asked(store.strings().size(), 0);
  for (SliceIndex i = 0; i < store.all_slice_count(); ++i) {
    const SliceKind kind = store.kind(i);
    if (kind != SliceKind::kPythonFunction && !IsRange(kind)) continue;
    uint8_t& seen = asked[store.name_id(i)];
    const uint8_t bit = kind == SliceKind::kPythonFunction ? 1 : kind == SliceKind::kCpuOp ? 2 : 4;
    if (seen & bit) continue;
    seen |= bit;
    if (test(store.name(i), kind)) return true;
  }
  return false;
}

}  // namespace

std::optional<ModuleLabel> PythonModule(const TraceStore& store, SliceIndex i) {
  if (store.kind(i) != SliceKind::kPythonFunction) return std::nullopt;
  auto name = ModuleName(store.name(i));
  if (!name) return std::nullopt;
  return ModuleLabel{std::string(*name), ClassOf(*name), false};
}

std::optional<ModuleLabel> ScriptModule(const Model& model, SliceIndex i) {
  const TraceStore& store = model.store();
  if (store.kind(i) != SliceKind::kCpuOp) return std::nullopt;
  const std::string_view place = store.ArgText(i, ArgRole::kModule);
  if (place.empty()) return std::nullopt;
  const SliceIndex above = model.op[i];
  if (above != kNone && store.ArgText(above, ArgRole::kModule) == place) return std::nullopt;
  return ModuleLabel{std::string(place), "", true};
}

std::optional<ModuleLabel> LightningModule(const TraceStore& store, SliceIndex i) {
  if (!IsRange(store.kind(i))) return std::nullopt;
  std::string_view name = store.name(i);
  if (!name.starts_with(kLightningModule)) return std::nullopt;
  name.remove_prefix(kLightningModule.size());
  const size_t colon = name.find(": ");
  if (colon == std::string_view::npos) return ModuleLabel{std::string(name), "", true};
  return ModuleLabel{std::string(name.substr(colon + 2)), std::string(name.substr(0, colon)), true};
}

std::optional<ModuleLabel> LightningHook(const TraceStore& store, SliceIndex i) {
  if (!IsRange(store.kind(i))) return std::nullopt;
  std::string_view name = store.name(i);
  if (!name.starts_with(kLightningHook)) return std::nullopt;
  return ModuleLabel{std::string(name.substr(kLightningHook.size())), "", false};
}

std::vector<bool> InsideModule(const Model& model, std::string_view name) {
  const TraceStore& store = model.store();
  const uint32_t n = store.all_slice_count();
  // "layer" holds "layer.0" where names are paths.
  const auto holds = [&](const ModuleLabel& label) {
    return label.name == name || (label.dotted && label.name.size() > name.size() &&
                                  label.name[name.size()] == '.' && label.name.starts_with(name));
  };
  // All slices of one name and kind are of one module, but for places that stand in args.
  std::vector<uint8_t> known(store.strings().size(), 0);  // two bits a kind: asked, holds
  const auto opens = [&](SliceIndex i) {
    const SliceKind kind = store.kind(i);
    if (store.HasArg(ArgRole::kModule) && kind == SliceKind::kCpuOp) {
      const std::string_view place = store.ArgText(i, ArgRole::kModule);
      if (!place.empty() && holds({std::string(place), "", true})) return true;
    }
    const bool python = kind == SliceKind::kPythonFunction;
    if (!python && !IsRange(kind)) return false;
    const int shift = python ? 0 : 2;
    uint8_t& bits = known[store.name_id(i)];
    if ((bits >> shift & 1) == 0) {
      auto label = python ? PythonModule(store, i) : LightningModule(store, i);
      if (!label && !python) label = LightningHook(store, i);
      bits |= static_cast<uint8_t>((label && holds(*label) ? 3 : 1) << shift);
    }
    return (bits >> shift & 2) != 0;
  };
  std::vector<bool> inside(n, false);
  for (SliceIndex i = 0; i < n; ++i) {
    const SliceIndex parent = store.parent(i);
    inside[i] = (parent != kNone && inside[parent]) || opens(i);
  }
  const std::vector<bool> forward = inside;
  for (SliceIndex i = 0; i < n; ++i) {
    const SliceIndex parent = store.parent(i);
    const SliceIndex partner = model.forward[i] != kNone ? model.forward[i] : model.repeats[i];
    if ((parent != kNone && inside[parent]) || (partner != kNone && forward[partner])) {
      inside[i] = true;
    }
  }
  return inside;
}

std::string ModuleNameOf(const Model& model, SliceIndex slice) {
  const TraceStore& store = model.store();
  const SliceIndex module = ModuleOf(model, slice);
  if (module != kNone) return std::string(ModuleName(store.name(module)).value_or(""));
  const SliceIndex op = model.IsOp(slice) ? slice : model.op[slice];
  return op == kNone ? std::string() : std::string(store.ArgText(op, ArgRole::kModule));
}

bool HasModules(const Model& model) {
  return AnySlice(model.store(),
                  [](std::string_view name, SliceKind kind) {
                    return kind == SliceKind::kPythonFunction && ModuleName(name).has_value();
                  }) ||
         HasModuleHierarchy(model.store());
}

bool HasLightning(const Model& model) {
  return AnySlice(model.store(), [](std::string_view name, SliceKind kind) {
    return IsRange(kind) &&
           (name.starts_with(kLightningModule) || name.starts_with(kLightningHook));
  });
}

}  // namespace emberline
