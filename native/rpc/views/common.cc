#include "rpc/views/common.h"

#include <algorithm>

#include "base/text.h"
#include "json/message_json.h"
#include "rpc/errors.h"
#include "rpc/params.h"
#include "store/recorder.h"

namespace emberline {
namespace {

constexpr size_t kMaxFrameText = 4 << 10;  // bytes of a path or function in one frame

}  // namespace

Json FrameJson(const Frame& frame) {
  return {{"file", Shortened(frame.file, kMaxFrameText)},
          {"line", frame.line},
          {"function", Shortened(frame.function, kMaxFrameText)},
          {"lineIsDefinition", frame.line_is_definition},
          {"library", frame.library}};
}

Result<SliceIndex> SliceOf(const ViewRequest& request) {
  const int64_t slice = IntegerParam(request.params, "slice", -1);
  if (slice < 0 || slice >= request.trace.store->slice_count()) {
    return MakeError(errors::kNoSuchSlice, {{"slice", slice}});
  }
  return static_cast<SliceIndex>(slice);
}

Json SliceRefJson(const TraceStore& store, SliceIndex slice, size_t max_name_bytes) {
  return {{"slice", slice},
          {"name", Shortened(store.name(slice), max_name_bytes)},
          {"startNs", store.start(slice)},
          {"durationNs", store.duration(slice)},
          {"track", store.track(slice)},
          {"lane", store.depth(slice)}};
}

Json AbsenceJson(const AbsenceText& absence, MessageArgs args) {
  return {{"what", absence.what.Format(args)},
          {"code", absence.code},
          {"arguments", ArgumentsJson(args)},
          {"argument", absence.argument},
          {"snippet", absence.snippet}};
}

Json NoKernelsJson(const ViewRequest& request) {
  const Result<bool> device = HasDeviceWork(request);
  const bool elsewhere = !request.steps.all && device.ok() && *device;
  return AbsenceJson(elsewhere ? messages::kNoKernelsInSteps : messages::kNoKernels);
}

namespace {

// Whether a whole trace could have held what is absent; sources lie beside it.
bool CouldBeInTrace(const Json& absence) {
  const std::string code = absence.value("code", "");
  return code != messages::kNoSources.code && code != messages::kUnknownCells.code &&
         code != messages::kManyMemoryDevices.code && code != messages::kDeviceWorkUnknown.code;
}

void RemoveAdvice(Json* absence) {
  (*absence)["argument"] = "";
  (*absence)["snippet"] = "";
}

}  // namespace

void DropMisplacedAdvice(const TraceStore& store, Json* result) {
  if (!result->is_object() || !result->contains("absences")) return;
  const bool cut = IsIncomplete(store), foreign = IsOfOtherRecorder(store);
  if (!cut && !foreign) return;
  if (foreign) {
    for (Json& absence : (*result)["absences"]) {
      if (!CouldBeInTrace(absence)) continue;
      const bool no_kernels = absence.value("code", "") == messages::kNoKernels.code;
      if (no_kernels) absence = AbsenceJson(messages::kDeviceWorkUnknown);
      RemoveAdvice(&absence);
    }
  }
  if (cut) DropAdvice(messages::kMayBeCut, {}, result);
}

void DropAdvice(const Sentence& sentence, const MessageArgs& arguments, Json* result) {
  size_t absences = 0;
  Json* last = nullptr;
  for (Json& absence : (*result)["absences"]) {
    if (!CouldBeInTrace(absence)) continue;
    RemoveAdvice(&absence);
    last = &absence;
    ++absences;
  }
  if (last == nullptr) return;
  MessageArgs all = arguments;
  all.emplace_back("what", (*last)["what"].get<std::string>());
  all.emplace_back("absences", absences);
  (*last)["what"] = Say(sentence, std::move(all)).text;
}

Json NoMemoryJson(const TraceStore& store) {
  const auto& flags = store.metadata().profiler_flags;
  const auto it = flags.find("profile_memory");
  const bool asked = it != flags.end() && it->second;
  return AbsenceJson(asked ? messages::kSilentAllocator : messages::kNoAllocations);
}

Result<TensorCoreRules> RulesOf(const ViewRequest& request) {
  const auto vendor = request.trace.results.Get<Vendor>(
      "vendor", request.cancel, [&] { return VendorOf(*request.trace.model); });
  if (!vendor.ok()) return vendor.error();
  TensorCoreRules rules(**vendor);
  const auto own = request.params.find("tensorCoreRules");
  if (own != request.params.end() && own->is_array()) {
    for (const Json& rule : *own) {
      if (!rule.is_string()) continue;
      const Result<bool> added = rules.Add(rule.get_ref<const std::string&>());
      if (!added.ok()) return added.error();
    }
  }
  return rules;
}

Table Shortened(Table table) {
  constexpr size_t kMaxRows = 200, kMaxBytes = 48 << 10;
  size_t rows = 0, bytes = 0;
  for (; rows < table.rows.size() && rows < kMaxRows; ++rows) {
    for (const Cell& cell : table.rows[rows]) {
      const auto* text = std::get_if<std::string>(&cell);
      bytes += 30 + (text != nullptr ? text->size() : 0);
    }
    if (bytes > kMaxBytes && rows > 0) break;
  }
  table.rows.resize(rows);
  return table;
}

Json RingJson(const ViewRequest& request, std::vector<std::pair<StringId, Ns>> parts,
              size_t max_bytes) {
  constexpr int64_t kDefaultTop = 10, kMaxTop = 200;
  const auto top = static_cast<size_t>(
      std::clamp<int64_t>(request.params.value("topN", kDefaultTop), 1, kMaxTop));
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  Json ring = Json::array();
  size_t bytes = 0;
  for (const auto& [name_id, time] : parts) {
    if (ring.size() >= top || time <= 0) break;
    const std::string name = Shortened(request.trace.store->strings().Get(name_id), max_bytes);
    bytes += name.size() + name.size() / 16 + 40;
    if (bytes > max_bytes && !ring.empty()) break;
    ring.push_back({{"name", name}, {"us", Us(time)}});
  }
  return ring;
}

size_t KeptJson::MemoryBytes() const {
  // A value takes sixteen bytes, and a text or a list a block of its own.
  struct {
    size_t operator()(const Json& value) const {
      constexpr size_t kValue = sizeof(Json);
      size_t bytes = kValue;
      if (value.is_string()) {
        return bytes + sizeof(std::string) + value.get_ref<const std::string&>().capacity();
      }
      if (value.is_object()) {
        for (const auto& [key, member] : value.get_ref<const Json::object_t&>()) {
          bytes += sizeof(std::string) + key.capacity() + (*this)(member);
        }
      }
      if (value.is_array()) {
        for (const Json& item : value) bytes += (*this)(item);
      }
      return bytes;
    }
  } size;
  return size(json);
}

Result<std::shared_ptr<const StackIds>> StacksOf(const ViewRequest& request) {
  return request.trace.results.Get<StackIds>("stackIds", request.cancel,
                                             [&] { return StackIds(*request.trace.model); });
}

Result<std::shared_ptr<const MemoryData>> MemoryOf(const ViewRequest& request) {
  return request.trace.results.Get<MemoryData>("memory", request.cancel, [&] {
    return AnalyzeMemory(*request.trace.model, request.cancel);
  });
}

Result<bool> HasDeviceWork(const ViewRequest& request) {
  const auto found = request.trace.results.Get<bool>("hasDeviceWork", request.cancel, [&] {
    const TraceStore& store = *request.trace.store;
    for (SliceIndex i = 0; i < store.slice_count(); ++i) {
      if (IsDeviceWork(store.kind(i))) return true;
    }
    return false;
  });
  if (!found.ok()) return found.error();
  return **found;
}

std::string DeviceKindOf(const Model& model) {
  const bool known = !model.devices.empty() && !model.devices.front().kind.empty();
  return known ? model.devices.front().kind : "GPU";
}

std::string StepsKey(const ViewRequest& request) {
  const StepSelection& steps = request.steps;
  return steps.all ? "all" : std::to_string(steps.first) + "-" + std::to_string(steps.last);
}

std::string SelectionKey(const ViewRequest& request) {
  std::string key = StepsKey(request);
  const auto own = request.params.find("tensorCoreRules");
  if (own != request.params.end() && own->is_array() && !own->empty()) key += "/" + DumpJson(*own);
  return key;
}

}  // namespace emberline
