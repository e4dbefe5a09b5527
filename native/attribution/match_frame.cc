// Python functions against the sites of a source.
#include <algorithm>

#include "attribution/match_constructor.h"
#include "attribution/match_internal.h"
#include "attribution/match_wrapper.h"
#include "source/names.h"

namespace emberline {
namespace {

// Calls that look their argument up.
const Names& HashingCalls() {
  static const Names names = {"add",        "discard", "remove", "get",       "pop",
                              "setdefault", "set",     "dict",   "frozenset", "index",
                              "update",     "count",   "union",  "hash",      "fromkeys"};
  return names;
}

// A look-up runs these methods of its key; those of numbers and strings are not seen.
bool Hashes(const Site& s, std::string_view method) {
  return !s.literal_key && (method == "__hash__" || method == "__eq__");
}

// A turn of a loop resumes a generator.
float MatchTurn(const Site& s, const std::string& generator) {
  // What these give holds its items already.
  static const Names ready = {"range", "list", "tuple",  "set", "frozenset",
                              "dict",  "len",  "sorted", "str", "bytes"};
  if (In(ready, s.name)) return kInfinite;
  if (s.name == generator || s.name.empty()) return 0;
  // An object's own generator is its __iter__, as a rule.
  if (s.aliases.empty()) return StartsUpper(s.name) && !generator.starts_with("__") ? 0.5f : 0.15f;
  const auto named = std::find(s.aliases.begin(), s.aliases.end(), generator);
  if (named != s.aliases.end()) return 0.02f;
  const bool filled = std::all_of(s.aliases.begin(), s.aliases.end(),
                                  [&](const std::string& name) { return In(ready, name); });
  return filled ? 1.2f : 0.4f;
}

// A coroutine runs where it is awaited. Negative where nothing particular holds.
float MatchCoroutine(const Site& s, const std::string& coroutine) {
  if (s.kind == SiteKind::kNext) {
    if (s.name == coroutine) return 0;
    const bool held = std::find(s.aliases.begin(), s.aliases.end(), coroutine) != s.aliases.end();
    return held ? 0.02f : s.name.empty() ? 0.4f : -1.0f;
  }
  if (s.kind != SiteKind::kCall) return -1;
  if (s.name == coroutine) return 0.8f;  // what drives it may be called as it is
  return s.name == "send" || s.name == "throw" ? 0.3f : -1.0f;
}

}  // namespace

float MatchFrame(const Site& s, const Observed& o) {
  const std::string_view g = o.name;
  if (o.generator) {
    if (s.kind == SiteKind::kNext) return MatchTurn(s, o.name);
    if (s.kind == SiteKind::kCall) {
      if (Consumes(s) || s.name == "next") return s.no_arguments ? kInfinite : 0.3f;
      return s.name == g ? 0.5f : kInfinite;
    }
  }
  if (o.coroutine) {
    const float cost = MatchCoroutine(s, o.name);
    if (cost >= 0) return cost;
  }
  switch (s.kind) {
    case SiteKind::kCall:
      if (IsConstructor(o)) return MatchConstructor(s, o);
      if (s.name == g) return o.accessor == Accessor::kProperty ? 0.6f : 0.0f;
      if (s.name == "super" || s.name == "range" || s.name == "isinstance") return kInfinite;
      if (BaseName(s.name) == BaseName(g) && !BaseName(g).empty()) return 0.2f;
      if (g == "_call_impl" || g == "_wrapped_call_impl") {
        if (In(NonModules(), s.receiver) || StartsUpper(s.name)) return kInfinite;
        return s.receiver == "self" ? 0.3f : 0.4f;
      }
      if (std::find(s.aliases.begin(), s.aliases.end(), g) != s.aliases.end()) return 0.1f;
      if (IsSealed(s)) return MatchSealed(s, g);
      if (IsGiven(s, g)) return 0.3f;
      if (o.wrapper) return MatchWrapper(s, o);
      if (o.metaclass)  // a variable may hold a class
        return LooksLikeClass(s) ? 0.2f : s.callee_kind == CalleeKind::kFunction ? kInfinite : 0.8f;
      if (g == "__call__") return StartsUpper(s.name) ? 2.4f : 0.6f;
      if (g == "__hash__" || g == "__eq__") return In(HashingCalls(), s.name) ? 0.4f : kInfinite;
      // Decorators of operators hand them on by a variable.
      if (In(OverloadedOperators(), g))
        return s.receiver.empty() && s.passes_on && !StartsUpper(s.name) ? 1.5f : kInfinite;
      if (g.starts_with("__") || g.starts_with("<listcomp") || g.starts_with("<genexpr"))
        return kInfinite;
      if (NamesAlike(s.name, g)) return 0.7f;
      if (g == "<lambda>") return s.takes_lambda ? 0.3f : 1.0f;
      if (s.receiver.empty() && !StartsUpper(s.name))
        return 1.5f;  // a variable that holds a function
      return 2.3f;
    case SiteKind::kAttribute:
      if (g == "__getattr__" || g == "__getattribute__") {
        return s.store == AttributeStore::kPlain ? 1.2f : s.receiver == "self" ? 0.1f : 0.2f;
      }
      if (g == "__get__") return s.callee ? 0.5f : 0.2f;
      if (s.name != g || o.accessor == Accessor::kMethod) return kInfinite;
      // What is called at once is a method rather than a property.
      return s.callee && o.accessor != Accessor::kProperty ? 0.6f : 0.05f;
    case SiteKind::kStoreAttribute:
      if (g == "__setattr__" || g == "__set__") return 0;
      return s.name == g ? 0.1f : kInfinite;
    case SiteKind::kOperator: {
      const std::string op = DunderOperator(o.inner.empty() ? g : o.inner);
      if (!op.empty() && BaseName(s.name) == op) return 0;
      if (s.name == "contains" && Hashes(s, g)) return 0.3f;
      return g == "wrapped" && op.empty() ? 0.5f : kInfinite;
    }
    case SiteKind::kSubscript:
      return g == "__getitem__" || g == "__class_getitem__" ? 0.0f
             : g == "__missing__"                           ? 0.5f
             : Hashes(s, g)                                 ? 0.3f
                                                            : kInfinite;
    case SiteKind::kStoreSubscript:
      return g == "__setitem__" ? 0.0f : Hashes(s, g) ? 0.3f : kInfinite;
    case SiteKind::kDelete:
      return g == "__delitem__" || g == "__delattr__" || g == "__del__" ? 0.0f : kInfinite;
    case SiteKind::kIterate:
      return g == "__iter__" ? 0.0f : g == "__len__" ? 0.6f : kInfinite;
    case SiteKind::kNext: {
      if (g == "__next__") return 0;
      if (g == s.name) return 0.1f;
      if (g == "__iter__") return 0.3f;
      if (g == "<genexpr>") return 0.5f;
      if (g == "__getitem__") return 0.4f;
      static const Names combiners = {"enumerate", "zip",   "map",  "filter", "reversed",
                                      "islice",    "chain", "tqdm", "iter"};
      if (g == "<lambda>" && (s.name == "map" || s.name == "filter")) return 0.3f;
      // What they go through may call a function for each item; a variable that is called does it
      // rather, unless they are given a function themselves.
      if (In(combiners, s.name) && !g.starts_with("__"))
        return s.name == "map" || s.name == "filter" ? 1.2f : 1.6f;
      return s.name.empty() || g.starts_with("__") ? kInfinite : 2.45f;
    }
    case SiteKind::kEnter:
      return g == "__enter__" || g == "__aenter__" ? 0.0f : kInfinite;
    case SiteKind::kExit:
      return g == "__exit__" || g == "__aexit__" ? 0.0f : kInfinite;
    case SiteKind::kTruth:
      return g == "__bool__" ? 0.0f : g == "__len__" ? 0.2f : kInfinite;
    case SiteKind::kUnpack:
      return g == "__iter__" ? 0.1f : g == "__next__" ? 0.2f : g == "<genexpr>" ? 0.15f : kInfinite;
    case SiteKind::kFormat:
      return g == "__format__" ? 0.0f : g == "__str__" || g == "__repr__" ? 0.2f : kInfinite;
    case SiteKind::kImport:
      return g == "_find_and_load" || g == "_handle_fromlist" || g == "__getattr__" ||
                     g == "__import__" || g == "_lock_unlock_module" || g == "parent"
                 ? 0.0f
                 : kInfinite;
    case SiteKind::kComprehension:
      if (g != s.name) return kInfinite;
      if (o.definition_line == 0) return 0.2f;
      return o.definition_line == s.definition_line ? 0.0f : 1.4f;
    case SiteKind::kClassBody:
      return g == s.name ? 0.0f : kInfinite;
  }
  return kInfinite;
}

}  // namespace emberline
