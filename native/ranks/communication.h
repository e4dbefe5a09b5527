// What one trace communicated, as a table that can be compared.
#pragma once

#include <vector>

#include "analysis/table.h"
#include "compare/noise.h"
#include "ranks/collectives.h"

namespace emberline {

struct Communication {
  Table table;
  // Of each row, in each step that was recorded whole, microseconds.
  std::vector<Sample> device, host;
  size_t MemoryBytes() const;
};

// The collectives of the selected steps by operation, size of the message, type of the elements and
// process group: calls and durations on the device, or of the host's calls where none was recorded
// there. Groups are told by what they were described as, else by their name, because names are
// numbered anew in every run. Rows by total time. Linear in the calls.
Communication SumCommunication(const Model& model, const CollectiveList& list,
                               const StepSelection& steps);

}  // namespace emberline
