// Which line of which file each slice of a trace belongs to: brings a trace and its sources
// together. The stages stand in stages.h; what is kept of the result, and for how long, is the
// session's affair (session/lines.h).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/lines.h"
#include "attribution/locate.h"
#include "base/cancel.h"
#include "base/result.h"
#include "model/model.h"
#include "source/path_mapper.h"
#include "source/python_syntax.h"

namespace emberline {

// A recorded file and the text that its calls were aligned with.
struct SourceFile {
  std::string recorded;
  ResolvedPath resolved;
  bool user = false;                           // counts as the user's own code
  std::shared_ptr<const PythonModule> module;  // null when the text is not at hand
  bool exact = false;                          // every recorded function begins where the text says
  std::vector<RecordedFunction> functions;     // as the trace names them
};

// The lines of one trace under one set of sources.
struct AttributedLines {
  LineAttribution attribution;
  std::map<std::string, SourceFile> files;  // by recorded path, every file with a frame
};

// Recorded path -> syntax of a document's text, for files that the daemon cannot or may not read.
using DocumentTexts = std::map<std::string, std::shared_ptr<const PythonModule>>;

// The lines of a trace. `focus`: a recorded file that counts as the user's own wherever it lies; ""
// for none. Errors: kCancelled.
Result<AttributedLines> AttributeLines(const Model& model, const PathMapper& mapper,
                                       const DocumentTexts& texts, const std::string& focus,
                                       const CancelToken& cancel);

}  // namespace emberline
