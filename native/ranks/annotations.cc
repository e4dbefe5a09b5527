// The ranges that a program names with record_function(), on the host and as the recorder projects
// them on the devices.
#include <algorithm>
#include <functional>
#include <iterator>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/text.h"
#include "ranks/digest_parts.h"

namespace emberline {
namespace {

constexpr size_t kMaxAnnotationName = 400;
constexpr size_t kKeptAnnotations = 200;  // of the host, and of each device

using AnnotationSums = std::unordered_map<StringId, AnnotationDigest, NumberHash>;

void CountRange(Ns length, AnnotationDigest* one) {
  one->min = one->count == 0 ? length : std::min(one->min, length);
  one->max = std::max(one->max, length);
  one->sum += length;
  one->squares.Add(length);
  ++one->count;
}

void CountWork(Ns length, AnnotationDigest* one) {
  ++one->work;
  one->work_time += length;
}

// Gives each work of a stream to the shortest range that runs when it begins.
void AddWork(const TraceStore& s, const Track& track, const std::vector<SliceIndex>& ranges,
             AnnotationSums* sums) {
  if (ranges.empty()) return;
  using ByEnd = std::pair<Ns, SliceIndex>;
  std::priority_queue<ByEnd, std::vector<ByEnd>, std::greater<>> ends;  // of the open ones
  std::set<std::pair<Ns, SliceIndex>> open;                             // by duration
  auto next = ranges.begin();
  for (SliceIndex i = track.first; i < track.last; ++i) {
    if (!IsDeviceWork(s.kind(i))) continue;
    const Ns begin = s.start(i);
    for (; next != ranges.end() && s.start(*next) <= begin; ++next) {
      open.emplace(s.duration(*next), *next);
      ends.emplace(s.end(*next), *next);
    }
    for (; !ends.empty() && ends.top().first <= begin; ends.pop()) {
      open.erase({s.duration(ends.top().second), ends.top().second});
    }
    if (!open.empty()) CountWork(s.duration(i), &(*sums)[s.name_id(open.begin()->second)]);
  }
}

// The largest go into the digest.
void Keep(const TraceStore& s, int64_t device, AnnotationSums* sums, RankDigest* digest) {
  std::vector<AnnotationDigest> list;
  for (auto& [name, one] : *sums) {
    one.device = device;
    one.name = Shortened(s.strings().Get(name), kMaxAnnotationName);
    list.push_back(std::move(one));
  }
  std::sort(list.begin(), list.end(), [](const AnnotationDigest& a, const AnnotationDigest& b) {
    return std::tie(b.sum, b.count, a.name) < std::tie(a.sum, a.count, b.name);
  });
  if (list.size() > kKeptAnnotations) list.resize(kKeptAnnotations);
  std::move(list.begin(), list.end(), std::back_inserter(digest->annotations));
}

}  // namespace

void AddAnnotations(const DigestWork& work, RankDigest* digest) {
  const Model& model = work.model;
  const TraceStore& s = model.store();
  AnnotationSums host;
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (i % kCancelStride == 0 && work.cancel.cancelled()) return;
    if (s.kind(i) == SliceKind::kUserAnnotation) CountRange(s.duration(i), &host[s.name_id(i)]);
    if (IsDeviceWork(s.kind(i)) && model.annotation[i] != kNone) {
      CountWork(s.duration(i), &host[s.name_id(model.annotation[i])]);
    }
  }
  Keep(s, -1, &host, digest);
  for (const Device& device : DevicesOf(model)) {
    AnnotationSums sums;
    for (const TrackIndex t : device.streams) {
      if (work.cancel.cancelled()) return;
      const Track& track = s.tracks()[t];
      std::vector<SliceIndex> ranges;
      for (SliceIndex i = track.first; i < track.last; ++i) {
        if (!IsAnnotationOfDevice(s, i)) continue;
        CountRange(s.duration(i), &sums[s.name_id(i)]);
        ranges.push_back(i);
      }
      AddWork(s, track, ranges, &sums);
    }
    Keep(s, device.ordinal, &sums, digest);
  }
}

}  // namespace emberline
