// The columns by which a row of a table leads elsewhere. They are carried, not shown.
#pragma once

#include <vector>

#include "analysis/frame_finder.h"
#include "analysis/table.h"
#include "model/model.h"

namespace emberline {

// slice: of the timeline; file, line, function, lineIsDefinition: the innermost frame of the user's
// own code at that slice. `which` says which slice of the row's many it is.
void AddLinkColumns(Table& table, const char* which);
// The cells of these columns; empty ones for kNone. `frames` serves all rows of a table.
void AddLinkCells(FrameFinder& frames, SliceIndex slice, std::vector<Cell>& cells);

}  // namespace emberline
