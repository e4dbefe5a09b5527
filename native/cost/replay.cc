#include "cost/replay.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <unordered_map>

#include "analysis/intervals.h"
#include "model/names.h"

namespace emberline {
namespace {

// A call that ends so soon after work of the device waited for it.
constexpr Ns kWakesWithin = 50'000;

struct Moment {
  Ns recorded = INT64_MIN;
  double predicted = 0;
};

class Replayer {
 public:
  Replayer(const Model& model, const StepSelection& steps, const std::vector<Ns>& durations,
           const CancelToken& cancel)
      : model_(model), s_(model.store()), steps_(steps), durations_(durations), cancel_(cancel) {}

  Result<Replay> Run() {
    Collect();
    std::sort(work_.begin(), work_.end(), [&](SliceIndex a, SliceIndex b) {
      return std::pair(s_.start(a), a) < std::pair(s_.start(b), b);
    });
    std::sort(waits_.begin(), waits_.end(), [&](SliceIndex a, SliceIndex b) {
      return std::pair(s_.end(a), a) < std::pair(s_.end(b), b);
    });
    step_ends_.resize(model_.steps.size());
    size_t wait = 0, seen = 0;
    for (const SliceIndex work : work_) {
      if (++seen % 4096 == 0 && cancel_.cancelled()) {
        return Cancelled();
      }
      while (wait < waits_.size() && s_.end(waits_[wait]) <= s_.start(work)) Wait(waits_[wait++]);
      Begin(work);
    }
    while (wait < waits_.size()) Wait(waits_[wait++]);
    return Sum();
  }

 private:
  void Collect() {
    for (SliceIndex i = 0; i < s_.slice_count(); ++i) {
      const SliceKind kind = s_.kind(i);
      if (IsDeviceWork(kind)) {
        work_.push_back(i);
        const SliceIndex launch = model_.launch[i];
        if (launch == kNone) continue;
        soonest_ = std::min(soonest_, std::max<Ns>(0, s_.start(i) - s_.start(launch)));
        continue;
      }
      if (s_.tracks()[s_.track(i)].kind == TrackKind::kHostThread) {
        last_host_end_ = std::max(last_host_end_, s_.end(i));
      }
      if (IsLaunchApi(kind) && Blocks(i)) waits_.push_back(i);
    }
    if (soonest_ == INT64_MAX) soonest_ = 0;
  }

  // By its name, or because what it launched was done when it returned: copies to pageable memory.
  bool Blocks(SliceIndex call) const {
    if (IsSynchronizingCall(s_.name(call))) return true;
    if (call >= model_.launched.rows()) return false;
    for (const uint32_t work : model_.launched[call]) {
      if (IsDeviceWork(s_.kind(work)) && s_.end(work) <= s_.end(call)) return true;
    }
    return false;
  }

  // What the host does at `recorded`, it would do then.
  double HostTime(Ns recorded) const {
    const auto after = std::upper_bound(
        shifts_.begin(), shifts_.end(), recorded,
        [](Ns at, const std::pair<Ns, double>& shift) { return at < shift.first; });
    return static_cast<double>(recorded) +
           (after == shifts_.begin() ? 0.0 : std::prev(after)->second);
  }

  void Wait(SliceIndex call) {
    PopEnded(s_.end(call));
    double end = HostTime(s_.start(call)) + static_cast<double>(s_.duration(call));
    const Moment* last = nullptr;
    for (const auto& [device, moment] : ended_) {
      if (last == nullptr || moment.recorded > last->recorded) last = &moment;
    }
    if (last != nullptr && last->recorded > s_.start(call) &&
        s_.end(call) - last->recorded <= kWakesWithin) {
      const double wakes = static_cast<double>(s_.end(call) - last->recorded);
      end = std::max(HostTime(s_.start(call)), last->predicted) + wakes;
    }
    const double shift = end - static_cast<double>(s_.end(call));
    if (shifts_.empty() || shifts_.back().second != shift)
      shifts_.emplace_back(s_.end(call), shift);
  }

  // Work that has ended in the recording until `now`: the last of each device.
  void PopEnded(Ns now) {
    while (!running_.empty() && running_.top().first <= now) {
      const SliceIndex work = running_.top().second;
      running_.pop();
      Moment& last = ended_[s_.tracks()[s_.track(work)].device];
      last.recorded = s_.end(work);
      last.predicted = std::max(last.predicted, predicted_end_[work]);
      predicted_end_.erase(work);
    }
  }

  void Begin(SliceIndex work) {
    const Ns start = s_.start(work);
    PopEnded(start);
    const TrackIndex track = s_.track(work);
    Moment after{INT64_MIN, 0};
    const auto consider = [&](Ns recorded, double predicted) {
      if (recorded > start) return;
      if (recorded > after.recorded) after.recorded = recorded;
      after.predicted = std::max(after.predicted, predicted);
    };
    const SliceIndex launch = model_.launch[work];
    if (launch != kNone) {
      const Ns call = s_.start(launch);
      consider(call + soonest_, HostTime(call) + static_cast<double>(soonest_));
    }
    const auto before = streams_.find(track);
    if (before != streams_.end()) consider(before->second.recorded, before->second.predicted);
    // Another stream is waited for only where nothing else explains the begin.
    const auto other = ended_.find(s_.tracks()[track].device);
    if (other != ended_.end() && other->second.recorded > after.recorded) {
      consider(other->second.recorded, other->second.predicted);
    }
    const double begin = after.recorded == INT64_MIN
                             ? HostTime(start)
                             : after.predicted + static_cast<double>(start - after.recorded);
    const double end = begin + static_cast<double>(durations_[work]);
    Moment& stream = streams_[track];
    if (s_.end(work) >= stream.recorded) stream.recorded = s_.end(work);
    stream.predicted = std::max(stream.predicted, end);
    running_.emplace(s_.end(work), work);
    predicted_end_[work] = end;
    const uint32_t step = model_.step[work];
    if (!steps_.Contains(step)) return;
    busy_[s_.tracks()[track].device].push_back({std::llround(begin), std::llround(end)});
    if (step != kNone) step_ends_[step] = std::max(step_ends_[step], end);
  }

  Replay Sum() {
    Replay replay;
    for (uint32_t i = 0; i < model_.steps.size(); ++i) {
      if (!steps_.Contains(i)) continue;
      const Step& step = model_.steps[i];
      // A trace without steps is one, which begins and ends with whatever is first and last.
      const Interval host =
          step.slice == kNone ? Interval{step.time.begin, last_host_end_} : step.host;
      // As the model has it: a step ends no earlier than its own work, and begins no earlier than
      // the work of the step before ends.
      const double before = i > 0 ? step_ends_[i - 1] : 0;
      const double begin = std::max(HostTime(host.begin), before);
      const double end = std::max(HostTime(host.end), step_ends_[i]);
      replay.steps += std::max(0.0, end - begin);
    }
    for (auto& [device, list] : busy_) {
      replay.busy +=
          static_cast<double>(LengthOf(Unite(std::move(list)))) / static_cast<double>(busy_.size());
    }
    return replay;
  }

  const Model& model_;
  const TraceStore& s_;
  const StepSelection& steps_;
  const std::vector<Ns>& durations_;
  const CancelToken& cancel_;
  std::vector<SliceIndex> work_, waits_;
  Ns last_host_end_ = INT64_MIN;
  Ns soonest_ = INT64_MAX;                     // between a launch and its work
  std::vector<std::pair<Ns, double>> shifts_;  // of the host's clock, from a moment on
  std::unordered_map<TrackIndex, Moment> streams_;
  using Running = std::pair<Ns, SliceIndex>;
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
  std::unordered_map<SliceIndex, double> predicted_end_;  // of what is running
  std::map<int64_t, Moment> ended_;                       // by device
  std::map<int64_t, std::vector<Interval>> busy_;         // by device
  std::vector<double> step_ends_;
};

}  // namespace

Result<Replay> ReplayWith(const Model& model, const StepSelection& steps,
                          const std::vector<Ns>& durations, const CancelToken& cancel) {
  return Replayer(model, steps, durations, cancel).Run();
}

}  // namespace emberline
