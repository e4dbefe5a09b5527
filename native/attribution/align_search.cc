#include "attribution/align_search.h"

#include <algorithm>

namespace emberline {
namespace {

constexpr float kTurn = 0.01f;  // one more turn of a loop
constexpr float kTie = 0.05f;
constexpr float kNamed = 0.9f;           // sites that take a thing at less have its name, or nearly
constexpr float kStartElsewhere = 4.0f;  // beginning on another line than the recorded one
constexpr float kStartPerhaps = 0.1f;    // the same where the text may have changed
constexpr float kEscape = 2.0f;          // an exception leaves the function
constexpr float kElsewhere = 1.5f;       // a site on another line than the recorded one

}  // namespace

std::vector<float> PathSearch::StartCosts(const Start& start) const {
  std::vector<float> costs_of(function_.points, start.begun ? kInfinite : 0.0f);
  costs_of[0] = 0;
  if (start.line <= 0) return costs_of;
  std::vector<uint32_t> there;
  for (const Resumption& r : function_.resumptions) {
    if (r.line == start.line) there.push_back(r.point);
  }
  if (there.empty()) {
    for (const FlowEdge& e : c_.site_edges) {
      if (function_.sites[e.site].line != start.line) continue;
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

std::vector<float> PathSearch::Begin(const Start& start) const {
  std::vector<float> costs = StartCosts(start);
  CloseForward(costs.data());
  return costs;
}

void PathSearch::CloseForward(float* d) const {
  for (int pass = 0; pass < 2; ++pass) {
    for (const FlowEdge& e : function_.edges) {
      const float c = d[e.from] + c_.Edge(e);
      if (c < d[e.to]) d[e.to] = c;
    }
    bool improved = false;
    for (const FlowEdge& e : function_.back_edges) {
      const float c = d[e.from] + kTurn;
      if (c < d[e.to]) {
        d[e.to] = c;
        improved = true;
      }
    }
    if (!improved) return;
  }
  for (const FlowEdge& e : function_.edges) {
    const float c = d[e.from] + c_.Edge(e);
    if (c < d[e.to]) d[e.to] = c;
  }
}

void PathSearch::CloseBackward(float* d) const {
  for (int pass = 0; pass < 2; ++pass) {
    for (size_t i = function_.edges.size(); i-- > 0;) {
      const FlowEdge& e = function_.edges[i];
      const float c = d[e.to] + c_.Edge(e);
      if (c < d[e.from]) d[e.from] = c;
    }
    bool improved = false;
    for (const FlowEdge& e : function_.back_edges) {
      const float c = d[e.to] + kTurn;
      if (c < d[e.from]) {
        d[e.from] = c;
        improved = true;
      }
    }
    if (!improved) return;
  }
  for (size_t i = function_.edges.size(); i-- > 0;) {
    const FlowEdge& e = function_.edges[i];
    const float c = d[e.to] + c_.Edge(e);
    if (c < d[e.from]) d[e.from] = c;
  }
}

double PathSearch::Window(std::span<const uint32_t> sequence, std::span<const int> called_at,
                          size_t keep, bool last_ends, std::vector<float>& start,
                          Placement* out) const {
  // A statement may begin lines above the one that the interpreter names, so this weighs much but
  // not all.
  const auto elsewhere = [&](size_t i, const Site& site) {
    return !called_at.empty() && called_at[i] > 0 && called_at[i] != site.line ? kElsewhere : 0.0f;
  };
  const uint32_t points = function_.points;
  const size_t n = sequence.size();
  std::vector<float> forward((n + 1) * points, kInfinite);
  std::copy(start.begin(), start.end(), forward.begin());
  for (size_t i = 0; i < n; ++i) {
    const float* from = &forward[i * points];
    float* to = &forward[(i + 1) * points];
    const float unplaced = c_.Unplaced(sequence[i]);
    for (uint32_t p = 0; p < points; ++p) to[p] = from[p] + unplaced;
    for (const uint32_t index : c_.matching[sequence[i]]) {
      const FlowEdge& e = c_.site_edges[index];
      const Site& site = function_.sites[e.site];
      const float match = c_.match[sequence[i]][e.site] + e.cost + elsewhere(i, site);
      float best = from[e.from] + match;
      if (site.repeat) best = std::min(best, from[e.to] + match + c_.Repeat(sequence[i], site));
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
  for (uint32_t p = 0; p < points; ++p) total = std::min(total, forward[n * points + p] + after[p]);
  for (size_t i = n; i-- > 0;) {
    const float* from = &forward[i * points];
    const float unplaced = c_.Unplaced(sequence[i]);
    float best = kInfinite, other = kInfinite, none = kInfinite;
    int line = 0;
    uint32_t line_site = 0;
    bool named = false;
    for (uint32_t p = 0; p < points; ++p) {
      before[p] = after[p] + unplaced;
      none = std::min(none, from[p] + before[p]);
    }
    for (const uint32_t index : c_.matching[sequence[i]]) {
      const FlowEdge& e = c_.site_edges[index];
      const Site& site = function_.sites[e.site];
      const float match = c_.match[sequence[i]][e.site] + e.cost + elsewhere(i, site);
      float through = from[e.from] + match + after[e.to];
      before[e.from] = std::min(before[e.from], match + after[e.to]);
      if (site.repeat) {
        through =
            std::min(through, from[e.to] + match + c_.Repeat(sequence[i], site) + after[e.to]);
        before[e.to] = std::min(before[e.to], match + c_.Repeat(sequence[i], site) + after[e.to]);
      }
      if (through < best) {
        if (site.line != line) other = best;
        best = through;
        line = site.line;
        line_site = static_cast<uint32_t>(e.site);
        named = c_.match[sequence[i]][e.site] < kNamed;
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

}  // namespace emberline
