// Any two tables of one view compared row by row, by what their columns are for.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/table.h"
#include "compare/aligned_tree.h"
#include "compare/noise.h"

namespace emberline {

// What one measure of a row was, per step.
using Spread = std::unordered_map<std::string, Sample>;

struct TableComparison {
  std::string measure;  // key of the measure that orders the rows
  // What is measured on each side is multiplied by this: one divided by the steps where the two
  // sides have different numbers of them.
  double baseline_scale = 1, candidate_scale = 1;
  // Which rows are the same: a text for each row. Empty: by the columns that are keys.
  std::vector<std::string> baseline_keys, candidate_keys;
  // Of rows, whether something else stands in their place where the other side lacks them. Empty:
  // nothing does.
  std::vector<bool> baseline_replaced, candidate_replaced;
  // The measure in each step, for each row of either side, and how many steps each side has; steps
  // without a value were zero. Where `knows_noise` is false nothing is known of it.
  bool knows_noise = false;
  // Rows were measured once each, as steps are: the sample of each is that of all rows of its side.
  bool single = false;
  std::vector<Sample> baseline_samples, candidate_samples;
  double baseline_steps = 0, candidate_steps = 0;
};

// One row for each row of either table, the largest absolute difference of the measure first.
// Columns: key (hidden), the keys and facts of the view, status, then of the measure baseline…,
// candidate…, delta…, deltaPercent, noise…, beyondNoise, of the calls baselineCalls,
// candidateCalls, deltaCalls, and the same of every other measure; links of both sides, hidden.
// What is missing on one side is zero where it would add up, else empty. A percentage of nothing is
// empty.
Table CompareTables(const Table& baseline, const Table& candidate,
                    const TableComparison& comparison);

// The text that says which row it is: its keys, joined.
std::string RowKey(const Table& table, const std::vector<Cell>& row);

}  // namespace emberline
