#include "source/python_aliases.h"

#include <algorithm>

namespace emberline {
namespace {

constexpr int kMaxScopes = 8;  // functions around one that are looked through

class AliasResolver {
 public:
  AliasResolver(const AliasTables& tables, PythonModule& module)
      : tables_(tables), module_(module) {}

  void Run() {
    for (size_t f = 0; f < module_.functions.size(); ++f) Function(static_cast<int>(f));
  }

 private:
  static const std::set<std::string>* Find(const std::vector<Aliases>& tables, int index,
                                           const std::string& name) {
    if (index < 0 || static_cast<size_t>(index) >= tables.size()) return nullptr;
    const auto it = tables[index].find(name);
    return it == tables[index].end() ? nullptr : &it->second;
  }

  // What a variable was assigned where it is seen from a function, innermost scope first.
  const std::set<std::string>* Assigned(int function, const std::string& name) const {
    int f = function;
    for (int scope = 0; f > 0 && scope < kMaxScopes; ++scope, f = module_.functions[f].parent) {
      if (const auto* found = Find(tables_.functions, f, name)) return found;
    }
    return Find(tables_.functions, 0, name);
  }

  // The parameters of the functions around, and the variables that they assign.
  bool IsVariable(int function, const std::string& name) const {
    int f = function;
    for (int scope = 0; f >= 0 && scope < kMaxScopes; ++scope, f = module_.functions[f].parent) {
      const std::vector<std::string>& given = module_.functions[f].parameters;
      if (std::find(given.begin(), given.end(), name) != given.end()) return true;
    }
    return Assigned(function, name) != nullptr;
  }

  // What the variable or attribute that is called may hold. Of further variables only what they
  // hold counts, which nobody may know.
  std::set<std::string> Held(int function, int owner, const Site& site, bool own) const {
    std::set<std::string> names, tried, out;
    std::vector<std::string> open = {own ? kAttributeMark + site.name : site.name};
    while (!open.empty() && names.size() < kMaxAliases) {
      const std::string name = open.back();
      open.pop_back();
      if (name.empty() || !tried.insert(name).second) continue;
      const auto* found = name[0] == kAttributeMark ? Find(tables_.classes, owner, name.substr(1))
                                                    : Assigned(function, name);
      if (found == nullptr) continue;
      for (const std::string& next : *found) {
        if (names.size() < kMaxAliases && names.insert(next).second) open.push_back(next);
      }
    }
    for (const std::string& name : names) {
      if (name[0] == kAttributeMark)
        out.insert(name.substr(1));
      else if (!IsVariable(function, name))
        out.insert(name);
    }
    out.erase(site.name);
    out.erase("");
    return out;
  }

  void Function(int index) {
    PythonFunction& f = module_.functions[index];
    const int owner = ClassOfSelf(module_, index);
    std::set<std::string> called;
    for (Site& site : f.sites) {
      if (site.kind == SiteKind::kNext) {
        const auto* made = Find(tables_.results, index, site.name);
        if (made != nullptr) site.aliases.assign(made->begin(), made->end());
      }
      if (site.kind != SiteKind::kCall) continue;
      const bool own = site.receiver == "self";
      if (!own && !site.receiver.empty()) continue;
      const std::set<std::string> names = Held(index, owner, site, own);
      called.insert(names.begin(), names.end());
      site.aliases.assign(names.begin(), names.end());
    }
    if (called.empty()) return;
    for (Site& site : f.sites) {
      if (site.kind == SiteKind::kAttribute && called.count(site.name)) site.callee = true;
    }
  }

  const AliasTables& tables_;
  PythonModule& module_;
};

}  // namespace

void AddAlias(Aliases& table, const std::string& variable, const std::string& name) {
  if (variable.empty()) return;
  std::set<std::string>& names = table[variable];
  if (!name.empty() && name != variable && names.size() < kMaxAliases) names.insert(name);
}

void ResolveAliases(const AliasTables& tables, PythonModule& module) {
  AliasResolver(tables, module).Run();
}

int ClassOfSelf(const PythonModule& module, int function) {
  for (int g = function; g >= 0; g = module.functions[g].parent) {
    const PythonFunction& f = module.functions[g];
    if (f.kind == FunctionKind::kFunction && f.class_index >= 0) return f.class_index;
  }
  return -1;
}

}  // namespace emberline
