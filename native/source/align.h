// Places what a profiler saw inside a function on the function's lines: the calls, modules and
// operators that ran, in order, against the sites of its source, in order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "source/python_syntax.h"

namespace emberline {

enum class ObservedKind : uint8_t {
  kFrame,     // a Python function
  kModule,    // a call of an nn.Module
  kBuiltin,   // a C function
  kOperator,  // an operator without a Python call of its own
  kRuntime,   // a runtime call without an operator
};

// Whether reading an attribute runs a function, by the function's definition.
enum class Accessor : uint8_t { kUnknown, kProperty, kMethod };

// One kind of thing that ran directly inside a frame.
struct Observed {
  ObservedKind kind = ObservedKind::kFrame;
  std::string name;    // function; module class; builtin; operator without its namespace
  std::string owner;   // class of an __init__, where known
  std::string file{};  // path of a constructor, with forward slashes
  std::vector<std::string> heirs{};  // of a constructor: classes of its text that inherit it
  std::vector<std::string> bases{};  // of a module: classes that it is known to be derived from
  bool generator = false;  // a part of a generator function: runs when consumed, not when called
  bool manages = false;    // a constructor: the object is entered by a `with` at once
  bool wrapper = false;    // what a decorator returned
  std::string inner;       // of a wrapper: the function that it ran, where that is seen
  Accessor accessor = Accessor::kUnknown;
  int definition_line = 0;  // of a frame of the same file, in the coordinates of the source; else 0
  bool operator==(const Observed&) const = default;
};

// Where an instance of a function begins.
struct Start {
  Start(bool begun_) : begun(begun_) {}  // NOLINT(google-explicit-constructor)
  Start(bool begun_, int line_, bool certain_) : begun(begun_), line(line_), certain(certain_) {}
  bool begun = true;    // false: the recording began when it already ran
  int line = 0;         // it goes on from this line: a yield, or the call that was running
  bool certain = true;  // false: the line may be one of another text
};

struct Placement {
  int line = 0;            // 0: could not be placed
  bool ambiguous = false;  // another line fits as well
  // The place in the source that made the call, an index of PythonFunction::sites; they are in the
  // order in which one run of a statement reaches them. Meaningless without a line.
  uint32_t site = 0;
  bool named = false;  // the names agree, so that it is hardly by chance
};

// How badly a site fits what was observed: 0 its very name, above 2 hardly, infinite not at all.
float MatchCost(const Site& site, const Observed& observed);

// Aligns the frame instances of one function. Not thread-safe.
//
// The function's flow is a graph whose edges carry sites; a run of the function is a path through
// it. Each thing observed is consumed by a site at a cost that says how well their names agree, or
// is left unplaced at a higher cost; sites may be passed over at a cost that depends on whether
// their like was ever observed. The cheapest path wins (Viterbi); for each thing the cheapest path
// that puts it on another line is known too, which is how ambiguity is found.
class FunctionAligner {
 public:
  explicit FunctionAligner(const PythonFunction& function);
  ~FunctionAligner();

  // Interns a kind of thing. All kinds that occur in any instance should be described before the
  // first Align(): what never occurs is passed over at no cost.
  uint32_t Describe(const Observed& observed);

  // Places `sequence` (ids from Describe, in order of time). `called_at`: the line of the call
  // where it was recorded, else 0; empty when none was. `ended`: false when the recording stopped
  // while the instance ran. Linear in sequence length times sites.
  std::vector<Placement> Align(std::span<const uint32_t> sequence, std::span<const int> called_at,
                               const Start& start, bool ended);

  // Total cost per thing of the last alignment; a measure of how well the source fits.
  double last_cost() const { return last_cost_; }

  // Cells of the tables computed so far, for a limit on the whole.
  uint64_t work() const { return work_; }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  double last_cost_ = 0;
  uint64_t work_ = 0;
};

}  // namespace emberline
