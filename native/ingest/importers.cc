#include "ingest/importer.h"
#include "ingest/trace_event/importer.h"

namespace emberline {

const ImporterList& BuiltInImporters() {
  static const ImporterList list = {&TraceEventImporter()};
  return list;
}

const Importer* ChooseImporter(const ImporterList& importers, std::string_view head,
                               Recognition* recognition) {
  const Importer* chosen = nullptr;
  for (const Importer* importer : importers) {
    Recognition said = importer->Recognize(head);
    if (said.claim == Recognition::Claim::kSure) {
      *recognition = std::move(said);
      return importer;
    }
    if (chosen != nullptr) continue;
    if (said.claim == Recognition::Claim::kFallback) chosen = importer;
    *recognition = std::move(said);
  }
  return chosen;
}

}  // namespace emberline
