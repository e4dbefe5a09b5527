// What could be done about the time: findings with their evidence. The first seven are the advice
// that PyTorch's TensorBoard plugin gave, with its mistakes mended
// (tests/oracles/README.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/overview.h"
#include "analysis/stack_of.h"
#include "analysis/table.h"
#include "base/cancel.h"
#include "base/message.h"
#include "model/model.h"

namespace emberline {

// One number that a finding rests on.
struct Evidence {
  Message label;
  double value = 0;
  Unit unit = Unit::kNone;
};

// A finding of a catalog (messages.h of a room).
struct FindingText {
  const char* id;  // stable: "dataLoading"
  MessagePattern title, text, action;
  MessagePattern snippet = "";
};

struct Finding {
  std::string id;
  std::string severity;  // "info", "warning"
  std::string title;     // a few words
  std::string text;      // what was seen, with its numbers
  std::vector<Evidence> evidence;
  std::string action;              // what to do
  std::string snippet;             // code that does it; may be empty
  MessageArgs arguments;           // what title, text, action and snippet name
  std::optional<double> gain_us;   // expected gain per step where it can be told
  std::vector<SliceIndex> slices;  // where to look, heaviest first
  std::vector<Frame> frames;       // lines that cause it
};

// With its texts, and nothing else yet.
Finding MakeFinding(const FindingText& text, const char* severity, MessageArgs arguments = {});

// Findings in order of severity, then of expected gain. `overview` is of the same model and steps.
std::vector<Finding> FindFindings(const Model& model, const StepSelection& selection,
                                  const Overview& overview, const CancelToken& cancel);

}  // namespace emberline
