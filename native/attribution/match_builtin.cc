// C functions against the sites of a source.
#include <algorithm>

#include "attribution/match_internal.h"
#include "source/names.h"

namespace emberline {

float MatchBuiltin(const Site& s, const Observed& o) {
  const std::string_view b = o.name;
  switch (s.kind) {
    case SiteKind::kCall:
      if (s.name == b) return 0;
      if (BaseName(s.name) == BaseName(b) && !BaseName(b).empty()) return 0.25f;
      if (std::find(s.aliases.begin(), s.aliases.end(), b) != s.aliases.end()) return 0.1f;
      if (IsGiven(s, b)) return 0.3f;
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

}  // namespace emberline
