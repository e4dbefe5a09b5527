#include "analysis/launch_queue.h"

#include <algorithm>
#include <unordered_set>

namespace emberline {

std::vector<Interval> WaitingLaunches(const Model& model, TrackIndex stream) {
  const TraceStore& s = model.store();
  const Track& track = s.tracks()[stream];
  std::vector<Interval> waiting;
  std::unordered_set<SliceIndex> begun;  // calls that launched several works
  for (SliceIndex i = track.first; i < track.last; ++i) {
    const SliceIndex call = model.launch[i];
    if (!IsDeviceWork(s.kind(i)) || call == kNone) continue;
    if (model.launched[call].size() > 1 && !begun.insert(call).second) continue;
    waiting.push_back({s.start(call), std::max(s.start(i), s.start(call))});
  }
  return waiting;
}

}  // namespace emberline
