// What every method that compares asks of its two sides.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/parallel.h"
#include "compare/aligned_tree.h"
#include "compare/step_tree.h"
#include "rpc/views/compare.h"

namespace emberline {

enum class Time { kHost, kDevice };

// The time that is compared: what was asked for, else the device's where both sides have it.
Result<Time> TimeOf(const CompareRequest& request);

// Recorded steps that are selected; 0 where none were recorded.
double SelectedSteps(const ViewRequest& side);

// Figures of different numbers of steps are compared per step.
bool IsPerStep(const CompareRequest& request);

// Work outside of every step is no step's: it is left out where figures are per step.
ViewRequest InSteps(const ViewRequest& side, bool per_step);

// Which two traces with which steps: part of a key among the candidate's results.
std::string SidesKey(const CompareRequest& request);

// The same of each side.
template <typename T>
struct Sides {
  T baseline{}, candidate{};
};

// Makes it of both, at the same time: `make` takes a side's request, gives a Result<T>, and changes
// nothing that the other side's uses. Errors: those of `make`.
template <typename T, typename Make>
Result<Sides<T>> OfBothSides(const CompareRequest& request, const Make& make) {
  std::optional<Result<T>> baseline, candidate;
  RunAll(
      true, [&] { candidate.emplace(make(request.candidate)); },
      [&] { baseline.emplace(make(request.baseline)); });
  if (!baseline->ok()) return baseline->error();
  if (!candidate->ok()) return candidate->error();
  return Sides<T>{std::move(**baseline), std::move(**candidate)};
}

// The trees of both sides, kept with their traces. Errors: kCancelled.
using Trees = Sides<std::shared_ptr<const StepTree>>;
Result<Trees> TreesOf(const CompareRequest& request);

// A side with its tree, for what matches trees; valid as long as both arguments.
ComparedSide BaselineOf(const CompareRequest& request, const Trees& trees);
ComparedSide CandidateOf(const CompareRequest& request, const Trees& trees);

}  // namespace emberline
