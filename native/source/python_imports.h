// What the names of a text stand for that it imports: `from x import y as z`.
#pragma once

#include <tree_sitter/api.h>

#include <string>
#include <string_view>
#include <unordered_map>

#include "source/python_syntax.h"

namespace emberline {

// By the name in the text. A name that is imported from two modules, as after `try: import`, keeps
// what both have in common.
using Imports = std::unordered_map<std::string, Origin>;

// Adds what an import statement makes known.
void ReadImports(TSNode statement, std::string_view text, Imports* imports);

}  // namespace emberline
