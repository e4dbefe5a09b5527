#include "analysis/links.h"

#include "analysis/text_cell.h"

namespace emberline {

std::vector<Column> LinkColumns(const char* which) {
  return {Link("slice", "Slice", which, CellType::kInteger),
          Link("file", "File", "File of the innermost frame of your own code at this point.",
               CellType::kText),
          Link("line", "Line", "Line of that frame, as recorded.", CellType::kInteger),
          Link("function", "Function", "Function of that frame.", CellType::kText),
          Link("lineIsDefinition", "Line is definition",
               "Whether the line is the function's first line, because the calling line was not "
               "recorded.",
               CellType::kBool)};
}

void AddLinkCells(FrameFinder& frames, SliceIndex slice, std::vector<Cell>& cells) {
  const auto frame = slice == kNone ? std::nullopt : frames.UserFrame(slice);
  cells.push_back(slice == kNone ? Cell() : Cell(static_cast<int64_t>(slice)));
  if (!frame) {
    cells.resize(cells.size() + 4);
    return;
  }
  cells.push_back(TextCell(frame->file));
  cells.push_back(frame->line > 0 ? Cell(frame->line) : Cell());
  cells.push_back(TextCell(frame->function));
  cells.emplace_back(frame->line_is_definition);
}

}  // namespace emberline
