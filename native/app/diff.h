// emberline diff BASELINE CANDIDATE
#pragma once

#include "app/options.h"

namespace emberline {

// Compares two traces, prints the result, and gives the exit status: that of a failed gate where
// --fail-above was not kept.
int RunDiff(const Options& options);

}  // namespace emberline
