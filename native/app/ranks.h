// Commands for the ranks of a job: digest, merge, jobs, and the views of a folder.
#pragma once

#include "app/options.h"

namespace emberline {

// True for a command of this file.
bool IsRanksCommand(const std::string& command);
int RunRanksCommand(const Options& options);

}  // namespace emberline
