#include "source/source_text.h"

#include <algorithm>
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

std::string_view TrimmedLine(std::string_view text, int line) {
  for (int above = 1; above < line; ++above) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  text = text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  return text;
}

std::shared_ptr<const PythonModule> ParseSource(std::string_view text) {
  Result<PythonModule> parsed = ParsePython(text);
  if (!parsed.ok()) return nullptr;
  return std::make_shared<const PythonModule>(std::move(*parsed));
}

}  // namespace emberline
