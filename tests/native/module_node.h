// Finds modules of a trace by their names.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "analysis/modules.h"

namespace emberline {

inline const ModuleNode& Node(const ModuleTree& tree, const std::string& name) {
  for (const ModuleNode& node : tree.nodes) {
    if (node.name == name) return node;
  }
  FAIL("no module " << name);
  return tree.nodes[0];
}

}  // namespace emberline
