// Idle time: HTA's classes per stream, and named causes per device.
#include <algorithm>
#include <map>

#include "analysis/timeline_gaps.h"
#include "base/text.h"
#include "ranks/digest_parts.h"

namespace emberline {
namespace {

// Gaps up to this long between work that was launched in time are the device's own.
constexpr Ns kKernelWait = 30'000;
// Shorter gaps of a device are not explained one by one.
constexpr Ns kShortestGap = 1'000;
constexpr size_t kMaxName = 300;

void Count(IdleDigest* idle, Ns gap) {
  ++idle->count;
  idle->time += gap;
  idle->longest = std::max(idle->longest, gap);
}

void AddStream(const Model& model, int64_t device, const Track& track, RankDigest* digest) {
  const TraceStore& s = model.store();
  IdleDigest classes[3];
  constexpr const char* kNames[] = {"hostWait", "kernelWait", "other"};
  bool any = false;
  Ns end = 0;
  for (SliceIndex i = track.first; i < track.last; ++i) {
    if (!IsDeviceWork(s.kind(i))) continue;
    if (any && s.start(i) > end) {
      const Ns gap = s.start(i) - end;
      const SliceIndex launch = model.launch[i];
      const bool late = launch != kNone && s.start(launch) > end;
      Count(&classes[late ? 0 : gap < kKernelWait ? 1 : 2], gap);
    }
    end = any ? std::max(end, s.end(i)) : s.end(i);
    any = true;
  }
  for (int i = 0; i < 3; ++i) {
    if (classes[i].count == 0) continue;
    classes[i].device = device;
    classes[i].stream = track.stream;
    classes[i].cause = kNames[i];
    digest->idle.push_back(std::move(classes[i]));
  }
}

void AddCauses(const DigestWork& work, const Device& device, RankDigest* digest) {
  const auto gaps = FindGaps(work.model, device, kShortestGap, work.cancel);
  if (!gaps.ok()) return;
  std::map<GapReason, IdleDigest> causes;
  std::map<GapReason, SliceIndex> longest;
  for (const DeviceGap& gap : *gaps) {
    IdleDigest& idle = causes[gap.reason];
    if (gap.time.Length() > idle.longest) longest[gap.reason] = gap.host;
    Count(&idle, gap.time.Length());
  }
  for (auto& [reason, idle] : causes) {
    idle.device = device.ordinal;
    idle.cause = GapReasonName(reason);
    const SliceIndex host = longest[reason];
    if (host != kNone && longest.count(reason) > 0) {
      idle.host = Shortened(work.model.store().name(host), kMaxName);
      idle.place = PlaceOf(work.frames, host);
    }
    digest->idle.push_back(std::move(idle));
  }
}

}  // namespace

void AddIdle(const DigestWork& work, RankDigest* digest) {
  for (const Device& device : DevicesOf(work.model)) {
    for (const TrackIndex t : device.streams) {
      if (work.cancel.cancelled()) return;
      AddStream(work.model, device.ordinal, work.model.store().tracks()[t], digest);
    }
    AddCauses(work, device, digest);
  }
}

}  // namespace emberline
