#include "ranks/coalesced.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "ranks/collective_names.h"

namespace emberline {
namespace {

// A range lies this far below the record of its call.
constexpr int kBelow = 4;
// Work is launched when the last of its calls has been made. What was recorded longer before has
// other reasons to have no work, such as a library on the host.
constexpr Ns kSoon = 2'000'000;

class Queues {
 public:
  Queues(const TraceStore& store, const std::unordered_set<SliceIndex>& taken)
      : s_(store), taken_(taken) {}

  void Add(SliceIndex i) {
    if (s_.kind(i) != SliceKind::kCpuOp && s_.kind(i) != SliceKind::kUserAnnotation) return;
    const Says says = SaysOf(i);
    if (says == Says::kNothing) return;
    SliceIndex record = i;
    if (says == Says::kPair) record = RecordAround(i);
    if (taken_.count(record) > 0 || taken_.count(i) > 0) return;
    const auto [at, added] = places_.try_emplace(record, moments_.size());
    if (added) moments_.push_back({s_.track(i), s_.end(record), false, {record, kNone}});
    if (says == Says::kPair) moments_[at->second].call.range = i;
  }
  void AddLaunch(SliceIndex i) { moments_.push_back({s_.track(i), s_.start(i), true, {i, kNone}}); }

  QueuedWork Take() {
    std::sort(moments_.begin(), moments_.end(), [](const Moment& a, const Moment& b) {
      return std::tie(a.track, a.time, a.launch, a.call.record) <
             std::tie(b.track, b.time, b.launch, b.call.record);
    });
    QueuedWork found;
    std::vector<QueuedCall> queue;
    SliceIndex first = kNone;  // the launch that took the last queue; kNone once it is over
    Ns last = 0;               // when the last of them was made
    for (size_t i = 0; i < moments_.size(); ++i) {
      const Moment& moment = moments_[i];
      if (i > 0 && moments_[i - 1].track != moment.track) {
        queue.clear();
        first = kNone;
      }
      if (!moment.launch) {
        first = kNone;
        if (!queue.empty() && !Together(queue.back(), moment.call)) queue.clear();
        queue.push_back(moment.call);
        last = moment.time;
      } else if (!queue.empty()) {
        first = kNone;
        if (moment.time - last <= kSoon) {
          first = moment.call.record;
          found.calls[first] = std::move(queue);
        }
        queue = {};
      } else if (first != kNone && moment.time - moments_[i - 1].time <= kSoon &&
                 s_.parent(moment.call.record) == s_.parent(first)) {
        found.goes_on[moment.call.record] = first;
      } else {
        first = kNone;
      }
    }
    return found;
  }

 private:
  enum class Says : uint8_t { kNothing, kRecord, kPair };
  struct Moment {
    TrackIndex track;
    Ns time;
    bool launch;
    QueuedCall call;  // of a launch, its record is the launch
  };

  Says SaysOf(SliceIndex i) {
    const auto [at, added] = names_.try_emplace(s_.name_id(i), Says::kNothing);
    if (added) {
      const std::string_view name = s_.name(i);
      if (name == kCallRecord) at->second = Says::kRecord;
      if (PairOfName(name)) at->second = Says::kPair;
    }
    return at->second;
  }

  SliceIndex RecordAround(SliceIndex range) const {
    SliceIndex around = s_.parent(range);
    for (int i = 0; i < kBelow && around != kNone; ++i, around = s_.parent(around)) {
      if (s_.name(around) == kCallRecord) return around;
    }
    return range;
  }

  bool Together(const QueuedCall& a, const QueuedCall& b) const {
    const auto group = [&](const QueuedCall& c) {
      return s_.ArgText(c.record, ArgRole::kGroupName);
    };
    const auto number = [&](const QueuedCall& c) {
      return s_.ArgInt(c.record, ArgRole::kCollectiveNumber);
    };
    return group(a) == group(b) && number(a) == number(b);
  }

  const TraceStore& s_;
  const std::unordered_set<SliceIndex>& taken_;
  std::unordered_map<StringId, Says> names_;
  std::unordered_map<SliceIndex, size_t> places_;  // of records in moments_
  std::vector<Moment> moments_;
};

}  // namespace

QueuedWork QueuedCalls(const TraceStore& store, const std::unordered_set<SliceIndex>& launches,
                       const std::unordered_set<SliceIndex>& taken) {
  std::unordered_set<TrackIndex> threads;
  for (const SliceIndex launch : launches) threads.insert(store.track(launch));
  Queues queues(store, taken);
  for (SliceIndex i = 0; i < store.slice_count(); ++i) {
    if (launches.count(i) > 0) {
      queues.AddLaunch(i);
    } else if (threads.count(store.track(i)) > 0) {
      queues.Add(i);
    }
  }
  return queues.Take();
}

}  // namespace emberline
