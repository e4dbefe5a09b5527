// What every method that compares asks of its two sides.
#pragma once

#include <memory>
#include <string>

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

// Which two traces with which steps: part of a key among the candidate's results.
std::string SidesKey(const CompareRequest& request);

// The trees of both sides, made side by side and kept with their traces. Errors: kCancelled.
struct Trees {
  std::shared_ptr<const StepTree> baseline, candidate;
};
Result<Trees> TreesOf(const CompareRequest& request);

// A side with its tree, for what matches trees; valid as long as both arguments.
ComparedSide BaselineOf(const CompareRequest& request, const Trees& trees);
ComparedSide CandidateOf(const CompareRequest& request, const Trees& trees);

}  // namespace emberline
