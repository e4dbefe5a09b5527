// Runs one command of the command line.
#pragma once

#include <string>
#include <vector>

namespace emberline {

// Exit statuses of the program.
enum ExitStatus : int {
  kExitDone = 0,
  kExitGateFailed = 1,
  kExitUsage = 2,
  kExitUnreadable = 3,
  kExitInternal = 4,
};

// `arguments` without the program's name. Results go to stdout, messages to stderr.
int RunCommandLine(const std::vector<std::string>& arguments, const std::string& version);

}  // namespace emberline
