#include "analysis/headline.h"

#include <array>
#include <cstdio>

#include "analysis/findings_internal.h"
#include "store/recorder.h"

namespace emberline {
namespace {

// Above this share of the step the device itself is the limit.
constexpr double kBusy = 0.8;
// A cause that takes at least this part of the lost time names the limit.
constexpr double kNamed = 0.4;

// "73 ms of 86": both in the unit of the larger one.
std::string PartOf(double part_ns, double whole_ns) {
  struct Unit {
    double ns;
    const char* name;
  };
  constexpr std::array<Unit, 3> kUnits{{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}}};
  Unit unit = kUnits.back();
  for (const Unit& one : kUnits) {
    if (whole_ns >= one.ns) {
      unit = one;
      break;
    }
  }
  const auto number = [&](double ns) {
    char text[32];
    const double value = ns / unit.ns;
    std::snprintf(text, sizeof text, value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value);
    return std::string(text);
  };
  return number(part_ns) + " " + unit.name + " of " + number(whole_ns);
}

}  // namespace

const char* BoundName(Bound bound) {
  switch (bound) {
    case Bound::kGpu:
      return "gpu";
    case Bound::kCommunication:
      return "communication";
    case Bound::kInput:
      return "input";
    case Bound::kLaunch:
      return "launch";
    case Bound::kPython:
      return "python";
    case Bound::kCpu:
      return "cpu";
    case Bound::kUnknown:
      return "unknown";
  }
  return "unknown";
}

Headline MakeHeadline(const Model& model, const Overview& overview) {
  const StepBreakdown& steps = overview.steps;
  Headline headline;
  headline.total_ns = steps.average_total_ns;
  // What another program's trace says of devices is not known.
  if (headline.total_ns <= 0 || IsOfOtherRecorder(model.store())) return headline;
  const auto part = [&](Role role) { return steps.average_ns[static_cast<size_t>(role)]; };
  const auto share = [&](double ns) { return ns / headline.total_ns; };
  const std::string span = model.has_recorded_steps ? "each step" : "the trace";

  if (!overview.has_device_work) {
    headline.lost_ns = 0;
    if (IsIncomplete(model.store())) {
      headline.text = "The part of the file that was read holds no GPU work.";
      return headline;
    }
    headline.bound = Bound::kCpu;
    headline.text = "CPU only, no GPU work: operators take " +
                    Percent(share(part(Role::kCpuExec))) + " of " + span;
    if (share(part(Role::kDataLoader)) >= 0.05)
      headline.text += ", the data loader " + Percent(share(part(Role::kDataLoader)));
    headline.text += ", Python and unrecorded work " + Percent(share(part(Role::kOther))) + ".";
    return headline;
  }

  const double compute = part(Role::kKernel) + part(Role::kMemcpy) + part(Role::kMemset);
  headline.busy = share(compute + part(Role::kCommunication));
  headline.lost_ns = headline.total_ns - compute - part(Role::kCommunication);
  const double launch = part(Role::kRuntime) + part(Role::kCpuExec);
  struct Cause {
    Bound bound;
    double ns;
    const char* words;
  };
  const std::array<Cause, 4> causes{
      {{Bound::kCommunication, part(Role::kCommunication), "communication bound"},
       {Bound::kInput, part(Role::kDataLoader), "input bound, waiting for the data loader"},
       {Bound::kLaunch, launch, "launch bound, waiting for the CPU"},
       {Bound::kPython, part(Role::kOther), "host bound, waiting for Python or unrecorded work"}}};
  const Cause* worst = &causes.front();
  for (const Cause& cause : causes) {
    if (cause.ns > worst->ns) worst = &cause;
  }
  // "GPU 0", "NPU 3": what such a device is called.
  const std::string label = overview.gpus.empty() ? "" : overview.gpus.front().label;
  const std::string device = label.empty() ? "GPU" : label.substr(0, label.find(' '));
  std::string words = device + " bound";
  headline.bound = Bound::kGpu;
  if (share(compute) < kBusy) {
    const bool named = worst->ns >= kNamed * (headline.total_ns - compute);
    headline.bound = named ? worst->bound : Bound::kUnknown;
    words = named ? worst->words : "no single cause of the idle time";
  }
  const bool communicates = headline.bound == Bound::kCommunication;
  if (communicates) headline.lost_ns = part(Role::kCommunication);
  headline.text = device + " busy " + Percent(headline.busy) + ", " + words + ": " +
                  PartOf(headline.lost_ns, headline.total_ns) +
                  (communicates ? " not overlapped with compute" : " lost") +
                  (model.has_recorded_steps ? " per step." : ".");
  return headline;
}

}  // namespace emberline
