// Calls of modules against the sites of a source.
#include <algorithm>

#include "attribution/match_internal.h"
#include "source/names.h"

namespace emberline {
namespace {

// A call of a variable of which isinstance() said the class; negative where it said nothing.
float MatchNarrowed(const Site& s, const Observed& o) {
  const auto has = [&](const std::vector<std::string>& names) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return name == o.name || std::find(o.bases.begin(), o.bases.end(), name) != o.bases.end();
    });
  };
  if (has(s.is_none)) return kInfinite;
  if (s.is_any.empty()) return -1;
  if (has(s.is_any)) return 0.05f;
  // A class derived from one of them.
  const bool alike = std::any_of(s.is_any.begin(), s.is_any.end(),
                                 [&](const std::string& name) { return NamedAfter(name, o.name); });
  return alike ? 0.3f : 1.3f;
}

// A call of an attribute that is known to have been made by these classes or functions.
float MatchMade(const Site& s, const std::string& type) {
  float best = 2.2f;  // one of the classes may be a base of the one seen
  for (const std::string& name : s.class_names) {
    if (name == type) return 0;
    if (StartsUpper(name)) continue;
    best = std::min(best, NamedAfter(s.name, type) || NamedAfter(name, type) ? 0.2f : 0.5f);
  }
  return best;
}

}  // namespace

float MatchModule(const Site& s, const Observed& o) {
  if (s.kind != SiteKind::kCall) return kInfinite;
  if (s.name == "__call__") return 0.2f;
  if (In(NonModules(), s.receiver)) return kInfinite;
  // Methods of lists, dictionaries and texts.
  static const Names methods = {"append",     "extend",   "insert", "items",      "keys",
                                "values",     "get",      "pop",    "setdefault", "update",
                                "sort",       "reverse",  "join",   "split",      "format",
                                "startswith", "endswith", "strip"};
  if (!s.receiver.empty() && s.receiver != "self" && In(methods, s.name)) return kInfinite;
  static const Names functions = {"isinstance", "issubclass", "type", "getattr", "setattr",
                                  "hasattr",    "print",      "id",   "hash",    "sum",
                                  "min",        "max",        "abs",  "any",     "all",
                                  "sorted",     "iter",       "repr", "round"};
  // Functions that call what they are given.
  for (const std::string& name : s.given) {
    if (CallsForEach(s) && NamedAfter(name, o.name)) return 0.3f;
  }
  if (s.receiver.empty() && (In(functions, s.name) || In(Constructors(), s.name))) return kInfinite;
  const float narrowed = MatchNarrowed(s, o);
  if (narrowed >= 0) return narrowed;
  if (!s.class_names.empty()) return MatchMade(s, o.name);
  if (StartsUpper(s.name) || s.name == "super" || s.name == "range" || s.name == "len")
    return kInfinite;
  // A variable that is known to hold attributes: one of them may be named after the class.
  if (!s.aliases.empty()) {
    const bool named =
        std::any_of(s.aliases.begin(), s.aliases.end(),
                    [&](const std::string& name) { return NamedAfter(name, o.name); });
    return named                        ? 0.15f
           : s.held == Held::kFunctions ? 0.9f
           : s.held == Held::kObjects   ? 0.25f
                                        : 0.4f;
  }
  // A plain function of the text runs as itself.
  if (s.receiver.empty() && s.runs_frame) return 2.0f;
  const std::string site = LowerLetters(s.name), type = LowerLetters(o.name);
  const bool alike =
      NamedAfter(s.name, o.name) || (site.size() > 2 && (type.find(site) != std::string::npos ||
                                                         site.find(type) != std::string::npos));
  const float cost = s.receiver == "self" ? 0.35f : s.receiver.empty() ? 0.4f : 0.5f;
  // What another file holds is a function, as a rule.
  return (alike ? cost - 0.25f : cost) + (s.of_module ? 0.8f : 0.0f);
}

}  // namespace emberline
