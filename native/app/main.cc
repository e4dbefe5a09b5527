#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "app/commands.h"
#include "base/escape.h"
#include "base/heap.h"

int main(int argc, char** argv) {
  emberline::BoundHeap();
  try {
    return emberline::RunCommandLine(std::vector<std::string>(argv + 1, argv + argc),
                                     EMBERLINE_VERSION);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "emberline: internal error: %s\n", emberline::Escaped(e.what()).c_str());
    return emberline::kExitInternal;
  }
}
