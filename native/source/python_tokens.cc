#include "source/python_tokens.h"

#include <algorithm>
#include <vector>

#include "source/python_tree.h"

namespace emberline {
namespace {

uint64_t Mix(uint64_t hash, std::string_view text) {
  for (const unsigned char c : text) hash = (hash ^ c) * 1099511628211ull;
  return (hash ^ 0xff) * 1099511628211ull;
}

// A node on the way to a token.
struct Holder {
  std::string_view type;
  std::string_view field;  // in the node above it
};

// An identifier is what a call calls, by its last name.
bool IsCalled(const std::vector<Holder>& holders, std::string_view field) {
  if (holders.empty()) return false;
  const Holder& above = holders.back();
  return (above.type == "call" && field == "function") ||
         (above.type == "attribute" && field == "attribute" && above.field == "function");
}

// An identifier is a variable or attribute that is assigned.
bool IsBound(const std::vector<Holder>& holders, std::string_view field) {
  size_t k = holders.size();
  if (k > 0 && holders[k - 1].type == "attribute") {
    if (field != "attribute") return false;
    field = holders[--k].field;
  }
  for (; k > 0 && field != "left"; field = holders[--k].field) {
    const std::string_view type = holders[k - 1].type;
    if (type == "as_pattern_target" || (type == "named_expression" && field == "name")) return true;
    if (type != "pattern_list" && type != "tuple_pattern" && type != "list_pattern") return false;
  }
  return field == "left";
}

std::string_view FieldOf(const TSTreeCursor& cursor) {
  const char* name = ts_tree_cursor_current_field_name(&cursor);
  return name == nullptr ? std::string_view() : name;
}

void NameToken(const std::vector<Holder>& holders, std::string_view field, std::string_view text,
               PythonStatement& s) {
  s.form = Mix(s.form, "");
  const bool attribute =
      !holders.empty() && holders.back().type == "attribute" && field == "attribute";
  const uint64_t name = attribute ? AttributeHash(NameHash(text)) : NameHash(text);
  if (IsCalled(holders, field))
    s.called.push_back(name);
  else if (IsBound(holders, field))
    s.bound.push_back(name);
}

}  // namespace

uint64_t NameHash(std::string_view name) { return Mix(kEmptyHash, name); }

void AddTokens(std::string_view source, TSNode root, uint32_t end, PythonStatement& s) {
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  std::vector<Holder> holders;  // the nodes above
  bool pending_comma = false;
  int pending_line = 0;
  for (bool done = false; !done;) {
    const TSNode node = ts_tree_cursor_current_node(&cursor);
    bool descend = false;
    if (ts_node_start_byte(node) < end && !Is(node, "comment")) {
      if (ts_node_child_count(node) > 0) {
        descend = true;
      } else {
        const std::string_view type = ts_node_type(node);
        std::string_view text = TextOf(node, source);
        const int line = LineOf(node);
        const bool closing = type == ")" || type == "]" || type == "}";
        bool skip = text.empty() || type == "line_continuation" || type == "string_end";
        if (type == "(" || type == ")") {
          const std::string_view holder =
              holders.empty() ? std::string_view() : holders.back().type;
          skip = skip || holder == "parenthesized_expression" || holder == "tuple" ||
                 holder == "tuple_pattern" || holder == "import_from_statement" ||
                 holder == "with_clause";
        }
        if (type == "string_start") {
          while (!text.empty() && (text.back() == '"' || text.back() == '\''))
            text.remove_suffix(1);
        }
        if (type == ",") {
          pending_comma = true;
          pending_line = line;
          skip = true;
        }
        if (pending_comma && type != ",") {
          if (!closing) {
            s.hash = Mix(s.hash, ",");
            s.form = Mix(s.form, ",");
            s.token_lines.push_back(static_cast<uint32_t>(pending_line));
          }
          pending_comma = false;
        }
        if (!skip) {
          s.hash = Mix(s.hash, text);
          if (type == "identifier")
            NameToken(holders, FieldOf(cursor), text, s);
          else
            s.form = Mix(s.form, text);
          s.token_lines.push_back(static_cast<uint32_t>(line));
          s.end_line = std::max(s.end_line, line);
        }
      }
    }
    const std::string_view field = FieldOf(cursor);
    if (descend && ts_tree_cursor_goto_first_child(&cursor)) {
      holders.push_back({ts_node_type(node), field});
      continue;
    }
    for (;;) {
      if (holders.empty()) {
        done = true;
        break;
      }
      if (ts_tree_cursor_goto_next_sibling(&cursor)) break;
      ts_tree_cursor_goto_parent(&cursor);
      holders.pop_back();
    }
  }
  ts_tree_cursor_delete(&cursor);
}

}  // namespace emberline
