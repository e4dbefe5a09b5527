#include "analysis/timeline_gaps.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "analysis/messages.h"
#include "base/text.h"
#include "model/names.h"

namespace emberline {
namespace {

// A class of host activity explains a gap when it fills this share of the time until the launch;
// above the second share that is taken as sure.
constexpr double kExplains = 0.5;
constexpr double kSure = 0.8;

// Beside the calls that wait: operators that read a value back, polling, and records of waiting.
bool IsSyncName(std::string_view name) {
  return IsSynchronizingCall(name) || name == "aten::item" || name == "aten::_local_scalar_dense" ||
         Contains(name, "EventQuery") || Contains(name, "Event Sync") ||
         Contains(name, "Stream Sync") || Contains(name, "Context Sync");
}

bool IsCopyCall(std::string_view name) {
  return Contains(name, "Memcpy") || name == "aten::pin_memory" || name == "aten::_pin_memory";
}

bool IsDataLoader(std::string_view name) {
  return Contains(name, "DataLoader") &&
         (Contains(name, "__next__") || Contains(name, "enumerate") ||
          Contains(name, "_next_data") || Contains(name, "_get_data"));
}

bool IsCollective(std::string_view name, SliceKind kind) {
  return kind == SliceKind::kCollective || name.substr(0, 5) == "c10d:" ||
         name.substr(0, 5) == "nccl:" || name.substr(0, 5) == "gloo:" ||
         Contains(name, "ProcessGroup");
}

// What a host slice may explain; kUnknown for what explains nothing by itself.
GapReason ReasonOf(std::string_view name, SliceKind kind) {
  if (IsDataLoader(name)) return GapReason::kDataLoader;
  if (IsCollective(name, kind)) return GapReason::kCollective;
  if (IsCopyCall(name)) return GapReason::kCopy;  // also the copies that wait
  if (kind == SliceKind::kSync || IsSyncName(name)) return GapReason::kSynchronization;
  if (kind == SliceKind::kCpuOp) return GapReason::kLaunchLate;
  if (name.substr(0, 12) == "ProfilerStep") return GapReason::kUnknown;  // is around everything
  if (kind == SliceKind::kPythonFunction || kind == SliceKind::kUserAnnotation ||
      kind == SliceKind::kHostOther) {
    return GapReason::kHostBusy;
  }
  return GapReason::kUnknown;
}

// The slices of one thread that are open at a moment which only moves on, by what they may explain.
// Each slice is opened and closed once, so that a deep stack around many gaps is not climbed for
// each of them.
class OpenSlices {
 public:
  OpenSlices(const TraceStore& store, const Track& track)
      : store_(&store), next_(track.first), last_(track.last) {}

  // Opens what starts before `at`. Returns the first slice that does not.
  SliceIndex Advance(Ns at) {
    for (; next_ < last_ && store_->start(next_) < at; ++next_) {
      const SliceIndex parent = store_->parent(next_);
      while (!open_.empty() && open_.back().slice != parent) Close();
      const GapReason reason = ReasonOf(store_->name(next_), store_->kind(next_));
      open_.push_back({next_, reason});
      by_reason_[static_cast<size_t>(reason)].push_back(next_);
    }
    while (!open_.empty() && store_->end(open_.back().slice) <= at) Close();
    return next_;
  }

  // Of one reason, what reaches into `wait`, the outer before the inner. One that fills all of it
  // says as much as all those around it, which are left out unless they are as long.
  void Reaching(GapReason reason, Interval wait, std::vector<SliceIndex>* out) const {
    constexpr int kMostAlike = 16;
    out->clear();
    const std::vector<SliceIndex>& open = by_reason_[static_cast<size_t>(reason)];
    SliceIndex filling = kNone;
    int alike = 0;
    for (size_t k = open.size(); k-- > 0;) {
      const SliceIndex i = open[k];
      if (store_->end(i) <= wait.begin) continue;
      if (filling != kNone &&
          (store_->duration(i) != store_->duration(filling) || ++alike == kMostAlike)) {
        break;
      }
      out->push_back(i);
      if (store_->end(i) >= wait.end) filling = i;
    }
    std::reverse(out->begin(), out->end());
  }

 private:
  struct Open {
    SliceIndex slice;
    GapReason reason;
  };
  void Close() {
    by_reason_[static_cast<size_t>(open_.back().reason)].pop_back();
    open_.pop_back();
  }

  const TraceStore* store_;
  SliceIndex next_;
  SliceIndex last_;
  std::vector<Open> open_;  // each inside the one before
  std::array<std::vector<SliceIndex>, kGapReasonCount> by_reason_;
};

class GapFinder {
 public:
  GapFinder(const Model& model, const Device& device, Ns min_ns, const CancelToken& cancel)
      : model_(model), store_(model.store()), device_(device), min_ns_(min_ns), cancel_(cancel) {}

  Result<std::vector<DeviceGap>> Find() {
    std::vector<SliceIndex> work;
    for (const TrackIndex stream : device_.streams) {
      const Track& track = store_.tracks()[stream];
      for (SliceIndex i = track.first; i < track.last; ++i) {
        if (IsDeviceWork(store_.kind(i))) work.push_back(i);
      }
    }
    std::sort(work.begin(), work.end(), [&](SliceIndex a, SliceIndex b) {
      return store_.start(a) != store_.start(b) ? store_.start(a) < store_.start(b) : a < b;
    });
    std::vector<DeviceGap> gaps;
    Ns reached = store_.extent().begin;
    bool first = true;
    for (const SliceIndex i : work) {
      if (gaps.size() % 4096 == 0 && cancel_.cancelled()) {
        return Cancelled();
      }
      if (store_.start(i) - reached >= min_ns_) {
        gaps.push_back(Explain({reached, store_.start(i)}, i, first));
      }
      reached = std::max(reached, store_.end(i));
      first = false;
    }
    return gaps;
  }

 private:
  struct Share {
    Ns time = 0;
    SliceIndex longest = kNone;
    Ns longest_time = 0;
    Ns reached = INT64_MIN;  // end of the union so far: nested slices of a class count once
  };
  struct HostActivity {
    std::array<Share, kGapReasonCount> shares;
    SliceIndex sync = kNone;  // a synchronization that lasts from before into the gap
  };

  DeviceGap Explain(Interval time, SliceIndex ended_by, bool first) {
    DeviceGap gap;
    gap.time = time;
    gap.ended_by = ended_by;
    gap.launch = model_.launch[ended_by];
    if (first) {
      gap.reason = GapReason::kStartOfTrace;
      gap.confidence = GapConfidence::kHigh;
      if (gap.launch == kNone) return gap;
    }
    if (gap.launch == kNone) return gap;  // nothing recorded what launched it
    // The call that launched the work may itself be what took so long: the first call of a kernel
    // loads its code, a copy from pageable memory is staged.
    const Ns in_launch =
        std::min(time.end, store_.end(gap.launch)) - std::max(time.begin, store_.start(gap.launch));
    const double launching =
        static_cast<double>(in_launch) / static_cast<double>(std::max<Ns>(1, time.Length()));
    if (!first && launching >= kExplains) {
      gap.reason = IsCopyCall(store_.name(gap.launch)) ? GapReason::kCopy : GapReason::kLaunchLate;
      gap.confidence = launching >= kSure ? GapConfidence::kHigh : GapConfidence::kMedium;
      gap.host = gap.launch;
      gap.host_part = in_launch;
      return gap;
    }
    const Interval wait{time.begin, std::min(time.end, store_.start(gap.launch))};
    if (wait.Length() == 0) {
      if (first) return gap;
      // Launched before the gap began: the device itself held the work back.
      if (store_.kind(ended_by) == SliceKind::kMemcpy) gap.reason = GapReason::kCopy;
      return gap;
    }
    const HostActivity activity = HostDuring(gap.launch, wait);
    Blame(activity, wait, &gap);
    if (first) {
      gap.reason = GapReason::kStartOfTrace;
      gap.confidence = GapConfidence::kHigh;
      return gap;
    }
    // A launch that came only at the end of the gap explains it; one in its beginning does not.
    if (static_cast<double>(wait.Length()) < kExplains * static_cast<double>(time.Length())) {
      gap.confidence = GapConfidence::kLow;
    }
    return gap;
  }

  void Blame(const HostActivity& activity, Interval wait, DeviceGap* gap) {
    const std::array<Share, kGapReasonCount>& shares = activity.shares;
    const double length = static_cast<double>(wait.Length());
    const Share& loader = shares[static_cast<size_t>(GapReason::kDataLoader)];
    const bool loading = static_cast<double>(loader.time) >= kExplains * length;
    if (activity.sync != kNone && !loading) {
      // The host waited until the device had nothing left: no work could be queued behind.
      gap->reason = GapReason::kSynchronization;
      gap->confidence = GapConfidence::kHigh;
      gap->host = activity.sync;
      gap->host_part = std::min(store_.end(activity.sync), wait.end) - wait.begin;
      return;
    }
    // Waiting explains better than working, and working inside an operator better than outside.
    for (const GapReason reason :
         {GapReason::kDataLoader, GapReason::kCollective, GapReason::kSynchronization,
          GapReason::kCopy, GapReason::kLaunchLate, GapReason::kHostBusy}) {
      const Share& share = shares[static_cast<size_t>(reason)];
      const double part = static_cast<double>(share.time) / length;
      if (part < kExplains) continue;
      gap->reason = reason;
      const bool sure = part >= kSure && reason != GapReason::kHostBusy;
      gap->confidence = sure ? GapConfidence::kHigh : GapConfidence::kMedium;
      gap->host = share.longest;
      gap->host_part = share.longest_time;
      return;
    }
    // The host was seen doing little: it was outside everything that was recorded.
    gap->reason = GapReason::kHostBusy;
    gap->confidence = GapConfidence::kLow;
    for (const Share& share : shares) {
      if (share.longest_time > gap->host_part) {
        gap->host = share.longest;
        gap->host_part = share.longest_time;
      }
    }
  }

  // Time that each class of slices fills of `wait` on the launching thread.
  HostActivity HostDuring(SliceIndex launch, Interval wait) {
    HostActivity activity;
    std::array<Share, kGapReasonCount>& shares = activity.shares;
    const Track& track = store_.tracks()[store_.track(launch)];
    const auto take = [&](SliceIndex i) {
      const GapReason reason = ReasonOf(store_.name(i), store_.kind(i));
      if (reason == GapReason::kUnknown) return;
      Share& share = shares[static_cast<size_t>(reason)];
      const Ns begin = std::max(store_.start(i), wait.begin);
      const Ns end = std::min(store_.end(i), wait.end);
      if (end <= begin) return;
      share.time += std::max<Ns>(0, end - std::max(begin, share.reached));
      share.reached = std::max(share.reached, end);
      // The longest slice names the activity; one that fills the whole wait as a frame around
      // everything (the training loop itself) says less than the one inside it.
      const bool tighter = share.longest != kNone && end - begin == share.longest_time &&
                           store_.duration(i) < store_.duration(share.longest);
      if (end - begin > share.longest_time || tighter) {
        share.longest = i;
        share.longest_time = end - begin;
      }
    };
    // First those that reach in from before, then those that begin inside. Gaps come in order of
    // time, so each thread is gone through once.
    OpenSlices& open = open_.try_emplace(store_.track(launch), store_, track).first->second;
    const SliceIndex from = open.Advance(wait.begin);
    for (int reason = 0; reason < kGapReasonCount; ++reason) {
      if (static_cast<GapReason>(reason) == GapReason::kUnknown) continue;
      open.Reaching(static_cast<GapReason>(reason), wait, &reaching_);
      for (const SliceIndex i : reaching_) take(i);
      if (static_cast<GapReason>(reason) == GapReason::kSynchronization && !reaching_.empty()) {
        activity.sync = reaching_.back();  // the innermost one
      }
    }
    for (SliceIndex i = from; i < track.last && store_.start(i) < wait.end; ++i) take(i);
    return activity;
  }

  const Model& model_;
  const TraceStore& store_;
  const Device& device_;
  const Ns min_ns_;
  const CancelToken cancel_;
  std::unordered_map<TrackIndex, OpenSlices> open_;  // of the threads that launched work
  std::vector<SliceIndex> reaching_;                 // kept for its memory
};

}  // namespace

const char* GapReasonName(GapReason reason) {
  switch (reason) {
    case GapReason::kLaunchLate:
      return "launchLate";
    case GapReason::kSynchronization:
      return "synchronization";
    case GapReason::kCopy:
      return "copy";
    case GapReason::kDataLoader:
      return "dataLoader";
    case GapReason::kCollective:
      return "collective";
    case GapReason::kHostBusy:
      return "hostBusy";
    case GapReason::kStartOfTrace:
      return "startOfTrace";
    case GapReason::kUnknown:
      return "unknown";
  }
  return "unknown";
}

const char* GapConfidenceName(GapConfidence confidence) {
  switch (confidence) {
    case GapConfidence::kHigh:
      return "high";
    case GapConfidence::kMedium:
      return "medium";
    case GapConfidence::kLow:
      return "low";
  }
  return "low";
}

Result<std::vector<DeviceGap>> FindGaps(const Model& model, const Device& device, Ns min_ns,
                                        const CancelToken& cancel) {
  return GapFinder(model, device, min_ns, cancel).Find();
}

Message GapText(const Model& model, const DeviceGap& gap) {
  const TraceStore& store = model.store();
  MessageArgs args = {{"late", "none"}};
  if (gap.launch != kNone && store.start(gap.launch) > gap.time.begin) {
    args = {{"late", gap.host == gap.launch ? "launch" : "next"},
            {"delay", store.start(gap.launch) - gap.time.begin, Unit::kNs}};
  }
  args.emplace_back("host", gap.host == kNone ? "" : Shortened(store.name(gap.host), 120));
  args.emplace_back("part", gap.host_part, Unit::kNs);
  const auto say = [&](const Sentence& sentence) { return Say(sentence, std::move(args)); };
  switch (gap.reason) {
    case GapReason::kLaunchLate:
      return say(messages::kGapLaunchLate);
    case GapReason::kSynchronization:
      return say(messages::kGapSynchronization);
    case GapReason::kCopy:
      return gap.host == kNone ? Say(messages::kGapHeldCopy) : say(messages::kGapCopy);
    case GapReason::kDataLoader:
      return say(messages::kGapDataLoader);
    case GapReason::kCollective:
      return say(messages::kGapCollective);
    case GapReason::kHostBusy: {
      if (gap.host == kNone) return say(messages::kGapNothing);
      const bool little =
          gap.confidence == GapConfidence::kLow && gap.host_part * 2 < gap.time.Length();
      return say(little ? messages::kGapLittle : messages::kGapOutside);
    }
    case GapReason::kStartOfTrace:
      return say(messages::kGapStart);
    case GapReason::kUnknown:
      if (gap.launch == kNone) return Say(messages::kGapNoLaunch);
      return Say(messages::kGapHeld,
                 {{"before", gap.time.begin - store.start(gap.launch), Unit::kNs}});
  }
  return {};
}

}  // namespace emberline
