// Assignments, and what they say about attributes.
#include <set>
#include <string>

#include "source/python_walker.h"

namespace emberline {

void PythonWalker::Assignment(TSNode node, FlowBuilder& b, int depth) {
  const std::vector<Child> parts = Children(node, true);
  const TSNode right = Field(parts, "right"), left = Field(parts, "left");
  if (!Present(right)) return;
  Expr(right, b, depth + 1);
  // self.name = Class(...): the class of a submodule.
  if (Present(left) && Is(left, "attribute") && !method_class_.empty() &&
      method_class_.back() >= 0) {
    const std::vector<Child> target = Children(left, true);
    const TSNode object = Field(target, "object"), name = Field(target, "attribute");
    if (Present(object) && Present(name) && Text(object) == "self") {
      PythonClass& c = out_.classes[method_class_.back()];
      const std::string text(Text(name));
      MadeBy(right, 0, [&](std::string made) {
        if (!made.empty()) c.attributes.emplace_back(text, std::move(made));
      });
      aliases_.classes.resize(out_.classes.size());
      Alias(right, text, aliases_.classes[method_class_.back()], 0);
      TSNode value = right;  // of a = b = value, the last
      while (Is(value, "assignment") && Present(Field(Children(value, true), "right")))
        value = Field(Children(value, true), "right");
      const AttributeStore store = StoreOf(value);
      if (store == AttributeStore::kRegistered)
        c.registered.insert(text);
      else if (store == AttributeStore::kPlain)
        c.plain.insert(text);
      else
        c.unsure.insert(text);
    }
  }
  if (Present(left) && Is(left, "identifier")) {
    Alias(right, std::string(Text(left)), b.aliases, 0);
    if (Is(right, "call")) AddAlias(b.results, std::string(Text(left)), CalleeName(right));
  }
  Target(left, b, depth + 1);
}

void PythonWalker::Augmented(TSNode node, FlowBuilder& b, int depth) {
  const std::vector<Child> parts = Children(node, false);
  const TSNode left = Field(parts, "left"), right = Field(parts, "right");
  Expr(left, b, depth + 1);  // the old value: attribute or element
  Expr(right, b, depth + 1);
  std::string_view op = Text(Field(parts, "operator"));
  if (!op.empty()) op.remove_suffix(1);
  if (const char* name = BinaryName(op)) {
    AddSite(b, SiteKind::kOperator, LineOf(node), std::string(name) + "_").repeat = true;
  }
  Rebind(left, b);
  if (!Present(left)) return;
  if (Is(left, "subscript")) AddSite(b, SiteKind::kStoreSubscript, LineOf(node), "").repeat = true;
  if (Is(left, "attribute")) AttributeSite(Children(left, true), b, SiteKind::kStoreAttribute);
}

void PythonWalker::Target(TSNode node, FlowBuilder& b, int depth) {
  if (!Present(node) || depth > kMaxDepth) return;
  const std::string_view type = ts_node_type(node);
  Rebind(node, b);
  if (type == "attribute") {
    const std::vector<Child> parts = Children(node, true);
    Expr(Field(parts, "object"), b, depth + 1);
    AttributeSite(parts, b, SiteKind::kStoreAttribute);
  } else if (type == "subscript") {
    const bool literal = HasLiteralKey(node);
    for (const Child& c : Children(node, true)) Expr(c.node, b, depth + 1);
    Site& site = AddSite(b, SiteKind::kStoreSubscript, LineOf(node), "");
    site.repeat = true;
    site.literal_key = literal;
  } else if (type == "pattern_list" || type == "tuple_pattern" || type == "list_pattern" ||
             type == "tuple" || type == "list" || type == "expression_list") {
    AddSite(b, SiteKind::kUnpack, LineOf(node), "").repeat = true;
    for (const Child& c : Children(node, true)) Target(c.node, b, depth + 1);
  } else if (type == "list_splat_pattern" || type == "parenthesized_expression") {
    for (const Child& c : Children(node, true)) Target(c.node, b, depth + 1);
  }
}

AttributeStore PythonWalker::StoreOf(TSNode value) const {
  if (Is(value, "call")) {
    const TSNode function = Field(Children(value, true), "function");
    const std::string name = CalleeName(value);
    const std::string_view text = Present(function) ? Text(function) : std::string_view();
    const bool type = !name.empty() && name[0] >= 'A' && name[0] <= 'Z';
    if (name == "Parameter" || (type && (text.starts_with("nn.") || text.starts_with("torch.nn."))))
      return AttributeStore::kRegistered;
    static const std::set<std::string_view> plain = {"int",   "float", "bool", "str", "len",
                                                     "tuple", "list",  "dict", "set", "range"};
    return Is(function, "identifier") && plain.count(name) ? AttributeStore::kPlain
                                                           : AttributeStore::kUnknown;
  }
  static const std::set<std::string_view> plain = {
      "integer",     "float",      "string",
      "true",        "false",      "list",
      "tuple",       "dictionary", "comparison_operator",
      "set",         "lambda",     "list_comprehension",
      "not_operator"};
  return plain.count(ts_node_type(value)) ? AttributeStore::kPlain : AttributeStore::kUnknown;
}

}  // namespace emberline
