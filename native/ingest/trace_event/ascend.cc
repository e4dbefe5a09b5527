#include "ingest/trace_event/ascend.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/hash.h"
#include "base/text.h"

namespace emberline {
namespace {

enum class Layer {
  kNone,           // not of this recorder, or host rows whose categories tell all
  kHardware,       // "Ascend Hardware": tasks by stream
  kCommunication,  // "HCCL", later "Communication": collectives, and below them their tasks
  kCann,           // "CANN": calls of the host into the runtime
  kOtherDevice,    // "Overlap Analysis" and the like: what the recorder made of the others
};

// Whether a process is called `word`, perhaps with a number behind it: "Ascend Hardware 0".
bool IsCalled(std::string_view name, std::string_view word) {
  if (!name.starts_with(word)) return false;
  name.remove_prefix(word.size());
  return std::none_of(name.begin(), name.end(),
                      [](unsigned char c) { return std::isalpha(c) != 0 || c >= 0x80; });
}

// "NPU", "NPU 3", "npu:3".
constexpr std::string_view kLabel = "NPU";
bool IsLabeled(std::string_view label) {
  std::string word(label.substr(0, kLabel.size()));
  for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return IsCalled(word.append(label.substr(word.size())), kLabel);
}

bool IsCommunication(std::string_view name) {
  return IsCalled(name, "HCCL") || IsCalled(name, "Communication");
}
bool IsAnalysis(std::string_view name) { return IsCalled(name, "Overlap Analysis"); }

// By the names: not every release writes labels, and not all write the same.
Layer LayerOf(const StringPool& strings, const TraceBuilder::Process& process) {
  const std::string_view name = strings.Get(process.name);
  if (IsCalled(name, "CANN")) return Layer::kCann;
  if (IsCalled(name, "Ascend Hardware")) return Layer::kHardware;
  if (IsCommunication(name)) return Layer::kCommunication;
  if (IsAnalysis(name) || IsLabeled(strings.Get(process.device_labels))) {
    return Layer::kOtherDevice;
  }
  return Layer::kNone;
}

// The recorder packs three numbers into the process id of a layer: that of the real process, the
// layer's place in its list, which is also the sort index, and the device. Older ones write
// "<place>_<device>".
constexpr int kDeviceBits = 5;
constexpr int kPlaceBits = 5;

struct Packed {
  int64_t process = -1;
  int64_t device = -1;
  auto operator<=>(const Packed&) const = default;
};

std::optional<int64_t> NumberOf(std::string_view text) {
  if (text.empty()) return std::nullopt;
  int64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || number > 1'000'000) return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number;
}

std::optional<Packed> UnpackId(const StringPool& strings, const TraceBuilder::Process& process) {
  if (process.pid.is_text) {
    const std::string_view text = strings.Get(process.pid.text);
    const size_t bar = text.rfind('_');
    const auto device =
        bar == std::string_view::npos ? std::nullopt : NumberOf(text.substr(bar + 1));
    return device ? std::optional(Packed{-1, *device}) : std::nullopt;
  }
  const int64_t pid = process.pid.number;
  constexpr int64_t kPlaceMask = (1 << kPlaceBits) - 1;
  if (pid < int64_t{1} << (kDeviceBits + kPlaceBits)) return std::nullopt;
  if (((pid >> kDeviceBits) & kPlaceMask) != (process.sort_index & kPlaceMask)) return std::nullopt;
  return Packed{pid >> (kDeviceBits + kPlaceBits), pid & ((1 << kDeviceBits) - 1)};
}

// The same; where the label says which device it is, that one.
std::optional<Packed> Unpack(const StringPool& strings, const TraceBuilder::Process& process) {
  std::optional<Packed> packed = UnpackId(strings, process);
  const std::string_view label = strings.Get(process.device_labels);
  if (!IsLabeled(label)) return packed;
  const size_t digits = label.find_first_of("0123456789");
  const auto number = NumberOf(label.substr(std::min(digits, label.size())));
  if (number) packed = Packed{packed ? packed->process : -1, *number};
  return packed;
}

bool ContainsAny(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return Contains(text, part); });
}

// Upper case without blanks and lines: releases spell one type "NOTIFY_WAIT" and "Notify Wait".
std::string Squeezed(std::string_view text) {
  constexpr size_t kLongest = 64;
  std::string out;
  for (const char c : text.substr(0, kLongest)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

// Ranges around tasks, which have no type themselves.
bool IsIteration(std::string_view name) {
  return IsCalled(name, "Iteration") || IsCalled(name, "Step") || IsCalled(name, "ProfilerStep");
}

class Settling {
 public:
  Settling(TraceBuilder* builder, Problems* problems)
      : b_(*builder),
        problems_(*problems),
        task_type_(b_.strings().Find("Task Type")),
        part_type_(b_.strings().Find("task type")),
        connection_(b_.strings().Find("connection_id")) {}

  void Run() {
    PlaceProcesses();
    FindCollectives();
    const uint32_t rows = b_.slice_count();
    for (uint32_t row = 0; row < rows; ++row) Settle(row);
  }

 private:
  struct IdHash {
    size_t operator()(const RecordedId& id) const {
      return HashPair(id.is_text ? 1 : 0,
                      id.is_text ? uint64_t{id.text} : static_cast<uint64_t>(id.number));
    }
  };

  void PlaceProcesses() {
    const StringPool& strings = b_.strings();
    const std::vector<TraceBuilder::Process> processes = b_.Processes();
    std::vector<Packed> devices;  // one per "Ascend Hardware"
    const TraceBuilder::Process* host = nullptr;
    std::unordered_set<int64_t, NumberHash> hosts;
    for (const TraceBuilder::Process& process : processes) {
      const Layer layer = LayerOf(strings, process);
      layers_.emplace(process.pid, layer);
      if (layer == Layer::kHardware) devices.push_back(Unpack(strings, process).value_or(Packed{}));
      if (layer == Layer::kNone && !process.pid.is_text) {
        if (host == nullptr || strings.Get(process.name) == "Python") host = &process;
        hosts.insert(process.pid.number);
      }
    }
    std::sort(devices.begin(), devices.end());
    devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
    std::unordered_set<int64_t, NumberHash> numbers;
    for (const Packed& device : devices) numbers.insert(device.device);
    const bool numbered = numbers.size() == devices.size();
    for (const TraceBuilder::Process& process : processes) {
      const Layer layer = layers_.at(process.pid);
      if (layer == Layer::kNone) continue;
      const std::optional<Packed> packed = Unpack(strings, process);
      TraceBuilder::ProcessRole role;
      if (layer == Layer::kCann) {
        role.domain = Domain::kHost;
        if (packed && hosts.count(packed->process) != 0) {
          role.threads_of = RecordedId{false, packed->process, 0};
        } else if (host != nullptr && hosts.size() == 1) {
          role.threads_of = host->pid;
        }
      } else {
        role.domain = Domain::kDevice;
        role.layer = layer != Layer::kHardware;
        role.device = Ordinal(packed, devices, numbered);
        if (process.device_labels == 0) {
          b_.SetProcessText(process.pid, "process_labels", b_.strings().Intern(kLabel));
        }
      }
      b_.SetProcessRole(process.pid, role);
    }
  }

  // The recorded device. Traces of several machines may be merged into one file: devices that
  // share a number are counted through instead. `numbered`: all numbers differ.
  static int64_t Ordinal(const std::optional<Packed>& packed, const std::vector<Packed>& devices,
                         bool numbered) {
    if (!packed) return devices.empty() ? 0 : std::max<int64_t>(devices[0].device, 0);
    const auto at = std::lower_bound(devices.begin(), devices.end(), *packed);
    const bool known = at != devices.end() && *at == *packed;
    return numbered || !known ? packed->device : at - devices.begin();
  }

  // Per track, found once.
  struct TrackFacts {
    Layer layer = Layer::kNone;
    bool plane = false;  // a row of tasks below the row of collectives
  };
  const TrackFacts& FactsOf(TrackIndex track) {
    if (facts_.empty()) {
      for (TrackIndex t = 0; t < b_.track_count(); ++t) {
        const auto layer = layers_.find(b_.track_pid(t));
        const std::string_view thread = b_.strings().Get(b_.track_thread_name(t));
        facts_.push_back(
            {layer == layers_.end() ? Layer::kNone : layer->second, thread.starts_with("Plane")});
      }
    }
    return facts_[track];
  }

  std::optional<int64_t> Connection(uint32_t row) const {
    if (connection_ == kNone) return std::nullopt;
    const auto value = b_.args().Find(b_.slice_args(row), connection_);
    if (!value) return std::nullopt;
    const int64_t* number = std::get_if<int64_t>(&value->v);
    return number == nullptr ? std::nullopt : std::optional(*number);
  }
  std::string_view Text(uint32_t row, StringId key) const {
    if (key == kNone) return {};
    const auto value = b_.args().Find(b_.slice_args(row), key);
    const ArgValue::Text* text = value ? std::get_if<ArgValue::Text>(&value->v) : nullptr;
    return text == nullptr ? std::string_view() : b_.strings().Get(text->id);
  }

  bool IsCollective(uint32_t row) {
    const TrackFacts& facts = FactsOf(b_.slice_track(row));
    return facts.layer == Layer::kCommunication && !facts.plane && Text(row, part_type_).empty();
  }

  // Tasks on the device carry the connection of the collective that they are a part of.
  void FindCollectives() {
    for (uint32_t row = 0; row < b_.slice_count(); ++row) {
      if (!IsCollective(row)) continue;
      if (const auto connection = Connection(row)) collectives_.insert(*connection);
    }
  }

  void Settle(uint32_t row) {
    if (b_.slice_category(row).kind != SliceKind::kHostOther) return;
    switch (FactsOf(b_.slice_track(row)).layer) {
      case Layer::kNone:
        return;
      case Layer::kCann:
        return b_.SetKind(row, SliceKind::kRuntime);
      case Layer::kCommunication:
        return b_.SetKind(row, IsCollective(row) ? SliceKind::kCommunication : SliceKind::kDerived);
      case Layer::kOtherDevice:
        return b_.SetKind(row, SliceKind::kDerived);
      case Layer::kHardware:
        return SettleTask(row);
    }
  }

  void SettleTask(uint32_t row) {
    const std::string_view type = Text(row, task_type_);
    const std::string_view name = b_.strings().Get(b_.slice_name(row));
    SliceKind kind = SliceKind::kDerived;
    if (!type.empty() || !IsIteration(name)) {
      if (!type.empty()) kind = KindOfAscendTask(type, name);
      if (type.empty() || kind == SliceKind::kHostOther) {
        problems_.Add(ProblemKind::kUnknownTask, b_.slice_offset(row));
        kind = SliceKind::kDerived;
      }
    }
    if (IsDeviceWork(kind) && !collectives_.empty()) {
      const auto connection = Connection(row);
      if (connection && collectives_.count(*connection) != 0) kind = SliceKind::kDerived;
    }
    b_.SetKind(row, kind);
  }

  TraceBuilder& b_;
  Problems& problems_;
  const StringId task_type_, part_type_, connection_;
  std::unordered_map<RecordedId, Layer, IdHash> layers_;
  std::vector<TrackFacts> facts_;                        // by provisional track
  std::unordered_set<int64_t, NumberHash> collectives_;  // by connection
};

}  // namespace

SliceKind KindOfAscendTask(std::string_view task_type, std::string_view name) {
  const std::string type = Squeezed(task_type);
  if (ContainsAny(type, {"EVENT", "NOTIFY", "WAIT", "RECORD", "WRITEVALUE"})) {
    return SliceKind::kSync;
  }
  // Cores, the random number unit and the image units: AI_CORE, MIX_AIC, KERNEL_AIVEC, AI_CPU, ...
  if (ContainsAny(type, {"AIC", "AIV", "CUBE", "DSA", "VPC", "JPEG", "DVPP"})) {
    return SliceKind::kKernel;
  }
  if (ContainsAny(type, {"DMA", "MEMCPY"})) return SliceKind::kMemcpy;
  if (Contains(type, "MEMSET")) return SliceKind::kMemset;
  if (Contains(type, "PLACEHOLDER")) {
    return Contains(Squeezed(name), "EVENT") ? SliceKind::kSync : SliceKind::kDerived;
  }
  // Tasks that steer others or hold them.
  if (ContainsAny(type, {"PROFIL", "FFTS", "MODEL", "STREAM", "GRAPH", "CMO", "LABEL", "COND",
                         "TIMEOUT", "DUMP", "FLIP", "MAINT"})) {
    return SliceKind::kDerived;
  }
  return SliceKind::kHostOther;
}

bool IsAscend(const TraceBuilder& builder) {
  const StringPool& strings = builder.strings();
  bool ascend = false, communication = false, analysis = false, labeled = false;
  for (const TraceBuilder::Process& process : builder.Processes()) {
    const std::string_view name = strings.Get(process.name);
    ascend = ascend || IsCalled(name, "Ascend Hardware") || IsCalled(name, "CANN");
    communication = communication || IsCommunication(name);
    analysis = analysis || IsAnalysis(name);
    labeled = labeled || IsLabeled(strings.Get(process.device_labels));
  }
  return ascend || (communication && analysis) || ((communication || analysis) && labeled);
}

void SettleAscend(TraceBuilder* builder, Problems* problems) { Settling(builder, problems).Run(); }

}  // namespace emberline
