// What one trace communicated, as a table that can be compared.
#pragma once

#include "analysis/table.h"
#include "ranks/collectives.h"

namespace emberline {

// The collectives of the selected steps by operation, size of the message, type of the elements and
// process group: calls and durations on the device, or of the host's calls where none was recorded
// there. Groups are told by what they were described as, else by their name, because names are
// numbered anew in every run. Rows by total time. Linear in the calls.
Table CommunicationTable(const Model& model, const CollectiveList& list,
                         const StepSelection& steps);

}  // namespace emberline
