// Calls, and what the things that are called are named.
#include <algorithm>
#include <string>

#include "source/python_walker.h"

namespace emberline {
namespace {

constexpr size_t kMaxNarrowings = 32;  // that are looked through for one call
constexpr size_t kMaxEvaluated = 256;  // what is remembered at a time
constexpr size_t kMaxValues = 8;       // of one call

// What is known here of the class of the variable that is called.
void Narrow(const FlowBuilder& b, Site& site) {
  const std::string variable = site.receiver.empty() ? site.name : site.receiver + "." + site.name;
  size_t look = kMaxNarrowings;
  for (auto n = b.narrowings.rbegin(); n != b.narrowings.rend() && look-- > 0; ++n) {
    if (n->variable != variable) continue;
    std::vector<std::string>& into = n->is ? site.is_any : site.is_none;
    if (n->is && !into.empty()) continue;  // the innermost test says most
    if (into.size() < kMaxAliases) into.insert(into.end(), n->classes.begin(), n->classes.end());
  }
}

}  // namespace

void PythonWalker::Call(TSNode node, FlowBuilder& b, int depth) {
  const std::vector<Child> parts = Children(node, true);
  const TSNode function = Field(parts, "function");
  const TSNode arguments = Field(parts, "arguments");
  if (!Present(function)) return;
  Expr(function, b, depth + 1);
  if (Is(function, "attribute") && !b.sites.empty() &&
      b.sites.back().kind == SiteKind::kAttribute) {
    b.sites.back().callee = true;
  }
  int line = LineOf(node);
  std::string receiver;
  if (Is(function, "attribute")) {
    const std::vector<Child> callee = Children(function, true);
    const TSNode name = Field(callee, "attribute");
    // Method calls are reported on the line of the method's name.
    if (Present(name)) line = LineOf(name);
    receiver = ReceiverText(Field(callee, "object"));
  }
  if (Present(arguments)) {
    if (IsComprehension(arguments))
      Expr(arguments, b, depth + 1);
    else
      Each(Children(arguments, true), b, depth + 1);
  }
  Site& site = AddSite(b, SiteKind::kCall, line, Is(function, "call") ? "" : CalleeName(function));
  site.receiver = std::move(receiver);
  if (Present(arguments)) site.again = Again(node, {function, arguments}, b);
  // One object, one run: what follows is constructed elsewhere.
  site.repeat = site.name != "__init__";
  Narrow(b, site);
  if (!Present(arguments)) return;
  const std::vector<Child> list = Children(arguments, true);
  site.no_arguments = list.empty();
  for (const Child& c : list) {
    const TSNode value =
        Is(c.node, "keyword_argument") ? Field(Children(c.node, true), "value") : c.node;
    site.passes_on = site.passes_on || Is(c.node, "list_splat");
    if (!Present(value)) continue;
    site.takes_lambda = site.takes_lambda || Is(value, "lambda");
    if (site.given.size() < kMaxValues && (Is(value, "identifier") || Is(value, "attribute")))
      site.given.push_back(CalleeName(value));
  }
  if (site.receiver == "self" && !list.empty() && !method_class_.empty() &&
      method_class_.back() >= 0 &&
      (site.name == "register_buffer" || site.name == "register_parameter" ||
       site.name == "add_module" || site.name == "register_module")) {
    const std::string name = StringText(list[0].node);
    if (!name.empty()) out_.classes[method_class_.back()].registered.insert(name);
  }
}

bool PythonWalker::Again(TSNode whole, const std::vector<TSNode>& parts, FlowBuilder& b) const {
  FlowBuilder::Evaluated now{Text(whole), {}};
  if (now.what.size() > kMaxReceiver) return false;
  std::vector<TSNode> open = parts;
  while (!open.empty()) {
    const TSNode node = open.back();
    open.pop_back();
    if (IsLiteral(node)) continue;
    if (Is(node, "identifier")) {
      if (now.names.size() == kMaxValues) return false;
      now.names.push_back(Text(node));
    } else if (Is(node, "argument_list")) {
      for (const Child& c : Children(node, true)) open.push_back(c.node);
    } else if (Is(node, "keyword_argument")) {
      open.push_back(Field(Children(node, true), "value"));
    } else if (Is(node, "attribute") && parts.size() > 1 && ts_node_eq(node, parts[0])) {
      open.push_back(Field(Children(node, true), "object"));  // a method
    } else {
      return false;
    }
  }
  for (const FlowBuilder::Evaluated& e : b.evaluated) {
    if (e.what == now.what) return true;
  }
  if (b.evaluated.size() < kMaxEvaluated) b.evaluated.push_back(std::move(now));
  return false;
}

void PythonWalker::Rebind(TSNode target, FlowBuilder& b) const {
  if (!Present(target) || !Is(target, "identifier")) return;
  const std::string_view name = Text(target);
  for (FlowBuilder::Evaluated& e : b.evaluated) {
    if (std::find(e.names.begin(), e.names.end(), name) != e.names.end()) e.what = {};
  }
}

std::string PythonWalker::CalleeName(TSNode node) const {
  for (int i = 0; i < 16 && Present(node); ++i) {
    const std::string_view type = ts_node_type(node);
    if (type == "identifier") return std::string(Text(node).substr(0, kMaxReceiver));
    const std::vector<Child> parts = Children(node, true);
    if (type == "attribute") {
      const TSNode name = Field(parts, "attribute");
      return Present(name) ? std::string(Text(name).substr(0, kMaxReceiver)) : "";
    }
    if (type == "call")
      node = Field(parts, "function");
    else if (type == "subscript")
      node = Field(parts, "value");
    else if (type == "parenthesized_expression" && !parts.empty())
      node = parts[0].node;
    else
      return "";
  }
  return "";
}

std::string PythonWalker::ReceiverText(TSNode object) const {
  if (!Present(object)) return "";
  if (Is(object, "identifier") || Is(object, "attribute")) {
    const std::string_view text = Text(object);
    if (text.size() <= kMaxReceiver && text.find_first_of("()[]\n ") == std::string_view::npos) {
      return std::string(text);
    }
  }
  if (Is(object, "call") && CalleeName(object) == "super") return "super()";
  return "";
}

std::string PythonWalker::StringText(TSNode node) const {
  if (!Is(node, "string")) return "";
  std::string text;
  for (const Child& c : Children(node, true)) {
    if (Is(c.node, "interpolation")) return "";
    if (Is(c.node, "string_content")) text += Text(c.node).substr(0, kMaxReceiver);
  }
  return text;
}

}  // namespace emberline
