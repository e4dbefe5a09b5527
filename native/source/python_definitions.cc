// Definitions of functions and classes, with their decorators and defaults.
#include <string>

#include "source/python_walker.h"

namespace emberline {
namespace {

constexpr size_t kMaxDecorators = 16;
constexpr size_t kMaxParameters = 64;

}  // namespace

void PythonWalker::Decorated(TSNode node, FlowBuilder& b, int depth) {
  std::vector<TSNode> decorators;
  TSNode definition{};
  for (const Child& c : Children(node, true)) {
    if (Is(c.node, "decorator")) {
      decorators.push_back(c.node);
      for (const Child& e : Children(c.node, true)) Expr(e.node, b, depth + 1);
    } else if (FieldIs(c, "definition")) {
      definition = c.node;
    }
  }
  if (!Present(definition)) return;
  Definition(definition, decorators, b, depth);
  for (size_t i = decorators.size(); i-- > 0;) {
    const std::vector<Child> parts = Children(decorators[i], true);
    // What a decorator factory returned has a name of its own.
    const std::string name =
        parts.empty() || Is(parts[0].node, "call") ? "" : CalleeName(parts[0].node);
    AddSite(b, SiteKind::kCall, LineOf(decorators[i]), name).repeat = true;
  }
}

void PythonWalker::Definition(TSNode node, const std::vector<TSNode>& decorators, FlowBuilder& b,
                              int depth) {
  const std::vector<Child> children = Children(node, true);
  const std::string name =
      Present(Field(children, "name")) ? std::string(Text(Field(children, "name"))) : "";
  const TSNode body = Field(children, "body");
  const int first = decorators.empty() ? LineOf(node) : LineOf(decorators.front());
  Statement(b, node, body);
  if (Is(node, "class_definition")) {
    PythonClass c;
    c.name = name;
    c.qualified = scope_ + name;
    c.first_line = first;
    c.def_line = LineOf(node);
    c.end_line = EndLineOf(node);
    const TSNode bases = Field(children, "superclasses");
    if (Present(bases)) {
      for (const Child& base : Children(bases, true)) {
        if (!Is(base.node, "keyword_argument")) c.bases.push_back(CalleeName(base.node));
        Expr(base.node, b, depth + 1);
      }
    }
    AddSite(b, SiteKind::kClassBody, LineOf(node), name).definition_line = first;
    out_.classes.push_back(std::move(c));
    const int index = static_cast<int>(out_.classes.size()) - 1;
    const int f = OpenFunction(FunctionKind::kClassBody, name, b.function, first, LineOf(node),
                               EndLineOf(node));
    out_.functions[f].class_index = index;
    const std::string outer = scope_;
    scope_ += name + ".";
    class_stack_.push_back(index);
    FlowBuilder inner(f);
    if (Present(body)) Block(body, inner, depth + 1);
    CloseFunction(inner);
    class_stack_.pop_back();
    scope_ = outer;
    return;
  }
  Defaults(Field(children, "parameters"), b, depth);
  const int f =
      OpenFunction(FunctionKind::kFunction, name, b.function, first, LineOf(node), EndLineOf(node));
  out_.functions[f].coroutine =
      ts_node_child_count(node) > 0 && Is(ts_node_child(node, 0), "async");
  const std::string outer = scope_;
  scope_ += name + ".";
  const int member_of = class_stack_.empty() ? -1 : class_stack_.back();
  // Functions inside this one are no members of the class; but `self` is still its instance.
  method_class_.push_back(member_of >= 0 ? member_of
                                         : (method_class_.empty() ? -1 : method_class_.back()));
  class_stack_.push_back(-1);
  for (const TSNode decorator : decorators) {
    const std::vector<Child> parts = Children(decorator, true);
    std::vector<std::string>& names = out_.functions[f].decorators;
    if (names.size() < kMaxDecorators)
      names.push_back(parts.empty() ? "" : CalleeName(parts[0].node));
  }
  Parameters(Field(children, "parameters"), out_.functions[f]);
  FlowBuilder inner(f);
  DefaultAliases(Field(children, "parameters"), inner);
  if (Present(body)) Block(body, inner, depth + 1);
  CloseFunction(inner);
  class_stack_.pop_back();
  method_class_.pop_back();
  scope_ = outer;
}

void PythonWalker::Parameters(TSNode parameters, PythonFunction& f) const {
  if (!Present(parameters)) return;
  for (const Child& p : Children(parameters, true)) {
    if (f.parameters.size() >= kMaxParameters) return;
    TSNode name = p.node;
    if (!Is(name, "identifier")) {
      const std::vector<Child> parts = Children(p.node, true);
      name = Field(parts, "name");
      if (!Present(name) && !parts.empty()) name = parts[0].node;
    }
    if (Present(name) && Is(name, "identifier"))
      f.parameters.emplace_back(Text(name).substr(0, kMaxReceiver));
  }
}

void PythonWalker::DefaultAliases(TSNode parameters, FlowBuilder& inner) const {
  if (!Present(parameters)) return;
  for (const Child& p : Children(parameters, true)) {
    const std::vector<Child> parts = Children(p.node, true);
    const TSNode name = Field(parts, "name"), value = Field(parts, "value");
    if (Present(name) && Present(value) && (Is(value, "identifier") || Is(value, "attribute")))
      Alias(value, std::string(Text(name).substr(0, kMaxReceiver)), inner.aliases, 0);
  }
}

void PythonWalker::Defaults(TSNode parameters, FlowBuilder& b, int depth) {
  if (!Present(parameters)) return;
  for (const Child& p : Children(parameters, true)) {
    const TSNode value = Field(Children(p.node, true), "value");
    if (Present(value)) Expr(value, b, depth + 1);
  }
}

}  // namespace emberline
