#include "analysis/overview.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "analysis/host_nesting.h"
#include "analysis/intervals.h"
#include "analysis/listed_operators.h"
#include "base/parallel.h"
#include "model/graphs.h"
#include "store/recorder.h"

namespace emberline {
namespace {

// Blocks per SM are summed as integers of one millionth: a running sum of doubles leaves residues
// that draw activity into idle gaps (B41).
constexpr double kFixed = 1e6;

struct Weighted {
  double sum = 0, weight = 0;
};

GpuSummary Summarize(const Model& model, const Device& device, Interval range,
                     const TensorCoreKernels& tensor_cores, const StepSelection& selection) {
  const TraceStore& s = model.store();
  GpuSummary gpu;
  gpu.index = device.ordinal;
  gpu.label = DeviceLabel(device);
  gpu.name = device.name;
  if (const DeviceProperties* p = device.properties) {
    gpu.memory_bytes = p->total_global_mem;
    gpu.multiprocessors = p->num_sms;
    if (p->compute_major > 0) {
      gpu.compute_capability =
          std::to_string(p->compute_major) + "." + std::to_string(p->compute_minor);
    }
  }
  std::vector<Interval> busy;
  struct Change {
    Ns time;
    int64_t delta;
  };
  std::vector<Change> changes;
  Weighted occupancy;
  Ns all_kernels = 0, matrix_kernels = 0, unknown_kernels = 0;
  for (TrackIndex t : device.streams) {
    const Track& track = s.tracks()[t];
    for (SliceIndex i = track.first; i < track.last; ++i) {
      if (!IsKernel(s.kind(i))) continue;
      if (selection.Contains(model.step[i])) {
        all_kernels += s.duration(i);
        const MatrixUse use = tensor_cores.UseOf(i);
        if (use == MatrixUse::kYes) matrix_kernels += s.duration(i);
        if (use == MatrixUse::kUnknown) unknown_kernels += s.duration(i);
      }
      const Interval inside{std::max(s.start(i), range.begin), std::min(s.end(i), range.end)};
      if (inside.Length() <= 0) continue;
      gpu.kernel_ns += inside.Length();
      busy.push_back(inside);
      if (s.HasArg(ArgRole::kBlocksPerSm)) {
        const auto blocks = s.ArgNumber(i, ArgRole::kBlocksPerSm);
        if (blocks && std::isfinite(*blocks) && *blocks > 0) {
          const auto fixed = static_cast<int64_t>(std::llround(std::min(*blocks, 1e9) * kFixed));
          changes.push_back({inside.begin, fixed});
          changes.push_back({inside.end, -fixed});
        }
      }
      if (s.HasArg(ArgRole::kOccupancy)) {
        const auto percent = s.ArgNumber(i, ArgRole::kOccupancy);
        if (percent && std::isfinite(*percent) && *percent >= 0) {
          occupancy.sum += *percent * static_cast<double>(inside.Length());
          occupancy.weight += static_cast<double>(inside.Length());
        }
      }
    }
  }
  if (range.Length() > 0) {
    const auto length = static_cast<double>(range.Length());
    gpu.utilization = static_cast<double>(LengthOf(Unite(std::move(busy)))) / length;
    if (!changes.empty()) {
      std::sort(changes.begin(), changes.end(),
                [](const Change& a, const Change& b) { return a.time < b.time; });
      int64_t running = 0;
      Ns since = changes.front().time;
      double area = 0;  // of min(1, running), in ns
      for (const Change& change : changes) {
        const double level = std::min(1.0, static_cast<double>(running) / kFixed);
        area += level * static_cast<double>(change.time - since);
        since = change.time;
        running += change.delta;
      }
      gpu.est_sm_efficiency = area / length;
    }
  }
  if (occupancy.weight > 0) gpu.est_occupancy = occupancy.sum / occupancy.weight / 100.0;
  if (all_kernels > 0) {
    const auto all = static_cast<double>(all_kernels);
    gpu.tensor_core_share = static_cast<double>(matrix_kernels) / all;
    gpu.tensor_core_unknown_share = static_cast<double>(unknown_kernels) / all;
  }
  return gpu;
}

// Kernel time launched by the innermost eligible operators, of the kernel time launched by listed
// operators (SEMANTICS.md, Operators).
std::optional<double> EligibleShare(const Model& model, const StepSelection& selection,
                                    const TensorCoreKernels& tensor_cores) {
  const TraceStore& s = model.store();
  const std::vector<bool> eligible = TensorCoreEligible(model, tensor_cores);
  std::vector<bool> has_eligible_child(s.all_slice_count(), false);
  for (SliceIndex i = 0; i < s.all_slice_count(); ++i) {
    if (eligible[i] && model.op[i] != kNone && model.IsOp(i))
      has_eligible_child[model.op[i]] = true;
  }
  ListedOperators listed(model);
  Ns all = 0, share = 0;
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (!IsKernel(s.kind(i)) || !selection.Contains(model.step[i])) continue;
    const SliceIndex op = model.SourceOp(i);
    if (op == kNone || !listed(op)) continue;
    all += s.duration(i);
    if (eligible[op] && !has_eligible_child[op]) share += s.duration(i);
  }
  if (all == 0) return std::nullopt;
  return static_cast<double>(share) / static_cast<double>(all);
}

// How much of the work that graph launches ran is known by its recorder, and from which files; ""
// when no graph ran.
std::string CapturesText(const Model& model) {
  const TraceStore& s = model.store();
  uint64_t work = 0, known = 0;
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (!IsDeviceWork(s.kind(i)) || model.launch[i] == kNone) continue;
    if (!IsGraphLaunch(s.name(model.launch[i]))) continue;
    ++work;
    if (model.CapturedCall(i) != kNone) ++known;
  }
  if (work == 0) return "";
  std::string text = std::to_string(known) + " of " + std::to_string(work) +
                     " graph kernels and copies matched to their capture";
  constexpr size_t kNamed = 3;
  size_t named = 0;
  for (const CaptureSource& source : s.capture_sources()) {
    if (source.graphs == 0) continue;
    if (named++ == kNamed) break;
    text += (named == 1 ? " in " : ", ") + source.file;
  }
  if (known > 0 || named > 0) return text;
  for (const CaptureSource& source : s.capture_sources()) {
    if (!source.reason.empty()) return text + ". " + source.file + ": " + source.reason;
  }
  return text;
}

// "GPU", "GPU, MTIA": each kind once, in order of appearance.
std::string KindsText(const Model& model) {
  constexpr size_t kMaxKinds = 16;  // labels of a hostile file may name any number
  std::vector<std::string_view> kinds;
  std::string text;
  for (const Device& device : model.devices) {
    if (std::find(kinds.begin(), kinds.end(), device.kind) != kinds.end()) continue;
    if (kinds.size() == kMaxKinds) return text + " and others";
    text += (kinds.empty() ? "" : ", ") + device.kind;
    kinds.push_back(device.kind);
  }
  return text;
}

std::vector<ConfigEntry> Configuration(const Model& model, bool has_device_work, Vendor vendor) {
  const TraceStore& s = model.store();
  const TraceMetadata& meta = s.metadata();
  std::vector<ConfigEntry> entries;
  auto add = [&](std::string name, std::string value) {
    if (!value.empty()) entries.push_back({std::move(name), std::move(value)});
  };
  // A runtime call alone (a device query) makes no GPU job (B67).
  // Of a file that was cut nobody knows: device work comes last in it.
  const bool known = !IsOfOtherRecorder(s) && (has_device_work || !IsIncomplete(s));
  if (known) add("Device type", has_device_work ? KindsText(model) : "CPU");
  add("Vendor", VendorName(vendor));
  if (meta.distributed) {
    add("Backend", meta.distributed->backend);
    if (meta.distributed->rank >= 0) add("Rank", std::to_string(meta.distributed->rank));
    if (meta.distributed->world_size > 0)
      add("World size", std::to_string(meta.distributed->world_size));
  }
  if (known) add("Devices used", std::to_string(model.devices.size()));
  if (meta.devices.size() > model.devices.size()) {
    add("Devices on the machine", std::to_string(meta.devices.size()));
  }
  add("Steps", model.has_recorded_steps ? std::to_string(model.steps.size()) : "not recorded");
  add("Graph captures", CapturesText(model));
  for (const auto& [flag, on] : meta.profiler_flags) add(flag, on ? "on" : "off");
  if (meta.schema_version > 0) add("Schema version", std::to_string(meta.schema_version));
  return entries;
}

std::optional<RecomputeCost> Recompute(const Model& model, const StepSelection& selection,
                                       const CancelToken& cancel) {
  const auto& pass = model.pass;
  if (std::find(pass.begin(), pass.end(), Pass::kRecompute) == pass.end()) return std::nullopt;
  RecomputeCost cost;
  const auto add = [&](SliceIndex i, Ns time, Ns* all, Ns* again) {
    if (!selection.Contains(model.step[i])) return;
    *all += time;
    if (pass[i] == Pass::kRecompute) *again += time;
  };
  const TraceStore& s = model.store();
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (IsDeviceWork(s.kind(i))) add(i, s.duration(i), &cost.all_device, &cost.device);
  }
  const bool nested = ForEachHostWork(s, cancel, [&](SliceIndex i, Ns exclusive) {
    add(i, exclusive, &cost.all_host, &cost.host);
  });
  if (!nested) return std::nullopt;
  if (cost.host == 0 && cost.device == 0) return std::nullopt;
  return cost;
}

// What devices did, and what the trace is of.
void SummarizeDevices(const Model& model, const StepSelection& selection,
                      const TensorCoreRules& rules, const CancelToken& cancel, Overview& overview) {
  const TraceStore& s = model.store();
  overview.vendor = rules.vendor();
  overview.has_device_work = !model.devices.empty();
  const TensorCoreKernels tensor_cores(model, rules);
  const Interval range = SelectedRange(model, selection);
  for (const Device& device : model.devices) {
    if (cancel.cancelled()) return;
    const bool kernels =
        std::any_of(device.streams.begin(), device.streams.end(), [&](TrackIndex t) {
          for (SliceIndex i = s.tracks()[t].first; i < s.tracks()[t].last; ++i) {
            if (IsKernel(s.kind(i))) return true;
          }
          return false;
        });
    if (kernels) overview.gpus.push_back(Summarize(model, device, range, tensor_cores, selection));
  }
  Ns all = 0, matrix = 0, unknown = 0;
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (!IsKernel(s.kind(i)) || !selection.Contains(model.step[i])) continue;
    all += s.duration(i);
    const MatrixUse use = tensor_cores.UseOf(i);
    if (use == MatrixUse::kYes) matrix += s.duration(i);
    if (use == MatrixUse::kUnknown) unknown += s.duration(i);
  }
  if (all > 0) {
    overview.tensor_core_unknown_share = static_cast<double>(unknown) / static_cast<double>(all);
    overview.tensor_core_share = static_cast<double>(matrix) / static_cast<double>(all);
    overview.tensor_core_eligible_share = EligibleShare(model, selection, tensor_cores);
  }
  overview.recompute = Recompute(model, selection, cancel);
  overview.configuration = Configuration(model, overview.has_device_work, overview.vendor);
}

}  // namespace

Result<Overview> AnalyzeOverview(const Model& model, const StepSelection& selection,
                                 const TensorCoreRules& rules, const CancelToken& cancel) {
  Overview overview;
  Result<StepBreakdown> steps = Cancelled();
  RunAll(
      model.store().slice_count() >= kManyRows,
      [&] { steps = AnalyzeSteps(model, selection, cancel); },
      [&] { SummarizeDevices(model, selection, rules, cancel, overview); });
  if (!steps.ok()) return steps.error();
  if (cancel.cancelled()) return Cancelled();
  overview.steps = std::move(*steps);
  return overview;
}

}  // namespace emberline
