#include "analysis/findings.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "analysis/findings_internal.h"
#include "analysis/memory.h"
#include "model/names.h"

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

std::string Gigabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GB", bytes / (1024.0 * 1024.0 * 1024.0));
  return text;
}

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
  Finding f;
  f.id = "dataLoading";
  f.severity = "warning";
  const SpanWords words = WordsFor(model);
  f.title = words.wait + " for the data loader";
  f.text = Percent(share) + " of " + words.step + " time is spent waiting for input data.";
  f.evidence = {
      {"Share of the " + words.step, share, Unit::kRatio},
      {"Waiting" + words.per_step, Average(overview, Role::kDataLoader) / 1000.0, Unit::kUs}};
  f.action =
      "Load in the background: give the DataLoader more worker processes, keep them alive between "
      "epochs, and pin its memory when it feeds " +
      std::string(DeviceWordsFor(model).name == "GPU" ? "a GPU." : "a device.");
  f.snippet =
      "DataLoader(dataset, batch_size=..., num_workers=4, pin_memory=True, "
      "persistent_workers=True)";
  f.gain_us = Average(overview, Role::kDataLoader) / 1000.0;
  f.slices = seen.loader;
  if (!seen.loader.empty()) {
    if (auto frame = UserFrameOf(model, seen.loader.front())) f.frames.push_back(std::move(*frame));
  }
  findings->push_back(std::move(f));
}

void AddDataParallel(const Model& model, const Seen& seen, std::vector<Finding>* findings) {
  if (!seen.data_parallel || model.devices.size() < 2) return;
  Finding f;
  f.id = "dataParallel";
  f.severity = "warning";
  const std::string device = DeviceWordsFor(model).name;
  f.title = "DataParallel runs all " + device + "s from one process";
  f.text = "DataParallel ran on " + std::to_string(model.devices.size()) +
           " devices. One process feeds all of them and copies the model every step.";
  f.evidence = {{"Devices", static_cast<double>(model.devices.size()), Unit::kCount}};
  f.action =
      "Use DistributedDataParallel with one process per " + device + ", even on a single machine.";
  f.snippet = "model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[local_rank])";
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
  if (!able) return;
  Finding f;
  f.id = "backend";
  f.severity = "warning";
  f.title = "Gloo is used instead of NCCL";
  f.text =
      "DistributedDataParallel communicates through Gloo, which moves GPU data through the host.";
  f.action = "Use the NCCL backend for GPU training.";
  f.snippet = "torch.distributed.init_process_group(backend=\"nccl\")";
  findings->push_back(std::move(f));
}

void AddCommunication(const Model& model, const Overview& overview,
                      std::vector<Finding>* findings) {
  const double total = overview.steps.average_total_ns;
  if (total <= 0) return;
  const double share = Average(overview, Role::kCommunication) / total;
  if (share <= kCommunication) return;
  Finding f;
  f.id = "communication";
  f.severity = "warning";
  const SpanWords words = WordsFor(model);
  f.title = words.wait + " for communication";
  f.text =
      Percent(share) + " of " + words.step + " time is communication not overlapped with compute.";
  f.evidence = {
      {"Share of the " + words.step, share, Unit::kRatio},
      {"Exposed" + words.per_step, Average(overview, Role::kCommunication) / 1000.0, Unit::kUs}};
  f.action =
      "Communicate less data, or less often: compress gradients, accumulate them over several "
      "batches, or use a larger batch. The last two increase the effective batch size, so check "
      "convergence and consider an optimizer for large batches such as LAMB.";
  f.snippet =
      "from torch.distributed.algorithms.ddp_comm_hooks import default_hooks\n"
      "model.register_comm_hook(state=None, hook=default_hooks.bf16_compress_hook)";
  f.gain_us = Average(overview, Role::kCommunication) / 1000.0;
  findings->push_back(std::move(f));
}

void AddUtilization(const Model& model, const Overview& overview, std::vector<Finding>* findings) {
  std::vector<std::string> low;
  size_t more = 0;  // beyond what a reader takes in
  Finding f;
  for (const GpuSummary& gpu : overview.gpus) {
    if (!gpu.utilization || *gpu.utilization >= kLowUtilization) continue;
    if (low.size() == kMaxDevicesNamed) {
      ++more;
      continue;
    }
    low.push_back(gpu.label);
    f.evidence.push_back({"Utilization of " + gpu.label, *gpu.utilization, Unit::kRatio});
  }
  if (low.empty()) return;
  if (more > 0) low.push_back(std::to_string(more) + " more");
  f.id = "lowUtilization";
  f.severity = "warning";
  const std::string device = DeviceWordsFor(model).name;
  f.title = device + (low.size() == 1 ? " is" : "s are") + " idle most of the time";
  f.text = ListText(low) + (low.size() == 1 ? " runs" : " run") +
           " kernels less than half the time" +
           (low.size() == 1 ? " (" + Percent(f.evidence[0].value) + ")." : ".");
  // What fills the rest of an average step names the cause.
  const double total = overview.steps.average_total_ns;
  Role cause = Role::kOther;
  double most = 0;
  for (Role role : {Role::kMemcpy, Role::kCommunication, Role::kRuntime, Role::kDataLoader,
                    Role::kCpuExec, Role::kOther}) {
    if (Average(overview, role) > most) {
      most = Average(overview, role);
      cause = role;
    }
  }
  if (total > 0 && most > 0) {
    const std::string step = WordsFor(model).step;
    f.text += cause == Role::kOther ? " " + Percent(most / total, 0) + " of the " + step +
                                          " has no recorded CPU or " + device + " work."
                                    : " The largest other part of the " + step + ": " +
                                          RoleTitle(cause) + " (" + Percent(most / total) + ").";
    f.evidence.push_back(
        {std::string(RoleTitle(cause)) + " share of the " + step, most / total, Unit::kRatio});
  }
  f.action =
      "Give the device more work per launch: a larger batch where convergence allows it, fewer "
      "and larger kernels (torch.compile, " +
      DeviceWordsFor(model, overview.vendor).graph + "s), and remove synchronization points.";
  f.snippet = "model = torch.compile(model)";
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
  Finding f;
  f.id = "mixedPrecision";
  f.severity = "info";
  const DeviceWords device = DeviceWordsFor(model, overview.vendor);
  f.title = device.matrix + " are unused";
  f.title.front() = static_cast<char>(f.title.front() - 'a' + 'A');
  f.text = Percent(eligible, 0) + " of kernel time is in operators that could use " +
           device.matrix + " but did not.";
  f.evidence = {{"Eligible kernel time", eligible, Unit::kRatio},
                {"Kernel time on " + device.matrix, 0.0, Unit::kRatio}};
  f.action = "Use mixed precision: autocast runs eligible operators in bfloat16 or float16.";
  f.snippet = "with torch.autocast(\"" + device.torch +
              "\", dtype=torch.bfloat16):\n    loss = criterion(model(x), y)";
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
    Finding f;
    f.id = "memoryNearCapacity";
    f.severity = "warning";
    f.title = "Memory is nearly full";
    f.text = "The peak of " + MemoryDeviceName(type, device) + " reaches " + Percent(share) +
             " of its " + Gigabytes(static_cast<double>(properties->total_global_mem)) + ".";
    f.evidence = {{"Share of the memory", share, Unit::kRatio},
                  {"Peak allocated", static_cast<double>(peak), Unit::kBytes}};
    f.action =
        "Trade time for memory with activation checkpointing, or store less with mixed precision.";
    f.snippet = "torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=False)";
    findings->push_back(std::move(f));
    return;
  }
}

}  // namespace

std::vector<Finding> FindFindings(const Model& model, const StepSelection& selection,
                                  const Overview& overview, const CancelToken& cancel) {
  std::vector<Finding> findings;
  if (model.store().slice_count() == 0 || cancel.cancelled()) return findings;
  const Seen seen = Look(model, selection);
  AddDataLoading(overview, seen, model, &findings);
  AddDataParallel(model, seen, &findings);
  AddBackend(model, overview, seen, &findings);
  AddCommunication(model, overview, &findings);
  AddUtilization(model, overview, &findings);
  AddMixedPrecision(model, overview, &findings);
  AddMemory(model, &findings);
  AddFurtherFindings(model, selection, overview, cancel, &findings);
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    const bool wa = a.severity == "warning", wb = b.severity == "warning";
    if (wa != wb) return wa;
    return a.gain_us.value_or(0) > b.gain_us.value_or(0);
  });
  return findings;
}

}  // namespace emberline
