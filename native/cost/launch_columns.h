// The columns of the list of launches: PyProf2's, and what the cost model adds.
#pragma once

#include <memory>

#include "analysis/lazy_table.h"
#include "cost/launches.h"

namespace emberline {

// The table of launches, whose rows are made when they are asked for. What it is made of must
// outlive it.
std::unique_ptr<LazyTable> LaunchTable(const CostContext& context, const LaunchRows& rows);

}  // namespace emberline
