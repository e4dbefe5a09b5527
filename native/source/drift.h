// Follows functions and lines through edits of a file.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "source/python_syntax.h"

namespace emberline {

// Where the parts of one text are in another.
struct Drift {
  std::vector<int> function;  // per function of the old text: that of the new one, or -1
  std::vector<bool> changed;  // per function of the old text: its body was changed
  std::unordered_map<int, int>
      line;                // old line -> new line, for lines whose statement is still there
  bool identical = false;  // every statement is still there, none was added
};

// Functions are found again by qualified name, else by shape, else by most of their statements;
// lines by the longest common subsequence of statements of a function and their tokens.
Drift FollowEdits(const PythonModule& before, const PythonModule& now);

// A function as a trace names it.
struct RecordedFunction {
  std::string name;  // code name
  int line = 0;      // first line as recorded, or a line inside it (see line_inside)
  bool line_inside = false;
  std::string class_hint;  // class it is a method of, where the trace tells
};

// The function of `module` that each recorded one is. Those whose first line fits are taken at
// once; others by name in the order of their lines, nearest first. -1 where nothing fits. `exact`
// becomes true when every function fits without moving: then the text is the one that ran.
std::vector<int> LocateFunctions(const std::vector<RecordedFunction>& recorded,
                                 const PythonModule& module, bool* exact);

}  // namespace emberline
