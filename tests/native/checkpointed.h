// A step of training with activation checkpointing, drawn as the recorders of both kinds of
// checkpoints write it, with and without Python frames on autograd's thread. The work is the same
// in all of them:
//
//   Net_0 calls checkpoint(Block_0) and multiplies; Block_0 runs a linear and a relu.
//   device: forward 10 (linear), 20 (relu), 5 (mul); again 11, 21; backward 7 (mul), 13 (relu),
//   17 (linear): 104 us
#pragma once

#include "drawn.h"

namespace emberline::drawn {

struct CheckpointKind {
  bool reentrant = false;  // CheckpointFunction; else hooks that unpack what was not saved
  bool frames = false;     // Python frames on autograd's thread
};
inline constexpr CheckpointKind kCheckpointKinds[] = {
    {false, false}, {false, true}, {true, false}, {true, true}};

struct Checkpointed {
  Drawing drawing;
  int linear = 0, addmm = 0, relu = 0;                    // in forward
  int again_linear = 0, again_addmm = 0, again_relu = 0;  // in backward
  int node = 0;                                           // in which they run
  int relu_gradient = 0, linear_gradient = 0;
};

inline std::string Number(int sequence, int forward_thread) {
  return "\"Sequence number\":" + std::to_string(sequence) +
         ",\"Fwd thread id\":" + std::to_string(forward_thread);
}

inline Checkpointed DrawCheckpointed(CheckpointKind kind) {
  Checkpointed c;
  Drawing& d = c.drawing;
  const auto launch = [&](int correlation, double ts, double device_us, const std::string& tid) {
    d.Launch(correlation, ts, 2, "", "cuda_runtime", tid);
    d.Kernel("k" + std::to_string(correlation), correlation, 2000 + correlation * 100, device_us);
  };
  d.Python("train.py(1): main", 0, 1900);
  d.Python("nn.Module: Net_0", 10, 290, "\"CallFrom\":\"train.py:3\"");
  d.Python("net.py(5): forward", 11, 288);
  d.Python("torch/utils/checkpoint.py(164): checkpoint", 20, 180, "\"CallFrom\":\"net.py:6\"");
  if (kind.reentrant) {
    d.Op("CheckpointFunction", 22, 176, Number(5, 0));
    d.Python("torch/utils/checkpoint.py(73): forward", 23, 174);
  }
  d.Python("nn.Module: Block_0", 30, 160);
  d.Python("block.py(9): forward", 31, 158);
  d.Python("torch/nn/functional.py(1): linear", 38, 44, "\"CallFrom\":\"block.py:10\"");
  c.linear = d.Op("aten::linear", 40, 40, kind.reentrant ? "" : Number(5, 0));
  c.addmm = d.Op("aten::addmm", 45, 30, kind.reentrant ? "" : Number(5, 0));
  launch(1, 50, 10, "10");
  d.Python("torch/nn/functional.py(9): relu", 98, 34, "\"CallFrom\":\"block.py:11\"");
  c.relu = d.Op("aten::relu", 100, 30, kind.reentrant ? "" : Number(6, 0));
  launch(2, 105, 20, "10");
  d.Python("<built-in function mul>", 208, 24, "\"CallFrom\":\"net.py:7\"");
  d.Op("aten::mul", 210, 20, Number(7, 0));
  launch(3, 215, 5, "10");
  d.Python("torch/_tensor.py(400): backward", 400, 1100, "\"CallFrom\":\"train.py:4\"");

  const std::string t = "20";
  d.Op("autograd::engine::evaluate_function: MulBackward0", 410, 30, Number(7, 1), t);
  d.Op("MulBackward0", 411, 28, Number(7, 1), t);
  launch(4, 415, 7, t);
  const std::string node = kind.reentrant ? "CheckpointFunctionBackward" : "ReluBackward0";
  const double end = kind.reentrant ? 1100 : 900;
  const int number = kind.reentrant ? 5 : 6;
  d.Op("autograd::engine::evaluate_function: " + node, 450, end - 450, Number(number, 1), t);
  c.node = d.Op(node, 452, end - 454, Number(number, 1), t);
  if (kind.frames) {
    if (kind.reentrant) {
      d.Python("torch/autograd/function.py(250): apply", 453, end - 456, "", t);
      d.Python("torch/utils/checkpoint.py(110): backward", 454, end - 458, "", t);
    } else {
      d.Python("torch/utils/checkpoint.py(400): unpack_hook", 454, 350, "", t);
      d.Python("torch/utils/checkpoint.py(380): recompute_fn", 456, 340, "", t);
    }
    d.Python("nn.Module: Block_0", 460, 320, "", t);
    d.Python("block.py(9): forward", 461, 318, "", t);
    d.Python("torch/nn/functional.py(1): linear", 465, 140, "\"CallFrom\":\"block.py:10\"", t);
  }
  c.again_linear = d.Op("aten::linear", 470, 130, Number(0, 0), t);
  c.again_addmm = d.Op("aten::addmm", 480, 110, Number(0, 0), t);
  launch(5, 490, 11, t);
  if (kind.frames)
    d.Python("torch/nn/functional.py(9): relu", 608, 94, "\"CallFrom\":\"block.py:11\"", t);
  c.again_relu = d.Op("aten::relu", 610, 90, Number(1, 0), t);
  launch(6, 620, 21, t);
  if (kind.reentrant) {
    if (kind.frames) d.Python("torch/autograd/__init__.py(103): backward", 790, 300, "", t);
    d.Op("autograd::engine::evaluate_function: ReluBackward0", 800, 90, Number(1, 2), t);
    d.Op("ReluBackward0", 802, 86, Number(1, 2), t);
  }
  c.relu_gradient = d.Op("aten::threshold_backward", 810, 70, "", t);
  launch(7, 820, 13, t);
  d.Op("autograd::engine::evaluate_function: AddmmBackward0", 910, 90,
       kind.reentrant ? Number(0, 2) : Number(5, 1), t);
  c.linear_gradient = d.Op("aten::mm", 915, 80, "", t);
  launch(8, 920, 17, t);
  return c;
}

}  // namespace emberline::drawn
