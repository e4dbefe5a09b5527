// How often a line ran, by the calls that were placed on it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "attribution/observed.h"
#include "source/python_syntax.h"

namespace emberline {

// Tells the first call of each run of a line from those that follow in the same run. One object
// serves the frames of one function; each is told its calls in their order.
//
// A run reaches its calls in the order of their sites, so a call at an earlier site belongs to the
// next run. So does one at the same site if that stands in a loop, unless one run of the site calls
// several things: the parts of a constructor, what a builtin calls for each item, the operators of
// one function.
class LineRuns {
 public:
  explicit LineRuns(const PythonFunction& function);

  // A frame of the function begins.
  void Begin();
  // The frame's next call was made at a site of the function. True where it begins a run of its
  // line. `call` must live until the next Begin().
  bool Next(uint32_t site, const Observed& call);
  // The same where only the line of the call is known.
  bool NextOnLine(int line);

 private:
  struct Last {
    uint32_t site = 0;
    const Observed* first = nullptr;  // that the site called in this run
    uint64_t number = 0;              // of the last call, in its frame
  };

  bool RunsAgain(uint32_t site, const Last& last, const Observed& call) const;

  const PythonFunction& function_;
  std::vector<bool> in_loop_;           // [site]
  std::unordered_map<int, Last> last_;  // by line
  int last_line_ = 0;
  uint64_t calls_ = 0;
};

}  // namespace emberline
