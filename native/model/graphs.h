// Kernels of device graphs: which call recorded a kernel when its graph was captured.
#pragma once

#include <unordered_map>

#include "base/cancel.h"
#include "model/model.h"

namespace emberline {

// True for calls that launch a captured graph as a whole ("cudaGraphLaunch", "hipGraphLaunch").
bool IsGraphLaunch(std::string_view name);

// For work that a graph launch runs: the launch call inside a capture of this recording
// (cudaStreamBeginCapture ... cudaStreamEndCapture) that put it into its graph. A graph's nodes, in
// order of their recorded node ids, are the capture's launches in order of time; where no ids were
// recorded (before PyTorch 2.12) the order on the one stream stands for them. Work whose graph does
// not fit exactly one capture is left out. Linear, but for sorting. Empty when cancelled.
std::unordered_map<SliceIndex, SliceIndex> CapturedCalls(const Model& model,
                                                         const CancelToken& cancel);

}  // namespace emberline
