// Statements that hold others: branches, loops, `with`, `try`, `match`.
#include <algorithm>
#include <string>

#include "source/python_walker.h"

namespace emberline {
namespace {

constexpr float kStopped = 0.3f;  // of an exception that a context stops

// The last statement of a block leads elsewhere than behind it.
bool Leaves(TSNode block) {
  if (!Present(block)) return false;
  const std::vector<Child> statements = Children(block, true);
  if (statements.empty()) return false;
  const TSNode last = statements.back().node;
  return Is(last, "return_statement") || Is(last, "raise_statement") ||
         Is(last, "continue_statement") || Is(last, "break_statement");
}

}  // namespace

void PythonWalker::Compound(std::string_view type, const std::vector<Child>& children,
                            FlowBuilder& b, int depth) {
  if (type == "if_statement") return If(children, b, depth);
  if (type == "for_statement") return For(children, b, depth);
  if (type == "while_statement") return While(children, b, depth);
  if (type == "with_statement") return WithBlock(children, b, depth);
  if (type == "try_statement") return Try(children, b, depth);
  Match(children, b, depth);
}

void PythonWalker::If(const std::vector<Child>& children, FlowBuilder& b, int depth) {
  std::vector<uint32_t> ends;
  const size_t narrowed = b.narrowings.size();
  uint32_t not_taken = Branch(children, b, depth);
  ends.push_back(b.current);
  bool has_else = false;
  for (const Child& c : children) {
    if (!FieldIs(c, "alternative")) continue;
    Continue(b, {not_taken});
    const std::vector<Child> parts = Children(c.node, true);
    if (Is(c.node, "elif_clause")) {
      Statement(b, c.node, Field(parts, "consequence"));
      not_taken = Branch(parts, b, depth);
    } else {
      has_else = true;
      Block(Field(parts, "body"), b, depth + 1);
    }
    ends.push_back(b.current);
  }
  if (!has_else) ends.push_back(not_taken);
  // What does not hold in a branch that leaves holds in the rest of the block.
  if (has_else || !Leaves(Field(children, "consequence"))) b.narrowings.resize(narrowed);
  Continue(b, ends);
}

void PythonWalker::For(const std::vector<Child>& children, FlowBuilder& b, int depth) {
  const TSNode right = Field(children, "right"), left = Field(children, "left");
  LoopAliases(left, right, b);
  Expr(right, b, depth + 1);
  const uint32_t head = OpenLoop(b, right);
  const uint32_t after_next = b.current;
  Target(left, b, depth + 1);
  b.loops.push_back({head, {}, b.open_withs.size()});
  Block(Field(children, "body"), b, depth + 1);
  CloseLoop(b, head, after_next, children, depth);
}

void PythonWalker::While(const std::vector<Child>& children, FlowBuilder& b, int depth) {
  const uint32_t head = NewPoint(b);
  Edge(b, b.current, head);
  b.current = head;
  const TSNode condition = Field(children, "condition");
  Expr(condition, b, depth + 1);
  AddSite(b, SiteKind::kTruth, LineOf(condition), "");
  const uint32_t after_test = b.current;
  b.loops.push_back({head, {}, b.open_withs.size()});
  Block(Field(children, "body"), b, depth + 1);
  CloseLoop(b, head, after_test, children, depth);
}

void PythonWalker::WithBlock(const std::vector<Child>& children, FlowBuilder& b, int depth) {
  const size_t outer = b.open_withs.size();
  for (const Child& clause : children) {
    if (!Is(clause.node, "with_clause")) continue;
    for (const Child& item : Children(clause.node, true)) With(item.node, b, depth + 1);
  }
  const uint32_t inside = b.current;
  b.raising.emplace_back();
  Block(Field(children, "body"), b, depth + 1);
  const std::vector<FlowBuilder::Raising> raising = std::move(b.raising.back());
  b.raising.pop_back();
  // An exception inside leaves through __exit__, too, which may stop it.
  Continue(b, {b.current});
  const Twice part(b);
  LeaveContexts(b, outer);
  b.open_withs.resize(outer);
  const Twice::Way second = part.Second(b);
  Unwind(raising, inside, second, b);
  if (!second.own) return;
  const uint32_t left = b.current;
  Continue(b, {left});
  Edge(b, second.last, b.current, kStopped);
}

void PythonWalker::Unwind(const std::vector<FlowBuilder::Raising>& raising, uint32_t inside,
                          const Twice::Way& way, FlowBuilder& b) {
  Edge(b, inside, way.first, kExceptional, EdgeKind::kUnwinds);
  for (const FlowBuilder::Raising& r : raising)
    Edge(b, r.point, way.first, r.cost, EdgeKind::kUnwinds);
  // Where both ways are one, going on as an exception has to be dearer than going on.
  PassOn(b, way.last, way.own ? 0 : kExceptional);
}

void PythonWalker::Match(const std::vector<Child>& children, FlowBuilder& b, int depth) {
  for (const Child& c : children) {
    if (FieldIs(c, "subject")) Expr(c.node, b, depth + 1);
  }
  const uint32_t start = b.current;
  std::vector<uint32_t> ends = {start};
  for (const Child& c : Children(Field(children, "body"), true)) {
    const std::vector<Child> parts = Children(c.node, true);
    Continue(b, {start});
    if (Is(c.node, "case_clause")) Statement(b, c.node, Field(parts, "consequence"));
    if (Present(Field(parts, "guard"))) Expr(Field(parts, "guard"), b, depth + 1);
    if (Present(Field(parts, "consequence"))) Block(Field(parts, "consequence"), b, depth + 1);
    ends.push_back(b.current);
  }
  Continue(b, ends);
}

uint32_t PythonWalker::Branch(const std::vector<Child>& parts, FlowBuilder& b, int depth) {
  const TSNode condition = Field(parts, "condition");
  Expr(condition, b, depth + 1);
  AddSite(b, SiteKind::kTruth, LineOf(condition), "");
  const uint32_t not_taken = b.current;
  const Narrowings known = NarrowingsOf(condition, text_);
  const size_t outer = b.narrowings.size();
  b.narrowings.insert(b.narrowings.end(), known.taken.begin(), known.taken.end());
  Block(Field(parts, "consequence"), b, depth + 1);
  b.narrowings.resize(outer);
  b.narrowings.insert(b.narrowings.end(), known.not_taken.begin(), known.not_taken.end());
  return not_taken;
}

uint32_t PythonWalker::OpenLoop(FlowBuilder& b, TSNode iterated) {
  const int line = LineOf(iterated);
  const std::string name = CalleeName(iterated);
  AddSite(b, SiteKind::kIterate, line, name);
  const uint32_t head = NewPoint(b);
  Edge(b, b.current, head);
  b.current = head;
  AddSite(b, SiteKind::kNext, line, name).repeat = true;
  return head;
}

void PythonWalker::CloseLoop(FlowBuilder& b, uint32_t head, uint32_t exit_from,
                             const std::vector<Child>& children, int depth) {
  b.back_edges.push_back({b.current, head, -1, 0});
  std::vector<uint32_t> ends = std::move(b.loops.back().breaks);
  b.loops.pop_back();
  Continue(b, {exit_from, b.current});
  for (const Child& c : children) {
    if (FieldIs(c, "alternative")) Block(Field(Children(c.node, true), "body"), b, depth + 1);
  }
  ends.push_back(b.current);
  Continue(b, ends);
}

void PythonWalker::With(TSNode item, FlowBuilder& b, int depth) {
  const std::vector<Child> parts = Children(item, true);
  TSNode value = Field(parts, "value");
  if (!Present(value)) return;
  if (Is(value, "as_pattern")) {
    const std::vector<Child> as = Children(value, true);
    if (as.empty()) return;
    Managed(as[0].node, b, depth + 1);
    AddSite(b, SiteKind::kEnter, LineOf(as[0].node), "__enter__").repeat = true;
    const TSNode alias = Field(as, "alias");
    if (Present(alias)) {
      for (const Child& c : Children(alias, true)) Target(c.node, b, depth + 1);
    }
    b.open_withs.push_back(LineOf(as[0].node));
  } else if (Is(value, "tuple") || Is(value, "parenthesized_expression")) {
    for (const Child& c : Children(value, true)) {
      Managed(c.node, b, depth + 1);
      AddSite(b, SiteKind::kEnter, LineOf(c.node), "__enter__").repeat = true;
      b.open_withs.push_back(LineOf(c.node));
    }
  } else {
    Managed(value, b, depth + 1);
    AddSite(b, SiteKind::kEnter, LineOf(value), "__enter__").repeat = true;
    b.open_withs.push_back(LineOf(value));
  }
}

void PythonWalker::Managed(TSNode node, FlowBuilder& b, int depth) {
  Expr(node, b, depth);
  if (Is(node, "call") && !b.sites.empty() && b.sites.back().kind == SiteKind::kCall)
    b.sites.back().managed = true;
}

void PythonWalker::LeaveContexts(FlowBuilder& b, size_t keep) {
  for (size_t i = b.open_withs.size(); i > keep; --i) {
    AddSite(b, SiteKind::kExit, b.open_withs[i - 1], "__exit__");
  }
}

void PythonWalker::Try(const std::vector<Child>& children, FlowBuilder& b, int depth) {
  Continue(b, {b.current});  // what fails before it is not handled here
  const uint32_t start = b.current;
  const Leaving before = {b.returns.size(), b.loops.empty() ? 0 : b.loops.back().breaks.size(),
                          b.back_edges.size()};
  bool handled = false, cleaned = false;
  for (const Child& c : children) {
    handled = handled || Is(c.node, "except_clause") || Is(c.node, "except_group_clause");
    cleaned = cleaned || Is(c.node, "finally_clause");
  }
  if (cleaned) b.raising.emplace_back();
  if (handled) b.raising.emplace_back();
  Block(Field(children, "body"), b, depth + 1);
  const uint32_t body_end = b.current;
  // Any call of the body may be the one that raises; the handlers follow.
  uint32_t raised = start;
  if (handled) {
    raised = NewPoint(b);
    Edge(b, start, raised, kExceptional, EdgeKind::kHandled);
    Catch(b, raised, EdgeKind::kHandled);
    PassOn(b, raised, kExceptional);
  }
  std::vector<uint32_t> ends;
  bool has_else = false;
  b.current = body_end;
  for (const Child& c : children) {
    if (!Is(c.node, "else_clause")) continue;
    has_else = true;
    Continue(b, {body_end});
    Block(Field(Children(c.node, true), "body"), b, depth + 1);
    ends.push_back(b.current);
  }
  if (!has_else) ends.push_back(body_end);
  for (const Child& c : children) {
    if (!Is(c.node, "except_clause") && !Is(c.node, "except_group_clause")) continue;
    Continue(b, {raised});
    for (const Child& part : Children(c.node, true)) {
      if (Is(part.node, "block"))
        Block(part.node, b, depth + 1);
      else if (Is(part.node, "as_pattern")) {
        const std::vector<Child> as = Children(part.node, true);
        if (!as.empty()) Expr(as[0].node, b, depth + 1);
      } else {
        Expr(part.node, b, depth + 1);
      }
    }
    ends.push_back(b.current);
  }
  for (const Child& c : children) {
    if (Is(c.node, "finally_clause")) return Finally(c.node, before, start, ends, b, depth);
  }
  Continue(b, ends);
}

void PythonWalker::Finally(TSNode clause, const Leaving& before, uint32_t start,
                           std::vector<uint32_t> ends, FlowBuilder& b, int depth) {
  const auto take = [](std::vector<uint32_t>& list, size_t from) {
    std::vector<uint32_t> out(list.begin() + static_cast<ptrdiff_t>(from), list.end());
    list.resize(from);
    return out;
  };
  const std::vector<uint32_t> returns = take(b.returns, before.returns);
  std::vector<uint32_t> breaks, continues;
  if (!b.loops.empty()) {
    breaks = take(b.loops.back().breaks, before.breaks);
    const uint32_t head = b.loops.back().head;
    // Those of loops inside stay.
    const auto kept = std::stable_partition(
        b.back_edges.begin() + static_cast<ptrdiff_t>(before.back_edges), b.back_edges.end(),
        [head](const FlowEdge& e) { return e.to != head; });
    for (auto e = kept; e != b.back_edges.end(); ++e) continues.push_back(e->from);
    b.back_edges.erase(kept, b.back_edges.end());
  }
  ends.insert(ends.end(), returns.begin(), returns.end());
  ends.insert(ends.end(), breaks.begin(), breaks.end());
  ends.insert(ends.end(), continues.begin(), continues.end());
  Continue(b, ends);
  // Those of the body; what the clause itself raises is noticed further out.
  const std::vector<FlowBuilder::Raising> raising = std::move(b.raising.back());
  b.raising.pop_back();
  const Twice part(b);
  for (const Child& block : Children(clause, true)) {
    if (Is(block.node, "block")) Block(block.node, b, depth + 1);
  }
  Unwind(raising, start, part.Second(b), b);
  if (!returns.empty()) b.returns.push_back(b.current);
  if (!breaks.empty()) b.loops.back().breaks.push_back(b.current);
  if (!continues.empty()) b.back_edges.push_back({b.current, b.loops.back().head, -1, 0});
}

}  // namespace emberline
