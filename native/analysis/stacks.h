// The stacks view: Python stacks weighted by host or device time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/table.h"
#include "base/cancel.h"
#include "base/result.h"
#include "model/model.h"

namespace emberline {

enum class StackWeight { kDevice, kHost };

// A function in a stack, as a place in a tree of stacks.
struct StackNode {
  uint32_t parent = kNone;
  std::vector<uint32_t> children;
  StringId frame = 0;  // into StackTree::frames
  Ns self = 0;
  Ns total = 0;        // self and below
  uint64_t calls = 0;  // slices that put weight here directly
};

struct StackTree {
  StringPool frames;             // frame names as recorded: "path(line): function"
  std::vector<StackNode> nodes;  // nodes[0] is the root; parents before children
  bool recorded = false;         // the trace has Python stacks of some kind
  bool strings = false;          // from "Call stack" strings instead of python_function slices
};

struct StackOptions {
  StackWeight weight = StackWeight::kDevice;
  bool fold_library = false;  // leave out frames of the library
  bool bottom_up = false;     // callees at the root
  std::string filter;         // only stacks with a frame whose name holds this text (any case)
  StepSelection steps;
};

// Device time: device work at the stack of its launch; backward work at the stack of its forward
// operator. Host time: own time of Python functions (and of what they call outside Python); with
// recorded strings, host self time of operators. Errors: kCancelled.
Result<StackTree> AnalyzeStacks(const Model& model, const StackOptions& options,
                                const CancelToken& cancel);

// One row per function: self and total (a function counts once per stack).
Table StackTable(const StackTree& top_down);

}  // namespace emberline
