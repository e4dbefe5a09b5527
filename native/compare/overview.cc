#include "compare/overview.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "analysis/columns.h"
#include "analysis/memory.h"
#include "base/number_text.h"
#include "compare/messages.h"

namespace emberline {
namespace {

// "−36 %", "+0.4 %".
std::string SignedPercent(double percent) {
  const std::string text = FixedText(percent, std::abs(percent) < 9.95 ? 1 : 0) + " %";
  return std::signbit(percent) ? text : "+" + text;
}

std::vector<double> DurationsUs(const OverviewSide& side, const std::vector<StepParts>& steps) {
  std::vector<double> durations;
  for (const StepParts& parts : steps) {
    durations.push_back(Micros(side.model->steps[parts.step].time.Length()));
  }
  return durations;
}

std::vector<double> PartsUs(const std::vector<StepParts>& steps, size_t role) {
  std::vector<double> values;
  for (const StepParts& parts : steps) values.push_back(Micros(parts.parts[role]));
  return values;
}

void AddTimes(const std::string& key, const std::string& name, const std::string& definition,
              const std::vector<double>& before, const std::vector<double>& after, bool has_steps,
              std::vector<ComparedFigure>* figures) {
  const Sample a = SampleOf(before), b = SampleOf(after);
  ComparedFigure figure{key, name, definition, Unit::kUs, {}, {}, {}, {}};
  if (a.count > 0) figure.baseline = a.mean;
  if (b.count > 0) figure.candidate = b.mean;
  if (has_steps && a.count > 0 && b.count > 0) {
    const Difference difference = Compare(a, b);
    figure.noise = difference.noise;
    figure.beyond_noise = difference.Significant();
  }
  figures->push_back(std::move(figure));
}

// Mean over a side's devices; absent where none has the figure.
template <typename Member>
std::optional<double> MeanOf(const Overview& overview, Member member) {
  double sum = 0;
  int count = 0;
  for (const GpuSummary& gpu : overview.gpus) {
    if (!(gpu.*member)) continue;
    sum += *(gpu.*member);
    ++count;
  }
  return count > 0 ? std::optional<double>(sum / count) : std::nullopt;
}

void AddShares(const OverviewSide& a, const OverviewSide& b, std::vector<ComparedFigure>* figures) {
  const auto add = [&](const char* key, const std::string& name, const char* definition,
                       auto member) {
    const auto before = MeanOf(*a.overview, member), after = MeanOf(*b.overview, member);
    if (!before && !after) return;
    figures->push_back({key, name, definition, Unit::kRatio, before, after, {}, {}});
  };
  add("utilization", CommonDeviceKind(*a.model, *b.model) + " utilization",
      "Part of the selected time in which some kernel ran; the mean over the devices.",
      &GpuSummary::utilization);
  add("estSmEfficiency", "Est. SM efficiency",
      "Part of the multiprocessors that running kernels had blocks for; the mean over the devices.",
      &GpuSummary::est_sm_efficiency);
  add("estOccupancy", "Est. occupancy",
      "Part of the warps that could be active, weighted by time; the mean over the devices.",
      &GpuSummary::est_occupancy);
  add("tensorCoreShare", "Matrix units", "Part of kernel time in kernels that use matrix units.",
      &GpuSummary::tensor_core_share);
}

// Mean of what was allocated, weighted by how long it was.
std::optional<double> MeanAllocated(const Model& model, const MemoryDevice& device) {
  const auto& memory = model.store().memory();
  if (device.records.size() < 2) return std::nullopt;
  double sum = 0;
  for (size_t i = 0; i + 1 < device.records.size(); ++i) {
    const Ns length = memory.At<&MemoryRecord::ts>(device.records[i + 1]) -
                      memory.At<&MemoryRecord::ts>(device.records[i]);
    sum += static_cast<double>(device.AllocatedAt(memory, i)) * static_cast<double>(length);
  }
  const Ns all = memory.At<&MemoryRecord::ts>(device.records.back()) -
                 memory.At<&MemoryRecord::ts>(device.records.front());
  return all > 0 ? std::optional<double>(sum / static_cast<double>(all)) : std::nullopt;
}

void AddMemory(const OverviewSide& a, const OverviewSide& b, std::vector<ComparedFigure>* figures) {
  if (a.memory == nullptr || b.memory == nullptr) return;
  // In the order of the baseline, then of what only the candidate has.
  // Matched by PyTorch's numbers, which mean the same on every vendor's devices.
  struct Both {
    const std::string* name;
    const MemoryDevice* before = nullptr;
    const MemoryDevice* after = nullptr;
  };
  std::vector<Both> devices;
  std::unordered_map<std::string_view, size_t> index;
  for (const bool candidate : {false, true}) {
    for (const MemoryDevice& device : (candidate ? b : a).memory->devices) {
      const auto [at, added] = index.try_emplace(device.allocator_name, devices.size());
      if (added) devices.push_back({&device.name});
      Both& both = devices[at->second];
      if (*both.name != device.name) both.name = &device.allocator_name;
      const MemoryDevice*& side = candidate ? both.after : both.before;
      if (side == nullptr) side = &device;
    }
  }
  for (const auto& [device_name, before, after] : devices) {
    const std::string& name = *device_name;
    const auto add = [&, before = before, after = after](const char* key, const char* title,
                                                         const char* definition, auto value) {
      const std::optional<double> x = before ? value(a, *before) : std::nullopt;
      const std::optional<double> y = after ? value(b, *after) : std::nullopt;
      if (!x && !y) return;
      figures->push_back({std::string(key) + "/" + name,
                          std::string(title) + ", " + name,
                          definition,
                          Unit::kBytes,
                          x,
                          y,
                          {},
                          {}});
    };
    add("peakAllocated", "Peak memory", "Most bytes that were allocated at a time.",
        [](const OverviewSide&, const MemoryDevice& d) {
          return std::optional<double>(static_cast<double>(d.peak_allocated));
        });
    add("meanAllocated", "Average memory", "Bytes allocated, averaged over time.",
        [](const OverviewSide& side, const MemoryDevice& d) {
          return MeanAllocated(*side.model, d);
        });
    add("peakReserved", "Peak reserved memory", "Most bytes that the allocator held at a time.",
        [](const OverviewSide&, const MemoryDevice& d) {
          return d.peak_reserved > 0 ? std::optional<double>(static_cast<double>(d.peak_reserved))
                                     : std::nullopt;
        });
  }
}

}  // namespace

std::string CommonDeviceKind(const Model& baseline, const Model& candidate) {
  const auto kind = [](const Model& model) {
    const bool known = !model.devices.empty() && !model.devices.front().kind.empty();
    return known ? model.devices.front().kind : std::string();
  };
  const std::string before = kind(baseline), after = kind(candidate);
  if (before.empty() && after.empty()) return "GPU";
  // A side without devices has nothing to be called.
  if (before.empty() || after.empty()) return before + after;
  return before == after ? before : "Device";
}

std::vector<StepParts> WholeSteps(const Model& model, const StepBreakdown& steps) {
  std::vector<StepParts> whole;
  for (const StepParts& parts : steps.steps) {
    if (!model.steps[parts.step].partial) whole.push_back(parts);
  }
  return whole.empty() ? steps.steps : whole;
}

std::vector<ComparedFigure> CompareOverviews(const OverviewSide& baseline,
                                             const OverviewSide& candidate) {
  std::vector<ComparedFigure> figures;
  const std::vector<StepParts> before = WholeSteps(*baseline.model, baseline.overview->steps);
  const std::vector<StepParts> after = WholeSteps(*candidate.model, candidate.overview->steps);
  const bool has_steps = baseline.model->has_recorded_steps && candidate.model->has_recorded_steps;
  AddTimes("step", "Step time",
           has_steps ? "Mean length of a step that was recorded whole." : "Length of the trace.",
           DurationsUs(baseline, before), DurationsUs(candidate, after), has_steps, &figures);
  for (size_t r = 0; r < kRoleCount; ++r) {
    if (!baseline.overview->steps.present[r] && !candidate.overview->steps.present[r] &&
        static_cast<Role>(r) != Role::kOther) {
      continue;
    }
    const auto role = static_cast<Role>(r);
    AddTimes(RoleKey(role), std::string(RoleTitle(role).text.text()),
             std::string(RoleDefinition(role).text.text()), PartsUs(before, r), PartsUs(after, r),
             has_steps, &figures);
  }
  AddShares(baseline, candidate, &figures);
  AddMemory(baseline, candidate, &figures);
  return figures;
}

Message VerdictText(const ComparedFigure& step, bool has_steps,
                    const std::optional<VerdictCause>& cause) {
  const MessageArg span("span", has_steps ? "step" : "trace");
  if (!step.baseline || !step.candidate) return Say(messages::kVerdictUnknown, {span});
  const double delta = *step.candidate - *step.baseline;
  const double percent = *step.baseline > 0 ? 100 * delta / *step.baseline : 0;
  std::string change = SignedPercent(percent);
  if (step.noise && *step.baseline > 0) {
    const double noise = 100 * *step.noise / *step.baseline;
    change += " ±" + FixedText(noise, noise < 9.95 ? 1 : 0) + " %";
  }
  MessageArgs args = {span,
                      {"from", QuantityText(*step.baseline, Unit::kUs)},
                      {"to", QuantityText(*step.candidate, Unit::kUs)},
                      {"change", change}};
  if (delta == 0) return Say(messages::kVerdictSame, std::move(args));
  if (step.beyond_noise == false) return Say(messages::kVerdictWithinNoise, std::move(args));
  args.emplace_back("noise", step.noise ? "known" : "unknown");
  args.emplace_back("cause", !cause                     ? "none"
                             : !cause->by.empty()       ? "swapped"
                             : cause->baseline_us == 0  ? cause->replaced ? "replacement" : "new"
                             : cause->candidate_us == 0 ? cause->replaced ? "replaced" : "gone"
                                                        : "changed");
  if (cause) {
    args.emplace_back("name", cause->name);
    args.emplace_back("by", cause->by);
    args.emplace_back("causeFrom", QuantityText(cause->baseline_us, Unit::kUs));
    args.emplace_back("causeTo", QuantityText(cause->candidate_us, Unit::kUs));
  }
  return Say(messages::kVerdictChanged, std::move(args));
}

}  // namespace emberline
