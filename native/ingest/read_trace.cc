#include "ingest/read_trace.h"

#include "base/escape.h"
#include "ingest/errors.h"
#include "ingest/importer.h"
#include "ingest/no_trace.h"

namespace emberline {

Result<ReadResult> ReadTraceFrom(ByteSource& source, const TraceFile& file,
                                 const ReadOptions& options) {
  PeekedSource peeked(&source);
  const std::string_view head = peeked.Head(kHeadBytes);
  Recognition recognition;
  const Importer* importer = ChooseImporter(
      options.importers == nullptr ? BuiltInImporters() : *options.importers, head, &recognition);
  if (importer != nullptr) return importer->Read(peeked, file, options);
  const std::optional<NoTrace> other = OtherFormat(head);
  if (other) return other->At(file.name, 0);
  return MakeError(errors::kUnknownFormat, {{"reason", recognition.Why(file.name).text}}, 0);
}

Result<ReadResult> ReadTrace(const std::filesystem::path& path, const ReadOptions& options) {
  const auto source = OpenFile(path);
  if (!source) return source.error();
  return ReadTraceFrom(**source, {Escaped(path.filename().string()), path}, options);
}

Result<ReadResult> ReadTraceText(std::string_view text, const ReadOptions& options) {
  const auto source = MakeTextSource(text);
  return ReadTraceFrom(*source, {"The text", {}}, options);
}

}  // namespace emberline
