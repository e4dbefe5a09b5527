#include "analysis/links.h"

#include "analysis/stack_of.h"

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

void AddLinkCells(const Model& model, SliceIndex slice, std::vector<Cell>& cells) {
  const auto frame = slice == kNone ? std::nullopt : UserFrameOf(model, slice);
  cells.push_back(slice == kNone ? Cell() : Cell(static_cast<int64_t>(slice)));
  if (!frame) {
    cells.resize(cells.size() + 4);
    return;
  }
  cells.emplace_back(frame->file);
  cells.push_back(frame->line > 0 ? Cell(frame->line) : Cell());
  cells.emplace_back(frame->function);
  cells.emplace_back(frame->line_is_definition);
}

}  // namespace emberline
