// Statements without statements inside, and blocks of them.
#include <set>
#include <string>

#include "source/python_walker.h"

namespace emberline {

void PythonWalker::Block(TSNode block, FlowBuilder& b, int depth) {
  if (depth > kMaxDepth) return;
  const size_t known = b.narrowings.size(), evaluated = b.evaluated.size();
  for (const Child& c : Children(block, true)) Stmt(c.node, b, depth + 1);
  b.narrowings.resize(known);
  b.evaluated.resize(evaluated);
}

void PythonWalker::Stmt(TSNode node, FlowBuilder& b, int depth) {
  if (depth > kMaxDepth) return;
  const std::string_view type = ts_node_type(node);
  if (type == "function_definition" || type == "class_definition")
    return Definition(node, {}, b, depth);
  if (type == "decorated_definition") return Decorated(node, b, depth);
  if (type == "block" || type == "ERROR") return Block(node, b, depth);
  const std::vector<Child> children = Children(node, true);
  TSNode body = Field(children, "body");
  if (type == "if_statement") body = Field(children, "consequence");
  if (type == "with_statement" || type == "for_statement" || type == "while_statement" ||
      type == "if_statement" || type == "try_statement" || type == "match_statement") {
    Statement(b, node, body);
    Compound(type, children, b, depth);
    return;
  }
  Statement(b, node, TSNode{});
  if (type == "return_statement") {
    std::set<std::string>& returned = out_.functions[b.function].returned;
    if (!children.empty() && returned.size() < kMaxAliases)
      MadeBy(children[0].node, 0, [&](std::string made) { returned.insert(std::move(made)); });
    Each(children, b, depth);
    LeaveContexts(b, 0);
    b.returns.push_back(b.current);
    Dead(b);
  } else if (type == "raise_statement") {
    Each(children, b, depth);
    Raise(b);
  } else if (type == "break_statement" || type == "continue_statement") {
    if (!b.loops.empty()) {
      LeaveContexts(b, b.loops.back().with_depth);
      if (type == "break_statement")
        b.loops.back().breaks.push_back(b.current);
      else
        b.back_edges.push_back({b.current, b.loops.back().head, -1, 0});
    }
    Dead(b);
  } else if (type == "import_statement" || type == "import_from_statement" ||
             type == "future_import_statement") {
    AddSite(b, SiteKind::kImport, LineOf(node), "").repeat = true;
    ReadImports(node, text_, &imports_);
  } else if (type == "delete_statement") {
    Each(children, b, depth);
    AddSite(b, SiteKind::kDelete, LineOf(node), "").repeat = true;
  } else if (type == "assert_statement") {
    if (!children.empty()) Expr(children[0].node, b, depth + 1);
    AddSite(b, SiteKind::kTruth, LineOf(node), "");
    if (children.size() > 1) {
      const uint32_t before = b.current;
      Expr(children[1].node, b, depth + 1);
      PassOn(b, b.current);
      Continue(b, {before});
    }
  } else if (type == "global_statement" || type == "nonlocal_statement" ||
             type == "pass_statement") {
    return;
  } else {
    Each(children, b, depth);
  }
}

void PythonWalker::Each(const std::vector<Child>& children, FlowBuilder& b, int depth) {
  for (const Child& c : children) Expr(c.node, b, depth + 1);
}

}  // namespace emberline
