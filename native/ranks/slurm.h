// A job array that makes the digests of many traces where they lie.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace emberline {

struct SlurmOptions {
  std::vector<std::string> traces;  // absolute paths
  std::string out;                  // folder of the digests
  std::string program;              // the emberline that the nodes run; "" the one on their PATH
  int64_t max_array = 1000;         // tasks of an array; sites allow 1,001 by default
  int64_t throttle = 64;            // tasks at a time, to be kind to the file system
  int64_t retries = 2;              // of a trace whose digest was not made
  std::vector<std::string> directives;  // of the site: "--partition=cpu", "--account=abc"
  uint64_t bytes = 0, largest = 0;      // of the traces, in all and of the largest
};

// A shell script that runs as it is: `sh script` submits an array of digest tasks, each of which
// takes every T-th trace, and a merge that runs whatever became of them. Run again, it makes only
// what is missing. Errors: kInvalidArgument for paths and directives that no script can hold.
Result<std::string> SlurmScript(const SlurmOptions& options);

}  // namespace emberline
