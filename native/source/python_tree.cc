#include "source/python_tree.h"

namespace emberline {

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

}  // namespace emberline
