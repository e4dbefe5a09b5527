#include "rpc/views/timeline_export.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "json/json.h"

namespace emberline {
namespace {

constexpr size_t kMaxExported = 500'000;

class TraceWriter {
 public:
  TraceWriter(const Model& model, Interval range)
      : model_(model), store_(model.store()), range_(range) {}

  std::string Write(const std::vector<SliceIndex>& slices) {
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
    if (metadata.distributed && !metadata.distributed->raw.empty()) {
      out_ += "\"distributedInfo\":" + metadata.distributed->raw + ",";
    }
    out_ += "\"traceEvents\":[\n";
    WriteNames(slices);
    for (const SliceIndex i : slices) WriteSlice(i);
    WriteFlows(slices);
    for (const Instant& instant : store_.instants()) {
      if (instant.ts >= range_.begin && instant.ts <= range_.end) WriteInstant(instant);
    }
    out_ += "\n]}\n";
    return std::move(out_);
  }

 private:
  std::string Quoted(std::string_view text) { return DumpJson(Json(std::string(text))); }
  // Names, keys and values repeat, so each is quoted once.
  const std::string& Quoted(StringId id) {
    const auto [it, added] = quoted_.try_emplace(id);
    if (added) it->second = Quoted(store_.strings().Get(id));
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

  void WriteNames(const std::vector<SliceIndex>& slices) {
    std::set<TrackIndex> tracks;
    for (const SliceIndex i : slices) tracks.insert(store_.track(i));
    for (const TrackIndex t : tracks) {
      const Track& track = store_.tracks()[t];
      const auto name = [&](const char* what, const char* key, StringId value) {
        if (value == 0) return;
        Separate();
        out_ += std::string("{\"ph\":\"M\",\"name\":\"") + what + "\",\"pid\":" + Id(track.pid) +
                ",\"tid\":" + Id(track.tid) + ",\"ts\":0,\"args\":{\"" + key +
                "\":" + Quoted(value) + "}}";
      };
      name("process_name", "name", track.process_name);
      name("process_labels", "labels", track.process_labels);
      name("thread_name", "name", track.thread_name);
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
    }
    out_ += it->second;
  }

  void WriteHead(const char* phase, uint16_t category, StringId name, const Track& track, Ns ts) {
    Separate();
    out_ += std::string("{\"ph\":\"") + phase +
            "\",\"cat\":" + Quoted(store_.categories()[category].raw) +
            ",\"name\":" + Quoted(name) + ",\"pid\":" + Id(track.pid) +
            ",\"tid\":" + Id(track.tid) + ",\"ts\":" + Micros(Absolute(ts));
  }

  void WriteSlice(SliceIndex i) {
    WriteHead("X", store_.category(i), store_.name_id(i), store_.tracks()[store_.track(i)],
              store_.start(i));
    out_ += ",\"dur\":" + Micros(store_.duration(i)) + ",\"args\":";
    WriteArgs(store_.Args(i));
    out_ += "}";
  }

  void WriteInstant(const Instant& instant) {
    if (instant.track == kNone) return;
    WriteHead("i", instant.category, instant.name, store_.tracks()[instant.track], instant.ts);
    out_ += std::string(",\"s\":\"") + instant.scope + "\",\"args\":";
    WriteArgs(store_.ArgsAt(instant.args));
    out_ += "}";
  }

  // One arrow for each launch whose work is exported too, and for each forward and backward pair.
  void WriteFlows(const std::vector<SliceIndex>& slices) {
    uint64_t id = 1;
    const auto arrow = [&](const char* name, SliceIndex from, SliceIndex to) {
      for (const bool start : {true, false}) {
        const SliceIndex i = start ? from : to;
        const Track& track = store_.tracks()[store_.track(i)];
        Separate();
        out_ += std::string("{\"ph\":\"") + (start ? "s" : "f") + "\",\"cat\":\"" + name +
                "\",\"name\":\"" + name + "\",\"id\":" + std::to_string(id) +
                ",\"pid\":" + Id(track.pid) + ",\"tid\":" + Id(track.tid) +
                ",\"ts\":" + Micros(Absolute(store_.start(i))) + (start ? "}" : ",\"bp\":\"e\"}");
      }
      ++id;
    };
    const auto exported = [&](SliceIndex i) {
      return i != kNone && std::binary_search(slices.begin(), slices.end(), i);
    };
    for (const SliceIndex i : slices) {
      if (exported(model_.launch[i])) arrow("ac2g", model_.launch[i], i);
    }
    for (const SliceIndex i : slices) {
      if (exported(model_.forward[i])) arrow("fwdbwd", model_.forward[i], i);
    }
  }

  const Model& model_;
  const TraceStore& store_;
  const Interval range_;
  Ns base_ns_ = 0;
  bool first_ = true;
  std::unordered_map<StringId, std::string> quoted_;
  std::unordered_map<StringId, std::string> raw_;
  std::string out_;
};

}  // namespace

Result<std::string> ExportTrace(const Model& model, const std::vector<SliceIndex>& slices,
                                Interval range) {
  if (slices.size() > kMaxExported) {
    return Error{
        ErrorKind::kInvalidArgument,
        "The range holds " + std::to_string(slices.size()) + " slices, too many to export.",
        "Choose a shorter range or fewer tracks.",
        {}};
  }
  return TraceWriter(model, range).Write(slices);
}

}  // namespace emberline
