// Which call launched which device work.
#include <algorithm>
#include <span>

#include "base/near.h"
#include "base/scratch_vector.h"
#include "base/sort_runs.h"
#include "model/graphs.h"
#include "model/id_index.h"
#include "model/model_builder.h"

namespace emberline {

bool ModelBuilder::LinkLaunches() {
  Model& m = *model_;
  m.launch.assign(all_, kNone);
  struct Call {
    int64_t correlation;
    Ns start;
    SliceIndex slice;
    uint8_t space;
  };
  ScratchVector<Call> calls;
  if (s_.HasArg(ArgRole::kCorrelation)) {
    calls.reserve(link_ids_.size());
    for (size_t k = 0; k < link_ids_.size(); ++k) {
      const LinkIds ids = link_ids_[k];
      const SliceIndex i = ids.slice;
      if (ids.correlation == 0 || !IsLaunchApi(Kind(i))) continue;
      calls.push_back(
          {ids.correlation, s_.start(i), i, s_.categories()[s_.category(i)].correlation_space});
    }
    if (cancel_.cancelled()) return false;
    // Threads number their calls in turn, each in the order of time.
    SortRuns(std::span(calls), [](const Call& a, const Call& b) {
      if (a.correlation != b.correlation) return a.correlation < b.correlation;
      if (a.space != b.space) return a.space < b.space;
      if (a.start != b.start) return a.start < b.start;
      return a.slice < b.slice;
    });
  }
  // The latest call of the number that had begun when the device work began, in `d`; the first
  // when none had (clocks of host and device differ a little).
  auto near = calls.begin();  // work on a stream was launched in its order
  auto find = [&](int64_t correlation, uint8_t d, Ns start) -> SliceIndex {
    const auto first = PartitionPointNear(calls.begin(), calls.end(), near, [&](const Call& c) {
      return c.correlation != correlation ? c.correlation < correlation : c.space < d;
    });
    near = first;
    if (first == calls.end() || first->correlation != correlation || first->space != d)
      return kNone;
    const auto after = PartitionPointNear(first, calls.end(), first, [&](const Call& c) {
      return c.correlation == correlation && c.space == d && c.start <= start;
    });
    return (after == first ? first : std::prev(after))->slice;
  };
  bool any = false;
  if (!calls.empty()) {
    for (size_t k = 0; k < link_ids_.size(); ++k) {
      if (Stop(static_cast<uint32_t>(k))) return false;
      const LinkIds ids = link_ids_[k];
      const SliceIndex i = ids.slice;
      const int64_t correlation = ids.correlation;
      if (correlation == 0 || !IsDeviceWork(Kind(i))) continue;
      const uint8_t d = s_.categories()[s_.category(i)].correlation_space;
      SliceIndex call = find(correlation, d, s_.start(i));
      if (call == kNone) call = find(correlation, d == 0 ? 1 : 0, s_.start(i));
      m.launch[i] = call;
      any = any || call != kNone;
    }
  }
  if (!any) LinkLaunchesByFlow();
  return true;
}

void ModelBuilder::LinkLaunchesByFlow() {
  Model& m = *model_;
  ForEachArrow([&](SliceIndex from, SliceIndex to) {
    if (IsLaunchApi(Kind(from)) && m.launch[to] == kNone) m.launch[to] = from;
  });
}

}  // namespace emberline
