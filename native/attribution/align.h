// Places what a profiler saw inside a function on the function's lines: the calls, modules and
// operators that ran, in order, against the sites of its source, in order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "attribution/observed.h"
#include "source/python_syntax.h"

namespace emberline {

// Where an instance of a function begins.
struct Start {
  Start(bool begun_) : begun(begun_) {}  // NOLINT(google-explicit-constructor)
  Start(bool begun_, int line_, bool certain_) : begun(begun_), line(line_), certain(certain_) {}
  bool begun = true;    // false: the recording began when it already ran
  int line = 0;         // it goes on from this line: a yield, or the call that was running
  bool certain = true;  // false: the line may be one of another text
};

// How a thing that ran ended, by what ran inside it. Unknown for all whose text is not known, and
// where nothing tells.
enum class Ended : uint8_t { kUnknown, kReturned, kRaised };

// What is known of the things of one run, each empty where nothing is.
struct RunEvidence {
  std::span<const int> called_at;  // the line of the call where it was recorded, else 0
  std::span<const Ended> ended;
  RunEvidence From(size_t begin, size_t count) const {
    return {called_at.empty() ? called_at : called_at.subspan(begin, count),
            ended.empty() ? ended : ended.subspan(begin, count)};
  }
};

struct Placement {
  int line = 0;            // 0: could not be placed
  bool ambiguous = false;  // another line fits as well
  // The place in the source that made the call, an index of PythonFunction::sites; they are in the
  // order in which one run of a statement reaches them. Meaningless without a line.
  uint32_t site = 0;
  bool named = false;  // the names agree, so that it is hardly by chance
};

// Aligns the frame instances of one function. Not thread-safe.
//
// The function's flow is a graph whose edges carry sites; a run of the function is a path through
// it. Each thing observed is consumed by a site at a cost that says how well their names agree, or
// is left unplaced at a higher cost; sites may be passed over at a cost that depends on whether
// their like was ever observed. The cheapest path wins (Viterbi); for each thing the cheapest path
// that puts it on another line is known too, which is how ambiguity is found. Exceptions are rare,
// so they cost; but a thing that would be on another line if what ran before it had raised is
// ambiguous, unless something tells how that ended.
class FunctionAligner {
 public:
  explicit FunctionAligner(const PythonFunction& function);
  ~FunctionAligner();

  // Interns a kind of thing. All kinds that occur in any instance should be described before the
  // first Align(): what never occurs is passed over at no cost.
  uint32_t Describe(const Observed& observed);
  // What Describe() was told under this id. Valid until the next Describe().
  const Observed& Kind(uint32_t id) const;

  // Places `sequence` (ids from Describe, in order of time). `ended`: false when the recording
  // stopped while the instance ran. Linear in sequence length times sites.
  std::vector<Placement> Align(std::span<const uint32_t> sequence, const RunEvidence& known,
                               const Start& start, bool ended);

  // Total cost per thing of the last alignment; a measure of how well the source fits.
  double last_cost() const { return last_cost_; }
  // How the run that was aligned last ended.
  Ended last_ended() const { return last_ended_; }

  // Cells of the tables computed so far, for a limit on the whole.
  uint64_t work() const { return work_; }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  double last_cost_ = 0;
  Ended last_ended_ = Ended::kUnknown;
  uint64_t work_ = 0;
};

}  // namespace emberline
