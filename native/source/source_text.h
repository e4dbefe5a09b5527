// Texts of source files as they lie on this machine.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "source/path_mapper.h"
#include "source/python_syntax.h"

namespace emberline {

// Text of a file that was found and may be read; "" for others, and for what is too large.
std::string SourceText(const ResolvedPath& resolved);

// A line of a text, from 1, without its indent and the spaces behind it; "" where the text ends
// before.
std::string_view TrimmedLine(std::string_view text, int line);

// The syntax of a text; null for what cannot be parsed.
std::shared_ptr<const PythonModule> ParseSource(std::string_view text);

}  // namespace emberline
