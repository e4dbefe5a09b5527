#include "analysis/findings.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "analysis/findings_internal.h"
#include "analysis/memory.h"
#include "analysis/messages.h"
#include "base/parallel.h"
#include "model/names.h"
#include "store/recorder.h"

namespace emberline {
namespace {

// Thresholds of the plugin's advice.
constexpr double kDataLoading = 0.05;
constexpr double kCommunication = 0.1;
constexpr double kLowUtilization = 0.5;
constexpr double kNearCapacity = 0.9;
constexpr size_t kMaxDevicesNamed = 64;
// Below this share, mixed precision would not show (B46: the plugin advises at 0 % too).
constexpr double kMinEligible = 0.05;

// "0", "0 and 1", "0, 1 and 2" (B22).
std::string ListText(const std::vector<std::string>& items) {
  std::string out;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += i + 1 == items.size() ? " and " : ", ";
    out += items[i];
  }
  return out;
}

// What host ranges and operators of the trace tell, found in one pass.
struct Seen {
  bool data_parallel = false;
  bool distributed = false;
  bool gloo = false;
  bool nccl = false;
  std::vector<SliceIndex> loader;  // longest data loader ranges in the selected steps
  SliceIndex data_parallel_slice = kNone;
};

Seen Look(const Model& model, const StepSelection& selection) {
  const TraceStore& s = model.store();
  Seen seen;
  std::vector<uint8_t> known(s.strings().size(),
                             0xff);  // bits 0-3: RangeKind, bit 4 gloo, bit 5 nccl
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    const SliceKind kind = s.kind(i);
    if (kind != SliceKind::kCpuOp && kind != SliceKind::kUserAnnotation) {
      if (model.is_communication[i]) seen.nccl = true;
      continue;
    }
    uint8_t& bits = known[s.name_id(i)];
    if (bits == 0xff) {
      const std::string_view library = CollectiveLibrary(s.name(i));
      bits = static_cast<uint8_t>(static_cast<uint8_t>(ClassifyRange(s.name(i))) |
                                  (library == "gloo" ? 16 : 0) |
                                  (library == "nccl" || library == "rccl" ? 32 : 0));
    }
    switch (static_cast<RangeKind>(bits & 15)) {
      case RangeKind::kDataParallel:
        seen.data_parallel = true;
        seen.data_parallel_slice = i;
        break;
      case RangeKind::kDistributedDataParallel:
        seen.distributed = true;
        break;
      case RangeKind::kDataLoader:
        if (selection.Contains(model.step[i])) seen.loader.push_back(i);
        break;
      default:
        break;
    }
    seen.gloo = seen.gloo || (bits & 16) != 0;
    seen.nccl = seen.nccl || (bits & 32) != 0;
  }
  std::stable_sort(seen.loader.begin(), seen.loader.end(),
                   [&](SliceIndex a, SliceIndex b) { return s.duration(a) > s.duration(b); });
  if (seen.loader.size() > 20) seen.loader.resize(20);
  return seen;
}

double Average(const Overview& overview, Role role) {
  return overview.steps.average_ns[static_cast<size_t>(role)];
}

void AddDataLoading(const Overview& overview, const Seen& seen, const Model& model,
                    std::vector<Finding>* findings) {
  const double total = overview.steps.average_total_ns;
  if (total <= 0) return;
  const double share = Average(overview, Role::kDataLoader) / total;
  if (share <= kDataLoading) return;
  const MessageArg span = SpanArg(model);
  Finding f =
      MakeFinding(messages::kDataLoading, "warning",
                  {span, {"share", share, Unit::kRatio}, {"device", DeviceWordsFor(model).name}});
  const double waiting_us = Average(overview, Role::kDataLoader) / 1000.0;
  f.evidence = {{Say(messages::kShareOfSpan, {span}), share, Unit::kRatio},
                {Say(messages::kWaiting, {span}), waiting_us, Unit::kUs}};
  f.gain_us = waiting_us;
  f.slices = seen.loader;
  if (!seen.loader.empty()) {
    if (auto frame = UserFrameOf(model, seen.loader.front())) f.frames.push_back(std::move(*frame));
  }
  findings->push_back(std::move(f));
}

void AddDataParallel(const Model& model, const Seen& seen, std::vector<Finding>* findings) {
  if (!seen.data_parallel || model.devices.size() < 2) return;
  const size_t devices = model.devices.size();
  Finding f = MakeFinding(messages::kDataParallel, "warning",
                          {{"device", DeviceWordsFor(model).name}, {"devices", devices}});
  f.evidence = {{Say(messages::kDevices), static_cast<double>(devices), Unit::kCount}};
  f.slices = {seen.data_parallel_slice};
  findings->push_back(std::move(f));
}

void AddBackend(const Model& model, const Overview& overview, const Seen& seen,
                std::vector<Finding>* findings) {
  // Only when Gloo was seen to work (B69), on a device that NCCL serves (compute capability 3.5
  // up).
  if (!seen.distributed || !seen.gloo || seen.nccl || overview.vendor != Vendor::kNvidia) return;
  const bool able =
      std::any_of(model.store().metadata().devices.begin(), model.store().metadata().devices.end(),
                  [](const DeviceProperties& p) {
                    return p.compute_major > 3 || (p.compute_major == 3 && p.compute_minor >= 5);
                  });
  if (able) findings->push_back(MakeFinding(messages::kBackend, "warning"));
}

void AddCommunication(const Model& model, const Overview& overview,
                      std::vector<Finding>* findings) {
  const double total = overview.steps.average_total_ns;
  if (total <= 0) return;
  const double share = Average(overview, Role::kCommunication) / total;
  if (share <= kCommunication) return;
  const MessageArg span = SpanArg(model);
  Finding f =
      MakeFinding(messages::kCommunication, "warning", {span, {"share", share, Unit::kRatio}});
  const double exposed_us = Average(overview, Role::kCommunication) / 1000.0;
  f.evidence = {{Say(messages::kShareOfSpan, {span}), share, Unit::kRatio},
                {Say(messages::kExposed, {span}), exposed_us, Unit::kUs}};
  f.gain_us = exposed_us;
  findings->push_back(std::move(f));
}

// What fills most of an average step beside kernels, which names the cause.
std::pair<Role, double> LargestOther(const Overview& overview) {
  Role cause = Role::kOther;
  double most = 0;
  for (Role role : {Role::kMemcpy, Role::kCommunication, Role::kRuntime, Role::kDataLoader,
                    Role::kCpuExec, Role::kOther}) {
    if (Average(overview, role) > most) {
      most = Average(overview, role);
      cause = role;
    }
  }
  const double total = overview.steps.average_total_ns;
  return {cause, total > 0 ? most / total : 0};
}

void AddUtilization(const Model& model, const Overview& overview, std::vector<Finding>* findings) {
  std::vector<std::string> low;
  std::vector<Evidence> evidence;
  size_t more = 0;  // beyond what a reader takes in
  for (const GpuSummary& gpu : overview.gpus) {
    if (!gpu.utilization || *gpu.utilization >= kLowUtilization) continue;
    if (low.size() == kMaxDevicesNamed) {
      ++more;
      continue;
    }
    low.push_back(gpu.label);
    evidence.push_back(
        {Say(messages::kUtilizationOf, {{"label", gpu.label}}), *gpu.utilization, Unit::kRatio});
  }
  if (low.empty()) return;
  const size_t count = low.size() + more;
  if (more > 0) low.push_back(Say(messages::kMoreDevices, {{"count", more}}).text);
  const DeviceWords device = DeviceWordsFor(model, overview.vendor);
  const MessageArg span = SpanArg(model);
  const auto [role, share] = LargestOther(overview);
  const MessageArg role_title("role", RoleTitle(role).text.text());
  Finding f = MakeFinding(messages::kLowUtilization, "warning",
                          {span,
                           {"device", device.name},
                           {"graph", device.graph},
                           {"devices", ListText(low)},
                           {"count", count},
                           {"utilization", evidence[0].value, Unit::kRatio},
                           {"rest", share <= 0             ? "none"
                                    : role == Role::kOther ? "unrecorded"
                                                           : "role"},
                           {"restShare", share, Unit::kRatio},
                           role_title});
  f.evidence = std::move(evidence);
  if (share > 0) {
    f.evidence.push_back({Say(messages::kRoleShare, {role_title, span}), share, Unit::kRatio});
  }
  findings->push_back(std::move(f));
}

void AddMixedPrecision(const Model& model, const Overview& overview,
                       std::vector<Finding>* findings) {
  if (!overview.tensor_core_share || *overview.tensor_core_share > 0) return;
  // Kernels whose names do not tell may have used them.
  const double eligible = overview.tensor_core_eligible_share.value_or(0) -
                          overview.tensor_core_unknown_share.value_or(0);
  if (eligible < kMinEligible) return;
  // Matrix units: NVIDIA since compute capability 7, AMD's compute devices (64 lanes wide). For
  // others the names say nothing (B46).
  const auto& devices = model.store().metadata().devices;
  const bool able = std::any_of(devices.begin(), devices.end(), [&](const DeviceProperties& p) {
    return overview.vendor == Vendor::kNvidia
               ? p.compute_major >= 7
               : overview.vendor == Vendor::kAmd && p.warp_size == 64;
  });
  if (!able) return;
  const DeviceWords device = DeviceWordsFor(model, overview.vendor);
  const MessageArg matrix("matrix", device.matrix);
  Finding f = MakeFinding(messages::kMixedPrecision, "info",
                          {{"maker", overview.vendor == Vendor::kAmd ? "amd" : "nvidia"},
                           matrix,
                           {"torch", device.torch},
                           {"share", eligible, Unit::kRatio}});
  f.evidence = {{Say(messages::kEligible), eligible, Unit::kRatio},
                {Say(messages::kOnTensorCores, {matrix}), 0.0, Unit::kRatio}};
  findings->push_back(std::move(f));
}

// The first device whose peak comes near its memory; the CPU and unknown devices are skipped (B20,
// B21).
void AddMemory(const Model& model, std::vector<Finding>* findings) {
  const TraceStore& s = model.store();
  struct Peak {
    int32_t type, id;
    int64_t bytes;
  };
  std::vector<Peak> peaks;  // in order of appearance
  for (const MemoryRecord& record : s.memory()) {
    if (record.device_type == 0 || record.device_id < 0 || record.total_allocated < 0) continue;
    auto it = std::find_if(peaks.begin(), peaks.end(), [&](const Peak& p) {
      return p.type == record.device_type && p.id == record.device_id;
    });
    if (it == peaks.end()) {
      if (peaks.size() >= 64) continue;
      it = peaks.insert(peaks.end(), {record.device_type, record.device_id, 0});
    }
    it->bytes = std::max(it->bytes, record.total_allocated);
  }
  for (const auto& [type, device, peak] : peaks) {
    const auto& devices = s.metadata().devices;
    const auto properties =
        std::find_if(devices.begin(), devices.end(),
                     [d = device](const DeviceProperties& p) { return p.id == d; });
    if (properties == devices.end() || properties->total_global_mem <= 0) continue;
    const double share =
        static_cast<double>(peak) / static_cast<double>(properties->total_global_mem);
    if (share <= kNearCapacity) continue;
    Finding f = MakeFinding(messages::kMemoryNearCapacity, "warning",
                            {{"label", MemoryDeviceNames(model).Of(type, device)},
                             {"share", share, Unit::kRatio},
                             {"memory", properties->total_global_mem, Unit::kBytes}});
    f.evidence = {{Say(messages::kShareOfMemory), share, Unit::kRatio},
                  {Say(messages::kPeakAllocated), static_cast<double>(peak), Unit::kBytes}};
    findings->push_back(std::move(f));
    return;
  }
}

}  // namespace

Finding MakeFinding(const FindingText& text, const char* severity, MessageArgs arguments) {
  Finding finding;
  finding.id = text.id;
  finding.severity = severity;
  finding.title = text.title.Format(arguments);
  finding.text = text.text.Format(arguments);
  finding.action = text.action.Format(arguments);
  finding.snippet = text.snippet.Format(arguments);
  finding.arguments = std::move(arguments);
  return finding;
}

std::vector<Finding> FindFindings(const Model& model, const StepSelection& selection,
                                  const Overview& overview, const CancelToken& cancel) {
  std::vector<Finding> findings;
  if (model.store().slice_count() == 0 || cancel.cancelled()) return findings;
  std::vector<Finding> further;
  RunAll(
      model.store().slice_count() >= kManyRows,
      [&] {
        const Seen seen = Look(model, selection);
        AddDataLoading(overview, seen, model, &findings);
        AddDataParallel(model, seen, &findings);
        AddBackend(model, overview, seen, &findings);
        AddCommunication(model, overview, &findings);
        // Of a cut file, device work may be in the missing part.
        if (!IsIncomplete(model.store())) AddUtilization(model, overview, &findings);
        AddMixedPrecision(model, overview, &findings);
        AddMemory(model, &findings);
        AddLostTime(model, selection, overview, &findings);
      },
      [&] { AddFurtherFindings(model, selection, overview, cancel, &further); });
  findings.insert(findings.end(), std::make_move_iterator(further.begin()),
                  std::make_move_iterator(further.end()));
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    const bool wa = a.severity == "warning", wb = b.severity == "warning";
    if (wa != wb) return wa;
    return a.gain_us.value_or(0) > b.gain_us.value_or(0);
  });
  return findings;
}

}  // namespace emberline
