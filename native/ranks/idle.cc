// Idle time: HTA's classes per stream, and named causes per device.
#include <algorithm>
#include <map>
#include <vector>

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

// The value that `quarters` quarters of `gaps` lie below. Between two of them, what lies there in
// proportion, as most statistics programs have it. Reorders `gaps`, which are not empty.
Ns Quartile(std::vector<Ns>* gaps, size_t quarters) {
  const size_t position = (gaps->size() - 1) * quarters;
  const auto at = gaps->begin() + static_cast<std::ptrdiff_t>(position / 4);
  const auto part = static_cast<Ns>(position % 4);
  std::nth_element(gaps->begin(), at, gaps->end());
  if (part == 0) return *at;
  const Ns further = *std::min_element(at + 1, gaps->end()) - *at;
  return *at + further / 4 * part + (further % 4 * part + 2) / 4;
}

// Sums up gaps, of which there is at least one.
IdleDigest SumUp(std::vector<Ns>* gaps) {
  IdleDigest idle;
  idle.count = gaps->size();
  for (const Ns gap : *gaps) {
    idle.time += gap;
    idle.squares.Add(gap);
  }
  const auto [shortest, longest] = std::minmax_element(gaps->begin(), gaps->end());
  idle.shortest = *shortest;
  idle.longest = *longest;
  idle.lower = Quartile(gaps, 1);
  idle.median = Quartile(gaps, 2);
  idle.upper = Quartile(gaps, 3);
  return idle;
}

void AddStream(const Model& model, int64_t device, const Track& track, RankDigest* digest) {
  const TraceStore& s = model.store();
  std::vector<Ns> classes[3];
  constexpr const char* kNames[] = {"hostWait", "kernelWait", "other"};
  bool any = false;
  Ns end = 0;
  for (SliceIndex i = track.first; i < track.last; ++i) {
    if (!IsDeviceWork(s.kind(i))) continue;
    if (any && s.start(i) > end) {
      const Ns gap = s.start(i) - end;
      const SliceIndex launch = model.launch[i];
      const bool late = launch != kNone && s.start(launch) > end;
      classes[late ? 0 : gap < kKernelWait ? 1 : 2].push_back(gap);
    }
    end = any ? std::max(end, s.end(i)) : s.end(i);
    any = true;
  }
  for (int i = 0; i < 3; ++i) {
    if (classes[i].empty()) continue;
    IdleDigest idle = SumUp(&classes[i]);
    idle.device = device;
    idle.stream = track.stream;
    idle.cause = kNames[i];
    digest->idle.push_back(std::move(idle));
  }
}

void AddCauses(const DigestWork& work, const Device& device, RankDigest* digest) {
  const auto gaps = FindGaps(work.model, device, kShortestGap, work.cancel);
  if (!gaps.ok()) return;
  struct Cause {
    std::vector<Ns> gaps;
    Ns longest = 0;
    SliceIndex host = kNone;  // in the longest
  };
  std::map<GapReason, Cause> causes;
  for (const DeviceGap& gap : *gaps) {
    Cause& cause = causes[gap.reason];
    const Ns length = gap.time.Length();
    if (length > cause.longest) cause.host = gap.host;
    cause.longest = std::max(cause.longest, length);
    cause.gaps.push_back(length);
  }
  for (auto& [reason, cause] : causes) {
    IdleDigest idle = SumUp(&cause.gaps);
    idle.device = device.ordinal;
    idle.cause = GapReasonName(reason);
    const SliceIndex host = cause.host;
    if (host != kNone) {
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
