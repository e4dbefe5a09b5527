// Module trees of two traces, as tables that can be compared.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/modules.h"
#include "analysis/table.h"

namespace emberline {

// A tree as a table: one row for each node, by its path.
Table ModuleTable(const ModuleTree& tree);

// For each node of both trees, in the order of the nodes, which module it is: the same text where a
// node of one tree is one of the other. Numbers of instances ("Linear_3") may differ: modules are
// matched by class and order inside matched modules.
std::pair<std::vector<std::string>, std::vector<std::string>> MatchModules(
    const ModuleTree& baseline, const ModuleTree& candidate);

}  // namespace emberline
