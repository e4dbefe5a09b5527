// Small helpers over tree-sitter's nodes, for the files that read Python's syntax tree.
#pragma once

#include <tree_sitter/api.h>

#include <string_view>
#include <vector>

namespace emberline {

struct Child {
  TSNode node;
  const char* field;  // nullptr when the child has none
};

inline bool Is(TSNode node, std::string_view type) { return ts_node_type(node) == type; }
inline bool FieldIs(const Child& c, std::string_view field) {
  return c.field != nullptr && c.field == field;
}
inline bool Present(TSNode node) { return !ts_node_is_null(node); }
// The node's part of the text that was parsed.
std::string_view TextOf(TSNode node, std::string_view text);
// First and last line of a node, from 1.
int LineOf(TSNode node);
int EndLineOf(TSNode node);
// Children in order, without comments.
std::vector<Child> Children(TSNode node, bool named_only);
// The child in this field; a null node when there is none.
TSNode Field(const std::vector<Child>& children, std::string_view field);

// What the operator of two values is called in operators and methods: "+" is "add"; null for "and"
// and others that call nothing.
const char* BinaryName(std::string_view op);
// A number, a string, None, True or False.
bool IsLiteral(TSNode node);
bool IsComprehension(TSNode node);
// A subscript whose key is a literal.
bool HasLiteralKey(TSNode subscript);

}  // namespace emberline
