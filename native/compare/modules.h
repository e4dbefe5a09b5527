// Module trees of two traces, as tables that can be compared.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/module_steps.h"
#include "analysis/table.h"
#include "compare/noise.h"

namespace emberline {

// A tree as a table: one row for each node, by its path.
Table ModuleTable(const ModuleTree& tree);

// For each row of that table its device self or host self, in each of the selected steps that were
// recorded whole, microseconds.
std::vector<Sample> ModuleSamples(const Model& model, const StepSelection& steps,
                                  const ModuleTree& tree, const ModuleStepTimes& by_step,
                                  bool host);

// For each node of both trees, in the order of the nodes, which module it is: the same text where a
// node of one tree is one of the other. Numbers of instances ("Linear_3") may differ: modules are
// matched by class and order inside matched modules.
std::pair<std::vector<std::string>, std::vector<std::string>> MatchModules(
    const ModuleTree& baseline, const ModuleTree& candidate);

}  // namespace emberline
