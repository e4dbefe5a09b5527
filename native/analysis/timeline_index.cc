#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <tuple>
#include <unordered_map>

#include "analysis/kernels.h"
#include "analysis/memory.h"
#include "analysis/messages.h"
#include "analysis/stack_of.h"
#include "analysis/timeline.h"
#include "analysis/timeline_device_series.h"
#include "base/cores.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "base/text.h"
#include "model/names.h"

namespace emberline {
namespace {

TimelineRowKind RowKindOf(TrackKind kind) {
  switch (kind) {
    case TrackKind::kHostThread:
      return TimelineRowKind::kThread;
    case TrackKind::kDeviceStream:
      return TimelineRowKind::kStream;
    case TrackKind::kOverhead:
      return TimelineRowKind::kOverhead;
    case TrackKind::kSpan:
      return TimelineRowKind::kSpan;
    case TrackKind::kOther:
    case TrackKind::kGraphCapture:
      return TimelineRowKind::kOther;
    case TrackKind::kAsync:
      return TimelineRowKind::kAsync;
  }
  return TimelineRowKind::kOther;
}

// Only hostile files have more rows of one kind; what is beyond is counted. A viewer cannot show
// them, and each takes about a kilobyte where it is listed.
constexpr size_t kMaxRowsOfKind = 4000;
// Rows repeat the name of their process, so a long one would be kept once for every thread.
constexpr size_t kMaxLabel = 200;

std::string ShortText(const TraceStore& store, StringId id) {
  return Shortened(store.strings().Get(id), kMaxLabel);
}

// Recorders append the name of a thread, where it has none empty brackets: "thread 660 ()".
std::string ThreadName(const TraceStore& store, const Track& track) {
  std::string name = ShortText(store, track.thread_name);
  constexpr std::string_view kNameless = " ()";
  if (name.ends_with(kNameless)) name.resize(name.size() - kNameless.size());
  return name;
}

// A name as it was recorded, which no catalog has.
Message Named(std::string name) { return {"", std::move(name), {}}; }

Message TitleOf(const Device& device) {
  if (device.name.empty()) return Named(DeviceLabel(device));
  return Say(messages::kRowNamedDevice, {{"device", DeviceLabel(device)}, {"name", device.name}});
}

// "HCCL: Group 0 Communication": a row of a device that is no stream.
std::string LayerRowName(const TraceStore& store, const Track& track) {
  const std::string thread = ShortText(store, track.thread_name);
  return ShortText(store, track.layer) + ": " +
         (thread.empty() ? RecordedIdText(store, track.tid) : thread);
}

// What one track's slices say about its row.
struct TrackFacts {
  Ns busy = 0;            // union of what keeps the row busy
  uint64_t launches = 0;  // calls that launched device work
};

TrackFacts FactsOf(const Model& model, const Track& track) {
  const TraceStore& store = model.store();
  TrackFacts facts;
  const bool device = track.kind == TrackKind::kDeviceStream;
  Ns reached = INT64_MIN;
  for (SliceIndex i = track.first; i < track.last; ++i) {
    // Annotations and synchronization lie over a device's rows, and over its idle time too.
    if (!device || IsDeviceWork(store.kind(i))) {
      const Ns begin = std::max(store.start(i), reached);
      if (store.end(i) > begin) facts.busy += store.end(i) - begin;
      reached = std::max(reached, store.end(i));
    }
    if (model.launched.rows() > i && !model.launched[i].empty()) ++facts.launches;
  }
  return facts;
}

// `device_title`: what the group of a stream's device is called.
TimelineRow RowOf(const TraceStore& store, TrackIndex index, const TrackFacts& facts,
                  const Message& device_title) {
  const Track& track = store.tracks()[index];
  TimelineRow row;
  row.id = index;
  row.track = index;
  row.kind = RowKindOf(track.kind);
  row.slices = track.last - track.first;
  row.lanes = row.slices > 0 ? track.max_depth + 1u : 0;
  row.busy = facts.busy;
  const std::string pid = Shortened(RecordedIdText(store, track.pid), kMaxLabel);
  const std::string tid = Shortened(RecordedIdText(store, track.tid), kMaxLabel);
  const std::string process = ShortText(store, track.process_name);
  const std::string labels = ShortText(store, track.process_labels);
  const std::string thread = ThreadName(store, track);
  if (track.kind == TrackKind::kDeviceStream) {
    row.device = track.device;
    row.group = device_title;
    // Rows of events that concern no one stream; recorders call them "Device 2".
    row.name = track.stream >= 0  ? Say(messages::kRowStream, {{"stream", track.stream}})
               : track.layer != 0 ? Named(LayerRowName(store, track))
               : !track.tid.is_text && track.tid.number == -1 ? Say(messages::kRowAllStreams)
               : thread.empty()                               ? Named(tid)
                                                              : Named(thread);
  } else {
    // Recorders give words for ids where there is neither a process nor a thread: "Spans".
    row.group = !process.empty()
                    ? Say(messages::kRowNamedProcess, {{"name", process}, {"pid", pid}})
                : track.pid.is_text ? Named(pid)
                                    : Say(messages::kRowProcess, {{"pid", pid}});
    row.name = !thread.empty()     ? Named(thread)
               : track.tid.is_text ? Named(tid)
                                   : Say(messages::kRowThread, {{"tid", tid}});
  }
  std::string more;
  if (track.kind == TrackKind::kAsync) {
    row.name = tid.empty() ? Say(messages::kRowAsynchronous)
                           : Say(messages::kRowAsynchronousOf, {{"tid", tid}});
    if (!labels.empty()) more += ", " + labels;
    row.detail = Say(messages::kRowAsynchronousIds, {{"pid", pid}, {"more", more}});
    return row;
  }
  if (!thread.empty() && thread != row.name.text) more += ", " + thread;
  if (!labels.empty()) more += ", " + labels;
  row.detail = Say(messages::kRowIds, {{"pid", pid}, {"tid", tid}, {"more", more}});
  return row;
}

class IndexBuilder {
 public:
  IndexBuilder(const Model& model, const CancelToken& cancel)
      : model_(model), store_(model.store()), cancel_(cancel) {}

  Result<TimelineIndex> Build() {
    MakeParts();
    if (cancel_.cancelled()) return Cancelled();
    instants_.resize(store_.tracks().size());
    for (uint32_t i = 0; i < store_.instants().size(); ++i) {
      const TrackIndex track = store_.instants()[i].track;
      (track < instants_.size() ? instants_[track] : loose_instants_).push_back(i);
    }
    added_.assign(store_.tracks().size(), false);
    for (size_t d = 0; d < model_.devices.size(); ++d) {
      device_of_.emplace(model_.devices[d].ordinal, d);
    }
    streams_.resize(model_.devices.size());
    for (TrackIndex t = 0; t < store_.tracks().size(); ++t) {
      const Track& track = store_.tracks()[t];
      if (track.kind != TrackKind::kDeviceStream) continue;
      const auto device = device_of_.find(track.device);
      if (device != device_of_.end()) streams_[device->second].push_back(t);
    }

    AddSteps();
    for (size_t d = 0; d < model_.devices.size(); ++d) {
      if (cancel_.cancelled()) return Cancelled();
      AddDevice(d);
    }
    AddStreamsWithoutDevice();
    AddMemory();
    AddThreads();
    AddCounters();
    AddRest();
    index_.work = WorkRange();
    for (size_t r = 0; r < index_.rows.size(); ++r) index_.row_of[index_.rows[r].id] = r;
    RunAll(
        Many(), [&] { index_.device_busy = SeriesOfSet(Unite(std::move(device_intervals_))); },
        [&] { index_.host_busy = SeriesOfSet(HostBusy()); });
    return std::move(index_);
  }

 private:
  using MemoryDevice = std::pair<int32_t, int32_t>;  // its type and number

  // What the work of one device gives.
  struct DeviceParts {
    IntervalSet busy;
    TimelineSeries kernels, more_than_kernels, efficiency, copies;
    std::vector<std::pair<TrackIndex, TimelineSeries>> queues;
  };

  bool Many() const { return store_.slice_count() >= kManyRows; }

  // What takes long, before the rows are put in order: each piece on its own.
  void MakeParts() {
    std::vector<std::function<void()>> pieces;
    parts_.resize(model_.devices.size());
    for (size_t d = 0; d < parts_.size(); ++d) {
      const Device& device = model_.devices[d];
      DeviceParts& parts = parts_[d];
      const DeviceSeries series(model_, device);
      pieces.emplace_back([series, &parts] {
        parts.busy = series.Busy();
        const IntervalSet kernels = series.Busy(true);
        parts.kernels = SeriesOfSet(kernels);
        if (LengthOf(parts.busy) > LengthOf(kernels)) {
          parts.more_than_kernels = SeriesOfSet(parts.busy);
        }
      });
      pieces.emplace_back([series, &parts] { parts.efficiency = series.SmEfficiency(); });
      pieces.emplace_back([series, &parts] { parts.copies = series.CopyBandwidth(); });
      pieces.emplace_back([this, series, &device, &parts] {
        for (const TrackIndex stream : device.streams) {
          if (store_.tracks()[stream].layer != 0) continue;  // no queue of its own
          parts.queues.emplace_back(stream, series.QueueDepth(stream));
        }
      });
    }
    pieces.emplace_back([this] { MakeMemory(); });
    pieces.emplace_back([this] {
      for (const Track& track : store_.tracks()) {
        if (cancel_.cancelled()) return;
        facts_.push_back(FactsOf(model_, track));
      }
    });
    RunEach(Many() ? std::min<size_t>(2, UsableCores()) : 1, pieces.size(), [&](size_t i) {
      if (!cancel_.cancelled()) pieces[i]();
    });
  }

  void AddTrack(TrackIndex track, bool folded) {
    if (added_[track]) return;
    added_[track] = true;
    const Track& of = store_.tracks()[track];
    const uint64_t slices = of.last - of.first;
    if (slices == 0 && instants_[track].empty()) return;
    if (!HasRoom(RowKindOf(of.kind), slices)) return;
    TimelineRow row =
        RowOf(store_, track, facts_[track],
              of.kind == TrackKind::kDeviceStream ? DeviceTitle(of.device) : Message{});
    row.instants = std::move(instants_[track]);
    row.folded = folded;
    index_.rows.push_back(std::move(row));
  }

  // Whether one more row of the kind is listed; else it is counted.
  bool HasRoom(TimelineRowKind kind, uint64_t slices) {
    size_t& rows = rows_of_kind_[static_cast<size_t>(kind)];
    if (rows < kMaxRowsOfKind) {
      ++rows;
      return true;
    }
    ++index_.unlisted_rows;
    index_.unlisted_slices += slices;
    return false;
  }

  Message DeviceTitle(int64_t ordinal) const {
    const auto device = device_of_.find(ordinal);
    return device == device_of_.end() ? Named("GPU " + std::to_string(ordinal))
                                      : TitleOf(model_.devices[device->second]);
  }

  void AddSeries(Message group, Message name, Message detail, const char* unit, int64_t device,
                 TimelineRowKind kind, bool folded, TimelineSeries series) {
    if (series.empty() || !HasRoom(kind, 0)) return;
    TimelineRow row;
    row.id = next_derived_++;
    row.kind = kind;
    row.group = std::move(group);
    row.name = std::move(name);
    row.detail = std::move(detail);
    row.device = device;
    row.unit = unit;
    row.folded = folded;
    row.series = static_cast<int>(index_.series.size());
    index_.series.push_back(std::move(series));
    index_.rows.push_back(std::move(row));
  }

  void AddSteps() {
    if (!model_.has_recorded_steps) return;
    TimelineRow row;
    row.id = next_derived_++;
    row.kind = TimelineRowKind::kSteps;
    row.group = row.name = Say(messages::kRowSteps);
    row.detail = Say(messages::kRowStepsHint);
    row.lanes = 1;
    for (const Step& step : model_.steps) {
      row.busy += step.host.Length();
      ++row.slices;
    }
    index_.rows.push_back(std::move(row));
  }

  void AddDevice(size_t number) {
    const Device& device = model_.devices[number];
    const Message group = TitleOf(device);
    DeviceParts& parts = parts_[number];
    device_intervals_.insert(device_intervals_.end(), parts.busy.begin(), parts.busy.end());
    for (const TrackIndex stream : device.streams) AddTrack(stream, false);
    // Tracks of the device that hold no work, for example only annotations.
    for (const TrackIndex t : streams_[number]) AddTrack(t, true);
    const auto derived = TimelineRowKind::kDerived;
    // The overview's utilization counts kernels alone; both have the same meaning under one name.
    const auto add = [&](Message name, Message hint, const char* unit, bool folded,
                         TimelineSeries series) {
      AddSeries(group, std::move(name), std::move(hint), unit, device.ordinal, derived, folded,
                std::move(series));
    };
    add(Say(messages::kRowUtilization), Say(messages::kRowUtilizationHint), "ratio", false,
        std::move(parts.kernels));
    add(Say(messages::kRowBusy), Say(messages::kRowBusyHint), "ratio", true,
        std::move(parts.more_than_kernels));
    add(Say(messages::kRowSmEfficiency), Say(messages::kRowSmEfficiencyHint), "ratio", true,
        std::move(parts.efficiency));
    add(Say(messages::kRowCopyBandwidth), Say(messages::kRowCopyBandwidthHint), "gbPerS", true,
        std::move(parts.copies));
    for (auto& [stream, depth] : parts.queues) {
      add(Say(messages::kRowQueueDepth, {{"stream", StreamName(stream)}}),
          Say(messages::kRowQueueDepthHint), "count", true, std::move(depth));
    }
    parts = {};
  }

  std::string StreamName(TrackIndex stream) const {
    const Track& track = store_.tracks()[stream];
    return track.stream >= 0 ? std::to_string(track.stream)
                             : Shortened(RecordedIdText(store_, track.tid), kMaxLabel);
  }

  void AddStreamsWithoutDevice() {
    for (TrackIndex t = 0; t < store_.tracks().size(); ++t) {
      if (store_.tracks()[t].kind == TrackKind::kDeviceStream) AddTrack(t, false);
    }
  }

  // Allocated bytes after each record, per device.
  void MakeMemory() {
    struct Curve {
      KeptVector<Ns> ns;
      KeptVector<double> value;
      double sum = 0;
    };
    std::map<MemoryDevice, Curve> curves;
    Curve* curve = nullptr;  // that of the record before
    MemoryDevice device;
    for (const MemoryRecord& record : store_.memory()) {
      const MemoryDevice key(record.device_type, record.device_id);
      if (curve == nullptr || key != device) curve = &curves[key];
      device = key;
      curve->sum += static_cast<double>(record.bytes);
      curve->ns.push_back(record.ts);
      curve->value.push_back(record.total_allocated >= 0
                                 ? static_cast<double>(record.total_allocated)
                                 : std::max(curve->sum, 0.0));
    }
    for (auto& [key, made] : curves) {
      memory_.emplace_back(key, TimelineSeries(TimelineSeries::Reduce::kExtremes,
                                               std::move(made.ns), std::move(made.value)));
    }
  }

  void AddMemory() {
    if (memory_.empty()) return;
    const MemoryDeviceNames names(model_);
    for (auto& [key, series] : memory_) {
      const auto [type, id] = key;
      const bool host = type == 0;
      AddSeries(Say(messages::kRowsMemory),
                Say(messages::kRowMemory, {{"device", names.Of(type, id)}}),
                Say(messages::kRowMemoryHint), "bytes",
                host ? -1 : std::max(names.OrdinalOf(type, id), 0), TimelineRowKind::kDerived, true,
                std::move(series));
    }
  }

  void AddThreads() {
    std::vector<TrackIndex> threads;
    for (TrackIndex t = 0; t < store_.tracks().size(); ++t) {
      if (store_.tracks()[t].kind == TrackKind::kHostThread) threads.push_back(t);
    }
    std::stable_sort(threads.begin(), threads.end(), [&](TrackIndex a, TrackIndex b) {
      return std::tuple(facts_[a].launches, facts_[a].busy) >
             std::tuple(facts_[b].launches, facts_[b].busy);
    });
    const bool any_launches = !threads.empty() && facts_[threads[0]].launches > 0;
    for (size_t i = 0; i < threads.size(); ++i) {
      // Without device work the busiest two threads (forward and backward) are the picture.
      const bool shown = any_launches ? facts_[threads[i]].launches > 0 : i < 2;
      AddTrack(threads[i], !shown);
      if (shown) shown_threads_.push_back(threads[i]);
    }
  }

  void AddCounters() {
    // Samples are sorted by name, then time; each series of each process is a row.
    std::map<std::tuple<StringId, RecordedId, StringId>,
             std::pair<KeptVector<Ns>, KeptVector<double>>>
        curves;
    for (const CounterSample& sample : store_.counters()) {
      for (const auto& [key, arg] : store_.ArgsAt(sample.args)) {
        double number = 0;
        if (const int64_t* i = std::get_if<int64_t>(&arg.v))
          number = static_cast<double>(*i);
        else if (const double* d = std::get_if<double>(&arg.v))
          number = *d;
        else
          continue;
        auto& [ns, value] = curves[{sample.name, sample.pid, key}];
        ns.push_back(sample.ts);
        value.push_back(number);
      }
    }
    for (auto& [key, curve] : curves) {
      const auto& [name, pid, series] = key;
      const std::string title = ShortText(store_, name);
      const std::string part = ShortText(store_, series);
      AddSeries(
          Say(messages::kRowsCounters),
          Named(part.empty() || part == title || title.starts_with(part + " [")
                    ? title
                    : title + ": " + part),
          Say(messages::kRowPid, {{"pid", Shortened(RecordedIdText(store_, pid), kMaxLabel)}}), "",
          -1, TimelineRowKind::kCounter, true,
          {TimelineSeries::Reduce::kExtremes, std::move(curve.first), std::move(curve.second)});
    }
  }

  void AddRest() {
    for (TrackIndex t = 0; t < store_.tracks().size(); ++t) {
      // What another trace recorded has no place on this one's time axis.
      if (store_.tracks()[t].kind != TrackKind::kGraphCapture) AddTrack(t, true);
    }
    if (loose_instants_.empty()) return;
    TimelineRow row;
    row.id = next_derived_++;
    row.kind = TimelineRowKind::kOther;
    row.group = Say(messages::kRowsTrace);
    row.name = Say(messages::kRowInstants);
    row.detail = Say(messages::kRowInstantsHint);
    row.folded = true;
    row.instants = std::move(loose_instants_);
    index_.rows.push_back(std::move(row));
  }

  Interval WorkRange() const {
    const auto united = [](Interval a, Interval b) {
      return a.Length() == 0 ? b : Interval{std::min(a.begin, b.begin), std::max(a.end, b.end)};
    };
    Interval range;
    if (model_.has_recorded_steps) {
      // A step begins on the host, before the device work that its extended time may start with.
      for (const Step& step : model_.steps) range = united(united(range, step.host), step.time);
    } else {
      for (const Interval& interval : device_intervals_) range = united(range, interval);
      // With the operators that launched it, possibly long before: without them the host's rows of
      // an inference server that replays graphs would be empty.
      if (range.Length() > 0) {
        for (const TrackIndex t : shown_threads_) {
          for (SliceIndex i = store_.tracks()[t].first; i < store_.tracks()[t].last; ++i) {
            if (store_.kind(i) == SliceKind::kCpuOp) {
              range = united(range, {store_.start(i), store_.end(i)});
            }
          }
        }
      }
    }
    return range.Length() > 0 ? range : store_.extent();
  }

  IntervalSet HostBusy() const {
    std::vector<Interval> intervals;
    for (const TrackIndex t : shown_threads_) {
      const Track& track = store_.tracks()[t];
      Interval run;
      for (SliceIndex i = track.first; i < track.last; ++i) {
        // What lies inside an annotation tells of its work; one with nothing inside is work itself,
        // as the collectives of a trace without operators are.
        const bool holds = i + 1 < track.last && store_.parent(i + 1) == i;
        if (store_.kind(i) == SliceKind::kUserAnnotation &&
            (holds || StepNumber(store_.name(i)).has_value())) {
          continue;
        }
        if (run.Length() > 0 && store_.start(i) <= run.end) {
          run.end = std::max(run.end, store_.end(i));
          continue;
        }
        if (run.Length() > 0) intervals.push_back(run);
        run = {store_.start(i), store_.end(i)};
      }
      if (run.Length() > 0) intervals.push_back(run);
    }
    return Unite(std::move(intervals));
  }

  const Model& model_;
  const TraceStore& store_;
  const CancelToken cancel_;
  TimelineIndex index_;
  int64_t next_derived_ = kFirstDerivedRow;
  std::vector<TrackFacts> facts_;
  std::vector<DeviceParts> parts_;  // by device
  std::vector<std::pair<MemoryDevice, TimelineSeries>> memory_;
  std::vector<bool> added_;
  std::unordered_map<int64_t, size_t, NumberHash> device_of_;  // by ordinal: its place in the model
  std::vector<std::vector<TrackIndex>> streams_;  // by that place: tracks of the device
  std::array<size_t, kTimelineRowKindCount> rows_of_kind_{};
  std::vector<std::vector<uint32_t>> instants_;  // by track
  std::vector<uint32_t> loose_instants_;
  std::vector<Interval> device_intervals_;
  std::vector<TrackIndex> shown_threads_;
};

}  // namespace

const char* TimelineRowKindName(TimelineRowKind kind) {
  switch (kind) {
    case TimelineRowKind::kSteps:
      return "steps";
    case TimelineRowKind::kThread:
      return "thread";
    case TimelineRowKind::kStream:
      return "stream";
    case TimelineRowKind::kOverhead:
      return "overhead";
    case TimelineRowKind::kSpan:
      return "span";
    case TimelineRowKind::kCounter:
      return "counter";
    case TimelineRowKind::kDerived:
      return "derived";
    case TimelineRowKind::kOther:
      return "other";
    case TimelineRowKind::kAsync:
      return "async";
  }
  return "other";
}

std::string RecordedIdText(const TraceStore& store, const RecordedId& id) {
  return id.is_text ? std::string(store.strings().Get(id.text)) : std::to_string(id.number);
}

Result<TimelineIndex> BuildTimelineIndex(const Model& model, const CancelToken& cancel) {
  return IndexBuilder(model, cancel).Build();
}

}  // namespace emberline
