// Operators and runtime calls that no Python call was seen of, against the sites of a source.
#include <map>

#include "attribution/match_internal.h"
#include "source/names.h"

namespace emberline {

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

}  // namespace emberline
