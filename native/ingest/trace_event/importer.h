// Trace Event JSON: what torch.profiler exports, and what other tools of the same family write.
#pragma once

#include "ingest/importer.h"

namespace emberline {

const Importer& TraceEventImporter();

}  // namespace emberline
