#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "analysis/findings_internal.h"
#include "analysis/frame_finder.h"
#include "analysis/intervals.h"
#include "analysis/memory.h"
#include "analysis/messages.h"
#include "base/ascii.h"
#include "base/saturating.h"
#include "model/names.h"
#include "store/recorder.h"

namespace emberline {
namespace {

// A kernel shorter than this costs about as much to launch as to run.
constexpr Ns kShortKernel = 15'000;
// A kernel that starts so soon after its launch call returned started on an idle GPU.
constexpr Ns kQueueEmpty = 20'000;
// Calls shorter than this did not wait for anything.
constexpr Ns kWaits = 20'000;
constexpr size_t kMostSlices = 20;

// Sums of time per slice name or line, with the longest slices of all.
struct Places {
  struct Place {
    Frame frame;
    Ns time = 0;
    uint64_t calls = 0;
  };
  explicit Places(const Model& model) : frames(model) {}

  FrameFinder frames;
  std::map<std::pair<std::string, int64_t>, Place> lines;
  std::vector<std::pair<Ns, SliceIndex>> slices;
  Ns time = 0;
  uint64_t calls = 0;

  void Add(SliceIndex slice, Ns ns) {
    time += ns;
    ++calls;
    slices.push_back({ns, slice});
    if (slices.size() > 4096) Trim();
    if (lines.size() > 1000) return;
    if (auto frame = frames.UserFrame(slice)) {
      Place& place = lines[{frame->file, frame->line}];
      if (place.calls == 0) place.frame = *frame;
      place.time += ns;
      ++place.calls;
    }
  }
  void Trim() {
    std::stable_sort(slices.begin(), slices.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    if (slices.size() > kMostSlices) slices.resize(kMostSlices);
  }
  void Into(Finding& finding) {
    Trim();
    for (const auto& [ns, slice] : slices) finding.slices.push_back(slice);
    std::vector<const Place*> sorted;
    for (const auto& [key, place] : lines) sorted.push_back(&place);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Place* a, const Place* b) { return a->time > b->time; });
    for (size_t i = 0; i < sorted.size() && i < 5; ++i) finding.frames.push_back(sorted[i]->frame);
  }
};

void AddLaunchBound(const Model& model, const StepSelection& selection, const Overview& overview,
                    std::vector<Finding>* findings) {
  const TraceStore& s = model.store();
  const double total = overview.steps.average_total_ns;
  if (total <= 0 || overview.steps.averaged_steps == 0) return;
  std::vector<Ns> durations;
  Places places(model);
  uint64_t hungry = 0;
  Ns waited = 0;
  for (const Device& device : model.devices) {
    std::vector<SliceIndex> work;
    for (TrackIndex t : device.streams) {
      for (SliceIndex i = s.tracks()[t].first; i < s.tracks()[t].last; ++i) {
        if (IsDeviceWork(s.kind(i)) && InSteps(model, selection, i)) work.push_back(i);
      }
    }
    std::stable_sort(work.begin(), work.end(),
                     [&](SliceIndex a, SliceIndex b) { return s.start(a) < s.start(b); });
    Ns busy_until = work.empty() ? 0 : s.start(work[0]);
    for (SliceIndex i : work) {
      if (s.kind(i) == SliceKind::kKernel) durations.push_back(s.duration(i));
      const SliceIndex launch = model.launch[i];
      const Ns idle = s.start(i) - busy_until;
      if (idle > 0 && launch != kNone && s.end(launch) > busy_until &&
          s.start(i) - s.end(launch) < kQueueEmpty) {
        hungry += s.kind(i) == SliceKind::kKernel ? 1 : 0;
        waited += idle;
        places.Add(launch, idle);
      }
      busy_until = std::max(busy_until, s.end(i));
    }
  }
  if (durations.size() < 100) return;
  auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
  std::nth_element(durations.begin(), middle, durations.end());
  const Ns median = *middle;
  const uint32_t steps = std::max<uint32_t>(1, static_cast<uint32_t>(overview.steps.steps.size()));
  const double per_step = static_cast<double>(waited) / steps;
  const double hungry_share = static_cast<double>(hungry) / static_cast<double>(durations.size());
  if (median >= kShortKernel || hungry_share < 0.3 || per_step / total < 0.15) return;
  const DeviceWords device = DeviceWordsFor(model, overview.vendor);
  const MessageArg span = SpanArg(model);
  const MessageArg device_name("device", device.name);
  Finding f = MakeFinding(messages::kLaunchBound, "warning",
                          {device_name,
                           {"graph", device.graph},
                           {"share", hungry_share, Unit::kRatio},
                           {"median", median, Unit::kNs}});
  f.evidence = {{Say(messages::kKernels, {span}), static_cast<double>(durations.size()) / steps,
                 Unit::kCount},
                {Say(messages::kMedianKernel), static_cast<double>(median) / 1000.0, Unit::kUs},
                {Say(messages::kStartedIdle, {device_name}), hungry_share, Unit::kRatio},
                {Say(messages::kIdleBeforeLaunches, {span}), per_step / 1000.0, Unit::kUs}};
  f.gain_us = per_step / 1000.0;
  places.Into(f);
  findings->push_back(std::move(f));
}

void AddHostSync(const Model& model, const StepSelection& selection, const Overview& overview,
                 std::vector<Finding>* findings) {
  const TraceStore& s = model.store();
  const double total = overview.steps.average_total_ns;
  if (total <= 0 || !overview.has_device_work) return;
  Places places(model);
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (!IsLaunchApi(s.kind(i)) || s.duration(i) < kWaits || !IsSynchronizingCall(s.name(i)))
      continue;
    // What waits between steps, such as the profiler's own stop, is no cost of a step.
    if (!InSteps(model, selection, i)) continue;
    // The profiler synchronizes when it starts and stops.
    if (model.op[i] == kNone && model.frame[i] == kNone && s.name(i).ends_with("DeviceSynchronize"))
      continue;
    places.Add(i, s.duration(i));
  }
  const uint32_t steps = std::max<uint32_t>(1, static_cast<uint32_t>(overview.steps.steps.size()));
  const double per_step = static_cast<double>(places.time) / steps;
  if (places.calls == 0 || per_step / total < 0.03) return;
  const MessageArg span = SpanArg(model);
  Finding f =
      MakeFinding(messages::kHostSynchronization, per_step / total >= 0.1 ? "warning" : "info",
                  {{"device", DeviceWordsFor(model).name},
                   span,
                   {"time", per_step, Unit::kNs},
                   {"share", per_step / total, Unit::kRatio}});
  f.evidence = {
      {Say(messages::kWaiting, {span}), per_step / 1000.0, Unit::kUs},
      {Say(messages::kShareOfSpan, {span}), per_step / total, Unit::kRatio},
      {Say(messages::kCalls, {span}), static_cast<double>(places.calls) / steps, Unit::kCount}};
  places.Into(f);
  findings->push_back(std::move(f));
}

// The numbers of recorded "Input Dims", list by list: "[[64,3],[3,10]]".
std::vector<std::vector<int64_t>> Dims(std::string_view text) {
  std::vector<std::vector<int64_t>> lists;
  int depth = 0;
  int64_t number = -1;
  for (char c : text) {
    if (c == '[') {
      if (++depth == 2) lists.emplace_back();
    } else if (IsDigit(c)) {
      if (number < (int64_t{1} << 50)) number = std::max<int64_t>(number, 0) * 10 + (c - '0');
    } else {
      if (number >= 0 && depth == 2) lists.back().push_back(number);
      number = -1;
      if (c == ']') --depth;
    }
    if (lists.size() > 32) break;
  }
  return lists;
}

// Of a matrix product whose operands are 16-bit: the sizes that are no multiples of 8.
struct Misalignment {
  std::unordered_set<int64_t> sizes;
  // Of a product with a weight: how many values it gives for each row, where that is one of them.
  int64_t columns = 0;
};

Misalignment MisalignmentOf(std::string_view name, std::string_view types, std::string_view dims) {
  const bool weighted = name == "aten::mm" || name == "aten::addmm";
  if ((!weighted && name != "aten::bmm" && name != "aten::baddbmm") ||
      (types.find("Half") == std::string_view::npos &&
       types.find("BFloat16") == std::string_view::npos)) {
    return {};
  }
  Misalignment misalignment;
  const auto lists = Dims(dims);
  // addmm and baddbmm begin with the bias.
  const size_t first = name == "aten::addmm" || name == "aten::baddbmm" ? 1 : 0;
  for (size_t k = first; k < first + 2 && k < lists.size(); ++k) {
    const auto& sizes = lists[k];
    for (size_t d = sizes.size() > 2 ? sizes.size() - 2 : 0; d < sizes.size(); ++d) {
      if (sizes[d] % 8 == 0) continue;
      misalignment.sizes.insert(sizes[d]);
      if (weighted && k == first + 1 && d + 1 == sizes.size()) misalignment.columns = sizes[d];
    }
  }
  return misalignment;
}

// The sizes that most time goes with, the largest part first.
std::string SizesByTime(const std::unordered_map<int64_t, int64_t>& time_of) {
  constexpr size_t kNamed = 3;
  std::vector<std::pair<int64_t, int64_t>> order(time_of.begin(), time_of.end());
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::tie(b.second, a.first) < std::tie(a.second, b.first);
  });
  std::string text;
  for (size_t k = 0; k < order.size() && k < kNamed; ++k) {
    if (k > 0) text += ", ";
    text += std::to_string(order[k].first);
  }
  return order.size() > kNamed ? text + ", ..." : text;
}

void AddShapes(const Model& model, const StepSelection& selection, const Overview& overview,
               std::vector<Finding>* findings) {
  const TraceStore& s = model.store();
  if (!s.HasArg(ArgRole::kInputShapes) || !s.HasArg(ArgRole::kInputTypes) ||
      overview.vendor != Vendor::kNvidia)
    return;
  double kernels = 0;
  for (const GpuSummary& gpu : overview.gpus) kernels += static_cast<double>(gpu.kernel_ns);
  if (kernels <= 0) return;
  Places places(model);
  std::unordered_set<int64_t> columns, looked_up;
  std::unordered_map<int64_t, int64_t> time_of_size;
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (s.kind(i) != SliceKind::kCpuOp || !InSteps(model, selection, i)) continue;
    if (s.name(i) == "aten::embedding") {
      const auto table = Dims(s.ArgText(i, ArgRole::kInputShapes));
      if (!table.empty() && !table[0].empty()) looked_up.insert(table[0][0]);
    }
    if (model.device_total[i] <= 0) continue;
    const Misalignment misalignment = MisalignmentOf(s.name(i), s.ArgText(i, ArgRole::kInputTypes),
                                                     s.ArgText(i, ArgRole::kInputShapes));
    if (misalignment.sizes.empty()) continue;
    columns.insert(misalignment.columns);
    for (const int64_t size : misalignment.sizes) {
      int64_t& time = time_of_size[size];
      time = SaturatingAdd(time, model.device_total[i]);
    }
    places.Add(i, model.device_total[i]);
  }
  const double share = static_cast<double>(places.time) / kernels;
  if (share < 0.05) return;
  // Words are looked up in a table and scored by a product with as many columns. Positions, which
  // models of images have too, are only looked up.
  const bool vocabulary = std::any_of(columns.begin(), columns.end(),
                                      [&](int64_t size) { return looked_up.count(size) > 0; });
  Finding f = MakeFinding(messages::kMisalignedShapes, "info",
                          {{"share", share, Unit::kRatio},
                           {"sizes", SizesByTime(time_of_size)},
                           {"vocabulary", vocabulary ? "yes" : "no"},
                           {"matrix", DeviceWordsFor(model, overview.vendor).matrix}});
  f.evidence = {{Say(messages::kShareOfKernelTime), share, Unit::kRatio},
                {Say(messages::kAllCalls), static_cast<double>(places.calls), Unit::kCount}};
  places.Into(f);
  findings->push_back(std::move(f));
}

void AddPageable(const Model& model, const StepSelection& selection, const Overview& overview,
                 std::vector<Finding>* findings) {
  const TraceStore& s = model.store();
  const double total = overview.steps.average_total_ns;
  if (total <= 0) return;
  Places places(model);
  int64_t bytes = 0;
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (s.kind(i) != SliceKind::kMemcpy || !InSteps(model, selection, i)) continue;
    if (s.name(i).find("Pageable") == std::string_view::npos) continue;
    places.Add(i, s.duration(i));
    bytes = SaturatingAdd(bytes, std::max<int64_t>(0, s.ArgInt(i, ArgRole::kBytes).value_or(0)));
  }
  const uint32_t steps = std::max<uint32_t>(1, static_cast<uint32_t>(overview.steps.steps.size()));
  const double per_step = static_cast<double>(places.time) / steps;
  if (places.calls == 0 || per_step / total < 0.02) return;
  const MessageArg span = SpanArg(model);
  Finding f = MakeFinding(messages::kPageableCopies, per_step / total >= 0.1 ? "warning" : "info",
                          {span,
                           {"time", per_step, Unit::kNs},
                           {"share", per_step / total, Unit::kRatio},
                           {"torch", DeviceWordsFor(model).torch}});
  f.evidence = {
      {Say(messages::kCopying, {span}), per_step / 1000.0, Unit::kUs},
      {Say(messages::kBytes, {span}), static_cast<double>(bytes) / steps, Unit::kBytes},
      {Say(messages::kCopies, {span}), static_cast<double>(places.calls) / steps, Unit::kCount}};
  f.gain_us = per_step / 1000.0;
  places.Into(f);
  findings->push_back(std::move(f));
}

void AddSmallKernels(const Model& model, const Overview& overview, std::vector<Finding>* findings) {
  for (const GpuSummary& gpu : overview.gpus) {
    if (!gpu.utilization || !gpu.est_sm_efficiency || *gpu.utilization < 0.5) continue;
    if (*gpu.est_sm_efficiency > 0.5 * *gpu.utilization) continue;
    Finding f = MakeFinding(messages::kSmallBatch, "info",
                            {{"device", DeviceWordsFor(model).name},
                             {"label", gpu.label},
                             {"utilization", *gpu.utilization, Unit::kRatio},
                             {"efficiency", *gpu.est_sm_efficiency, Unit::kRatio}});
    f.evidence = {{Say(messages::kUtilization), *gpu.utilization, Unit::kRatio},
                  {Say(messages::kSmEfficiency), *gpu.est_sm_efficiency, Unit::kRatio}};
    findings->push_back(std::move(f));
    return;
  }
}

void AddFragmentation(const Model& model, std::vector<Finding>* findings) {
  struct Peak {
    int64_t allocated = 0, reserved = 0;
  };
  std::map<std::pair<int32_t, int32_t>, Peak> peaks;
  for (const MemoryRecord& r : model.store().memory()) {
    const std::pair key(r.device_type, r.device_id);
    if (r.device_type == 0 || r.total_reserved <= 0 || (peaks.size() >= 64 && !peaks.contains(key)))
      continue;
    Peak& peak = peaks[key];
    peak.allocated = std::max(peak.allocated, r.total_allocated);
    peak.reserved = std::max(peak.reserved, r.total_reserved);
  }
  for (const auto& [device, peak] : peaks) {
    const double unused =
        1.0 - static_cast<double>(peak.allocated) / static_cast<double>(peak.reserved);
    if (peak.reserved < (int64_t{1} << 30) || unused < 0.3) continue;
    const std::string variable = DeviceWordsFor(model).allocator_variable;
    Finding f = MakeFinding(messages::kFragmentation, "info",
                            {{"label", MemoryDeviceNames(model).Of(device.first, device.second)},
                             {"share", unused, Unit::kRatio},
                             {"known", variable.empty() ? "no" : "yes"},
                             {"variable", variable}});
    f.evidence = {
        {Say(messages::kPeakAllocated), static_cast<double>(peak.allocated), Unit::kBytes},
        {Say(messages::kPeakReserved), static_cast<double>(peak.reserved), Unit::kBytes}};
    findings->push_back(std::move(f));
    return;
  }
}

void AddProfilerOverhead(const Model& model, const StepSelection& selection,
                         const Overview& overview, const CancelToken& cancel,
                         std::vector<Finding>* findings) {
  const TraceStore& s = model.store();
  const Interval range = SelectedRange(model, selection);
  if (range.Length() <= 0 || cancel.cancelled()) return;
  std::vector<Interval> overhead;
  std::vector<std::pair<Ns, SliceIndex>> longest;
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (s.kind(i) != SliceKind::kOverhead) continue;
    const Interval inside{std::max(range.begin, s.start(i)), std::min(range.end, s.end(i))};
    if (inside.Length() <= 0) continue;
    overhead.push_back(inside);
    longest.push_back({inside.Length(), i});
  }
  const double share = static_cast<double>(LengthOf(Unite(std::move(overhead)))) /
                       static_cast<double>(range.Length());
  if (share < 0.05) return;
  Finding f = MakeFinding(messages::kProfilerOverhead, share >= 0.2 ? "warning" : "info",
                          {{"share", share, Unit::kRatio}});
  f.evidence = {{Say(messages::kShareOfTime), share, Unit::kRatio},
                {Say(messages::kAverageStep), overview.steps.average_total_ns / 1000.0, Unit::kUs}};
  std::stable_sort(longest.begin(), longest.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (size_t i = 0; i < longest.size() && i < kMostSlices; ++i)
    f.slices.push_back(longest[i].second);
  findings->push_back(std::move(f));
}

void AddMissing(const Model& model, std::vector<Finding>* findings) {
  const TraceStore& s = model.store();
  bool stacks = false, ops = false;
  for (SliceIndex i = 0; i < s.slice_count() && !stacks; ++i) {
    const SliceKind kind = s.kind(i);
    ops = ops || kind == SliceKind::kCpuOp;
    stacks = kind == SliceKind::kPythonFunction ||
             (kind == SliceKind::kCpuOp && !s.ArgText(i, ArgRole::kCallStack).empty());
  }
  if (!ops) {
    for (SliceIndex i = 0; i < s.slice_count() && !ops; ++i) ops = s.kind(i) == SliceKind::kCpuOp;
  }
  std::string missing, arguments;
  const auto add = [&](const Sentence& what, const char* argument) {
    missing += (missing.empty() ? "" : ", ") + Say(what).text;
    arguments += "    " + std::string(argument) + ",\n";
  };
  if (!stacks) add(messages::kPythonStacks, "with_stack=True");
  if (!s.HasArg(ArgRole::kInputShapes)) add(messages::kInputShapes, "record_shapes=True");
  // If the flag was already on, do not advise turning it on.
  const auto flag = s.metadata().profiler_flags.find("profile_memory");
  const bool told = flag != s.metadata().profiler_flags.end() && flag->second;
  if (s.memory().empty() && !told) add(messages::kMemory, "profile_memory=True");
  if (!model.has_recorded_steps)
    add(messages::kSteps, "schedule=torch.profiler.schedule(wait=1, warmup=1, active=3)");
  // Of a file that was cut nobody knows what was recorded.
  if (missing.empty() || !ops || IsIncomplete(s)) return;
  const bool nothing_allocated = s.memory().empty() && told;
  findings->push_back(MakeFinding(messages::kRecordMore, "info",
                                  {{"missing", missing},
                                   {"arguments", arguments},
                                   {"silent", nothing_allocated ? "yes" : "no"}}));
}

}  // namespace

std::string Percent(double ratio, int digits) {
  char text[32];
  double least = 1;
  for (int i = 0; i < digits; ++i) least /= 10;
  if (ratio > 0 && ratio * 100.0 < least / 2)
    std::snprintf(text, sizeof text, "below %.*f %%", digits, least);
  else
    std::snprintf(text, sizeof text, "%.*f %%", digits, ratio * 100.0);
  return text;
}

DeviceWords DeviceWordsFor(const Model& model, Vendor vendor) {
  const std::string kind = model.devices.empty() ? "GPU" : model.devices[0].kind;
  if (kind == "NPU")
    return {"NPU", "npu", "device graph", "matrix units", "PYTORCH_NPU_ALLOC_CONF"};
  for (const auto& [name, torch] : {std::pair("XPU", "xpu"), std::pair("HPU", "hpu"),
                                    std::pair("MTIA", "mtia"), std::pair("MLU", "mlu")}) {
    if (kind == name) return {name, torch, "device graph", "matrix units", ""};
  }
  if (vendor == Vendor::kAmd) {
    return {"GPU", "cuda", "HIP graph", "matrix cores", "PYTORCH_HIP_ALLOC_CONF"};
  }
  return {"GPU", "cuda", "CUDA graph", "tensor cores", "PYTORCH_CUDA_ALLOC_CONF"};
}

MessageArg SpanArg(const Model& model) {
  return {"span", model.has_recorded_steps ? "step" : "trace"};
}

void AddLostTime(const Model& model, const StepSelection& selection, const Overview& overview,
                 std::vector<Finding>* findings) {
  // An idle device may be one whose work is in the missing part of a cut file.
  if (!IsIncomplete(model.store())) AddLaunchBound(model, selection, overview, findings);
  AddHostSync(model, selection, overview, findings);
}

void AddFurtherFindings(const Model& model, const StepSelection& selection,
                        const Overview& overview, const CancelToken& cancel,
                        std::vector<Finding>* findings) {
  AddShapes(model, selection, overview, findings);
  AddPageable(model, selection, overview, findings);
  AddSmallKernels(model, overview, findings);
  AddFragmentation(model, findings);
  AddProfilerOverhead(model, selection, overview, cancel, findings);
  AddMissing(model, findings);
}

}  // namespace emberline
