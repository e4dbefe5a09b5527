// The command that writes traces with counters and marks.
#pragma once

#include "app/options.h"

namespace emberline {

int RunAugment(const Options& options);

}  // namespace emberline
