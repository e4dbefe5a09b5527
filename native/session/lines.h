// The lines of loaded traces and of documents: makes them (attribution/attribute.h) when they are
// first asked for, and keeps them with the trace. Any thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/lines.h"
#include "attribution/attribute.h"
#include "base/cancel.h"
#include "base/result.h"
#include "session/session.h"
#include "source/drift.h"
#include "source/path_mapper.h"
#include "source/python_syntax.h"
#include "source/source_text.h"

namespace emberline {

// The lines of one trace under one set of sources, as they are kept. Frozen.
struct LineData : AttributedLines {
  std::string key;  // of it among the trace's results
  size_t MemoryBytes() const;
};

// A document of the editor, as it is now.
struct SourceDocument {
  std::string path;
  std::string text;
  bool cell = false;  // a notebook cell: found by its text
  // Of a cell: what old kernels may have named it by, the ends of "<ipython-input-3-0123456789ab>".
  std::vector<std::string> digests;
  bool untitled = false;  // not saved: found by its text
  // Its text in the version of SourceSpace::revision, which calls are aligned with instead of that
  // of now; absent where it is not known.
  std::optional<std::string> recorded_text;
};

// A document against what was recorded.
struct DocumentLines {
  std::shared_ptr<const LineData> data;
  std::vector<std::string> files;           // recorded paths that are this document
  std::shared_ptr<const PythonModule> now;  // the document's syntax; null when there are no files
  std::map<std::string, std::shared_ptr<const Drift>> drift;  // per recorded path
};

// Lines of the trace with the sources that lie in `space`; made once and kept with the trace.
// Errors: kCancelled.
Result<std::shared_ptr<const LineData>> LinesOf(const LoadedTrace& trace, const SourceSpace& space,
                                                const CancelToken& cancel);

// Sums of LinesOf or DocumentLinesOf for a choice of steps; kept with the trace. Errors:
// kCancelled.
Result<std::shared_ptr<const LinesResult>> LineSumsOf(const LoadedTrace& trace,
                                                      const LineData& data,
                                                      const StepSelection& steps,
                                                      const CancelToken& cancel);

// The same as seen from a document. A file whose text the daemon may not or cannot read is aligned
// with the document's text when it is first asked for; later texts are followed from there. A
// library's file, once opened, counts as the user's own for its own document. Errors: kCancelled.
Result<DocumentLines> DocumentLinesOf(const LoadedTrace& trace, const SourceSpace& space,
                                      const SourceDocument& document, const CancelToken& cancel);

// Where a recorded path lies here.
ResolvedPath ResolveSource(const LoadedTrace& trace, const SourceSpace& space,
                           const std::string& recorded,
                           SearchScope scope = SearchScope::kSourceSpace);

}  // namespace emberline
