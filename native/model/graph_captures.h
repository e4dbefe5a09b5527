// Who recorded the graphs that run in a trace, when their captures lie in other traces: inference
// servers capture once at start and write those recordings beside the traces of what ran later.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "model/model.h"

namespace emberline {

// Matches the graphs of one trace with captures in others. A capture fits when it recorded the same
// kernels, copies and sets in the same order, kernel by kernel of the same name: nothing is guessed
// from counts. Calls name their kernel on ROCm only, so captures of CUDA do not fit. The order of a
// graph is that of its recorded node ids, else of its one stream.
// Not thread-safe.
class CaptureMatcher {
 public:
  // `model` is of the trace that launches graphs and has to outlive this object. Graphs whose
  // capture is in the same trace are left out.
  explicit CaptureMatcher(const Model& model);

  // Whether some graph has no capture yet.
  bool Wanted() const;

  // Looks for captures in another trace, which may be dropped afterwards. When several captures fit
  // a graph, it keeps what they agree on. Errors: kCancelled.
  Result<CaptureSource> Look(const Model& capture, std::string file, const CancelToken& cancel);

  struct Match {
    CapturedTree tree;
    std::vector<std::pair<SliceIndex, uint32_t>> work;  // slice, and its node in `tree.calls`
  };
  // The graphs whose recorder is known. Call it once.
  std::vector<Match> Take();

 private:
  struct Graph {
    std::vector<std::string_view> nodes;  // names of kernels; kinds of copies and sets
    std::vector<std::pair<SliceIndex, uint32_t>> work;
    bool found = false;
    bool same_ops = true, same_frames = true, same_shapes = true;  // of all captures that fit
    uint64_t ops = 0, frames = 0, shapes = 0;                      // of the first one
    CapturedTree tree;
  };
  void AddLaunch(SliceIndex launch);

  const Model& model_;
  std::vector<Graph> graphs_;
  std::unordered_map<uint64_t, size_t> by_nodes_;  // hash of a graph's nodes -> graph
};

}  // namespace emberline
