// Opens and closes the functions of a text, and hashes its statements.
#include "source/python_walker.h"

#include <algorithm>
#include <string>

namespace emberline {

void PythonWalker::Run(TSNode root) {
  const int module = OpenFunction(FunctionKind::kModule, "<module>", -1, 1, 1, EndLineOf(root));
  FlowBuilder b(module);
  Block(root, b, 0);
  CloseFunction(b);
  ResolveAliases(aliases_, out_);
  ResolveClasses(imports_, out_);
  std::stable_sort(
      out_.statements.begin(), out_.statements.end(),
      [](const PythonStatement& a, const PythonStatement& c) { return a.line < c.line; });
  SetStatementRanges();
}

int PythonWalker::OpenFunction(FunctionKind kind, std::string name, int parent, int first, int def,
                               int end) {
  PythonFunction f;
  f.kind = kind;
  f.name = std::move(name);
  f.parent = parent;
  f.class_index = class_stack_.empty() ? -1 : class_stack_.back();
  f.qualified = kind == FunctionKind::kModule ? f.name : scope_ + f.name;
  f.first_line = first;
  f.def_line = def;
  f.end_line = end;
  out_.functions.push_back(std::move(f));
  return static_cast<int>(out_.functions.size()) - 1;
}

void PythonWalker::CloseFunction(FlowBuilder& b) {
  aliases_.functions.resize(out_.functions.size());
  aliases_.functions[b.function] = std::move(b.aliases);
  aliases_.results.resize(out_.functions.size());
  aliases_.results[b.function] = std::move(b.results);
  const uint32_t raised = NewPoint(b), end = NewPoint(b);
  Edge(b, b.current, end);
  for (const std::vector<uint32_t>* list : {&b.returns, &b.suspensions}) {
    for (const uint32_t p : *list) Edge(b, p, end);
  }
  for (const FlowBuilder::Raising& r : b.escapes)
    Edge(b, r.point, raised, r.cost, EdgeKind::kUnwinds);
  Edge(b, raised, end);
  PythonFunction& f = out_.functions[b.function];
  f.generator = b.generator;
  f.resumptions = std::move(b.resumptions);
  std::stable_sort(b.edges.begin(), b.edges.end(),
                   [](const FlowEdge& a, const FlowEdge& c) { return a.from < c.from; });
  f.sites = std::move(b.sites);
  f.edges = std::move(b.edges);
  f.back_edges = std::move(b.back_edges);
  f.points = b.points;
  f.raised = raised;
  f.shape = b.shape;
}

void PythonWalker::Statement(FlowBuilder& b, TSNode node, TSNode body) {
  PythonStatement s;
  s.line = LineOf(node);
  s.function = b.function;
  s.hash = s.form = kEmptyHash;
  const uint32_t end = Present(body) ? ts_node_start_byte(body) : ts_node_end_byte(node);
  s.end_line = s.line;
  AddTokens(text_, node, end, s);
  b.shape = (b.shape ^ s.hash) * 1099511628211ull;
  out_.statements.push_back(std::move(s));
}

void PythonWalker::Shape(TSNode node, FlowBuilder& b) {
  PythonStatement s;
  s.hash = s.form = kEmptyHash;
  AddTokens(text_, node, ts_node_end_byte(node), s);
  b.shape = s.hash;
}

void PythonWalker::SetStatementRanges() {
  const auto by_line = [](const PythonStatement& s, int line) { return s.line < line; };
  for (PythonFunction& f : out_.functions) {
    const auto begin =
        std::lower_bound(out_.statements.begin(), out_.statements.end(), f.def_line, by_line);
    const auto end = std::lower_bound(begin, out_.statements.end(), f.end_line + 1, by_line);
    f.first_statement = static_cast<uint32_t>(begin - out_.statements.begin());
    f.last_statement = static_cast<uint32_t>(end - out_.statements.begin());
  }
}

}  // namespace emberline
