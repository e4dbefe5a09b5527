// The columns by which a row of a table leads elsewhere. They are carried, not shown.
#pragma once

#include <vector>

#include "analysis/columns.h"
#include "analysis/frame_finder.h"
#include "model/model.h"

namespace emberline {

// slice: of the timeline; file, line, function, lineIsDefinition: the innermost frame of the user's
// own code at that slice. `which` says which slice of the row's many it is.
std::vector<Column> LinkColumns(const char* which);
// The cells of these columns; empty ones for kNone. `frames` serves all rows of a table.
void AddLinkCells(FrameFinder& frames, SliceIndex slice, std::vector<Cell>& cells);

// The columns for a builder whose rows name their slice in `member`.
template <typename Row>
void AddLinks(TableBuilder<Row>& table, FrameFinder& frames, const char* which,
              SliceIndex Row::*member) {
  table.AddAll(LinkColumns(which), [&frames, member](const Row& row, std::vector<Cell>& cells) {
    AddLinkCells(frames, row.*member, cells);
  });
}

}  // namespace emberline
