#include "attribution/align_costs.h"

#include <algorithm>

#include "attribution/match_internal.h"

namespace emberline {
namespace {

// Passing over a site whose like was observed / never was.
constexpr float kSkipSeenCall = 1.0f;
constexpr float kSkipSeenOther = 0.1f;
constexpr float kSkipUnseenCall = 0.05f;
// Too little for any number of them to choose between two branches.
constexpr float kSkipUnseenOther = 0.0003f;
// A call takes a thing at less than this where its name or class speaks for it.
constexpr float kLikely = 0.3f;
// A function that keeps its results runs for a second time: more than what counts as a tie.
constexpr float kRunsAgain = 0.3f;

bool IsCall(SiteKind kind) { return kind == SiteKind::kCall || kind == SiteKind::kComprehension; }

// What handlers are written for and no recorder sees: a key that is not there, a text that is no
// number.
bool OftenFails(const Site& site) {
  if (site.kind == SiteKind::kSubscript) return true;
  return site.kind == SiteKind::kCall && site.receiver.empty() &&
         (site.name == "int" || site.name == "float");
}

}  // namespace

AlignmentCosts::AlignmentCosts(const PythonFunction& f) : function(f) {
  for (const FlowEdge& e : function.edges) {
    if (e.site >= 0) site_edges.push_back(e);
    if (e.kind != EdgeKind::kOrdinary) unwinding.push_back(e);
    handles = handles || e.kind == EdgeKind::kHandled;
  }
}

void AlignmentCosts::Prepare() {
  const size_t n = function.sites.size();
  std::vector<bool> seen(n, false);
  Names called;
  for (const Site& site : function.sites) {
    if (site.kind == SiteKind::kCall) called.insert(site.name);
  }
  match.assign(kinds.size(), {});
  for (size_t k = 0; k < kinds.size(); ++k) {
    match[k].resize(n);
    for (size_t s = 0; s < n; ++s) {
      const Site& site = function.sites[s];
      float& cost = match[k][s];
      cost = MatchCost(site, kinds[k]);
      if (site.memoized && site.again) cost += kRunsAgain;
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
      if (cost < (IsCall(site.kind) ? kLikely : 0.12f)) seen[s] = true;
    }
  }
  // A site that modules are called from is hardly that of a function without a name, too.
  for (size_t s = 0; s < n; ++s) {
    bool modules = false;
    for (size_t k = 0; k < kinds.size(); ++k)
      modules = modules || (kinds[k].kind == ObservedKind::kModule && match[k][s] < kLikely);
    for (size_t k = 0; modules && k < kinds.size(); ++k) {
      if (kinds[k].kind == ObservedKind::kFrame && kinds[k].name == "<lambda>")
        match[k][s] += kLikely;
    }
  }
  // Where frames were recorded at all, one that is not there did not run.
  const bool frames = std::any_of(kinds.begin(), kinds.end(),
                                  [](const Observed& o) { return o.kind == ObservedKind::kFrame; });
  skip.resize(n);
  for (size_t s = 0; s < n; ++s) {
    const Site& site = function.sites[s];
    const bool call = IsCall(site.kind) && !In(Constructors(), site.name);
    if (call)
      skip[s] = seen[s] || (frames && site.runs_frame) ? kSkipSeenCall : kSkipUnseenCall;
    else
      skip[s] = seen[s] ? kSkipSeenOther : kSkipUnseenOther;
    if (site.memoized) skip[s] = site.again ? 0 : std::min(skip[s], kSkipUnseenCall);
    // A variable may hold further functions than those that are known.
    if (!seen[s] || !call || !site.aliases.empty()) continue;
    // Its own callee was observed, so it does not stand for something of another name.
    for (auto& row : match) {
      if (row[s] >= 1.4f) row[s] = kInfinite;
    }
  }
  fails_unseen.assign(function.points, false);
  for (const FlowEdge& e : site_edges) {
    if (!seen[e.site] && OftenFails(function.sites[e.site])) fails_unseen[e.to] = true;
  }
  matching.assign(kinds.size(), {});
  for (size_t k = 0; k < kinds.size(); ++k) {
    for (uint32_t e = 0; e < site_edges.size(); ++e) {
      if (match[k][site_edges[e].site] < kInfinite) matching[k].push_back(e);
    }
  }
  prepared = kinds.size();
}

}  // namespace emberline
