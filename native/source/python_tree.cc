#include "source/python_tree.h"

#include <unordered_map>

namespace emberline {

std::string_view TextOf(TSNode node, std::string_view text) {
  const uint32_t begin = ts_node_start_byte(node), end = ts_node_end_byte(node);
  if (begin > end || end > text.size()) return {};
  return text.substr(begin, end - begin);
}

int LineOf(TSNode node) { return static_cast<int>(ts_node_start_point(node).row) + 1; }

int EndLineOf(TSNode node) {
  const TSPoint end = ts_node_end_point(node);
  // A block may end at the start of the line after it.
  return static_cast<int>(end.column == 0 && end.row > 0 ? end.row : end.row + 1);
}

// Children in order, with a cursor: asking for the i-th child would be linear each time.
std::vector<Child> Children(TSNode node, bool named_only) {
  std::vector<Child> out;
  TSTreeCursor cursor = ts_tree_cursor_new(node);
  if (ts_tree_cursor_goto_first_child(&cursor)) {
    do {
      const TSNode child = ts_tree_cursor_current_node(&cursor);
      if (named_only && !ts_node_is_named(child)) continue;
      if (Is(child, "comment")) continue;
      out.push_back({child, ts_tree_cursor_current_field_name(&cursor)});
    } while (ts_tree_cursor_goto_next_sibling(&cursor));
  }
  ts_tree_cursor_delete(&cursor);
  return out;
}

TSNode Field(const std::vector<Child>& children, std::string_view field) {
  for (const Child& c : children) {
    if (FieldIs(c, field)) return c.node;
  }
  return TSNode{};
}

const char* BinaryName(std::string_view op) {
  static const std::unordered_map<std::string_view, const char*> names = {
      {"+", "add"},           {"-", "sub"},          {"*", "mul"},  {"/", "div"},
      {"//", "floor_divide"}, {"%", "remainder"},    {"**", "pow"}, {"@", "matmul"},
      {"&", "and"},           {"|", "or"},           {"^", "xor"},  {"<<", "lshift"},
      {">>", "rshift"},       {"<", "lt"},           {">", "gt"},   {"<=", "le"},
      {">=", "ge"},           {"==", "eq"},          {"!=", "ne"},  {"<>", "ne"},
      {"in", "contains"},     {"not in", "contains"}};
  const auto it = names.find(op);
  return it == names.end() ? nullptr : it->second;
}

bool IsLiteral(TSNode node) {
  return Is(node, "integer") || Is(node, "float") || Is(node, "string") || Is(node, "none") ||
         Is(node, "true") || Is(node, "false");
}

bool IsComprehension(TSNode node) {
  return Is(node, "list_comprehension") || Is(node, "set_comprehension") ||
         Is(node, "dictionary_comprehension") || Is(node, "generator_expression");
}

bool HasLiteralKey(TSNode subscript) {
  const TSNode key = Field(Children(subscript, true), "subscript");
  return Present(key) && IsLiteral(key);
}

}  // namespace emberline
