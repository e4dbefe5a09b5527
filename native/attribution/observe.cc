#include "attribution/observe.h"

#include <algorithm>
#include <optional>

#include "attribution/match_constructor.h"
#include "attribution/match_wrapper.h"
#include "source/names.h"

namespace emberline {
namespace {

constexpr int kMaxWrapped = 8;  // frames inside a wrapper that are looked at

const PythonModule& TextOf(const Attributing& a, const FrameName& info) {
  return *a.frames.files()[info.file].file.module;
}

// Where its text is known, its name alone does not make a function a wrapper: it also lies inside
// another one and hands on what it is given.
bool IsWrapper(const Attributing& a, const FrameName& info) {
  if (info.kind != FrameName::kFrame) return false;
  if (info.function < 0) return IsWrapperName(info.name);
  const PythonModule& text = TextOf(a, info);
  const PythonFunction& f = text.functions[info.function];
  if (f.wrapper) return true;
  if (!IsWrapperName(info.name) || f.parent < 0 ||
      text.functions[f.parent].kind != FunctionKind::kFunction)
    return false;
  return std::any_of(f.sites.begin(), f.sites.end(), [](const Site& s) { return s.passes_on; });
}

// The wrapper's own text calls functions of this name, not only what it was given.
bool CallsItself(const Attributing& a, const FrameName& wrapper, std::string_view name) {
  if (wrapper.function < 0) return false;
  const PythonModule& text = TextOf(a, wrapper);
  const PythonFunction& f = text.functions[wrapper.function];
  return std::any_of(f.sites.begin(), f.sites.end(), [&](const Site& s) {
    if (s.kind != SiteKind::kCall || s.name != name) return false;
    for (int outer = f.parent; outer > 0; outer = text.functions[outer].parent) {
      const std::vector<std::string>& given = text.functions[outer].parameters;
      if (s.receiver.empty() && std::find(given.begin(), given.end(), s.name) != given.end())
        return false;
    }
    return true;
  });
}

// A method of a class of classes: of one that is derived from `type`, or of the enumerations'.
bool IsMetaclass(const Attributing& a, const FrameName& info) {
  if (info.function < 0) {
    const std::string path = NormalizePath(a.frames.files()[info.file].file.recorded);
    return path == "enum.py" || path.ends_with("/enum.py");
  }
  const PythonModule& text = TextOf(a, info);
  const int owner = text.functions[info.function].class_index;
  if (owner < 0) return false;
  const std::vector<std::string>& bases = text.classes[owner].bases;
  return std::any_of(bases.begin(), bases.end(), [](const std::string& base) {
    return base == "type" || base == "ABCMeta" || base == "EnumMeta" || base == "EnumType";
  });
}

Accessor AccessorOf(const PythonFunction& function) {
  if (function.kind != FunctionKind::kFunction || function.class_index < 0)
    return Accessor::kUnknown;
  if (function.decorators.empty()) return Accessor::kMethod;
  for (const std::string& name : function.decorators) {
    if (name == "property" || name.ends_with("_property") || name == "setter")
      return Accessor::kProperty;
  }
  return Accessor::kUnknown;
}

}  // namespace

std::set<std::string_view> NamedIn(const PythonFunction& function) {
  std::set<std::string_view> out;
  for (const Site& site : function.sites) {
    if (site.kind != SiteKind::kCall && site.kind != SiteKind::kOperator) continue;
    out.insert(BaseName(site.name));
    out.insert(site.name);
    out.insert(site.aliases.begin(), site.aliases.end());
  }
  return out;
}

Observed Observe(const Attributing& a, SliceIndex child, const Beside& beside,
                 const FrameName& frame) {
  Observed o;
  o.manages = beside.manages;
  const StringId inner_module = beside.module;
  const SliceKind kind = a.store.kind(child);
  if (kind != SliceKind::kPythonFunction) {
    o.kind = IsLaunchApi(kind) ? ObservedKind::kRuntime : ObservedKind::kOperator;
    o.name = o.kind == ObservedKind::kRuntime ? std::string(a.store.name(child).substr(0, 80))
                                              : OperatorName(a.store.name(child));
    return o;
  }
  const FrameName& info = a.NameOf(child);
  if (info.kind == FrameName::kModule || inner_module != 0) {
    o.kind = ObservedKind::kModule;
    const FrameName& module = info.kind == FrameName::kModule ? info : a.frames.Name(inner_module);
    o.name = module.name;
    o.bases.assign(module.bases.begin(), module.bases.end());
    return o;
  }
  o.kind = info.kind == FrameName::kBuiltin ? ObservedKind::kBuiltin : ObservedKind::kFrame;
  o.name = info.name;
  if (o.kind == ObservedKind::kFrame) {
    if (IsConstructorName(o.name)) {
      o.owner = info.owner;
      o.heirs = info.heirs;
      o.file = NormalizePath(a.frames.files()[info.file].file.recorded);
    }
    if (info.function >= 0)
      o.accessor = AccessorOf(a.frames.files()[info.file].file.module->functions[info.function]);
    o.metaclass = o.name == "__call__" && IsMetaclass(a, info);
    o.wrapper = IsWrapper(a, info);
    if (beside.inner != 0) o.inner = a.frames.Name(beside.inner).name;
    if (info.function >= 0) {
      const PythonFunction& f = TextOf(a, info).functions[info.function];
      o.coroutine = f.coroutine && !f.generator;
    }
    o.generator = info.function >= 0 && !o.name.starts_with("<") &&
                  a.frames.files()[info.file].file.module->functions[info.function].generator;
    if (info.file == frame.file && o.name.starts_with("<") && info.function >= 0) {
      o.definition_line =
          a.frames.files()[info.file].file.module->functions[info.function].first_line;
    }
  }
  return o;
}

void Insides::Add(SliceIndex i) {
  const SliceIndex p = a_.parent[i];
  if (p == kNone || !a_.IsFrame(i) || !a_.IsFrame(p)) return;
  const FrameName::Kind kind = a_.NameOf(i).kind;
  if (kind == FrameName::kFrame && Wraps(a_.store.name_id(p))) {
    std::vector<SliceIndex>& inside = wrapped_[p];
    if (inside.size() < static_cast<size_t>(kMaxWrapped)) inside.push_back(i);
  }
  if (kind != FrameName::kModule) return;
  // Through wrappers: _wrapped_call_impl, _call_impl, then the module.
  SliceIndex outer = p;
  for (int level = 0; level < kMaxCallLevels && outer != kNone && a_.IsFrame(outer) &&
                      a_.NameOf(outer).module_call;
       ++level) {
    if (module_[outer] == kNone) module_.Set(outer, a_.store.name_id(i));
    outer = a_.parent[outer];
  }
}

bool Insides::Wraps(StringId frame) {
  std::optional<bool>& known = wraps_[frame];
  if (!known) known = IsWrapper(a_, a_.frames.Name(frame));
  return *known;
}

// True when `next`, which ran right after a constructor, enters the object in a `with`.
bool Insides::Enters(SliceIndex constructor, SliceIndex next) const {
  if (next == kNone || !a_.IsFrame(constructor) || !a_.IsFrame(next)) return false;
  const FrameName& made = a_.NameOf(constructor);
  const FrameName& entered = a_.NameOf(next);
  return made.kind == FrameName::kFrame && entered.kind == FrameName::kFrame &&
         made.name == "__init__" && entered.name == "__enter__" && made.file == entered.file;
}

// Of the frames that wrappers called, the first whose name occurs in the function that called the
// wrapper; 0 when there is none. What wrappers wrap is asked before they are, as their own names
// mean nothing to who calls them.
StringId Insides::Inner(SliceIndex wrapper, const std::set<std::string_view>& named,
                        int& look) const {
  const auto it = wrapped_.find(wrapper);
  if (it == wrapped_.end()) return 0;
  for (const SliceIndex i : it->second) {
    if (--look < 0) return 0;
    const FrameName& info = a_.NameOf(i);
    if (CallsItself(a_, a_.NameOf(wrapper), info.name)) continue;
    if (const StringId deeper = Inner(i, named, look)) return deeper;
    const std::string op = DunderOperator(info.name);
    if (named.count(info.name) || (!op.empty() && named.count(op))) return a_.store.name_id(i);
  }
  return 0;
}

Beside Insides::Of(SliceIndex child, SliceIndex next,
                   const std::set<std::string_view>& named) const {
  Beside beside;
  if (module_[child] != kNone) beside.module = module_[child];
  beside.manages = Enters(child, next);
  int look = kMaxWrapped;
  if (beside.module == 0) beside.inner = Inner(child, named, look);
  return beside;
}

}  // namespace emberline
