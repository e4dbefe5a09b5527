#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "app/commands.h"

int main(int argc, char** argv) {
  try {
    return emberline::RunCommandLine(std::vector<std::string>(argv + 1, argv + argc),
                                     EMBERLINE_VERSION);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "emberline: internal error: %s\n", e.what());
    return emberline::kExitInternal;
  }
}
