#include "attribution/align_search.h"

#include <algorithm>

namespace emberline {
namespace {

constexpr float kTurn = 0.01f;  // one more turn of a loop
constexpr float kTie = 0.05f;
constexpr float kStartElsewhere = 4.0f;  // beginning on another line than the recorded one
constexpr float kStartPerhaps = 0.1f;    // the same where the text may have changed
constexpr float kEscape = 2.0f;          // an exception leaves the function
constexpr float kElsewhere = 1.5f;       // a site on another line than the recorded one
constexpr float kReturnedAfterAll = 1;   // going on behind what raised, as it seems
constexpr float kTells = 0.5f;           // a way to end that is better by this is how a run ended

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

float PathSearch::Edge(const FlowEdge& e) const {
  return may_raise_ && e.kind == EdgeKind::kHandled && c_.fails_unseen[e.from] ? 0.0f : c_.Edge(e);
}

void PathSearch::CloseForward(float* d) const {
  for (int pass = 0; pass < 2; ++pass) {
    for (const FlowEdge& e : function_.edges) {
      const float c = d[e.from] + Edge(e);
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
    const float c = d[e.from] + Edge(e);
    if (c < d[e.to]) d[e.to] = c;
  }
}

void PathSearch::CloseBackward(float* d, uint32_t barred) const {
  for (int pass = 0; pass < 2; ++pass) {
    for (size_t i = function_.edges.size(); i-- > 0;) {
      const FlowEdge& e = function_.edges[i];
      const float c = d[e.to] + Edge(e);
      if (c < d[e.from] && e.from != barred) d[e.from] = c;
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
    const float c = d[e.to] + Edge(e);
    if (c < d[e.from] && e.from != barred) d[e.from] = c;
  }
}

template <typename Take>
void PathSearch::Onward(uint32_t at, Ended ended, const Take& take) const {
  take(at, ended == Ended::kRaised ? kReturnedAfterAll : 0.0f);
  if (ended != Ended::kRaised && (ended == Ended::kReturned || !may_raise_)) return;
  auto e = std::lower_bound(c_.unwinding.begin(), c_.unwinding.end(), at,
                            [](const FlowEdge& edge, uint32_t point) { return edge.from < point; });
  const bool caught = e != c_.unwinding.end() && e->from == at;
  for (; e != c_.unwinding.end() && e->from == at; ++e) {
    if (ended == Ended::kRaised || e->kind == EdgeKind::kHandled) take(e->to, 0.0f);
  }
  if (ended == Ended::kRaised && !caught) take(function_.raised, 0.0f);
}

Ended PathSearch::EndedBy(const float* reached) const {
  const uint32_t end = function_.points - 1, raised = function_.raised;
  std::vector<float> returning(function_.points, kInfinite), raising(function_.points, kEscape);
  raising[raised] = 0;
  returning[end] = 0;
  raising[end] = kInfinite;
  CloseBackward(raising.data());
  // The only edge behind `raised` leads to the end, and is not taken where a function returns.
  CloseBackward(returning.data(), raised);
  float returns = kInfinite, raises = kInfinite;
  for (uint32_t p = 0; p < end; ++p) {  // the end itself is reached either way
    returns = std::min(returns, reached[p] + returning[p]);
    raises = std::min(raises, reached[p] + raising[p]);
  }
  if (raises + kTells < returns) return Ended::kRaised;
  return returns + kTells < raises ? Ended::kReturned : Ended::kUnknown;
}

PathSearch::Result PathSearch::Window(std::span<const uint32_t> sequence, const RunEvidence& known,
                                      size_t keep, bool last_ends, std::vector<float>& start,
                                      Placement* out) const {
  const std::span<const int> called_at = known.called_at;
  const auto how = [&](size_t i) { return known.ended.empty() ? Ended::kUnknown : known.ended[i]; };
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
      Onward(e.to, how(i), [&](uint32_t p, float cost) { to[p] = std::min(to[p], best + cost); });
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
  const Result result = {total, last_ends ? EndedBy(&forward[n * points]) : Ended::kUnknown};
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
      float then = kInfinite;
      Onward(e.to, how(i), [&](uint32_t p, float cost) { then = std::min(then, after[p] + cost); });
      float through = from[e.from] + match + then;
      before[e.from] = std::min(before[e.from], match + then);
      if (site.repeat) {
        through = std::min(through, from[e.to] + match + c_.Repeat(sequence[i], site) + then);
        before[e.to] = std::min(before[e.to], match + c_.Repeat(sequence[i], site) + then);
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
  return result;
}

}  // namespace emberline
