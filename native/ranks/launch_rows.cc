#include "ranks/launch_rows.h"

#include <algorithm>

#include "analysis/row_table.h"
#include "model/graphs.h"
#include "ranks/digest_parts.h"
#include "ranks/table_columns.h"

namespace emberline {

void VisitLaunches(const Model& model, const Device& device, const CancelToken& cancel,
                   const std::function<void(const LaunchCall& launched, bool first)>& visit) {
  const TraceStore& s = model.store();
  for (const TrackIndex t : device.streams) {
    const Track& track = s.tracks()[t];
    std::optional<Ns> free;  // when all work before had ended
    for (SliceIndex i = track.first; i < track.last; ++i) {
      if ((i - track.first) % kCancelStride == 0 && cancel.cancelled()) return;
      if (!IsDeviceWork(s.kind(i))) continue;
      if (const SliceIndex call = model.launch[i]; call != kNone) {
        const auto works = model.launched[call];
        const bool several = works.size() > 1 || IsGraphLaunch(s.name(call));
        const Ns ready = std::max(free.value_or(s.end(call)), s.end(call));
        visit({call, i, several, ready}, works.empty() || works.front() == i);
      }
      free = free ? std::max(*free, s.end(i)) : s.end(i);
    }
  }
}

LaunchTimes TimesOf(const Model& model, const LaunchCall& launched) {
  const TraceStore& s = model.store();
  LaunchTimes times;
  times.call = s.duration(launched.call);
  if (launched.several) {
    for (const SliceIndex i : model.launched[launched.call]) times.work += s.duration(i);
  } else {
    times.work = s.duration(launched.work);
  }
  times.delay = std::max<Ns>(0, s.start(launched.work) - s.end(launched.call));
  times.avoidable = std::max<Ns>(0, s.start(launched.work) - launched.ready);
  times.short_work = times.work < times.call && times.call <= kSlowCall;
  times.slow_call = times.call > kSlowCall;
  times.long_delay = times.delay > kLongDelay;
  return times;
}

Result<LaunchList> FindLaunches(const Model& model, const CancelToken& cancel) {
  LaunchList list;
  for (const Device& device : DevicesOf(model)) {
    VisitLaunches(model, device, cancel, [&](const LaunchCall& launched, bool first) {
      if (first) list.launches.push_back(launched);
    });
  }
  if (cancel.cancelled()) return Cancelled();
  const TraceStore& s = model.store();
  for (LaunchCall& launched : list.launches) {
    if (!launched.several) continue;
    // Of a graph on several streams, what began first is not what is listed first.
    for (const SliceIndex i : model.launched[launched.call]) {
      if (s.start(i) < s.start(launched.work)) launched.work = i;
    }
  }
  std::sort(list.launches.begin(), list.launches.end(),
            [&](const LaunchCall& a, const LaunchCall& b) {
              return std::pair(s.start(a.call), a.call) < std::pair(s.start(b.call), b.call);
            });
  return list;
}

namespace {

struct LaunchRow {
  int64_t number = 0;  // from 1
  LaunchCall launched;
  LaunchTimes times;
};

class RankLaunches : public RowTable<LaunchRow> {
 public:
  RankLaunches(const Model& model, const LaunchList& list, int64_t rank)
      : model_(model), s_(model.store()), list_(list), rank_(rank) {
    AddWhat(rank);
    AddTimes();
    AddKinds();
    AddCall();
    table_.Add(Link("slice", "Slice", "The launched work on the timeline.", CellType::kInteger),
               [](const LaunchRow& r) { return Cell(static_cast<int64_t>(r.launched.work)); });
  }
  size_t row_count() const override { return list_.launches.size(); }
  std::unique_ptr<LazyTable> Another() const override {
    return std::make_unique<RankLaunches>(model_, list_, rank_);
  }

 private:
  LaunchRow RowAt(size_t at) const override {
    const LaunchCall& launched = list_.launches[at];
    return {static_cast<int64_t>(at) + 1, launched, TimesOf(model_, launched)};
  }
  const Track& TrackOf(const LaunchRow& row) const {
    return s_.tracks()[s_.track(row.launched.work)];
  }
  Cell NameCell(SliceIndex i) const { return i == kNone ? Cell() : TextOrEmpty(s_.name(i)); }

  void AddWhat(int64_t rank) {
    table_.Add(RankKey(), [rank](const LaunchRow&) { return Cell(rank); });
    table_.Add(
        IntegerKey("launch", "#", "Number of the launch, counted from 1 by the start of its call."),
        &LaunchRow::number);
    table_.Add(IntegerFact("device", "Device", "Number of the device within its process."),
               [this](const LaunchRow& r) { return Cell(TrackOf(r).device); });
    table_.Add(IntegerFact("stream", "Stream", "Number of the stream on the device."),
               [this](const LaunchRow& r) {
                 return TrackOf(r).stream >= 0 ? Cell(TrackOf(r).stream) : Cell();
               });
    table_.Add(
        IntegerFact("correlation", "Correlation",
                    "Correlation ID that ties the call to its work, as recorded; empty where "
                    "something else ties them."),
        [this](const LaunchRow& r) {
          return OptionalCell(s_.ArgInt(r.launched.work, ArgRole::kCorrelation));
        });
    table_.Add(TextFact("name", "Work", "Kernel, copy or memset; of several, the first."),
               [this](const LaunchRow& r) { return NameCell(r.launched.work); });
    table_.Add(TextFact("operator", "Operator", "Innermost operator that made the call."),
               [this](const LaunchRow& r) { return NameCell(model_.op[r.launched.call]); });
  }

  void AddTimes() {
    table_.Add(Duration("cpuDurationUs", "Call time", "Duration of the call."),
               [](const LaunchRow& r) { return TimeCell(r.times.call); });
    table_.Add(Duration("gpuDurationUs", "Work time",
                        "Duration of the launched work; of several pieces, their sum."),
               [](const LaunchRow& r) { return TimeCell(r.times.work); });
    table_.Add(Duration("launchDelayUs", "Delay",
                        "Time from the end of the call to the start of its first work; 0 if that "
                        "started earlier."),
               [](const LaunchRow& r) { return TimeCell(r.times.delay); });
    table_.Add(
        Duration("avoidableDelayUs", "Avoidable",
                 "Part of the delay during which the stream had nothing else to do; empty for "
                 "several pieces of work."),
        [](const LaunchRow& r) {
          return r.launched.several ? Cell() : TimeCell(r.times.avoidable);
        });
  }

  // Behind what most rows are read for.
  void AddCall() {
    table_.Add(
        MomentFact("startUs", "Start", "Start of the call, since the start of the rank's trace."),
        [this](const LaunchRow& r) { return TimeCell(s_.start(r.launched.call)); });
    table_.Add(TextFact("call", "Call", "Runtime or driver call that launched the work."),
               [this](const LaunchRow& r) { return NameCell(r.launched.call); });
    table_.Add(Count("workCount", "Pieces of work",
                     "Number of pieces of device work that the call launched; a graph has many."),
               [this](const LaunchRow& r) {
                 const size_t works = model_.launched[r.launched.call].size();
                 return Cell(static_cast<int64_t>(std::max<size_t>(1, works)));
               });
  }

  // Empty for calls with several works, which the sums over launches leave out.
  void AddKinds() {
    const auto add = [this](const char* key, const char* title, const char* definition,
                            bool LaunchTimes::*kind) {
      table_.Add(FlagFact(key, title, definition), [kind](const LaunchRow& r) {
        return r.launched.several ? Cell() : Cell(r.times.*kind);
      });
    };
    add("shortKernel", "Short kernel",
        "Whether the work was shorter than its call, and the call took at most 50 us.",
        &LaunchTimes::short_work);
    add("runtimeOutlier", "Runtime outlier", "Whether the call took more than 50 us.",
        &LaunchTimes::slow_call);
    add("launchDelayOutlier", "Delay outlier", "Whether the delay was longer than 100 us.",
        &LaunchTimes::long_delay);
  }

  const Model& model_;
  const TraceStore& s_;
  const LaunchList& list_;
  const int64_t rank_;
};

}  // namespace

std::unique_ptr<LazyTable> LaunchRowsTable(const Model& model, const LaunchList& list,
                                           int64_t rank) {
  return std::make_unique<RankLaunches>(model, list, rank);
}

}  // namespace emberline
