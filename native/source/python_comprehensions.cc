// Comprehensions: a frame of their own, or (since Python 3.12) part of the function.
#include <algorithm>

#include "source/python_walker.h"

namespace emberline {
namespace {

// Comprehensions nested deeper than this are not unrolled into the function that holds them.
constexpr int kMaxInlinedComprehensions = 2;
constexpr float kInlined = 0.2f;  // of a comprehension: Python 3.12 and later only

}  // namespace

void PythonWalker::Comprehension(TSNode node, FlowBuilder& b, int depth) {
  const std::vector<Child> parts = Children(node, true);
  const size_t evaluated = b.evaluated.size();
  std::vector<TSNode> clauses;
  for (const Child& c : parts) {
    if (Is(c.node, "for_in_clause") || Is(c.node, "if_clause")) clauses.push_back(c.node);
  }
  if (clauses.empty()) return Each(parts, b, depth);
  const TSNode body = Field(parts, "body");
  const TSNode first_iterable = Field(Children(clauses[0], true), "right");
  Expr(first_iterable, b, depth + 1);
  if (Present(first_iterable))
    AddSite(b, SiteKind::kIterate, LineOf(first_iterable), CalleeName(first_iterable));
  const bool generator = Is(node, "generator_expression");
  const char* name = generator                        ? "<genexpr>"
                     : Is(node, "list_comprehension") ? "<listcomp>"
                     : Is(node, "set_comprehension")  ? "<setcomp>"
                                                      : "<dictcomp>";
  const int line = LineOf(node);
  // Inside an unrolled one nothing is recorded anew: that was done when its own frame was read,
  // and doing it at each level would double the work with each.
  if (unrolling_ == 0) {
    const int f =
        OpenFunction(FunctionKind::kComprehension, name, b.function, line, line, EndLineOf(node));
    FlowBuilder inner(f);
    Clauses(clauses, 0, body, inner, depth + 1, generator);
    Shape(node, inner);
    CloseFunction(inner);
  }
  const uint32_t start = b.current;
  Site& site = AddSite(b, SiteKind::kComprehension, line, name);
  site.definition_line = line;
  site.repeat = generator;
  if (generator || unrolling_ >= kMaxInlinedComprehensions) return;
  const uint32_t framed = b.current;
  const uint32_t unrolled = NewPoint(b);
  Edge(b, start, unrolled, kInlined);
  b.current = unrolled;
  ++unrolling_;
  const size_t functions = out_.functions.size();
  Clauses(clauses, 0, body, b, depth + 1, false);
  aliases_.functions.resize(std::min(aliases_.functions.size(), functions));
  aliases_.results.resize(std::min(aliases_.results.size(), functions));
  out_.functions.resize(functions);  // lambdas inside, which the frame's own reading holds
  --unrolling_;
  b.evaluated.resize(evaluated);
  Continue(b, {framed, b.current});
}

void PythonWalker::Clauses(const std::vector<TSNode>& clauses, size_t index, TSNode body,
                           FlowBuilder& b, int depth, bool generator) {
  if (index == clauses.size()) {
    Expr(body, b, depth + 1);
    if (generator) {
      Suspend(b, LineOf(body));
      b.generator = true;
    }
    return;
  }
  const std::vector<Child> parts = Children(clauses[index], true);
  if (Is(clauses[index], "if_clause")) {
    Each(parts, b, depth);
    AddSite(b, SiteKind::kTruth, LineOf(clauses[index]), "");
    const uint32_t tested = b.current;
    Clauses(clauses, index + 1, body, b, depth + 1, generator);
    Continue(b, {tested, b.current});
    return;
  }
  const TSNode right = Field(parts, "right");
  uint32_t head;
  if (index == 0) {  // __iter__ ran outside
    head = NewPoint(b);
    Edge(b, b.current, head);
    b.current = head;
    AddSite(b, SiteKind::kNext, Present(right) ? LineOf(right) : LineOf(clauses[index]),
            CalleeName(right))
        .repeat = true;
  } else {
    Expr(right, b, depth + 1);
    head = OpenLoop(b, Present(right) ? right : clauses[index]);
  }
  const uint32_t after_next = b.current;
  LoopAliases(Field(parts, "left"), right, b);
  Target(Field(parts, "left"), b, depth + 1);
  Clauses(clauses, index + 1, body, b, depth + 1, generator);
  b.back_edges.push_back({b.current, head, -1, 0});
  Continue(b, {after_next, b.current});
}

}  // namespace emberline
