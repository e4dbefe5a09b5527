// The critical path of a step: what its end waited for, followed back to its begin.
#pragma once

#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "model/model.h"
#include "ranks/work_graph.h"

namespace emberline {

enum class PathKind : uint8_t {
  kHost,         // operators, runtime calls and Python that were recorded
  kHostUnknown,  // the host, outside of all that was recorded
  kDataLoading,
  kLaunch,  // from the launching call's begin to its work's begin
  kComputation,
  kCommunication,
  kCopy,
  kKernelGap,        // between works of the device that wait for each other
  kSynchronization,  // from the end of the work to the end of the call that waited for it
};
inline constexpr int kPathKindCount = static_cast<int>(PathKind::kSynchronization) + 1;
const char* PathKindName(PathKind kind);  // "host", "hostUnknown", ...

struct PathSegment {
  Interval time;
  PathKind kind = PathKind::kHost;
  SliceIndex slice = kNone;  // what ran; of launches and gaps the work that was waited for
};

// The path of `window`, in order of time: segments follow each other without gaps and fill it from
// its begin to its end. Going back from the end, a call that waits leads to the work that it waited
// for; work leads to its launch where that came after the work before it, else to that work, on its
// stream or, through a recorded wait for an event, on another. Threads that launch count where they
// do something, and the main thread elsewhere. Linear in the slices, apart from sorting; empty when
// cancelled.
class CriticalPathFinder {
 public:
  CriticalPathFinder(const Model& model, const CancelToken& cancel)
      : graph_(model, cancel), m_(model), s_(model.store()) {}
  // `last`: the work with which the window ends; kNone: the host ends it.
  std::vector<PathSegment> Find(Interval window, SliceIndex last) const;
  const WorkGraph& graph() const { return graph_; }
  // Of a device's work, and of what the host does.
  PathKind KindOf(SliceIndex work) const;
  PathKind KindOfHost(SliceIndex slice) const;

 private:
  const WorkGraph graph_;
  const Model& m_;
  const TraceStore& s_;
};

// A step that counts, and the work with which it ends (kNone: the host ends it).
struct PathStep {
  Interval time;
  Interval host;
  SliceIndex last = kNone;
};

// The whole steps, or the trace where steps were not recorded, in order. Steps of several profilers
// that lie across each other count once.
std::vector<PathStep> StepsOfPaths(const Model& model);

// Where the path passes from one slice to another.
struct PathEdge {
  Interval time;  // from leaving the one to reaching the other
  PathKind kind;  // of what passes meanwhile; that of what is reached where nothing does
  SliceIndex from = kNone, to = kNone;
};
std::vector<PathEdge> EdgesOf(const std::vector<PathSegment>& path);

// The paths of these steps, one after the other. Error: kCancelled.
Result<std::vector<PathSegment>> CriticalPaths(const CriticalPathFinder& finder,
                                               const std::vector<PathStep>& steps,
                                               const CancelToken& cancel);

}  // namespace emberline
