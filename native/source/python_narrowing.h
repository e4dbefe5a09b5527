// What the condition of a branch says about the class of a variable: isinstance(layer, (A, B)).
#pragma once

#include <tree_sitter/api.h>

#include <string>
#include <string_view>
#include <vector>

namespace emberline {

struct Narrowing {
  std::string variable;  // dotted: "layer", "self.norm"
  std::vector<std::string> classes;
  bool is = true;  // false: of none of the classes
};

// What holds where `condition` is true (`taken`), and where it is false.
struct Narrowings {
  std::vector<Narrowing> taken, not_taken;
};
Narrowings NarrowingsOf(TSNode condition, std::string_view text);

}  // namespace emberline
