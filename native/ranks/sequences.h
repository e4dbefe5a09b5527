// Kernel sequences of one trace.
#pragma once

#include <string>
#include <vector>

#include "base/cancel.h"
#include "model/model.h"
#include "ranks/digest.h"

namespace emberline {

// What the outermost operators whose name holds `name` launched, at least three kernels each,
// counted by operator and kernels; the most frequent first. Empty when cancelled.
std::vector<SequenceDigest> SequencesOf(const Model& model, const std::string& name,
                                        const CancelToken& cancel = {});

}  // namespace emberline
