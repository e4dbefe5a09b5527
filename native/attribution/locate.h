// Finds the functions that a trace names in a text that may have changed since.
#pragma once

#include <string>
#include <vector>

#include "attribution/observed.h"
#include "source/python_syntax.h"

namespace emberline {

// A function as a trace names it.
struct RecordedFunction {
  std::string name;  // code name
  int line = 0;      // first line as recorded, or a line inside it (see line_inside)
  bool line_inside = false;
  std::string class_hint;          // class it is a method of, where the trace tells
  std::vector<Observed> called{};  // some of what it called, each once
};

struct LocatedFunction {
  int function = -1;  // index into the module's functions; -1: stale, it is not known where it is
  int moved = 0;      // by how many lines the text around it has moved
  // The recorded line in the text; 0 where nothing can have gone on from there (line_inside).
  int line = 0;
};

// The functions of `module` that the recorded ones are. All are matched together: they keep their
// order, and as few stretches of the text as can be have moved by lines of their own; what a
// function called, and the class that it is a method of, count too. A function that would fit
// elsewhere as well is stale rather than taken for another. `exact` becomes true when every
// function fits without moving: then the text is the one that ran.
std::vector<LocatedFunction> LocateFunctions(const std::vector<RecordedFunction>& recorded,
                                             const PythonModule& module, bool* exact);

}  // namespace emberline
