#include "attribution/match.h"

#include <algorithm>

#include "attribution/match_internal.h"

namespace emberline {

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

bool IsSealed(const Site& s) {
  static const Names names = {"print", "repr",     "str", "format", "len", "id",
                              "hash",  "callable", "ord", "chr",    "bin", "hex"};
  return s.receiver.empty() && In(names, s.name);
}

float MatchSealed(const Site& s, std::string_view method) {
  static const Names writers = {"print", "repr", "str", "format"};
  static const Names texts = {"__repr__", "__str__", "__format__", "write", "flush"};
  return In(writers, s.name) && In(texts, method) ? 0.3f : kInfinite;
}

bool IsGiven(const Site& s, std::string_view function) {
  return !s.runs_frame && std::find(s.given.begin(), s.given.end(), function) != s.given.end();
}

bool CallsForEach(const Site& s) {
  static const Names names = {"map",        "filter",        "reduce", "sort",   "groupby",
                              "accumulate", "starmap",       "sub",    "subn",   "vmap",
                              "tree_map",   "tree_map_only", "apply",  "_apply", "for_each"};
  return Consumes(s) || s.takes_lambda || In(names, s.name);
}

bool Consumes(const Site& s) {
  static const Names names = {"list", "tuple", "set",    "dict", "sum",    "max",   "min",
                              "all",  "any",   "sorted", "zip",  "extend", "update"};
  return s.kind == SiteKind::kCall && In(names, s.name);
}

}  // namespace emberline
