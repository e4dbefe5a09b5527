#include "ingest/trace_event/dialect.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/case.h"
#include "base/text.h"
#include "ingest/trace_event/ascend.h"
#include "ingest/trace_event/category.h"
#include "store/recorder.h"

namespace emberline {
namespace {

bool HasMeaning(std::string_view raw) {
  const CategoryMeaning meaning = MeaningOfCategory(raw);
  return meaning.kind != SliceKind::kHostOther || meaning.domain != Domain::kUnknown;
}

// "/device:TPU:0", "/job:worker/replica:0/task:0/device:GPU:0/stream:all".
bool NamesXlaDevice(std::string_view process) {
  return process.starts_with("/device:") ||
         (process.starts_with("/job:") && Contains(process, "/device:"));
}

// Words by which recorders name accelerators, in categories.
bool SoundsLikeDevice(std::string_view category) {
  const std::string lower = LowerText(Beginning(category, 256));
  for (const std::string_view part : {"gpu", "npu", "tpu", "xpu", "hpu", "mlu", "dcu", "mtia",
                                      "kernel", "device", "accelerator"}) {
    if (Contains(lower, part)) return true;
  }
  return false;
}

// A process whose rows a recorder of PyTorch would fill with categories of device work.
bool IsDeviceProcess(const StringPool& strings, const TraceBuilder::Process& process) {
  return (process.device_labels != 0 && process.host_labels == 0) ||
         NamesXlaDevice(strings.Get(process.name));
}

// Old exporters of the autograd profiler wrote no categories, only these two processes.
bool IsAutogradProcess(const StringPool& strings, const TraceBuilder::Process& process) {
  if (!process.pid.is_text) return false;
  const std::string_view pid = strings.Get(process.pid.text);
  return pid == "CPU functions" || pid == "CUDA functions";
}

// Keys beside the events that PyTorch's exporters write, and nobody else.
bool HasPyTorchHeader(const TraceMetadata& metadata) {
  return metadata.schema_version > 0 || !metadata.devices.empty() || metadata.distributed ||
         !metadata.profiler_flags.empty();
}

class DialectFinder {
 public:
  DialectFinder(TraceBuilder* builder, const std::vector<CategoryUse>& uses)
      : b_(*builder), strings_(builder->strings()), uses_(uses), processes_(builder->Processes()) {}

  bool HasSlices() const { return !uses_.empty(); }

  bool IsPyTorch() const {
    if (HasPyTorchHeader(b_.metadata())) return true;
    const bool categories = std::any_of(uses_.begin(), uses_.end(), [&](const CategoryUse& use) {
      return IsPyTorchCategory(strings_.Get(use.raw));
    });
    // unitrace shares one category with PyTorch; its other one gives it away.
    if (categories) return strings_.Find("gpu_op") == kNone || !Uses("gpu_op");
    return std::any_of(processes_.begin(), processes_.end(),
                       [&](const auto& process) { return IsAutogradProcess(strings_, process); });
  }

  bool Uses(std::string_view category) const {
    return std::any_of(uses_.begin(), uses_.end(),
                       [&](const CategoryUse& use) { return strings_.Get(use.raw) == category; });
  }

  // Nothing in a trace of an unknown recorder is device work.
  void Renounce(Problems* problems) {
    for (const TraceBuilder::Process& process : processes_) {
      if (!IsDeviceProcess(strings_, process)) continue;
      TraceBuilder::ProcessRole role;
      role.domain = Domain::kHost;
      b_.SetProcessRole(process.pid, role);
    }
    for (uint32_t row = 0; row < b_.slice_count(); ++row) {
      if (IsDeviceWork(b_.slice_category(row).kind)) b_.SetKind(row, SliceKind::kDerived);
    }
    const std::string name = NameOtherRecorder(b_, uses_);
    problems->Add(ProblemKind::kUnknownRecorder, FirstOffset(), 1,
                  {{"known", name.empty() ? "no" : "yes"}, {"recorder", name}});
  }

  // Slices of a device that no rule knows, in a trace that is PyTorch's otherwise.
  void ReportUnknownDevices(Problems* problems) {
    std::vector<bool> unknown(b_.category_count(), false);
    std::vector<bool> device_category(b_.category_count(), false);
    bool any = false;
    for (uint32_t c = 0; c < unknown.size(); ++c) {
      const std::string_view raw = strings_.Get(b_.category(c).raw);
      unknown[c] = b_.category(c).kind == SliceKind::kHostOther && !HasMeaning(raw);
      device_category[c] = unknown[c] && SoundsLikeDevice(raw);
      any = any || device_category[c];
    }
    std::vector<bool> device_track(b_.track_count(), false);
    std::vector<RecordedId> devices;
    for (const TraceBuilder::Process& process : processes_) {
      if (IsDeviceProcess(strings_, process)) devices.push_back(process.pid);  // in order of pid
    }
    for (TrackIndex t = 0; t < device_track.size(); ++t) {
      device_track[t] = b_.track_domain(t) == Domain::kUnknown &&
                        std::binary_search(devices.begin(), devices.end(), b_.track_pid(t));
      any = any || device_track[t];
    }
    if (!any) return;
    uint64_t count = 0, first_offset = 0;
    std::vector<StringId> names;
    for (uint32_t row = 0; row < b_.slice_count(); ++row) {
      const TrackIndex track = b_.slice_track(row);
      const uint16_t category = b_.slice_category_index(row);
      if (!unknown[category] || b_.track_domain(track) == Domain::kAsync ||
          !(device_track[track] || device_category[category])) {
        continue;
      }
      if (count == 0) first_offset = b_.slice_offset(row);
      ++count;
      const StringId name = b_.category(category).raw;
      if (names.size() < kMaxNames && std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(name);
      }
    }
    if (count == 0) return;
    std::string list;
    for (const StringId name : names) {
      list += (list.empty() ? "" : ", ") +
              (name == 0 ? std::string("none") : "\"" + Shortened(strings_.Get(name), 60) + "\"");
    }
    problems->Add(ProblemKind::kUnknownDeviceWork, first_offset, count, {{"categories", list}});
  }

 private:
  static constexpr size_t kMaxNames = 3;

  uint64_t FirstOffset() const {
    uint64_t first = uses_.empty() ? 0 : uses_[0].first_offset;
    for (const CategoryUse& use : uses_) first = std::min(first, use.first_offset);
    return first;
  }

  TraceBuilder& b_;
  const StringPool& strings_;
  const std::vector<CategoryUse>& uses_;
  const std::vector<TraceBuilder::Process> processes_;
};

}  // namespace

bool IsPyTorchCategory(std::string_view raw) {
  if (!HasMeaning(raw)) return false;
  for (const std::string_view general :
       {"operator", "user", "runtime", "python", "trace", "overhead", "memcpy", "memset"}) {
    if (raw == general) return false;
  }
  return true;
}

std::string NameOtherRecorder(const TraceBuilder& builder, const std::vector<CategoryUse>& uses) {
  const StringPool& strings = builder.strings();
  for (const CategoryUse& use : uses) {
    const std::string_view raw = strings.Get(use.raw);
    if (raw == "gpu_op") return "Intel unitrace";
    if (raw == "FEE") return "VizTracer";
    if (raw == "toplevel" || Contains(raw, "devtools.timeline") || raw == "blink" || raw == "v8") {
      return "Chrome";
    }
  }
  for (const TraceBuilder::Process& process : builder.Processes()) {
    const std::string_view name = strings.Get(process.name);
    if (NamesXlaDevice(name) || name.starts_with("/host:")) return "JAX or TensorFlow (XLA)";
    if (name == "CrBrowserMain" || name == "Renderer" || name == "GPU Process") return "Chrome";
    if (name.starts_with("CPU HIP API") || name.starts_with("CPU HSA API") || name == "COPY") {
      return "rocprof";
    }
  }
  return "";
}

void SettleDialect(TraceBuilder* builder, Problems* problems,
                   const std::vector<CategoryUse>& uses) {
  if (IsAscend(*builder)) return SettleAscend(builder, problems);
  DialectFinder recognition(builder, uses);
  if (!recognition.HasSlices()) return;
  if (recognition.IsPyTorch()) {
    recognition.ReportUnknownDevices(problems);
  } else {
    recognition.Renounce(problems);
  }
}

}  // namespace emberline
