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

// What a place in a tree of stacks stands for.
enum class StackNodeKind : uint8_t {
  kFunction,
  kRecompute,  // what is below ran again in backward, for activation checkpointing
  kThreads,    // what is below ran on other threads than the main one; or on one of those
};

// A function in a stack, as a place in a tree of stacks.
struct StackNode {
  uint32_t parent = kNone;
  StackNodeKind kind = StackNodeKind::kFunction;
  std::vector<uint32_t> children;  // heaviest first, other threads last
  StringId frame = 0;              // into StackTree::frames
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
  bool fold_library = false;  // leave out frames of the library, if others have any of the time
  bool bottom_up = false;     // callees at the root
  std::string filter;         // only stacks with a frame whose name holds this text (any case)
  StepSelection steps;
};

// Device time: device work at the stack of its launch; backward work at the stack of its forward
// operator; what runs again below the checkpoint that it belongs to, under a place of its own.
// Host time: time of Python functions, operators and runtime calls without such inside them (as
// lines have it: both have one total), at the stack around them; on threads of autograd that
// have no stack, as device time. Threads beside the main one have a place of their own.
// Errors: kCancelled.
Result<StackTree> AnalyzeStacks(const Model& model, const StackOptions& options,
                                const CancelToken& cancel);

// One row per function: self and total (a function counts once per stack).
Table StackTable(const StackTree& top_down);

}  // namespace emberline
