#include "source/align.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "source/match_constructor.h"
#include "source/match_wrapper.h"
#include "source/names.h"

namespace emberline {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();
// Leaving a thing unplaced; dearer for calls, which have a site nearly always.
constexpr float kUnplacedCall = 2.6f;
constexpr float kUnplacedOperator = 1.8f;
constexpr float kRepeatOperator = 0.02f;
constexpr float kRepeatCall = 0.35f;
constexpr float kTurn = 0.01f;  // one more turn of a loop
// Passing over a site whose like was observed / never was.
constexpr float kSkipSeenCall = 1.0f;
constexpr float kSkipSeenOther = 0.1f;
constexpr float kSkipUnseenCall = 0.05f;
// Too little for any number of them to choose between two branches.
constexpr float kSkipUnseenOther = 0.0003f;
constexpr float kTie = 0.05f;
constexpr float kNamed = 0.9f;           // sites that take a thing at less have its name, or nearly
constexpr float kStartElsewhere = 4.0f;  // beginning on another line than the recorded one
constexpr float kStartPerhaps = 0.1f;    // the same where the text may have changed
constexpr float kEscape = 2.0f;          // an exception leaves the function
constexpr float kElsewhere = 1.5f;       // a site on another line than the recorded one
constexpr uint32_t kMaxPoints = 10000;
constexpr size_t kMaxKinds = 4096;       // further kinds of things are not told apart, nor placed
constexpr size_t kMaxCells = 2'000'000;  // of one window of the table
constexpr size_t kOverlap = 48;          // things at a window's end that are placed again
constexpr size_t kMaxMemo = 4096;

using Names = std::unordered_set<std::string_view>;

const Names& NonModules() {
  static const Names names = {"torch",
                              "F",
                              "nn.functional",
                              "torch.nn.functional",
                              "functional",
                              "math",
                              "np",
                              "numpy",
                              "os",
                              "time",
                              "random",
                              "torch.cuda",
                              "dist",
                              "torch.distributed",
                              "nn",
                              "torch.nn",
                              "super()"};
  return names;
}

// Types whose construction no profiler records.
const Names& Constructors() {
  static const Names names = {
      "bool",   "bytearray", "bytes",     "classmethod", "complex", "dict",  "enumerate",
      "filter", "float",     "frozenset", "int",         "list",    "map",   "memoryview",
      "object", "property",  "range",     "reversed",    "set",     "slice", "staticmethod",
      "str",    "super",     "tuple",     "type",        "zip"};
  return names;
}

// Calls that look their argument up.
const Names& HashingCalls() {
  static const Names names = {"add",        "discard", "remove", "get",       "pop",
                              "setdefault", "set",     "dict",   "frozenset", "index",
                              "update",     "count",   "union",  "hash",      "fromkeys"};
  return names;
}

const Names& OverloadedOperators() {
  static const Names names = {
      "__add__",     "__radd__",   "__sub__",     "__rsub__",     "__mul__",      "__rmul__",
      "__div__",     "__rdiv__",   "__truediv__", "__rtruediv__", "__floordiv__", "__rfloordiv__",
      "__mod__",     "__rmod__",   "__pow__",     "__rpow__",     "__ipow__",     "__matmul__",
      "__rmatmul__", "__lshift__", "__rlshift__", "__rshift__",   "__rrshift__",  "__and__",
      "__rand__",    "__or__",     "__ror__",     "__xor__",      "__rxor__",     "__eq__",
      "__ne__",      "__lt__",     "__le__",      "__gt__",       "__ge__",       "__format__"};
  return names;
}

bool In(const Names& names, std::string_view name) { return names.count(name) > 0; }

// Functions of Python's own that call nothing but methods of what they are given.
bool IsSealed(const Site& s) {
  static const Names names = {"print", "repr",     "str", "format", "len", "id",
                              "hash",  "callable", "ord", "chr",    "bin", "hex"};
  return s.receiver.empty() && In(names, s.name);
}

// What they run of it: "print" writes text.
float MatchSealed(const Site& s, std::string_view method) {
  static const Names writers = {"print", "repr", "str", "format"};
  static const Names texts = {"__repr__", "__str__", "__format__", "write", "flush"};
  return In(writers, s.name) && In(texts, method) ? 0.3f : kInfinite;
}

// A look-up runs these methods of its key; those of numbers and strings are not seen.
bool Hashes(const Site& s, std::string_view method) {
  return !s.literal_key && (method == "__hash__" || method == "__eq__");
}

// Calls that run a generator to its end.
bool Consumes(const Site& s) {
  static const Names names = {"list", "tuple", "set",    "dict", "sum",    "max",   "min",
                              "all",  "any",   "sorted", "zip",  "extend", "update"};
  return s.kind == SiteKind::kCall && In(names, s.name);
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

float MatchFrame(const Site& s, const Observed& o) {
  const std::string_view g = o.name;
  if (o.generator) {
    if (s.kind == SiteKind::kNext) return MatchTurn(s, o.name);
    if (s.kind == SiteKind::kCall) {
      if (Consumes(s) || s.name == "next") return s.no_arguments ? kInfinite : 0.3f;
      return s.name == g ? 0.5f : kInfinite;
    }
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
      if (o.wrapper) return MatchWrapper(s, o);
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
      if (In(combiners, s.name) && g == "<lambda>") return 0.3f;
      if (In(combiners, s.name) && !g.starts_with("__")) return 1.2f;
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

float MatchModule(const Site& s, const Observed& o) {
  if (s.kind != SiteKind::kCall) return kInfinite;
  if (s.name == "__call__") return 0.2f;
  if (In(NonModules(), s.receiver)) return kInfinite;
  static const Names functions = {"isinstance", "issubclass", "type", "getattr", "setattr",
                                  "hasattr",    "print",      "id",   "hash",    "sum",
                                  "min",        "max",        "abs",  "any",     "all",
                                  "sorted",     "iter",       "repr", "round"};
  if (s.receiver.empty() && (In(functions, s.name) || In(Constructors(), s.name))) return kInfinite;
  const float narrowed = MatchNarrowed(s, o);
  if (narrowed >= 0) return narrowed;
  if (!s.class_names.empty()) return MatchMade(s, o.name);
  if (StartsUpper(s.name) || s.name == "super" || s.name == "range" || s.name == "len")
    return kInfinite;
  const std::string site = LowerLetters(s.name), type = LowerLetters(o.name);
  const bool alike =
      NamedAfter(s.name, o.name) || (site.size() > 2 && (type.find(site) != std::string::npos ||
                                                         site.find(type) != std::string::npos));
  const float cost = s.receiver == "self" ? 0.35f : s.receiver.empty() ? 0.4f : 0.5f;
  // What another file holds is a function, as a rule.
  return (alike ? cost - 0.25f : cost) + (s.of_module ? 0.8f : 0.0f);
}

float MatchBuiltin(const Site& s, const Observed& o) {
  const std::string_view b = o.name;
  switch (s.kind) {
    case SiteKind::kCall:
      if (s.name == b) return 0;
      if (BaseName(s.name) == BaseName(b) && !BaseName(b).empty()) return 0.25f;
      if (std::find(s.aliases.begin(), s.aliases.end(), b) != s.aliases.end()) return 0.1f;
      if (NamesAlike(s.name, b)) return 0.8f;
      if (In(OverloadedOperators(), b))
        return s.receiver.empty() && s.passes_on && !StartsUpper(s.name) ? 1.5f : kInfinite;
      if (b.starts_with("__")) return kInfinite;
      if (s.name == "super" || s.name == "range") return kInfinite;
      if (IsSealed(s)) return MatchSealed(s, b);
      if (s.receiver.empty() && !StartsUpper(s.name)) return 1.6f;
      return StartsUpper(s.name) ? kInfinite : 2.3f;
    case SiteKind::kAttribute:
      return b == "__getattribute__" || b == "__getattr__" ? 0.2f : kInfinite;
    case SiteKind::kOperator: {
      const std::string op = DunderOperator(b);
      return !op.empty() && BaseName(s.name) == op ? 0.0f
             : b == BaseName(s.name)               ? 0.3f
                                                   : kInfinite;
    }
    case SiteKind::kSubscript:
      return b == "__getitem__" ? 0.0f : kInfinite;
    case SiteKind::kStoreSubscript:
      return b == "__setitem__" ? 0.0f : kInfinite;
    case SiteKind::kDelete:
      return b == "__delitem__" ? 0.0f : kInfinite;
    case SiteKind::kIterate:
      return b == "__iter__" || b == "iter" ? 0.0f : kInfinite;
    case SiteKind::kNext:
      return b == "__next__" ? 0.0f : kInfinite;
    case SiteKind::kEnter:
      return b == "__enter__" ? 0.0f : kInfinite;
    case SiteKind::kExit:
      return b == "__exit__" ? 0.0f : kInfinite;
    case SiteKind::kTruth:
      return b == "__bool__" ? 0.0f : kInfinite;
    case SiteKind::kFormat:
      return b == "__format__" || b == "format" ? 0.0f : kInfinite;
    case SiteKind::kImport:
      return b == "__import__" || b == "hasattr" ? 0.0f : kInfinite;
    case SiteKind::kClassBody:
      return b == "__build_class__" ? 0.0f : kInfinite;
    default:
      return kInfinite;
  }
}

float MatchOperator(const Site& s, const Observed& o) {
  const std::string_view n = o.name;
  static const std::map<std::string_view, Names> alike = {
      {"sub", {"sub", "rsub"}},
      {"div", {"div", "true_divide", "reciprocal"}},
      {"and", {"bitwise_and", "__and__", "logical_and"}},
      {"or", {"bitwise_or", "__or__", "logical_or"}},
      {"xor", {"bitwise_xor", "__xor__", "logical_xor"}},
      {"lshift", {"__lshift__", "bitwise_left_shift"}},
      {"rshift", {"__rshift__", "bitwise_right_shift"}},
      {"matmul", {"matmul", "mm", "bmm", "mv", "dot", "addmm", "linear"}},
      {"remainder", {"remainder", "fmod"}},
      {"bitwise_not", {"bitwise_not", "logical_not"}},
      {"contains", {"eq", "any", "is_nonzero"}}};
  static const Names helpers = {"to",   "_to_copy", "result_type", "lift_fresh",
                                "item", "detach",   "empty",       "copy_"};
  static const Names load = {"select", "slice",      "index",   "unsqueeze",     "alias",
                             "narrow", "view",       "nonzero", "as_strided",    "item",
                             "to",     "lift_fresh", "expand",  "_unsafe_index", "masked_select"};
  static const Names store = {
      "slice",     "select", "copy_",      "fill_", "index_put_", "_index_put_impl_",
      "unsqueeze", "to",     "lift_fresh", "alias", "view",       "masked_fill_",
      "expand",    "detach", "permute"};
  switch (s.kind) {
    case SiteKind::kOperator: {
      const std::string_view base = BaseName(s.name);
      if (n == s.name) return 0;
      if (BaseName(n) == base) return 0.1f;
      const auto it = alike.find(base);
      if (it != alike.end() && In(it->second, BaseName(n))) return 0.15f;
      if (In(helpers, n)) return 0.6f;
      return 1.7f;
    }
    case SiteKind::kSubscript:
      return In(load, n) ? 0.05f : In(helpers, n) ? 0.7f : kInfinite;
    case SiteKind::kStoreSubscript:
      return In(store, n) ? 0.05f : In(helpers, n) ? 0.7f : kInfinite;
    case SiteKind::kIterate:
      return n == "unbind" ? 0.0f : kInfinite;
    case SiteKind::kNext:
      return n == "unbind" || n == "select" ? 0.4f : kInfinite;
    case SiteKind::kUnpack:
      return n == "unbind" ? 0.05f : kInfinite;
    case SiteKind::kTruth:
      return n == "is_nonzero"                           ? 0.0f
             : n == "item" || n == "_local_scalar_dense" ? 0.3f
                                                         : kInfinite;
    case SiteKind::kFormat:
      return n == "item" || n == "_local_scalar_dense" ? 0.3f : kInfinite;
    case SiteKind::kAttribute: {
      static const std::map<std::string_view, Names> views = {
          {"T", {"t", "numpy_T", "permute", "transpose"}},
          {"mT", {"transpose", "mT"}},
          {"H", {"adjoint", "transpose", "conj"}},
          {"data", {"detach", "alias", "variable_data"}},
          {"real", {"real", "view_as_real", "select"}},
          {"imag", {"imag", "view_as_real", "select"}}};
      const auto it = views.find(s.name);
      return it != views.end() && In(it->second, n) ? 0.1f : kInfinite;
    }
    case SiteKind::kCall: {
      if (s.name == n) return 0.1f;
      if (BaseName(s.name) == BaseName(n) && !BaseName(n).empty()) return 0.25f;
      static const Names casts = {"to",   "float", "half", "bfloat16", "double",  "long", "int",
                                  "bool", "cuda",  "cpu",  "type",     "type_as", "byte", "short"};
      if (In(casts, s.name) && (n == "to" || n == "_to_copy" || n == "copy_")) return 0.2f;
      if ((s.name == "float" || s.name == "int" || s.name == "bool") &&
          (n == "item" || n == "is_nonzero")) {
        return 0.2f;
      }
      static const Names iterating = {"zip", "list", "tuple", "enumerate", "sorted", "iter", "map",
                                      "set", "sum",  "max",   "min",       "any",    "all"};
      if (In(iterating, s.name) && n == "unbind") return 0.3f;
      if ((s.name == "tensor" || s.name == "as_tensor") && (In(helpers, n) || n == "empty_strided"))
        return 0.4f;
      if (s.name == "cross_entropy" && n == "cross_entropy_loss") return 0.1f;
      if (s.name == "scaled_dot_product_attention" && n.find("attention") != std::string_view::npos)
        return 0.1f;
      if (s.name == "super" || s.name == "range" || s.name == "isinstance" || IsSealed(s))
        return kInfinite;
      return 1.6f;
    }
    default:
      return kInfinite;
  }
}

float MatchRuntime(const Site& s, const Observed& o) {
  const std::string name = LowerLetters(o.name);
  if (s.kind == SiteKind::kCall) {
    const std::string site = LowerLetters(s.name);
    if (name.empty()) return kInfinite;
    return site.size() > 3 && name.find(site) != std::string::npos ? 0.1f : 1.6f;
  }
  if (!name.empty() && (s.kind == SiteKind::kOperator || s.kind == SiteKind::kTruth)) return 1.6f;
  return kInfinite;
}

}  // namespace

float MatchCost(const Site& s, const Observed& o) {
  switch (o.kind) {
    case ObservedKind::kFrame:
      return MatchFrame(s, o);
    case ObservedKind::kModule:
      return MatchModule(s, o);
    case ObservedKind::kBuiltin:
      return MatchBuiltin(s, o);
    case ObservedKind::kOperator:
      return MatchOperator(s, o);
    case ObservedKind::kRuntime:
      return MatchRuntime(s, o);
  }
  return kInfinite;
}

namespace {

bool IsCall(SiteKind kind) { return kind == SiteKind::kCall || kind == SiteKind::kComprehension; }

}  // namespace

struct FunctionAligner::Impl {
  explicit Impl(const PythonFunction& f) : function(f) {
    for (const FlowEdge& e : function.edges) {
      if (e.site >= 0) site_edges.push_back(e);
    }
  }

  struct MemoKey {
    std::vector<uint32_t> sequence;
    std::vector<int> called_at;
    bool begun, ended;
    int line;
    bool operator<(const MemoKey& other) const {
      return std::tie(begun, ended, line, sequence, called_at) <
             std::tie(other.begun, other.ended, other.line, other.sequence, other.called_at);
    }
  };
  struct MemoValue {
    std::vector<Placement> placements;
    double cost = 0;
  };

  // Costs of beginning at each point.
  std::vector<float> Begin(const Start& start) const {
    std::vector<float> costs_of(function.points, start.begun ? kInfinite : 0.0f);
    costs_of[0] = 0;
    if (start.line <= 0) return costs_of;
    std::vector<uint32_t> there;
    for (const Resumption& r : function.resumptions) {
      if (r.line == start.line) there.push_back(r.point);
    }
    if (there.empty()) {
      for (const FlowEdge& e : site_edges) {
        if (function.sites[e.site].line != start.line) continue;
        there.push_back(e.from);
        there.push_back(e.to);
      }
    }
    if (there.empty()) return costs_of;
    for (float& c : costs_of)
      c = start.certain ? std::max(c, kStartElsewhere) : std::max(c, kStartPerhaps);
    if (start.begun) costs_of.assign(costs_of.size(), kInfinite);
    for (const uint32_t p : there) costs_of[p] = 0;
    return costs_of;
  }

  // Costs of passing over sites and of consuming, from the vocabulary as known now.
  void Prepare() {
    const size_t n = function.sites.size();
    std::vector<bool> seen(n, false);
    Names called;
    for (const Site& site : function.sites) {
      if (site.kind == SiteKind::kCall) called.insert(site.name);
    }
    costs.assign(kinds.size(), {});
    for (size_t k = 0; k < kinds.size(); ++k) {
      costs[k].resize(n);
      for (size_t s = 0; s < n; ++s) {
        const Site& site = function.sites[s];
        float& cost = costs[k][s];
        cost = MatchCost(site, kinds[k]);
        if (site.kind == SiteKind::kAttribute && cost < 0.6f && site.name == kinds[k].name &&
            kinds[k].accessor != Accessor::kProperty && called.count(site.name)) {
          cost = 0.6f;  // elsewhere in the function it is called: a method, no property
        }
        // __getattr__ runs for few attributes only: one that does not run it is nothing unusual,
        // unless it is known to be kept where only __getattr__ finds it.
        if (site.kind == SiteKind::kAttribute && site.name != kinds[k].name &&
            site.store != AttributeStore::kRegistered) {
          continue;
        }
        if (cost < (IsCall(site.kind) ? 0.3f : 0.12f)) seen[s] = true;
      }
    }
    skip.resize(n);
    for (size_t s = 0; s < n; ++s) {
      const Site& site = function.sites[s];
      const bool call = IsCall(site.kind) && !In(Constructors(), site.name);
      skip[s] = seen[s] ? (call ? kSkipSeenCall : kSkipSeenOther)
                        : (call ? kSkipUnseenCall : kSkipUnseenOther);
      // A variable may hold further functions than those that are known.
      if (!seen[s] || !call || !site.aliases.empty()) continue;
      // Its own callee was observed, so it does not stand for something of another name.
      for (auto& row : costs) {
        if (row[s] >= 1.4f) row[s] = kInfinite;
      }
    }
    matching.assign(kinds.size(), {});
    for (size_t k = 0; k < kinds.size(); ++k) {
      for (uint32_t e = 0; e < site_edges.size(); ++e) {
        if (costs[k][site_edges[e].site] < kInfinite) matching[k].push_back(e);
      }
    }
    prepared = kinds.size();
    memo.clear();
  }

  float EdgeCost(const FlowEdge& e) const { return e.cost + (e.site >= 0 ? skip[e.site] : 0.0f); }

  void CloseForward(float* d) const {
    for (int pass = 0; pass < 2; ++pass) {
      for (const FlowEdge& e : function.edges) {
        const float c = d[e.from] + EdgeCost(e);
        if (c < d[e.to]) d[e.to] = c;
      }
      bool improved = false;
      for (const FlowEdge& e : function.back_edges) {
        const float c = d[e.from] + kTurn;
        if (c < d[e.to]) {
          d[e.to] = c;
          improved = true;
        }
      }
      if (!improved) return;
    }
    for (const FlowEdge& e : function.edges) {
      const float c = d[e.from] + EdgeCost(e);
      if (c < d[e.to]) d[e.to] = c;
    }
  }

  void CloseBackward(float* d) const {
    for (int pass = 0; pass < 2; ++pass) {
      for (size_t i = function.edges.size(); i-- > 0;) {
        const FlowEdge& e = function.edges[i];
        const float c = d[e.to] + EdgeCost(e);
        if (c < d[e.from]) d[e.from] = c;
      }
      bool improved = false;
      for (const FlowEdge& e : function.back_edges) {
        const float c = d[e.to] + kTurn;
        if (c < d[e.from]) {
          d[e.from] = c;
          improved = true;
        }
      }
      if (!improved) return;
    }
    for (size_t i = function.edges.size(); i-- > 0;) {
      const FlowEdge& e = function.edges[i];
      const float c = d[e.to] + EdgeCost(e);
      if (c < d[e.from]) d[e.from] = c;
    }
  }

  float Unplaced(uint32_t kind) const {
    const ObservedKind k = kinds[kind].kind;
    return k == ObservedKind::kOperator || k == ObservedKind::kRuntime ? kUnplacedOperator
                                                                       : kUnplacedCall;
  }
  float Repeat(uint32_t kind, const Site& s) const {
    if (kinds[kind].generator && Consumes(s)) return kRepeatOperator;
    return s.kind == SiteKind::kCall ? kRepeatCall : kRepeatOperator;
  }

  // Places sequence[0, n); `start` holds the closed costs before it and becomes those before
  // sequence[keep]. Placements are written for [0, keep).
  double Window(std::span<const uint32_t> sequence, std::span<const int> called_at, size_t keep,
                bool last_ends, std::vector<float>& start, Placement* out) {
    // A statement may begin lines above the one that the interpreter names, so this weighs much but
    // not all.
    const auto elsewhere = [&](size_t i, const Site& site) {
      return !called_at.empty() && called_at[i] > 0 && called_at[i] != site.line ? kElsewhere
                                                                                 : 0.0f;
    };
    const uint32_t points = function.points;
    const size_t n = sequence.size();
    std::vector<float> forward((n + 1) * points, kInfinite);
    std::copy(start.begin(), start.end(), forward.begin());
    for (size_t i = 0; i < n; ++i) {
      const float* from = &forward[i * points];
      float* to = &forward[(i + 1) * points];
      const float unplaced = Unplaced(sequence[i]);
      for (uint32_t p = 0; p < points; ++p) to[p] = from[p] + unplaced;
      for (const uint32_t index : matching[sequence[i]]) {
        const FlowEdge& e = site_edges[index];
        const Site& site = function.sites[e.site];
        const float match = costs[sequence[i]][e.site] + e.cost + elsewhere(i, site);
        float best = from[e.from] + match;
        if (site.repeat) best = std::min(best, from[e.to] + match + Repeat(sequence[i], site));
        if (best < to[e.to]) to[e.to] = best;
      }
      CloseForward(to);
    }
    std::vector<float> after(points, last_ends ? kEscape : 0.0f), before(points);
    if (last_ends) {
      after[points - 1] = 0;
      CloseBackward(after.data());
    }
    float total = kInfinite;
    for (uint32_t p = 0; p < points; ++p)
      total = std::min(total, forward[n * points + p] + after[p]);
    for (size_t i = n; i-- > 0;) {
      const float* from = &forward[i * points];
      const float unplaced = Unplaced(sequence[i]);
      float best = kInfinite, other = kInfinite, none = kInfinite;
      int line = 0;
      uint32_t line_site = 0;
      bool named = false;
      for (uint32_t p = 0; p < points; ++p) {
        before[p] = after[p] + unplaced;
        none = std::min(none, from[p] + before[p]);
      }
      for (const uint32_t index : matching[sequence[i]]) {
        const FlowEdge& e = site_edges[index];
        const Site& site = function.sites[e.site];
        const float match = costs[sequence[i]][e.site] + e.cost + elsewhere(i, site);
        float through = from[e.from] + match + after[e.to];
        before[e.from] = std::min(before[e.from], match + after[e.to]);
        if (site.repeat) {
          through = std::min(through, from[e.to] + match + Repeat(sequence[i], site) + after[e.to]);
          before[e.to] = std::min(before[e.to], match + Repeat(sequence[i], site) + after[e.to]);
        }
        if (through < best) {
          if (site.line != line) other = best;
          best = through;
          line = site.line;
          line_site = static_cast<uint32_t>(e.site);
          named = costs[sequence[i]][e.site] < kNamed;
        } else if (site.line != line && through < other) {
          other = through;
        }
      }
      if (i < keep) {
        if (best <= none) {
          out[i].line = line;
          out[i].site = line_site;
          out[i].ambiguous = other <= best + kTie;
          out[i].named = named;
        } else {
          out[i] = {};
        }
      }
      CloseBackward(before.data());
      after.swap(before);
    }
    start.assign(forward.begin() + static_cast<ptrdiff_t>(keep * points),
                 forward.begin() + static_cast<ptrdiff_t>((keep + 1) * points));
    // Only differences matter; small numbers keep their precision.
    const float least = *std::min_element(start.begin(), start.end());
    for (float& d : start) d -= least;
    return total;
  }

  const PythonFunction& function;
  std::vector<FlowEdge> site_edges;
  std::vector<Observed> kinds;
  std::unordered_map<std::string, uint32_t> ids;
  std::vector<std::vector<float>> costs;        // [kind][site]
  std::vector<std::vector<uint32_t>> matching;  // [kind]: indexes into site_edges
  std::vector<float> skip;
  size_t prepared = 0;
  std::map<MemoKey, MemoValue> memo;
};

FunctionAligner::FunctionAligner(const PythonFunction& function)
    : impl_(std::make_unique<Impl>(function)) {}
FunctionAligner::~FunctionAligner() = default;

uint32_t FunctionAligner::Describe(const Observed& observed) {
  if (impl_->kinds.size() >= kMaxKinds && !observed.name.empty()) {
    Observed other;
    other.kind = ObservedKind::kRuntime;
    if (impl_->kinds.size() == kMaxKinds) impl_->kinds.push_back(other);
    return static_cast<uint32_t>(kMaxKinds);
  }
  std::string key;
  key.push_back(static_cast<char>('0' + static_cast<int>(observed.kind)));
  key += observed.name;
  key.push_back('\0');
  key += observed.owner;
  key.push_back('\0');
  key += std::to_string(observed.definition_line);
  if (observed.generator) key += 'g';
  if (observed.manages) key += 'm';
  if (observed.wrapper) key += 'w';
  key += std::to_string(static_cast<int>(observed.accessor));
  key += observed.inner;
  key.push_back('\0');
  key += observed.file;
  for (const std::string& base : observed.bases) key += '\0' + base;
  for (const std::string& heir : observed.heirs) key += '\0' + heir;
  const auto [it, fresh] =
      impl_->ids.emplace(std::move(key), static_cast<uint32_t>(impl_->kinds.size()));
  if (fresh) impl_->kinds.push_back(observed);
  return it->second;
}

std::vector<Placement> FunctionAligner::Align(std::span<const uint32_t> sequence,
                                              std::span<const int> called_at, const Start& begin_at,
                                              bool ended) {
  Impl& m = *impl_;
  std::vector<Placement> out(sequence.size());
  last_cost_ = 0;
  const uint32_t points = m.function.points;
  if (sequence.empty() || points == 0 || points > kMaxPoints) return out;
  if (m.prepared != m.kinds.size()) {
    m.Prepare();
    work_ += m.kinds.size() * m.function.sites.size();
  }
  Impl::MemoKey key;
  if (sequence.size() <= kMaxMemo) {
    key = {{sequence.begin(), sequence.end()},
           {called_at.begin(), called_at.end()},
           begin_at.begun,
           ended,
           begin_at.line};
    const auto it = m.memo.find(key);
    if (it != m.memo.end()) {
      last_cost_ = it->second.cost;
      return it->second.placements;
    }
  }
  std::vector<float> start = m.Begin(begin_at);
  m.CloseForward(start.data());
  const size_t window = std::max<size_t>(2 * kOverlap, kMaxCells / points);
  work_ += static_cast<uint64_t>(sequence.size()) * points;
  double cost = 0;
  for (size_t begin = 0; begin < sequence.size();) {
    const size_t n = std::min(window, sequence.size() - begin);
    const bool last = begin + n == sequence.size();
    const size_t keep = last ? n : n - kOverlap;
    cost = m.Window(sequence.subspan(begin, n),
                    called_at.empty() ? called_at : called_at.subspan(begin, n), keep,
                    last && ended, start, out.data() + begin);
    begin += keep;
  }
  last_cost_ = cost / static_cast<double>(sequence.size());
  if (sequence.size() <= kMaxMemo) m.memo.emplace(std::move(key), Impl::MemoValue{out, last_cost_});
  return out;
}

}  // namespace emberline
