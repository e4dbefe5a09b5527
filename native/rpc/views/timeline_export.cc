#include "rpc/views/timeline_export.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "analysis/timeline.h"
#include "json/json.h"
#include "rpc/errors.h"

namespace emberline {
namespace {

constexpr size_t kMaxExported = 500'000;
constexpr size_t kMaxHeaderValue = 4096;  // longer ones are logs
constexpr size_t kPiece = 1 << 20;
constexpr size_t kMaxQuoted = 32 << 20;  // bytes of names that are kept quoted

class TraceWriter {
 public:
  TraceWriter(const Model& model, Interval range, const std::set<TrackIndex>* tracks,
              const TraceAdditions* additions, const TextSink& sink)
      : model_(model),
        store_(model.store()),
        range_(range),
        tracks_(tracks),
        additions_(additions),
        sink_(sink) {}

  bool Write(const std::vector<SliceIndex>& slices) {
    out_ = "{\"schemaVersion\":1,";
    const TraceMetadata& metadata = store_.metadata();
    // Times stay those of the file, so the base is given as the file gave it.
    if (metadata.base_time_ns) {
      base_ns_ = store_.base_ns() - *metadata.base_time_ns;
      out_ += "\"baseTimeNanoseconds\":" + std::to_string(*metadata.base_time_ns) + ",";
    } else {
      base_ns_ = store_.base_ns();
    }
    if (!metadata.devices.empty()) WriteDevices(metadata);
    if (metadata.distributed) WriteDistributed(*metadata.distributed);
    if (!metadata.display_time_unit.empty()) {
      out_ += "\"displayTimeUnit\":" + Quoted(metadata.display_time_unit) + ",";
    }
    for (const auto& [flag, on] : metadata.profiler_flags) {
      out_ += Quoted(flag) + (on ? ":1," : ":0,");
    }
    for (const auto& [key, value] : metadata.others) {
      if (value.size() <= kMaxHeaderValue && ParseJson(value).ok()) {
        out_ += Quoted(key) + ":" + value + ",";
      }
    }
    out_ += "\"traceEvents\":[\n";
    std::vector<const Instant*> instants;
    for (const Instant& instant : store_.instants()) {
      if (Chosen(instant.ts, instant.track)) instants.push_back(&instant);
    }
    std::vector<MemoryRecord> memory;
    for (const MemoryRecord& record : store_.memory()) {
      if (Chosen(record.ts, record.track)) memory.push_back(record);
    }
    std::set<TrackIndex> named;
    for (const SliceIndex i : slices) named.insert(store_.track(i));
    for (const Instant* instant : instants) named.insert(instant->track);
    for (const MemoryRecord& record : memory) named.insert(record.track);
    named.erase(kNone);
    WriteNames(named);
    for (const SliceIndex i : slices) WriteSlice(i);
    WriteFlows(slices);
    for (const Instant* instant : instants) WriteInstant(*instant);
    for (const MemoryRecord& record : memory) WriteMemory(record);
    if (tracks_ == nullptr) {
      for (const CounterSample& sample : store_.counters()) {
        if (Chosen(sample.ts, kNone)) WriteCounter(sample);
      }
    }
    if (additions_ != nullptr) {
      for (const TraceAdditions::Counter& counter : additions_->counters) WriteAdded(counter);
    }
    out_ += "\n]}\n";
    return wanted_ && sink_(out_);
  }

 private:
  std::string Quoted(std::string_view text) { return DumpJson(Json(std::string(text))); }
  // Names, keys and values repeat, so each is quoted once.
  const std::string& Quoted(StringId id) {
    const auto [it, added] = quoted_.try_emplace(id);
    if (added) {
      it->second = Quoted(store_.strings().Get(id));
      kept_ += it->second.size();
    }
    return it->second;
  }

  std::string Id(const RecordedId& id) {
    return id.is_text ? Quoted(id.text) : std::to_string(id.number);
  }

  // Microseconds with three decimals: exact.
  static std::string Micros(Ns ns) {
    const bool negative = ns < 0;
    const uint64_t size = negative ? 0 - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
    std::string fraction = std::to_string(size % 1000);
    fraction.insert(0, 3 - fraction.size(), '0');
    return (negative ? "-" : "") + std::to_string(size / 1000) + "." + fraction;
  }

  // In the file's own time; damaged times wrap instead of overflowing.
  Ns Absolute(Ns ts) const {
    return static_cast<Ns>(static_cast<uint64_t>(ts) + static_cast<uint64_t>(base_ns_));
  }

  void Separate() {
    if (!first_) out_ += ",\n";
    first_ = false;
    if (out_.size() < kPiece) return;
    wanted_ = wanted_ && sink_(out_);
    out_.clear();
  }

  // Before an event or an arrow, where nobody holds a quoted text.
  void LetGo() {
    if (kept_ < kMaxQuoted) return;
    quoted_.clear();
    raw_.clear();
    kept_ = 0;
  }

  void WriteDevices(const TraceMetadata& metadata) {
    out_ += "\"deviceProperties\":[";
    for (size_t d = 0; d < metadata.devices.size(); ++d) {
      out_ += d > 0 ? ",{" : "{";
      bool first = true;
      for (const auto& [key, value] : metadata.devices[d].all) {
        // Values are kept as text; numbers and the like are valid JSON, other text is not.
        const Result<Json> parsed = ParseJson(value);
        out_ += (first ? "" : ",") + Quoted(key) + ":" + (parsed.ok() ? value : Quoted(value));
        first = false;
      }
      out_ += "}";
    }
    out_ += "],";
  }

  bool Chosen(Ns ts, TrackIndex track) const {
    return ts >= range_.begin && ts <= range_.end &&
           (tracks_ == nullptr || tracks_->count(track) != 0);
  }

  // Kept as text, because some recorders leave values out: then what was understood is written.
  void WriteDistributed(const DistributedInfo& info) {
    if (info.raw.empty()) return;
    if (ParseJson(info.raw).ok()) {
      out_ += "\"distributedInfo\":" + info.raw + ",";
      return;
    }
    Json understood{{"backend", info.backend}};
    if (info.rank >= 0) understood["rank"] = info.rank;
    if (info.world_size >= 0) understood["world_size"] = info.world_size;
    out_ += "\"distributedInfo\":" + DumpJson(understood) + ",";
  }

  void WriteNames(const std::set<TrackIndex>& tracks) {
    // Names of a process stand once: (what, process, thread, value as id or number).
    std::set<std::tuple<std::string_view, RecordedId, RecordedId, int64_t>> written;
    for (const TrackIndex t : tracks) {
      const Track& track = store_.tracks()[t];
      const bool async = track.kind == TrackKind::kAsync;
      const auto fact = [&](const char* what, const char* key, int64_t value, bool is_text) {
        const bool process = std::string_view(what).starts_with("process");
        if (!process && async) return;  // its tid is no thread
        const RecordedId tid = process ? RecordedId() : track.tid;
        if (!written.emplace(what, track.pid, tid, value).second) return;
        Separate();
        out_ += std::string("{\"ph\":\"M\",\"name\":\"") + what + "\",\"pid\":" + Id(track.pid) +
                ",\"tid\":" + Id(tid) + ",\"ts\":0,\"args\":{\"" + key + "\":";
        out_ += is_text ? Quoted(static_cast<StringId>(value)) : std::to_string(value);
        out_ += "}}";
      };
      const auto name = [&](const char* what, const char* key, StringId value) {
        if (value != 0) fact(what, key, value, true);
      };
      name("process_name", "name", track.process_name);
      name("process_labels", "labels", track.process_labels);
      if (track.process_sort_index != 0) {
        fact("process_sort_index", "sort_index", track.process_sort_index, false);
      }
      name("thread_name", "name", track.thread_name);
      if (track.thread_sort_index != 0) {
        fact("thread_sort_index", "sort_index", track.thread_sort_index, false);
      }
    }
  }

  void WriteArgs(const std::vector<std::pair<StringId, ArgValue>>& args) {
    out_ += "{";
    for (size_t a = 0; a < args.size(); ++a) {
      const auto& [key, value] = args[a];
      out_ += (a > 0 ? "," : "") + Quoted(key) + ":";
      if (const bool* b = std::get_if<bool>(&value.v))
        out_ += *b ? "true" : "false";
      else if (const int64_t* i = std::get_if<int64_t>(&value.v))
        out_ += std::to_string(*i);
      else if (const double* d = std::get_if<double>(&value.v))
        out_ += DumpJson(Json(*d));
      else if (const auto* text = std::get_if<ArgValue::Text>(&value.v))
        out_ += Quoted(text->id);
      else if (const auto* json = std::get_if<ArgValue::Json>(&value.v))
        WriteRaw(json->id);
      else
        out_ += "null";
    }
    out_ += "}";
  }

  // Recorded JSON is copied when it is valid, and quoted when the recorder broke it.
  void WriteRaw(StringId id) {
    const auto [it, added] = raw_.try_emplace(id);
    if (added) {
      const std::string_view raw = store_.strings().Get(id);
      it->second = ParseJson(raw).ok() ? std::string(raw) : Quoted(raw);
      kept_ += it->second.size();
    }
    out_ += it->second;
  }

  void WriteHead(char phase, StringId category, const std::string& name, const RecordedId& pid,
                 const RecordedId& tid, Ns ts) {
    Separate();
    out_ += std::string("{\"ph\":\"") + phase + "\"";
    if (category != 0) out_ += ",\"cat\":" + Quoted(category);
    out_ += ",\"name\":" + name + ",\"pid\":" + Id(pid) + ",\"tid\":" + Id(tid) +
            ",\"ts\":" + Micros(Absolute(ts));
  }
  void WriteHead(char phase, uint16_t category, StringId name, const Track& track, Ns ts) {
    WriteHead(phase, store_.categories()[category].raw, Quoted(name), track.pid, track.tid, ts);
  }

  std::string AsyncId(const RecordedId& id) {
    const std::string_view text = id.is_text ? store_.strings().Get(id.text) : "";
    return text.starts_with("{") && ParseJson(text).ok() ? "\"id2\":" + std::string(text)
                                                         : "\"id\":" + Id(id);
  }

  // Both halves of an asynchronous slice.
  void WriteAsync(SliceIndex i, const AsyncSlice& async) {
    const Track& track = store_.tracks()[store_.track(i)];
    const std::string id = AsyncId(async.id);
    for (const bool begin : {true, false}) {
      const char phase = async.nestable ? (begin ? 'b' : 'e') : (begin ? 'S' : 'F');
      WriteHead(phase, store_.categories()[store_.category(i)].raw, Quoted(store_.name_id(i)),
                track.pid, async.tid, begin ? store_.start(i) : store_.end(i));
      out_ += "," + id;
      if (begin) {
        out_ += ",\"args\":";
        WriteArgs(store_.Args(i));
      }
      out_ += "}";
    }
  }

  void WriteSlice(SliceIndex i) {
    LetGo();
    if (const AsyncSlice* async = store_.AsyncOf(i); async != nullptr) {
      return WriteAsync(i, *async);
    }
    WriteHead('X', store_.category(i), store_.name_id(i), store_.tracks()[store_.track(i)],
              store_.start(i));
    out_ += ",\"dur\":" + Micros(store_.duration(i)) + ",\"args\":";
    const auto args = store_.Args(i);
    WriteArgs(args);
    if (additions_ != nullptr &&
        std::binary_search(additions_->critical.begin(), additions_->critical.end(), i)) {
      out_.pop_back();
      out_ += args.empty() ? "\"critical\":1}" : ",\"critical\":1}";
    }
    out_ += "}";
  }

  void WriteInstant(const Instant& instant) {
    LetGo();
    if (instant.track != kNone && store_.tracks()[instant.track].kind == TrackKind::kAsync) {
      return WriteAsyncInstant(instant);
    }
    // Those of no thread belong to the whole trace.
    static const RecordedId nobody{true, 0, 0};
    const Track* track = instant.track == kNone ? nullptr : &store_.tracks()[instant.track];
    const bool scoped = instant.scope == 't' || instant.scope == 'p' || instant.scope == 'g';
    auto args = store_.ArgsAt(instant.args);
    WriteHead(scoped ? 'i' : instant.scope, store_.categories()[instant.category].raw,
              Quoted(instant.name), track == nullptr ? nobody : track->pid,
              track == nullptr ? nobody : track->tid, instant.ts);
    if (scoped) {
      out_ += std::string(",\"s\":\"") + instant.scope + "\"";
    } else if (!args.empty() && store_.strings().Get(args.back().first) == "id") {
      // The id of an object or a dump was a field of the event.
      out_ += "," + AsyncId(Recorded(args.back().second));
      args.pop_back();
    }
    out_ += ",\"args\":";
    WriteArgs(args);
    out_ += "}";
  }

  static RecordedId Recorded(const ArgValue& value) {
    RecordedId id;
    if (const int64_t* number = std::get_if<int64_t>(&value.v)) id.number = *number;
    if (const auto* text = std::get_if<ArgValue::Text>(&value.v)) {
      id.is_text = true;
      id.text = text->id;
    }
    return id;
  }

  // The last two of its args are its id and its thread.
  void WriteAsyncInstant(const Instant& instant) {
    auto args = store_.ArgsAt(instant.args);
    if (args.size() < 2) return;
    const RecordedId tid = Recorded(args.back().second);
    args.pop_back();
    const RecordedId id = Recorded(args.back().second);
    args.pop_back();
    WriteHead('n', store_.categories()[instant.category].raw, Quoted(instant.name),
              store_.tracks()[instant.track].pid, tid, instant.ts);
    out_ += "," + AsyncId(id) + ",\"args\":";
    WriteArgs(args);
    out_ += "}";
  }

  void WriteMemory(const MemoryRecord& record) {
    static const RecordedId nobody{true, 0, 0};
    const Track* track = record.track == kNone ? nullptr : &store_.tracks()[record.track];
    WriteHead('i', StringId{0}, "\"[memory]\"", track == nullptr ? nobody : track->pid,
              track == nullptr ? nobody : track->tid, record.ts);
    out_ += ",\"s\":\"t\",\"args\":{\"Device Type\":" + std::to_string(record.device_type) +
            ",\"Device Id\":" + std::to_string(record.device_id) +
            ",\"Addr\":" + std::to_string(record.address) +
            ",\"Bytes\":" + std::to_string(record.bytes);
    if (record.total_allocated >= 0) {
      out_ += ",\"Total Allocated\":" + std::to_string(record.total_allocated);
    }
    if (record.total_reserved >= 0) {
      out_ += ",\"Total Reserved\":" + std::to_string(record.total_reserved);
    }
    out_ += "}}";
  }

  void WriteCounter(const CounterSample& sample) {
    LetGo();
    static const RecordedId nobody{false, 0, 0};
    WriteHead('C', StringId{0}, Quoted(sample.name), sample.pid, nobody, sample.ts);
    out_ += ",\"args\":";
    WriteArgs(store_.ArgsAt(sample.args));
    out_ += "}";
  }

  void WriteAdded(const TraceAdditions::Counter& counter) {
    static const RecordedId nobody{false, 0, 0};
    const std::string name = Quoted(counter.name), key = Quoted(counter.key);
    for (const auto& [at, value] : counter.points) {
      if (!Chosen(at, counter.track)) continue;
      WriteHead('C', StringId{0}, name, store_.tracks()[counter.track].pid, nobody, at);
      if (counter.id >= 0) out_ += ",\"id\":" + std::to_string(counter.id);
      out_ += ",\"args\":{" + key + ":" + DumpJson(Json(value)) + "}}";
    }
  }

  // Where an arrow binds to a slice: inside of it.
  Ns Inside(Ns at, SliceIndex slice) const {
    const Ns last = std::max(store_.start(slice), store_.end(slice) - 1);
    return std::clamp(at, store_.start(slice), last);
  }

  static const char* EdgeName(PathKind kind) {
    switch (kind) {
      case PathKind::kLaunch:
        return "critical_path_kernel_launch_delay";
      case PathKind::kKernelGap:
        return "critical_path_kernel_kernel_delay";
      case PathKind::kSynchronization:
        return "critical_path_sync_dependency";
      default:
        return "critical_path_dependency";
    }
  }

  // One arrow for each launch whose work is exported too, and the recorded flows: who reads the
  // file cannot tell an inferred arrow from them. Always both ends.
  void WriteFlows(const std::vector<SliceIndex>& slices) {
    uint64_t id = 1;
    const auto end = [&](bool start, const std::string& category, const std::string& name,
                         SliceIndex i, Ns ts, uint64_t args) {
      const Track& track = store_.tracks()[store_.track(i)];
      const AsyncSlice* async = store_.AsyncOf(i);
      Separate();
      out_ += std::string("{\"ph\":\"") + (start ? "s" : "f") + "\",\"cat\":" + category +
              ",\"name\":" + name + ",\"id\":" + std::to_string(id) + ",\"pid\":" + Id(track.pid) +
              ",\"tid\":" + Id(async != nullptr ? async->tid : track.tid) +
              ",\"ts\":" + Micros(Absolute(ts));
      if (!start) out_ += ",\"bp\":\"e\"";
      if (args != 0) {
        out_ += ",\"args\":";
        WriteArgs(store_.ArgsAt(args));
      }
      out_ += "}";
    };
    const auto added = [&](const PathEdge& edge, bool start) {
      const SliceIndex i = start ? edge.from : edge.to;
      const Track& track = store_.tracks()[store_.track(i)];
      Separate();
      out_ +=
          std::string("{\"ph\":\"") + (start ? "s" : "f") +
          "\",\"cat\":\"critical_path\",\"name\":\"critical_path\",\"id\":" + std::to_string(id) +
          ",\"pid\":" + Id(track.pid) + ",\"tid\":" + Id(track.tid) +
          ",\"ts\":" + Micros(Absolute(Inside(start ? edge.time.begin : edge.time.end, i)));
      if (!start) out_ += ",\"bp\":\"e\"";
      out_ += ",\"args\":{\"critical\":true,\"type\":\"" + std::string(EdgeName(edge.kind)) +
              "\",\"weight\":" + Micros(edge.time.Length()) + "}}";
    };
    const auto arrow = [&](const std::string& name, SliceIndex from, SliceIndex to) {
      end(true, name, name, from, store_.start(from), 0);
      end(false, name, name, to, store_.start(to), 0);
      ++id;
    };
    const auto exported = [&](SliceIndex i) {
      return i != kNone && std::binary_search(slices.begin(), slices.end(), i);
    };
    for (const SliceIndex i : slices) {
      if (exported(model_.launch[i])) {
        arrow("\"ac2g\"", model_.launch[i], i);
      }
    }
    const FlowPoint* from = nullptr;
    for (const FlowPoint& point : store_.flows()) {
      if (point.role != FlowRole::kForward) continue;
      if (point.phase == FlowPhase::kStart) {
        from = &point;
      } else if (from != nullptr && point.id == from->id && exported(from->slice) &&
                 exported(point.slice)) {
        LetGo();
        const std::string category = Quoted(store_.categories()[point.category].raw);
        const std::string name = Quoted(point.name);
        end(true, category, name, from->slice, from->ts, 0);
        end(false, category, name, point.slice, point.ts, 0);
        ++id;
      }
    }
    for (const TimelineArrow& flow : BuildTimelineFlows(model_).arrows) {
      if (!exported(flow.from) || !exported(flow.to)) continue;
      LetGo();
      // Their own times: such an arrow may join the ends of two slices.
      const std::string category = Quoted(store_.categories()[flow.category].raw);
      end(true, category, Quoted(flow.name), flow.from, flow.from_ns, flow.args);
      end(false, category, Quoted(flow.name), flow.to, flow.to_ns, flow.args_at_end);
      ++id;
    }
    if (additions_ == nullptr) return;
    for (const PathEdge& edge : additions_->edges) {
      if (!exported(edge.from) || !exported(edge.to)) continue;
      added(edge, true);
      added(edge, false);
      ++id;
    }
  }

  const Model& model_;
  const TraceStore& store_;
  const Interval range_;
  const std::set<TrackIndex>* tracks_;
  const TraceAdditions* additions_;
  const TextSink& sink_;
  Ns base_ns_ = 0;
  bool first_ = true;
  bool wanted_ = true;
  size_t kept_ = 0;  // bytes of both of these
  std::unordered_map<StringId, std::string> quoted_;
  std::unordered_map<StringId, std::string> raw_;
  std::string out_;
};

}  // namespace

bool WriteTrace(const Model& model, const std::vector<SliceIndex>& slices, Interval range,
                const std::set<TrackIndex>* tracks, const TraceAdditions* additions,
                const TextSink& sink) {
  return TraceWriter(model, range, tracks, additions, sink).Write(slices);
}

Result<bool> ExportTrace(const Model& model, const std::vector<SliceIndex>& slices, Interval range,
                         const std::set<TrackIndex>* tracks, const TraceAdditions* additions,
                         const TextSink& sink) {
  if (slices.size() > kMaxExported) {
    return MakeError(errors::kExportTooLarge, {{"slices", slices.size()}});
  }
  return WriteTrace(model, slices, range, tracks, additions, sink);
}

}  // namespace emberline
