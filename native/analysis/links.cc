#include "analysis/links.h"

#include "analysis/text_cell.h"

namespace emberline {

void AddLinkColumns(Table& table, const char* which) {
  const auto hidden = [&](const char* key, const char* title, const char* definition,
                          CellType type) {
    table.columns.push_back({key, title, definition, type, Unit::kNone, true});
  };
  hidden("slice", "Slice", which, CellType::kInteger);
  hidden("file", "File", "File of the innermost frame of your own code there.", CellType::kText);
  hidden("line", "Line", "Line of that frame as recorded.", CellType::kInteger);
  hidden("function", "Function", "Function of that frame.", CellType::kText);
  hidden("lineIsDefinition", "Line is definition",
         "The recorder named the function's first line, not the calling line.", CellType::kBool);
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
