// The critical path of a step: what its end waited for, followed back to its begin.
#pragma once

#include <string>
#include <vector>

#include "analysis/frame_finder.h"
#include "base/cancel.h"
#include "base/result.h"
#include "model/model.h"
#include "ranks/digest.h"

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
  kSynchronisation,  // from the end of the work to the end of the call that waited for it
};
inline constexpr int kPathKindCount = static_cast<int>(PathKind::kSynchronisation) + 1;
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
  CriticalPathFinder(const Model& model, const CancelToken& cancel);
  // `last`: the work with which the window ends; kNone: the host ends it.
  std::vector<PathSegment> Find(Interval window, SliceIndex last) const;

 private:
  struct Work {
    Interval time;
    SliceIndex slice = kNone;
    uint32_t before = kNone;  // in works_: what it waits for on the device
  };
  void CollectHost(const CancelToken& cancel);
  void CollectWorks();
  uint32_t WaitedFor(size_t segment) const;
  PathKind KindOf(SliceIndex work) const;

  const Model& m_;
  const TraceStore& s_;
  struct HostPart {
    Interval time;
    SliceIndex slice;
  };
  std::vector<HostPart> host_;
  std::vector<Work> works_;        // by end
  std::vector<uint32_t> work_of_;  // slice -> works_
};

// What lies on the paths of the whole steps (or of the trace without steps), summed by kind, name
// and line, the largest first.
std::vector<PathDigest> SumCriticalPaths(const Model& model, FrameFinder& frames,
                                         const CancelToken& cancel);

}  // namespace emberline
