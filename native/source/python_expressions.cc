// Expressions, in the order of their evaluation.
#include <string>

#include "source/python_walker.h"

namespace emberline {

void PythonWalker::Expr(TSNode node, FlowBuilder& b, int depth) {
  if (!Present(node) || depth > kMaxDepth) return;
  const std::string_view type = ts_node_type(node);
  if (type == "identifier" || type == "integer" || type == "float" || type == "none" ||
      type == "true" || type == "false" || type == "comment" || type == "type") {
    return;
  }
  if (type == "call") return Call(node, b, depth);
  if (type == "attribute") {
    const std::vector<Child> parts = Children(node, true);
    Expr(Field(parts, "object"), b, depth + 1);
    AttributeSite(parts, b, SiteKind::kAttribute);
    if (!b.sites.empty() && b.sites.back().kind == SiteKind::kAttribute)
      b.sites.back().again = Again(node, {Field(parts, "object")}, b);
    return;
  }
  if (type == "subscript") {
    const bool literal = HasLiteralKey(node);
    for (const Child& c : Children(node, true)) Expr(c.node, b, depth + 1);
    Site& site = AddSite(b, SiteKind::kSubscript, LineOf(node), "");
    site.repeat = true;
    site.literal_key = literal;
    return;
  }
  if (type == "binary_operator") {
    const std::vector<Child> parts = Children(node, false);
    const TSNode left = Field(parts, "left"), right = Field(parts, "right");
    Expr(left, b, depth + 1);
    Expr(right, b, depth + 1);
    const char* name = BinaryName(Text(Field(parts, "operator")));
    if (name != nullptr && !(IsLiteral(left) && IsLiteral(right))) {
      AddSite(b, SiteKind::kOperator, LineOf(node), name).repeat = true;
    }
    return;
  }
  if (type == "unary_operator") {
    const std::vector<Child> parts = Children(node, false);
    const TSNode argument = Field(parts, "argument");
    Expr(argument, b, depth + 1);
    const std::string_view op = Text(Field(parts, "operator"));
    if (!IsLiteral(argument)) {
      AddSite(b, SiteKind::kOperator, LineOf(node),
              op == "-"   ? "neg"
              : op == "~" ? "bitwise_not"
                          : "pos");
    }
    return;
  }
  if (type == "not_operator") {
    for (const Child& c : Children(node, true)) Expr(c.node, b, depth + 1);
    AddSite(b, SiteKind::kTruth, LineOf(node), "");
    return;
  }
  if (type == "boolean_operator") {
    const std::vector<Child> parts = Children(node, true);
    const TSNode left = Field(parts, "left");
    Expr(left, b, depth + 1);
    AddSite(b, SiteKind::kTruth, LineOf(left), "");
    const uint32_t decided = b.current;
    const size_t evaluated = b.evaluated.size();
    Expr(Field(parts, "right"), b, depth + 1);
    b.evaluated.resize(evaluated);
    Continue(b, {decided, b.current});
    return;
  }
  if (type == "comparison_operator") return Comparison(node, b, depth);
  if (type == "conditional_expression") {
    const std::vector<Child> parts = Children(node, true);
    if (parts.size() != 3) return Each(parts, b, depth);
    Expr(parts[1].node, b, depth + 1);
    AddSite(b, SiteKind::kTruth, LineOf(parts[1].node), "");
    const uint32_t start = b.current;
    const size_t evaluated = b.evaluated.size();
    Continue(b, {start});
    Expr(parts[0].node, b, depth + 1);
    const uint32_t taken = b.current;
    b.evaluated.resize(evaluated);
    Continue(b, {start});
    Expr(parts[2].node, b, depth + 1);
    b.evaluated.resize(evaluated);
    Continue(b, {taken, b.current});
    return;
  }
  if (type == "lambda") {
    const std::vector<Child> parts = Children(node, true);
    Defaults(Field(parts, "parameters"), b, depth);
    const int f = OpenFunction(FunctionKind::kLambda, "<lambda>", b.function, LineOf(node),
                               LineOf(node), EndLineOf(node));
    FlowBuilder inner(f);
    Expr(Field(parts, "body"), inner, depth + 1);
    Shape(node, inner);
    CloseFunction(inner);
    return;
  }
  if (IsComprehension(node)) return Comprehension(node, b, depth);
  if (type == "yield" || type == "await") {
    const std::vector<Child> parts = Children(node, true);
    Each(parts, b, depth);
    const bool from = type == "await" || ts_node_child_count(node) > 2;
    Suspend(b, LineOf(node), from && !parts.empty() ? CalleeName(parts[0].node) : "");
    b.generator = b.generator || type == "yield";
    return;
  }
  if (type == "string") {
    for (const Child& c : Children(node, true)) {
      if (!Is(c.node, "interpolation")) continue;
      Each(Children(c.node, true), b, depth + 1);
      AddSite(b, SiteKind::kFormat, LineOf(c.node), "__format__").repeat = true;
    }
    return;
  }
  if (type == "assignment") return Assignment(node, b, depth);
  if (type == "augmented_assignment") return Augmented(node, b, depth);
  if (type == "keyword_argument" || type == "named_expression") {
    const std::vector<Child> parts = Children(node, true);
    Expr(Field(parts, "value"), b, depth + 1);
    if (type == "named_expression") Rebind(Field(parts, "name"), b);
    return;
  }
  if (type == "format_specifier" || type == "type_conversion") {
    return Each(Children(node, true), b, depth);
  }
  if (type == "function_definition" || type == "class_definition" ||
      type == "decorated_definition" || type == "block" || type.ends_with("_statement")) {
    return Stmt(node, b, depth + 1);  // inside a damaged part of the text
  }
  Each(Children(node, true), b, depth);
}

void PythonWalker::Comparison(TSNode node, FlowBuilder& b, int depth) {
  std::string pending;
  bool literal_left = false;
  for (const Child& c : Children(node, false)) {
    if (FieldIs(c, "operators")) {
      pending = std::string(Text(c.node));
      continue;
    }
    Expr(c.node, b, depth + 1);
    const char* name = pending.empty() ? nullptr : BinaryName(pending);
    if (name != nullptr && !(literal_left && IsLiteral(c.node))) {
      Site& site = AddSite(b, SiteKind::kOperator, LineOf(node), name);
      site.repeat = true;
      site.literal_key = literal_left;
    }
    literal_left = IsLiteral(c.node);
  }
}

void PythonWalker::AttributeSite(const std::vector<Child>& parts, FlowBuilder& b, SiteKind kind) {
  const TSNode name = Field(parts, "attribute");
  if (!Present(name)) return;
  const std::string receiver = ReceiverText(Field(parts, "object"));
  Site& site = AddSite(b, kind, LineOf(name), Text(name));
  site.receiver = receiver;
}

}  // namespace emberline
