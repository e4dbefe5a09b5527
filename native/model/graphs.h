// Kernels of device graphs: which call recorded a kernel when its graph was captured.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/cancel.h"
#include "model/model.h"

namespace emberline {

// True for calls that launch a captured graph as a whole ("cudaGraphLaunch", "hipGraphLaunch").
bool IsGraphLaunch(std::string_view name);

// One capture of a graph: the calls between cudaStreamBeginCapture and cudaStreamEndCapture (or
// HIP's) that ran nothing, because they were recorded instead.
struct GraphCapture {
  RecordedId pid;
  TrackIndex track = kNone;
  Ns begin = 0, end = 0;
  bool alone = true;              // no other capture of the process overlaps
  std::vector<SliceIndex> calls;  // in order of time
  std::string nodes;              // what each call puts into the graph: NodeOfWork()
};

// 'k' kernel, 'c' copy, 's' set; '?' for other kinds.
char NodeOfWork(SliceKind kind);

// Captures in this trace, by process and time. Needs `launched` of the model. Empty when cancelled.
std::vector<GraphCapture> FindCaptures(const Model& model, const CancelToken& cancel);

// For work that a graph launch runs: the launch call inside a capture of this recording
// (cudaStreamBeginCapture ... cudaStreamEndCapture) that put it into its graph. A graph's nodes, in
// order of their recorded node ids, are the capture's launches in order of time; where no ids were
// recorded (before PyTorch 2.12) the order on the one stream stands for them. Work whose graph does
// not fit exactly one capture is left out. Needs `launched` of the model. Linear, but for sorting.
// Empty when cancelled.
std::unordered_map<SliceIndex, SliceIndex> CapturedCalls(const Model& model,
                                                         const CancelToken& cancel);

}  // namespace emberline
