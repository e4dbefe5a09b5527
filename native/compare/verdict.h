// Why a step became longer or shorter: what grew, what shrank, and which of them is the cause.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/overview.h"
#include "analysis/table.h"
#include "compare/overview.h"
#include "compare/replacements.h"

namespace emberline {

// A row of two compared tables that changed. Times in microseconds, of one step.
struct Change {
  std::string name;
  std::string status;  // "both", "new", "gone", "replaced"
  double baseline_us = 0, candidate_us = 0, delta_us = 0;
  std::optional<bool> beyond_noise;  // absent: nothing is known of noise
  std::string file;                  // of the row's line; "" without one
  int64_t line = 0;
  std::string side;  // whose line: "candidate" or "baseline"
};

// What changed most, the largest difference first: of longer rows where `grew`, else of shorter
// ones. `table` is one of CompareTables(), `steps` is how many steps its figures are of. Rows of
// functions are named by them.
std::vector<Change> ChangesIn(const Table& table, bool functions, bool grew, double steps);

// Whether the step waits for the device on both sides: then the device's time tells what made it
// longer.
bool IsDeviceBound(const Overview& baseline, const Overview& candidate);

// The level that says something: the first at which most of the time is in rows of both sides, else
// the first of all. `matched`: that share by level. 0 where there are none.
size_t LevelThatMatches(std::span<const double> matched);
bool MatchesWell(double matched);

// What CauseOf() chooses from.
struct Suspects {
  std::span<const ComparedFigure> figures;  // of CompareOverviews(); the first is the step time
  std::span<const Change> grew, shrank;
  const Replacements* replacements = nullptr;
  bool device = false;    // `grew` and `shrank` are of the device's time
  bool per_step = false;  // the sides have different numbers of steps
  double steps = 1;       // of the candidate: what `replacements` are divided by
};

// What explains the difference of the step time, if something does: a row, a module that is new or
// gone, a replacement, or the part of the step that changed. Nothing that may be chance.
std::optional<VerdictCause> CauseOf(const Suspects& suspects);

}  // namespace emberline
