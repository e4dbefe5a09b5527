#include "source/python_flow.h"

namespace emberline {
namespace {

constexpr float kResumed = 0.3f;         // of beginning behind a yield where no line says so
constexpr uint32_t kLongestTwice = 500;  // points of what is passed on two ways
constexpr float kUnlikely = 8;  // of going on behind a statement that ends the flow (dead code)

}  // namespace

uint32_t NewPoint(FlowBuilder& b) { return b.points++; }

void Edge(FlowBuilder& b, uint32_t from, uint32_t to, float cost, EdgeKind kind) {
  b.edges.push_back({from, to, -1, cost, kind});
}

void Continue(FlowBuilder& b, const std::vector<uint32_t>& from) {
  const uint32_t to = NewPoint(b);
  for (const uint32_t p : from) Edge(b, p, to);
  b.current = to;
}

void Dead(FlowBuilder& b) {
  const uint32_t to = NewPoint(b);
  Edge(b, b.current, to, kUnlikely);
  b.current = to;
}

void MayRaise(FlowBuilder& b) {
  if (!b.raising.empty()) b.raising.back().push_back({b.current, kExceptional});
}

void Raise(FlowBuilder& b) {
  PassOn(b, b.current);
  Dead(b);
}

void Catch(FlowBuilder& b, uint32_t to, EdgeKind kind) {
  for (const FlowBuilder::Raising& r : b.raising.back()) Edge(b, r.point, to, r.cost, kind);
  b.raising.pop_back();
}

void PassOn(FlowBuilder& b, uint32_t from, float cost) {
  (b.raising.empty() ? b.escapes : b.raising.back()).push_back({from, cost});
}

Twice::Twice(const FlowBuilder& b)
    : first_(b.current),
      edges_(b.edges.size()),
      back_edges_(b.back_edges.size()),
      returns_(b.returns.size()),
      suspensions_(b.suspensions.size()),
      resumptions_(b.resumptions.size()),
      raising_(b.raising.empty() ? 0 : b.raising.back().size()),
      breaks_(b.loops.empty() ? 0 : b.loops.back().breaks.size()) {}

Twice::Way Twice::Second(FlowBuilder& b) const {
  // Parts inside parts double each time, so long ones are left.
  if (b.points - first_ > kLongestTwice) return {first_, b.current, false};
  const uint32_t by = b.points - first_;
  const auto moved = [&](uint32_t point) { return point < first_ ? point : point + by; };
  const auto again = [](auto& list, size_t from, const auto& change) {
    for (size_t i = from, end = list.size(); i < end; ++i) {
      auto copy = list[i];
      change(copy);
      list.push_back(std::move(copy));
    }
  };
  const auto edge = [&](FlowEdge& e) {
    e.from = moved(e.from);
    e.to = moved(e.to);
  };
  const auto point = [&](uint32_t& p) { p = moved(p); };
  again(b.edges, edges_, edge);
  again(b.back_edges, back_edges_, edge);
  again(b.returns, returns_, point);
  again(b.suspensions, suspensions_, point);
  again(b.resumptions, resumptions_, [&](Resumption& r) { r.point = moved(r.point); });
  if (!b.raising.empty()) {
    again(b.raising.back(), raising_, [&](FlowBuilder::Raising& r) { r.point = moved(r.point); });
  }
  if (!b.loops.empty()) again(b.loops.back().breaks, breaks_, point);
  b.points += by;
  return {moved(first_), moved(b.current), true};
}

Site& AddSite(FlowBuilder& b, SiteKind kind, int line, std::string_view name) {
  Site site;
  site.kind = kind;
  site.line = line;
  site.name = std::string(name.substr(0, kMaxReceiver));
  b.sites.push_back(std::move(site));
  const uint32_t to = NewPoint(b);
  b.edges.push_back({b.current, to, static_cast<int32_t>(b.sites.size()) - 1, 0});
  b.current = to;
  MayRaise(b);
  return b.sites.back();
}

void Suspend(FlowBuilder& b, int line, const std::string& from) {
  if (!from.empty()) {
    const uint32_t resumed = NewPoint(b);
    Edge(b, b.current, resumed);
    Edge(b, 0, resumed, kResumed);
    b.resumptions.push_back({line, resumed});
    b.current = resumed;
    AddSite(b, SiteKind::kNext, line, from);
    b.suspensions.push_back(b.current);
    return;
  }
  b.suspensions.push_back(b.current);
  const uint32_t resumed = NewPoint(b);
  Edge(b, b.current, resumed);
  Edge(b, 0, resumed, kResumed);
  b.resumptions.push_back({line, resumed});
  b.current = resumed;
}

}  // namespace emberline
