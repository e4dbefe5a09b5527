// What one level of a comparison joins: the tables of both sides, what tells their rows, and what
// is known of their noise.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/lines.h"
#include "analysis/table.h"
#include "compare/tables.h"
#include "rpc/views/compare_sides.h"

namespace emberline {

struct Level {
  Table baseline, candidate;
  // The measure, which rows are the same, their samples and scale.
  TableComparison comparison;
};

// `by` is any level but "steps". Which rows were replaced is not said. Errors: those of
// CompareBy().
Result<Level> LevelOf(const CompareRequest& request, const std::string& by, Time time);

// Of the levels that are lines.
std::optional<LineGrouping> LineGroupingOf(const std::string& by);

}  // namespace emberline
