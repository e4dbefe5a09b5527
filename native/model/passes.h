// Which pass of training each slice runs in: forward, backward, or forward work that activation
// checkpointing runs again inside backward.
#pragma once

#include <vector>

#include "base/cancel.h"
#include "model/model.h"

namespace emberline {

// What is known of operators before passes are assigned, per slice.
struct OpMarks {
  // Autograd nodes: "autograd::engine::evaluate_function: X".
  const std::vector<bool>* is_node;
  // These and other backward ops, by their own name or number.
  const std::vector<bool>* is_backward;
  // Ops that took a sequence number as forward ops do.
  const std::vector<bool>* is_fresh;
};

// Fills Model::pass and Model::repeats, and hands Model::forward of autograd nodes, which must be
// set, down to the ops inside them. An op inside a node runs again, in the order of trust, when
//   1. it is below a Python frame of torch/utils/checkpoint.py that recomputes, or below the call
//      of an nn.Module,
//   2. the node is a checkpoint's own (CheckpointFunctionBackward, and its kin in other libraries),
//      and no node inside it has begun,
//   3. it takes a sequence number, which needs grad mode, and autograd runs nodes without; unless
//      other nodes refer to such numbers, as they do for gradients of gradients.
// Nodes inside recomputation are backward again. Linear. False when cancelled.
bool AssignPasses(const OpMarks& marks, const CancelToken& cancel, Model* model);

}  // namespace emberline
