// Which functions variables may hold, by what is assigned to them.
#include <set>
#include <string>

#include "source/python_walker.h"

namespace emberline {

void PythonWalker::Alias(TSNode value, const std::string& variable, Aliases& table,
                         int depth) const {
  if (depth > 4 || !Present(value)) return;
  const std::vector<Child> parts = Children(value, true);
  if (Is(value, "conditional_expression")) {
    if (parts.size() != 3) return;
    Alias(parts[0].node, variable, table, depth + 1);
    Alias(parts[2].node, variable, table, depth + 1);
    return;
  }
  if (Is(value, "list") || Is(value, "tuple") || Is(value, "set") ||
      Is(value, "parenthesized_expression") || Is(value, "expression_list")) {
    for (size_t i = 0; i < parts.size() && i < kMaxAliases; ++i)
      Alias(parts[i].node, variable, table, depth + 1);
    return;
  }
  if (Is(value, "dictionary")) {
    for (size_t i = 0; i < parts.size() && i < kMaxAliases; ++i) {
      if (Is(parts[i].node, "pair"))
        Alias(Field(Children(parts[i].node, true), "value"), variable, table, depth + 1);
    }
    return;
  }
  if (Is(value, "call")) return AliasOfCall(parts, variable, table, depth);
  // An item of what is written out at once may be any of its items.
  if (Is(value, "subscript")) {
    const TSNode whole = Field(parts, "value");
    if (Present(whole) && !Is(whole, "identifier") && !Is(whole, "attribute"))
      return Alias(whole, variable, table, depth + 1);
  }
  std::string name;
  if (Is(value, "lambda")) name = "<lambda>";
  if (Is(value, "identifier") || Is(value, "attribute") || Is(value, "subscript"))
    name = CalleeName(value);
  TSNode whole = value;
  while (Is(whole, "subscript") && Present(Field(Children(whole, true), "value")))
    whole = Field(Children(whole, true), "value");
  if (!name.empty() && Is(whole, "attribute")) name.insert(name.begin(), kAttributeMark);
  AddAlias(table, variable, name);
}

void PythonWalker::AliasOfCall(const std::vector<Child>& call, const std::string& variable,
                               Aliases& table, int depth) const {
  const TSNode function = Field(call, "function"), arguments = Field(call, "arguments");
  if (!Present(function) || !Present(arguments)) return;
  const std::string name = CalleeName(function);
  const std::vector<Child> list = Children(arguments, true);
  if (Is(function, "attribute")) {
    const TSNode object = Field(Children(function, true), "object");
    if (name == "get" || name == "items" || name == "values" || name == "pop")
      Alias(object, variable, table, depth + 1);
    if (name == "partial" && !list.empty()) Alias(list[0].node, variable, table, depth + 1);
    return;
  }
  if (name == "getattr" && list.size() >= 2)
    return AddAlias(table, variable, kAttributeMark + StringText(list[1].node));
  if (name == "partial" && !list.empty()) return Alias(list[0].node, variable, table, depth + 1);
  static const std::set<std::string_view> passing = {"enumerate", "reversed", "zip", "list",
                                                     "tuple",     "iter",     "dict"};
  if (!passing.count(name)) return;
  for (size_t i = 0; i < list.size() && i < kMaxAliases; ++i) {
    const TSNode item = list[i].node;
    const bool named = Is(item, "keyword_argument");
    Alias(named ? Field(Children(item, true), "value") : item, variable, table, depth + 1);
  }
}

void PythonWalker::LoopAliases(TSNode target, TSNode iterated, FlowBuilder& b) const {
  if (!Present(target) || !Present(iterated)) return;
  if (Is(target, "identifier")) return Alias(iterated, std::string(Text(target)), b.aliases, 0);
  if (!Is(target, "pattern_list") && !Is(target, "tuple_pattern")) return;
  const std::vector<Child> parts = Children(target, true);
  for (size_t i = 0; i < parts.size() && i < kMaxAliases; ++i) {
    if (Is(parts[i].node, "identifier"))
      Alias(iterated, std::string(Text(parts[i].node)), b.aliases, 0);
  }
}

}  // namespace emberline
