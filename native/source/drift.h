// Follows functions and lines through edits of a file.
#pragma once

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
// lines by the longest common subsequence of statements of a function and their tokens. A statement
// in which only names were changed keeps its line between such neighbors, unless it may call
// something else now.
Drift FollowEdits(const PythonModule& before, const PythonModule& now);

}  // namespace emberline
