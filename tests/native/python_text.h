// Texts of Python that several tests of the sources parse.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "source/python_syntax.h"

namespace emberline {

inline PythonModule Parsed(const std::string& text) {
  Result<PythonModule> module = ParsePython(text);
  REQUIRE(module.ok());
  return std::move(*module);
}

// A function, and a class with a method that calls it.
inline const std::string kOriginal =
    "import torch\n"  // 1
    "\n"
    "def helper(x):\n"       // 3
    "    return x.relu()\n"  // 4
    "\n"
    "class Net:\n"                       // 6
    "    def forward(self, x):\n"        // 7
    "        y = self.first(x)\n"        // 8
    "        y = helper(y)\n"            // 9
    "        return self.last(y, x)\n";  // 10

}  // namespace emberline
