// What it costs to place each kind of thing on each site of a function, and to pass over sites.
#pragma once

#include <cstdint>
#include <vector>

#include "attribution/match_internal.h"
#include "source/python_syntax.h"

namespace emberline {

// Leaving a thing unplaced; dearer for calls, which have a site nearly always.
inline constexpr float kUnplacedCall = 2.6f;
inline constexpr float kUnplacedOperator = 1.8f;
inline constexpr float kRepeatOperator = 0.02f;
inline constexpr float kRepeatCall = 0.35f;
inline constexpr float kRepeatConstructor = 1.0f;
// Of the very function or module that is called: one call runs it once.
inline constexpr float kRepeatCallee = 1.6f;

struct AlignmentCosts {
  explicit AlignmentCosts(const PythonFunction& f);

  // Costs of passing over sites and of consuming, from the kinds as known now.
  void Prepare();

  // Of going along an edge of the function's flow without placing anything.
  float Edge(const FlowEdge& e) const { return e.cost + (e.site >= 0 ? skip[e.site] : 0.0f); }
  // Of leaving a thing unplaced.
  float Unplaced(uint32_t kind) const {
    const ObservedKind k = kinds[kind].kind;
    return k == ObservedKind::kOperator || k == ObservedKind::kRuntime ? kUnplacedOperator
                                                                       : kUnplacedCall;
  }
  // Of a site that takes a thing once more.
  float Repeat(uint32_t kind, const Site& site) const {
    const Observed& o = kinds[kind];
    if (o.generator && Consumes(site)) return kRepeatOperator;
    if (site.kind != SiteKind::kCall) return kRepeatOperator;
    const bool callee =
        o.kind == ObservedKind::kModule || (o.kind == ObservedKind::kFrame && o.name == site.name);
    if (callee && !o.generator && !CallsForEach(site)) return kRepeatCallee;
    // One object is constructed by one call; it may have a __new__ before.
    return o.kind == ObservedKind::kFrame && o.name == "__init__" ? kRepeatConstructor
                                                                  : kRepeatCall;
  }

  const PythonFunction& function;
  std::vector<FlowEdge> site_edges;             // edges with a site
  std::vector<FlowEdge> unwinding;              // edges that exceptions take, by `from`
  bool handles = false;                         // some of them lead to a handler
  std::vector<Observed> kinds;                  // of things that are placed
  std::vector<std::vector<float>> match;        // [kind][site]
  std::vector<std::vector<uint32_t>> matching;  // [kind]: indexes into site_edges
  std::vector<float> skip;                      // [site]
  std::vector<bool> fails_unseen;               // [point]: behind a look-up or the like of which
                                                // nothing was observed
  size_t prepared = 0;                          // kinds that the tables hold
};

}  // namespace emberline
