// What a rank did before each of its collectives: the answer to why it came late.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "analysis/intervals.h"
#include "base/hash.h"
#include "base/text.h"
#include "model/names.h"
#include "ranks/digest_parts.h"
#include "ranks/host_segments.h"

namespace emberline {
namespace {

// Groups of a device that are explained; a file with more of them is made up.
constexpr size_t kMaxExplainedGroups = 16;
constexpr size_t kMaxThreads = 8;
constexpr size_t kKeptReasons = 4;
// What takes less than this, or less than a fiftieth of the time, explains nothing.
constexpr Ns kShortestReason = 20'000;
constexpr int64_t kReasonShare = 50;
// Windows that a piece of work is counted in; what spans more of them is not what delayed one.
constexpr size_t kMaxReached = 64;
constexpr size_t kMaxReasonName = 200;
// As findings call it; sentences put it behind "in".
constexpr const char* kUnrecorded = "unrecorded work";

// Texts by number, so that they are compared and kept once.
class Texts {
 public:
  uint32_t Of(std::string text) {
    const auto [at, added] = ids_.try_emplace(std::move(text), static_cast<uint32_t>(all_.size()));
    if (added) all_.push_back(&at->first);
    return at->second;
  }
  const std::string& Get(uint32_t id) const { return *all_[id]; }

 private:
  std::map<std::string, uint32_t> ids_;
  std::vector<const std::string*> all_;
};

using ActivityKey = std::tuple<uint8_t, uint32_t, uint32_t>;  // kind, name, place

struct Window {
  Interval time;
  Ns since = 0;           // of it, what is to be explained
  size_t collective = 0;  // in the digest
  TrackIndex thread = kNone;
  std::map<ActivityKey, Ns> parts;
};

class Explainer {
 public:
  Explainer(const DigestWork& work, RankDigest* digest)
      : w_(work), m_(work.model), s_(work.model.store()), digest_(digest) {}

  void Explain() {
    std::map<int64_t, std::map<uint32_t, std::vector<size_t>>> by_device;
    for (size_t i = 0; i < w_.collectives.calls.size(); ++i) {
      by_device[w_.collectives.calls[i].device][w_.collectives.calls[i].group].push_back(i);
    }
    main_ = MainThread(m_);
    size_t explained = 0;
    for (auto& [device, groups] : by_device) {
      if (++explained > kMaxDevices) break;
      const std::vector<SliceIndex> works = WorksOf(device);
      std::vector<Interval> times;
      for (const SliceIndex i : works) times.push_back({s_.start(i), s_.end(i)});
      const IntervalSet busy = Unite(std::move(times));
      const IntervalLengths exposed(ExposedTimes(groups, works));
      AddExposure(device, exposed);
      std::vector<const std::vector<size_t>*> order;
      for (const auto& [group, calls] : groups) order.push_back(&calls);
      std::stable_sort(order.begin(), order.end(),
                       [](const auto* a, const auto* b) { return a->size() > b->size(); });
      if (order.size() > kMaxExplainedGroups) order.resize(kMaxExplainedGroups);
      for (const auto* calls : order) {
        if (w_.cancel.cancelled()) return;
        ExplainGroup(*calls, works, busy, exposed);
      }
    }
  }

 private:
  std::vector<SliceIndex> WorksOf(int64_t ordinal) const {
    std::vector<SliceIndex> works;
    for (const Device& device : DevicesOf(m_)) {
      if (device.ordinal != ordinal) continue;
      for (const TrackIndex t : device.streams) {
        const Track& track = s_.tracks()[t];
        for (SliceIndex i = track.first; i < track.last; ++i) {
          if (IsDeviceWork(s_.kind(i))) works.push_back(i);
        }
      }
    }
    std::sort(works.begin(), works.end(), [&](SliceIndex a, SliceIndex b) {
      return std::pair(s_.start(a), a) < std::pair(s_.start(b), b);
    });
    return works;
  }

  // When calls run on a device and nothing else does.
  IntervalSet ExposedTimes(const std::map<uint32_t, std::vector<size_t>>& groups,
                           const std::vector<SliceIndex>& works) {
    std::unordered_set<SliceIndex> slices;
    std::vector<Interval> calls, others;
    for (const auto& [group, indexes] : groups) {
      for (const size_t index : indexes) {
        const Collective& c = w_.collectives.calls[index];
        slices.insert(c.slice);
        slices.insert(c.more.begin(), c.more.end());
        calls.push_back({s_.start(c.slice), c.end});
      }
    }
    for (const SliceIndex i : works) {
      if (slices.count(i) == 0) others.push_back({s_.start(i), s_.end(i)});
    }
    return Subtract(Unite(std::move(calls)), Unite(std::move(others)));
  }

  void AddExposure(int64_t device, const IntervalLengths& exposed) {
    Ns before = 0;  // the start of the call before
    for (CollectiveDigest& c : digest_->collectives) {
      if (c.device != device) continue;
      c.exposed = exposed.Within({c.start, c.start + c.duration});
      c.exposed_before = exposed.Within({before, c.start});
      before = c.start;
    }
  }

  void ExplainGroup(const std::vector<size_t>& calls, const std::vector<SliceIndex>& works,
                    const IntervalSet& busy, const IntervalLengths& exposed) {
    std::vector<Window> windows;
    Ns end = 0;    // the trace's start
    Ns begun = 0;  // what a send or receive before may run beside
    for (const size_t index : calls) {
      const Collective& c = w_.collectives.calls[index];
      const Ns start = s_.start(c.slice);
      const bool pair = IsPointToPoint(c.op);
      const Ns from = pair ? begun : end;
      begun = pair ? start : std::max(begun, c.end);
      if (start > from) {
        Window window;
        window.time = {from, start};
        window.since = start - from - (pair ? exposed.Within(window.time) : 0);
        window.collective = index;
        const SliceIndex host = c.launch != kNone ? c.launch : c.call;
        window.thread = host == kNone ? main_ : s_.track(host);
        windows.push_back(std::move(window));
      }
      end = std::max(end, c.end);
    }
    AddDevice(works, w_.collectives.calls[calls[0]].group, &windows);
    AddHost(busy, &windows);
    for (const Window& window : windows) Keep(window);
  }

  void AddDevice(const std::vector<SliceIndex>& works, uint32_t group,
                 std::vector<Window>* windows) {
    if (group_of_.empty()) {
      for (const Collective& c : w_.collectives.calls) {
        group_of_[c.slice] = c.group;
        for (const SliceIndex more : c.more) group_of_[more] = c.group;
      }
    }
    size_t at = 0;
    for (const SliceIndex i : works) {
      while (at < windows->size() && (*windows)[at].time.end <= s_.start(i)) ++at;
      if (at == windows->size()) return;
      const auto communicates = group_of_.find(i);
      if (communicates != group_of_.end() && communicates->second == group) continue;
      // Windows of sends and receives follow each other without a gap: work may reach into several.
      const size_t last = std::min(windows->size(), at + kMaxReached);
      for (size_t k = at; k < last && (*windows)[k].time.begin < s_.end(i); ++k) {
        Window& window = (*windows)[k];
        const Interval part{std::max(s_.start(i), window.time.begin),
                            std::min(s_.end(i), window.time.end)};
        if (part.Length() == 0) continue;
        window.parts[DeviceKey(i, communicates != group_of_.end())] += part.Length();
      }
    }
  }

  ActivityKey DeviceKey(SliceIndex i, bool communicates) {
    const SliceIndex op = m_.SourceOp(i);
    const uint8_t kind = communicates ? kCommunicationActivity : kDeviceActivity;
    if (op == kNone || communicates) return {kind, Name(i), Place(i)};
    return {kind, Name(op), Place(i)};
  }

  void AddHost(const IntervalSet& busy, std::vector<Window>* windows) {
    std::map<TrackIndex, std::vector<Window*>> by_thread;
    for (Window& window : *windows) by_thread[window.thread].push_back(&window);
    for (auto& [thread, list] : by_thread) {
      const std::vector<HostSegment>* segments = Segments(thread);
      if (segments == nullptr) continue;
      auto segment = segments->begin();
      auto work = busy.begin();
      for (Window* window : list) {
        // Idle parts of the window one after the other.
        Ns at = window->time.begin;
        while (at < window->time.end) {
          while (work != busy.end() && work->end <= at) ++work;
          if (work != busy.end() && work->begin <= at) {
            at = work->end;
            continue;
          }
          const Ns until =
              work == busy.end() ? window->time.end : std::min(window->time.end, work->begin);
          AddIdlePart({at, until}, *segments, &segment, window);
          at = until;
        }
      }
    }
  }

  void AddIdlePart(Interval idle, const std::vector<HostSegment>& segments,
                   std::vector<HostSegment>::const_iterator* segment, Window* window) {
    Ns explained = 0;
    for (auto& at = *segment; at != segments.end() && at->time.begin < idle.end; ++at) {
      const Interval part{std::max(at->time.begin, idle.begin), std::min(at->time.end, idle.end)};
      if (part.Length() > 0) {
        window->parts[HostKey(at->slice)] += part.Length();
        explained += part.Length();
      }
      if (at->time.end > idle.end) break;  // it reaches into what follows
    }
    if (idle.Length() > explained) {
      window->parts[{kHostActivity, texts_.Of(kUnrecorded), texts_.Of("")}] +=
          idle.Length() - explained;
    }
  }

  ActivityKey HostKey(SliceIndex i) {
    SliceIndex named = i;
    if (IsLaunchApi(s_.kind(i)) && !IsSynchronizingCall(s_.name(i)) && m_.op[i] != kNone) {
      named = m_.op[i];
    }
    return {kHostActivity, Name(named), Place(i)};
  }

  uint32_t Name(SliceIndex i) {
    const auto [at, added] = names_.try_emplace(s_.name_id(i), 0);
    if (added) {
      std::string text = s_.kind(i) == SliceKind::kPythonFunction
                             ? ParseFrameName(s_.name(i)).function
                             : std::string(s_.name(i));
      at->second = texts_.Of(Shortened(text, kMaxReasonName));
    }
    return at->second;
  }

  uint32_t Place(SliceIndex i) {
    const SliceIndex frame = m_.frame[i];
    const bool device = IsDeviceWork(s_.kind(i));
    // Slices in one frame have one place, unless a stack of their own says more.
    if (frame == kNone || device) {
      const SliceIndex launch = device ? m_.launch[i] : kNone;
      if (launch == kNone || m_.frame[launch] == kNone) return texts_.Of(PlaceOf(w_.frames, i));
    }
    const SliceIndex key = device ? m_.frame[m_.launch[i]] : frame;
    const auto [at, added] = places_.try_emplace(key, 0);
    if (added) at->second = texts_.Of(PlaceOf(w_.frames, i));
    return at->second;
  }

  const std::vector<HostSegment>* Segments(TrackIndex thread) {
    if (thread == kNone) return nullptr;
    const auto known = segments_.find(thread);
    if (known != segments_.end()) return &known->second;
    if (segments_.size() >= kMaxThreads) return nullptr;
    std::vector<HostSegment> own = SegmentsOf(m_, thread, w_.cancel);
    if (thread != main_ && main_ != kNone) own = Overlay(own, SegmentsOf(m_, main_, w_.cancel));
    return &segments_.emplace(thread, std::move(own)).first->second;
  }

  void Keep(const Window& window) {
    CollectiveDigest& c = digest_->collectives[window.collective];
    c.since = window.since;
    std::vector<std::pair<Ns, ActivityKey>> order;
    for (const auto& [key, time] : window.parts) {
      if (time >= kShortestReason && time >= c.since / kReasonShare) order.emplace_back(time, key);
    }
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    if (order.size() > kKeptReasons) order.resize(kKeptReasons);
    for (const auto& [time, key] : order) {
      c.before.push_back(
          {std::get<0>(key), texts_.Get(std::get<1>(key)), texts_.Get(std::get<2>(key)), time});
    }
  }

  const DigestWork& w_;
  const Model& m_;
  const TraceStore& s_;
  RankDigest* digest_;
  Texts texts_;
  TrackIndex main_ = kNone;
  std::map<TrackIndex, std::vector<HostSegment>> segments_;
  std::unordered_map<SliceIndex, uint32_t, NumberHash> group_of_;
  std::unordered_map<StringId, uint32_t, NumberHash> names_;
  std::unordered_map<SliceIndex, uint32_t, NumberHash> places_;  // by Python frame
};

}  // namespace

void AddCollectives(const DigestWork& work, RankDigest* digest) {
  const TraceStore& s = work.model.store();
  digest->groups = work.collectives.groups;
  for (const Collective& c : work.collectives.calls) {
    CollectiveDigest one;
    one.group = c.group;
    one.op = static_cast<uint8_t>(c.op);
    one.host_only = c.host_only;
    one.coalesced = c.coalesced;
    one.library = c.library;
    one.recorded = Shortened(c.recorded, kMaxReasonName);
    one.dtype = Shortened(c.dtype, kMaxReasonName);
    one.sequence = c.sequence;
    one.in_elements = c.in_elements;
    one.out_elements = c.out_elements;
    one.bytes = c.bytes;
    one.peer = c.peer;
    one.parts = c.parts;
    one.sent = c.sent;
    one.received = c.received;
    one.parts_cut = c.parts_cut;
    one.device = c.device;
    one.step = c.step == kNone ? -1 : static_cast<int64_t>(c.step);
    one.start = s.start(c.slice);
    one.duration = c.end - s.start(c.slice);
    one.launched = c.launch != kNone ? s.start(c.launch) : -1;
    one.slice = c.slice;
    const SliceIndex op = OperatorOf(work.model, c);
    if (op != kNone) one.operation = Shortened(s.name(op), kMaxReasonName);
    one.place = PlaceOf(work.frames, c.slice);
    digest->collectives.push_back(std::move(one));
  }
  Explainer(work, digest).Explain();
}

}  // namespace emberline
