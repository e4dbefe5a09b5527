#include "ranks/work_graph.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "model/names.h"
#include "ranks/host_segments.h"

namespace emberline {
namespace {

constexpr size_t kMaxGraphThreads = 8;
constexpr Ns kLongWait = 50'000;   // longer than any launch takes
constexpr Ns kSoonAfter = 20'000;  // in which a stream goes on after what it waited for
constexpr size_t kTried = 16;

}  // namespace

WorkGraph::WorkGraph(const Model& model, const CancelToken& cancel) : m_(model), s_(model.store()) {
  CollectHost(cancel);
  CollectWorks();
}

void WorkGraph::CollectHost(const CancelToken& cancel) {
  const TrackIndex main = MainThread(m_);
  std::map<TrackIndex, size_t> launches;
  for (SliceIndex i = 0; i < s_.slice_count(); ++i) {
    if (IsDeviceWork(s_.kind(i)) && m_.launch[i] != kNone) ++launches[s_.track(m_.launch[i])];
  }
  std::vector<std::pair<size_t, TrackIndex>> order;
  for (const auto& [track, count] : launches) order.emplace_back(count, track);
  std::sort(order.rbegin(), order.rend());
  std::vector<HostSegment> host;
  if (order.size() > kMaxGraphThreads) order.resize(kMaxGraphThreads);
  for (const auto& [count, track] : order) {
    if (track == main) continue;
    host = Overlay(host, SegmentsOf(m_, track, cancel));
  }
  if (main != kNone) host = Overlay(host, SegmentsOf(m_, main, cancel));
  for (const HostSegment& part : host) host_.push_back({part.time, part.slice});
}

void WorkGraph::CollectWorks() {
  work_of_.assign(s_.slice_count(), kNone);
  for (const Device& device : m_.devices) {
    for (const TrackIndex t : device.streams) {
      for (SliceIndex i = s_.tracks()[t].first; i < s_.tracks()[t].last; ++i) {
        if (IsDeviceWork(s_.kind(i))) works_.push_back({{s_.start(i), s_.end(i)}, i, kNone});
      }
    }
  }
  std::sort(works_.begin(), works_.end(), [](const Work& a, const Work& b) {
    return std::tie(a.time.end, a.time.begin, a.slice) <
           std::tie(b.time.end, b.time.begin, b.slice);
  });
  for (uint32_t w = 0; w < works_.size(); ++w) {
    const SliceIndex work = works_[w].slice, call = m_.launch[work];
    work_of_[work] = w;
    if (call != kNone && s_.kind(work) == SliceKind::kMemcpy && s_.end(work) <= s_.end(call)) {
      copies_[call] = w;
    }
  }
  // Waits for events of other streams: from the call that recorded the event to the last work that
  // its stream had been given before.
  std::unordered_map<int64_t, SliceIndex> records;
  struct Wait {
    Ns at;
    uint32_t work;
  };
  std::map<std::pair<int64_t, int64_t>, std::vector<Wait>> waits;  // by device and stream
  std::map<std::pair<int64_t, int64_t>, std::vector<std::pair<Ns, uint32_t>>> given;  // by launch
  for (SliceIndex i = 0; i < s_.slice_count(); ++i) {
    if (IsLaunchApi(s_.kind(i)) && s_.name(i).find("EventRecord") != std::string_view::npos) {
      if (const auto id = s_.ArgInt(i, ArgRole::kCorrelation)) records.emplace(*id, i);
    }
  }
  for (uint32_t w = 0; w < works_.size(); ++w) {
    const Track& track = s_.tracks()[s_.track(works_[w].slice)];
    const SliceIndex launch = m_.launch[works_[w].slice];
    if (launch != kNone) given[{track.device, track.stream}].emplace_back(s_.start(launch), w);
  }
  for (auto& [stream, list] : given) std::sort(list.begin(), list.end());
  for (SliceIndex i = 0; i < s_.slice_count(); ++i) {
    if (s_.kind(i) != SliceKind::kSync || s_.name(i) != "Stream Wait Event") continue;
    const auto id = s_.ArgInt(i, ArgRole::kWaitedRecord);
    const auto from = s_.ArgInt(i, ArgRole::kWaitedStream),
               stream = s_.ArgInt(i, ArgRole::kWaitingStream);
    if (!id || !from || !stream || records.count(*id) == 0) continue;
    const int64_t device = s_.ArgInt(i, ArgRole::kWaitingDevice).value_or(0);
    const auto source = given.find({device, *from});
    if (source == given.end()) continue;
    const Ns recorded = s_.start(records[*id]);
    auto at = std::lower_bound(source->second.begin(), source->second.end(),
                               std::pair(recorded, uint32_t{0}));
    if (at == source->second.begin()) continue;
    const SliceIndex launch = m_.launch[i];
    waits[{device, *stream}].push_back(
        {launch != kNone ? s_.start(launch) : s_.start(i), std::prev(at)->second});
  }
  for (auto& [stream, list] : waits) {
    std::sort(list.begin(), list.end(), [](const Wait& a, const Wait& b) { return a.at < b.at; });
  }
  // What each work comes after: the work before it on its stream, or what it waited for.
  for (const Device& device : m_.devices) {
    for (const TrackIndex t : device.streams) {
      const Track& track = s_.tracks()[t];
      uint32_t before = kNone;
      const std::vector<Wait>& list = waits[{track.device, track.stream}];
      size_t next = 0;
      uint32_t waited = kNone;
      for (SliceIndex i = track.first; i < track.last; ++i) {
        if (!IsDeviceWork(s_.kind(i))) continue;
        const uint32_t w = work_of_[i];
        const SliceIndex launch = m_.launch[i];
        for (; launch != kNone && next < list.size() && list[next].at <= s_.start(launch); ++next) {
          if (waited == kNone || list[next].work > waited) waited = list[next].work;
        }
        for (const uint32_t candidate : {before, waited}) {
          if (candidate == kNone || works_[candidate].time.end > s_.start(i)) continue;
          // Works are in the order of their ends.
          if (works_[w].before == kNone || candidate > works_[w].before) {
            works_[w].before = candidate;
          }
        }
        if (before == kNone || w > before) before = w;
      }
    }
  }
  for (uint32_t w = 0; w < works_.size(); ++w) Infer(w);
}

// Most recorders leave out that a stream waits for another. Work that begins long after its launch,
// though its own stream was free, and just when work of another stream of its device ends, waited
// for that.
void WorkGraph::Infer(uint32_t w) {
  Work& work = works_[w];
  const SliceIndex launch = m_.launch[work.slice];
  if (launch == kNone) return;
  Ns ready = s_.start(launch);
  if (work.before != kNone) ready = std::max(ready, works_[work.before].time.end);
  if (work.time.begin - ready < kLongWait) return;
  const int64_t device = s_.tracks()[s_.track(work.slice)].device;
  auto at = std::upper_bound(works_.begin(), works_.end(), work.time.begin,
                             [](Ns value, const Work& one) { return value < one.time.end; });
  for (size_t tried = 0; at != works_.begin() && tried < kTried; ++tried) {
    const Work& other = *--at;
    if (other.time.end <= ready || work.time.begin - other.time.end > kSoonAfter) return;
    // Works of no length must not wait for each other.
    const bool earlier = static_cast<uint32_t>(at - works_.begin()) < w;
    if (!earlier || s_.tracks()[s_.track(other.slice)].device != device) continue;
    work.before = static_cast<uint32_t>(at - works_.begin());
    return;
  }
}

// The work for whose end a part of the host waited; kNone where it did not wait.
uint32_t WorkGraph::WaitedFor(size_t part) const {
  const HostPart& host = host_[part];
  if (!IsLaunchApi(s_.kind(host.slice))) return kNone;
  const Ns begin = s_.start(host.slice), end = s_.end(host.slice);
  uint32_t last = kNone;
  if (IsSynchronizingCall(s_.name(host.slice))) {
    const auto at =
        std::upper_bound(works_.begin(), works_.end(), end,
                         [](Ns value, const Work& work) { return value < work.time.end; });
    if (at != works_.begin()) last = static_cast<uint32_t>(at - works_.begin()) - 1;
  } else {
    const auto copy = copies_.find(host.slice);
    if (copy != copies_.end()) last = copy->second;
  }
  return last != kNone && works_[last].time.end > begin ? last : kNone;
}

}  // namespace emberline
