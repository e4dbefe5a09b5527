// Cells of recorded text.
#pragma once

#include <string_view>

#include "analysis/table.h"
#include "base/text.h"

namespace emberline {

// What is longer than any name that people or compilers give is cut and ends with "…": a table
// would else hold a hostile file's text once more.
inline constexpr size_t kMaxCellText = 24 << 10;

inline Cell TextCell(std::string_view text) { return Shortened(text, kMaxCellText); }

}  // namespace emberline
