// Hashes of statements, by their tokens and not by their layout.
#pragma once

#include <tree_sitter/api.h>

#include <cstdint>
#include <string_view>

#include "source/python_syntax.h"

namespace emberline {

inline constexpr uint64_t kEmptyHash = 14695981039346656037ull;

// What PythonStatement::called and bound hold for an attribute: `self.norm` is not the variable
// `norm`. `name`: its NameHash().
inline constexpr uint64_t AttributeHash(uint64_t name) { return ~name; }

// Adds the tokens of `node` before byte `end` to the hashes, names and lines of a statement,
// without layout.
void AddTokens(std::string_view text, TSNode node, uint32_t end, PythonStatement& s);

}  // namespace emberline
