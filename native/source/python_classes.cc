#include "source/python_classes.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "source/names.h"
#include "source/python_aliases.h"

namespace emberline {
namespace {

constexpr size_t kMaxFamily = 32;  // a class with its bases
constexpr int kMaxOuter = 3;       // functions around one that may be a wrapper

std::string_view LastName(std::string_view dotted) {
  const size_t dot = dotted.rfind('.');
  return dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
}

class ClassResolver {
 public:
  ClassResolver(const Imports& imports, PythonModule& module)
      : imports_(imports), module_(module) {}

  void Run() {
    ReadClasses();
    ReadFunctions();
    for (PythonFunction& f : module_.functions) {
      const int owner = ClassOfSelf(module_, static_cast<int>(&f - module_.functions.data()));
      f.wrapper = IsWrapper(f);
      for (Site& site : f.sites) {
        if (site.kind == SiteKind::kAttribute && owner >= 0 && site.receiver == "self") {
          site.store = StoreIn(families_[owner], site.name);
          site.memoized = memoized_methods_.count(site.name) > 0;
        }
        if (site.kind != SiteKind::kCall) continue;
        Import(site, f);
        Call(site, f, owner);
      }
    }
  }

 private:
  void ReadClasses() {
    const std::vector<PythonClass>& classes = module_.classes;
    attributes_.resize(classes.size());
    for (size_t i = 0; i < classes.size(); ++i) {
      for (const auto& [name, type] : classes[i].attributes) attributes_[i][name].insert(type);
      by_name_.emplace(classes[i].name, i);
    }
    // Each class and those of its bases that this text defines.
    families_.resize(classes.size());
    shared_.resize(classes.size());
    for (size_t i = 0; i < families_.size(); ++i) {
      std::vector<size_t>& family = families_[i];
      family.push_back(i);
      for (size_t k = 0; k < family.size(); ++k) {
        const std::vector<std::string>& bases = classes[family[k]].bases;
        for (size_t j = 0; j < bases.size() && j < kMaxFamily; ++j) {
          if (family.size() >= kMaxFamily) break;
          const auto it = by_name_.find(bases[j]);
          if (it != by_name_.end() &&
              std::find(family.begin(), family.end(), it->second) == family.end())
            family.push_back(it->second);
        }
      }
    }
  }

  // The functions that a bare name, or one behind `self`, may mean.
  void ReadFunctions() {
    for (const PythonFunction& f : module_.functions) {
      if (f.kind != FunctionKind::kFunction) continue;
      CalleeKind& kind = (f.class_index >= 0 ? methods_ : functions_)[f.name];
      const CalleeKind own = f.decorators.empty() ? CalleeKind::kFunction : CalleeKind::kDecorated;
      kind = std::max(kind, own);
      if (f.generator || !f.resumptions.empty()) later_.insert(f.name);
      if (IsMemoized(f)) (f.class_index >= 0 ? memoized_methods_ : memoized_).insert(f.name);
      if (f.class_index >= 0 || !f.decorators.empty() || f.returned.size() != 1) continue;
      const std::string& made = *f.returned.begin();
      if (StartsUpper(made)) returned_.emplace(f.name, made);
    }
  }

  // One of its decorators keeps results.
  static bool IsMemoized(const PythonFunction& f) {
    static const std::set<std::string_view> names = {
        "cache", "lru_cache", "cached_property", "cached", "memoize", "memoized", "alru_cache"};
    return std::any_of(f.decorators.begin(), f.decorators.end(),
                       [](const std::string& name) { return names.count(name) > 0; });
  }

  // The import that a name of this text stands for; null for what the text defines itself.
  const Origin* ImportOf(std::string_view name) const {
    if (by_name_.count(name) || functions_.count(name)) return nullptr;
    const auto it = imports_.find(std::string(name));
    return it == imports_.end() ? nullptr : &it->second;
  }

  std::string DefinedName(std::string_view name) const {
    const Origin* origin = ImportOf(name);
    return std::string(origin == nullptr || origin->name.empty() ? name : origin->name);
  }

  void Import(Site& site, const PythonFunction& f) const {
    for (std::vector<std::string>* names : {&site.is_any, &site.is_none, &site.aliases}) {
      for (std::string& name : *names) name = DefinedName(name);
    }
    const std::string root = site.receiver.substr(0, site.receiver.find('.'));
    const std::string& local = site.receiver.empty() ? site.name : root;
    // A parameter hides what is imported.
    if (std::find(f.parameters.begin(), f.parameters.end(), local) != f.parameters.end()) return;
    const Origin* origin = ImportOf(local);
    if (origin == nullptr) return;
    if (site.receiver.empty()) {
      site.imported_from = origin->module;
      if (!origin->name.empty()) site.name = origin->name;
    } else {
      // Of `from a import b`, b may be a module or anything else.
      site.of_module = origin->name.empty() && !origin->module.empty();
      if (origin->module.empty()) return;
      site.imported_from = origin->module;
      if (!origin->name.empty()) site.imported_from += '.' + origin->name;
      site.imported_from += site.receiver.substr(root.size());
    }
  }

  // A function inside another that calls a parameter of it: what decorators return.
  bool IsWrapper(const PythonFunction& f) const {
    if (f.kind != FunctionKind::kFunction) return false;
    int outer = f.parent;
    for (int level = 0; outer > 0 && level < kMaxOuter; ++level) {
      const std::vector<std::string>& names = module_.functions[outer].parameters;
      for (const Site& site : f.sites) {
        if (site.kind == SiteKind::kCall && site.receiver.empty() && !site.name.empty() &&
            std::find(names.begin(), names.end(), site.name) != names.end())
          return true;
      }
      outer = module_.functions[outer].parent;
    }
    return false;
  }

  // A parameter of this name, of the function or of one around it.
  bool IsParameter(const PythonFunction& f, std::string_view name) const {
    const PythonFunction* inner = &f;
    for (int level = 0; level < kMaxOuter; ++level) {
      const std::vector<std::string>& names = inner->parameters;
      if (std::find(names.begin(), names.end(), name) != names.end()) return true;
      if (inner->parent < 0) break;
      inner = &module_.functions[inner->parent];
    }
    return false;
  }

  void Call(Site& site, const PythonFunction& f, int owner) {
    if (site.name == "__init__") {
      // The base's constructor, by super() or by the name of the base.
      if (site.receiver == "super()" && owner >= 0) site.family = Family(owner);
      const auto named = by_name_.find(LastName(site.receiver));
      if (named != by_name_.end()) site.family = Family(named->second);
      return;
    }
    if (owner >= 0 && site.receiver == "self") {
      const auto it = attributes_[owner].find(site.name);
      if (it != attributes_[owner].end()) {
        for (const std::string_view made : it->second) {
          if (site.class_names.size() < kMaxFamily) site.class_names.push_back(ClassMadeBy(made));
        }
      }
      const auto method = methods_.find(site.name);
      if (site.name == "__class__")
        site.callee_kind = CalleeKind::kClass;
      else if (method != methods_.end() && site.class_names.empty())
        SetFunction(site, method->second);
      site.memoized = memoized_methods_.count(site.name) > 0;
      return;
    }
    if (!site.receiver.empty()) return;
    site.parameter = IsParameter(f, site.name);
    site.held = HeldBy(site, owner);
    const auto type = by_name_.find(site.name);
    const auto function = functions_.find(site.name);
    if (site.name == "cls" && owner >= 0) {
      site.callee_kind = CalleeKind::kClass;
    } else if (type != by_name_.end() && function == functions_.end()) {
      site.callee_kind = CalleeKind::kClass;
      site.family = Family(type->second);
    } else if (type == by_name_.end() && function != functions_.end() && !site.parameter) {
      SetFunction(site, function->second);
      site.memoized = memoized_.count(site.name) > 0;
    }
  }

  Held HeldBy(const Site& site, int owner) const {
    if (site.aliases.empty()) return Held::kUnknown;
    const auto is_object = [&](const std::string& name) {
      const auto it = attributes_[owner].find(name);
      return it != attributes_[owner].end() &&
             std::any_of(it->second.begin(), it->second.end(),
                         [](std::string_view made) { return StartsUpper(made); });
    };
    if (owner >= 0 && std::any_of(site.aliases.begin(), site.aliases.end(), is_object))
      return Held::kObjects;
    const bool functions =
        std::all_of(site.aliases.begin(), site.aliases.end(), [&](const std::string& name) {
          return name == "<lambda>" || functions_.count(name) || methods_.count(name);
        });
    return functions ? Held::kFunctions : Held::kUnknown;
  }

  void SetFunction(Site& site, CalleeKind kind) const {
    site.callee_kind = kind;
    site.runs_frame = kind == CalleeKind::kFunction && later_.count(site.name) == 0;
  }

  // The class whose instance a call gives: a class itself, or the one that a function of this text
  // returns. Another name where neither is known.
  std::string ClassMadeBy(std::string_view callee) const {
    const auto it = returned_.find(callee);
    return DefinedName(it == returned_.end() ? callee : it->second);
  }

  // One object per class, however many sites name it.
  std::shared_ptr<const ClassFamily> Family(size_t index) {
    std::shared_ptr<const ClassFamily>& shared = shared_[index];
    if (shared != nullptr) return shared;
    auto family = std::make_shared<ClassFamily>();
    family->complete = families_[index].size() < kMaxFamily;
    for (const size_t c : families_[index]) {
      family->names.insert(module_.classes[c].name);
      for (const std::string& base : module_.classes[c].bases) {
        if (family->names.size() < kMaxFamily) family->names.insert(DefinedName(base));
        if (base != "object" && !by_name_.count(base)) family->complete = false;
      }
    }
    shared = std::move(family);
    return shared;
  }

  AttributeStore StoreIn(const std::vector<size_t>& family, const std::string& name) const {
    const std::vector<PythonClass>& classes = module_.classes;
    bool registered = false, plain = name == "training", unsure = false;
    for (const size_t c : family) {
      registered = registered || classes[c].registered.count(name);
      plain = plain || classes[c].plain.count(name);
      unsure = unsure || classes[c].unsure.count(name);
    }
    if (registered && plain) return AttributeStore::kUnknown;
    // Only a class derived from torch.nn.Module keeps such tables; a submodule may also be None.
    if (registered && !unsure && !classes[family[0]].bases.empty())
      return AttributeStore::kRegistered;
    return plain && !unsure ? AttributeStore::kPlain : AttributeStore::kUnknown;
  }

  const Imports& imports_;
  PythonModule& module_;
  // Per class: what the attributes' values were made by.
  std::vector<std::unordered_map<std::string_view, std::set<std::string_view>>> attributes_;
  std::unordered_map<std::string_view, size_t> by_name_;
  std::vector<std::vector<size_t>> families_;  // per class
  std::vector<std::shared_ptr<const ClassFamily>> shared_;
  std::unordered_map<std::string_view, CalleeKind> functions_, methods_;
  std::set<std::string_view> memoized_, memoized_methods_;
  std::set<std::string_view> later_;  // functions whose frames do not run when they are called
  std::unordered_map<std::string_view, std::string_view> returned_;  // function -> class
};

}  // namespace

void ResolveClasses(const Imports& imports, PythonModule& module) {
  ClassResolver(imports, module).Run();
}

}  // namespace emberline
