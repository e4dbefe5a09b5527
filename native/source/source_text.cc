#include "source/source_text.h"

#include <cstdio>

#include "base/file.h"

namespace emberline {

std::string SourceText(const ResolvedPath& resolved) {
  if (resolved.status != ResolveStatus::kFound || !resolved.readable) return "";
  const Result<OpenedFile> opened = OpenRegularFile(resolved.path);
  if (!opened.ok() || opened->size_bytes > kMaxPythonText) return "";
  std::string text(opened->size_bytes, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), opened->file.get()));
  return text;
}

std::shared_ptr<const PythonModule> ParseSource(std::string_view text) {
  Result<PythonModule> parsed = ParsePython(text);
  if (!parsed.ok()) return nullptr;
  return std::make_shared<const PythonModule>(std::move(*parsed));
}

}  // namespace emberline
