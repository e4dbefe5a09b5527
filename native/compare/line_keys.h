// Which line of one recording is which of another, whose source may have been another version.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/table.h"

namespace emberline {

// For each row of two tables of lines (LinesTable by line, by function or by file), which line it
// is: the same text where a line of one side is one of the other. Files are matched by the ends of
// their paths, and where those differ by their functions; functions by name and order, and the
// lines of a function in order: by what was called from them, and by their distance from one
// another.
std::pair<std::vector<std::string>, std::vector<std::string>> MatchLines(const Table& baseline,
                                                                         const Table& candidate);

}  // namespace emberline
