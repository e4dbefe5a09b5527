// Findings beyond the plugin's seven; FindFindings() calls it.
#pragma once

#include <vector>

#include "analysis/findings.h"

namespace emberline {

// Appends what applies, in no order: launch bound, host synchronisation, shapes that miss tensor
// cores, pageable copies, small kernels, fragmentation, the profiler's own cost, missing records.
void AddFurtherFindings(const Model& model, const StepSelection& selection,
                        const Overview& overview, const CancelToken& cancel,
                        std::vector<Finding>* findings);

}  // namespace emberline
