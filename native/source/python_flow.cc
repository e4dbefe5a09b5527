#include "source/python_flow.h"

namespace emberline {
namespace {

constexpr float kResumed = 0.3f;  // of beginning behind a yield where no line says so
constexpr float kUnlikely = 8;    // of going on behind a statement that ends the flow (dead code)

}  // namespace

uint32_t NewPoint(FlowBuilder& b) { return b.points++; }

void Edge(FlowBuilder& b, uint32_t from, uint32_t to, float cost) {
  b.edges.push_back({from, to, -1, cost});
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
  if (!b.raising.empty()) b.raising.back().push_back(b.current);
}

void Catch(FlowBuilder& b, uint32_t to) {
  for (const uint32_t p : b.raising.back()) Edge(b, p, to, kExceptional);
  b.raising.pop_back();
}

void PassOn(FlowBuilder& b, uint32_t from) {
  if (b.raising.empty())
    b.escapes.push_back(from);
  else
    b.raising.back().push_back(from);
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
