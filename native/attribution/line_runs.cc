#include "attribution/line_runs.h"

#include <algorithm>

#include "attribution/match_constructor.h"
#include "attribution/match_internal.h"

namespace emberline {
LineRuns::LineRuns(const PythonFunction& function)
    : function_(function), in_loop_(function.sites.size(), false) {
  // The points of a loop lie between its head and where it turns back. By point: how far the loops
  // reach that begin there or before.
  std::vector<uint32_t> reach(function.points, 0);
  for (const FlowEdge& turn : function.back_edges) {
    reach[turn.to] = std::max(reach[turn.to], turn.from);
  }
  for (size_t p = 1; p < reach.size(); ++p) reach[p] = std::max(reach[p], reach[p - 1]);
  for (const FlowEdge& edge : function.edges) {
    if (edge.site >= 0 && reach[edge.from] >= edge.to) in_loop_[edge.site] = true;
  }
}

void LineRuns::Begin() {
  last_.clear();
  last_line_ = 0;
  calls_ = 0;
}

// Whether a call at the site of its line's last call belongs to another run than that one.
bool LineRuns::RunsAgain(uint32_t index, const Last& last, const Observed& call) const {
  const Site& site = function_.sites[index];
  if (!site.repeat) return true;
  if (!in_loop_[index]) return false;
  if (last.number + 1 < calls_) return true;  // something else was called meanwhile
  const Observed& first = *last.first;
  if (first.kind != call.kind) return false;
  switch (call.kind) {
    case ObservedKind::kModule:
      return !CallsForEach(site);
    case ObservedKind::kFrame:
      if (site.kind != SiteKind::kCall) return call.name == first.name;
      if (IsConstructor(call) && IsConstructor(first)) return call.name == first.name;
      return !IsSealed(site) && (call.name == site.name || !CallsForEach(site));
    case ObservedKind::kBuiltin:
    case ObservedKind::kOperator:
    case ObservedKind::kRuntime:
      return call.name == first.name && !CallsForEach(site);
  }
  return false;
}

bool LineRuns::Next(uint32_t site, const Observed& call) {
  const int line = function_.sites[site].line;
  const auto [it, fresh] = last_.try_emplace(line);
  Last& last = it->second;
  const bool begins =
      fresh || site < last.site || (site == last.site && RunsAgain(site, last, call));
  if (begins || site != last.site) last.first = &call;
  last.site = site;
  last.number = calls_++;
  last_line_ = line;
  return begins;
}

bool LineRuns::NextOnLine(int line) {
  const bool begins = line != last_line_;
  last_line_ = line;
  ++calls_;
  return begins;
}

}  // namespace emberline
