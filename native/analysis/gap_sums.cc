#include "analysis/gap_sums.h"

#include <algorithm>

namespace emberline {

GapSums SumGaps(const std::vector<DeviceGap>& gaps, Interval range, Ns min_ns, size_t longest) {
  GapSums sums;
  for (const DeviceGap& gap : gaps) {
    if (gap.time.Length() < min_ns || gap.time.end <= range.begin || gap.time.begin >= range.end) {
      continue;
    }
    sums.longest.push_back(&gap);
    const Ns part = std::min(gap.time.end, range.end) - std::max(gap.time.begin, range.begin);
    GapSums::Reason& reason = sums.reasons[static_cast<size_t>(gap.reason)];
    sums.idle += part;
    ++reason.count;
    reason.sum += part;
  }
  sums.total = sums.longest.size();
  const size_t listed = std::min(sums.longest.size(), longest);
  std::partial_sort(sums.longest.begin(), sums.longest.begin() + static_cast<ptrdiff_t>(listed),
                    sums.longest.end(), [](const DeviceGap* a, const DeviceGap* b) {
                      return a->time.Length() != b->time.Length()
                                 ? a->time.Length() > b->time.Length()
                                 : a->time.begin < b->time.begin;
                    });
  sums.longest.resize(listed);
  return sums;
}

std::optional<Frame> FrameOfGap(const Model& model, const DeviceGap& gap) {
  const SliceIndex at = gap.host != kNone ? gap.host : gap.launch;
  std::optional<Frame> frame;
  if (at != kNone) frame = UserFrameOf(model, at);
  if (!frame && gap.launch != kNone) frame = UserFrameOf(model, gap.launch);
  return frame;
}

}  // namespace emberline
