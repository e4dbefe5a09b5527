// The two halves of session/lines.h: making lines from given texts (lines.cc), and what is kept of
// them with a trace (document_lines.cc).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "session/lines.h"

namespace emberline {

// Recorded path -> syntax of a document's text, for files that the daemon cannot or may not read.
using DocumentTexts = std::map<std::string, std::shared_ptr<const PythonModule>>;

// The lines of a trace. `focus`: a recorded file that counts as the user's own wherever it lies; ""
// for none. Errors: kCancelled.
Result<std::shared_ptr<LineData>> MakeLineData(const Model& model, const PathMapper& mapper,
                                               const DocumentTexts& texts, const std::string& focus,
                                               const CancelToken& cancel);

// The syntax of a text; null for what cannot be parsed.
std::shared_ptr<const PythonModule> ParseSource(std::string_view text);

}  // namespace emberline
