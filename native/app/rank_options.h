// Options of the commands that make and merge digests.
#pragma once

#include <CLI/CLI.hpp>

#include "app/options.h"

namespace emberline {

// Adds digest, merge, jobs and augment. What is parsed goes into `options`, which must outlive
// `app`.
void AddRankCommands(CLI::App* app, Options* options);

}  // namespace emberline
