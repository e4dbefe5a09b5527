// Lines that a recorder wrote, in a text that may have changed since.
#pragma once

#include <span>
#include <vector>

#include "attribution/observed.h"
#include "source/python_syntax.h"

namespace emberline {

// A line as recorded and what was called from it.
struct RecordedLine {
  int line = 0;
  std::vector<Observed> called;
};

struct FollowedLine {
  int function = -1;  // index into the module's functions; -1: the statement is not there any more
  int line = 0;
};

// Where recorded lines (ascending) of functions of one name are in `module`. `functions`: those of
// that name; `moved`: by how many lines the function is known to have moved. Lines follow what was
// called from them, in their order, and keep their distances where nothing speaks against it. A
// line that can have called nothing of what it did is lost. Time: lines times sites of the
// functions.
std::vector<FollowedLine> FollowRecordedLines(const PythonModule& module,
                                              std::span<const int> functions,
                                              std::span<const RecordedLine> lines, int moved = 0);

}  // namespace emberline
