#include "analysis/headline.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "analysis/findings_internal.h"
#include "analysis/messages.h"
#include "base/number_text.h"
#include "store/recorder.h"

namespace emberline {
namespace {

// Above this share of the step the device itself is the limit.
constexpr double kBusy = 0.8;
// A cause that takes at least this part of the lost time names the limit.
constexpr double kNamed = 0.4;

// What the time of a trace without device work goes to, the most first. All are shares of it.
Message CpuOnly(const MessageArg& span, double operators, double runtime, double loader,
                double communication, double rest) {
  // Less is not worth a word.
  constexpr double kSome = 0.005, kMuch = 0.05;
  const double most = std::max({operators, loader, communication, rest});
  const bool works = operators == most, loads = !works && loader == most;
  const bool sends = !works && !loads && communication == most;
  const bool rests = !works && !loads && !sends;
  const auto named = [](bool first, double part, double least) {
    return !first && part >= least ? "yes" : "no";
  };
  return Say(messages::kCpuOnly, {span,
                                  {"most", works   ? "operators"
                                           : loads ? "loader"
                                           : sends ? "communication"
                                                   : "rest"},
                                  {"operators", operators, Unit::kRatio},
                                  {"works", named(works, operators, kSome)},
                                  {"runtime", runtime, Unit::kRatio},
                                  {"calls", named(false, runtime, kMuch)},
                                  {"loader", loader, Unit::kRatio},
                                  {"loads", named(loads, loader, kMuch)},
                                  {"communication", communication, Unit::kRatio},
                                  {"sends", named(sends, communication, kMuch)},
                                  {"rest", rest, Unit::kRatio},
                                  {"rests", named(rests, rest, kSome)}});
}

// A part and the whole in the unit of the whole: "73" of "86 ms".
std::pair<std::string, std::string> PartOf(double part_ns, double whole_ns) {
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
    const double value = ns / unit.ns;
    return FixedText(value, value < 10 ? 2 : value < 100 ? 1 : 0);
  };
  return {number(part_ns), number(whole_ns) + " " + unit.name};
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

Headline MakeHeadline(const Model& model, const Overview& overview, Extent extent) {
  const StepBreakdown& steps = overview.steps;
  Headline headline;
  headline.total_ns = steps.average_total_ns;
  // What another program's trace says of devices is not known.
  if (headline.total_ns <= 0 || IsOfOtherRecorder(model.store())) return headline;
  const auto part = [&](Role role) { return steps.average_ns[static_cast<size_t>(role)]; };
  const auto share = [&](double ns) { return ns / headline.total_ns; };
  const MessageArg span = SpanArg(model);

  if (!overview.has_device_work) {
    headline.lost_ns = 0;
    if (IsIncomplete(model.store())) {
      headline.message = Say(messages::kReadPartHoldsNoDeviceWork);
      return headline;
    }
    headline.bound = Bound::kCpu;
    headline.message = CpuOnly(span, share(part(Role::kCpuExec)), share(part(Role::kRuntime)),
                               share(part(Role::kDataLoader)), share(part(Role::kCommunication)),
                               share(part(Role::kOther)));
    return headline;
  }

  const double compute = part(Role::kKernel) + part(Role::kMemcpy) + part(Role::kMemset);
  headline.busy = share(compute + part(Role::kCommunication));
  headline.lost_ns = headline.total_ns - compute - part(Role::kCommunication);
  const double launch = part(Role::kRuntime) + part(Role::kCpuExec);
  struct Cause {
    Bound bound;
    double ns;
  };
  const std::array<Cause, 4> causes{{{Bound::kCommunication, part(Role::kCommunication)},
                                     {Bound::kInput, part(Role::kDataLoader)},
                                     {Bound::kLaunch, launch},
                                     {Bound::kPython, part(Role::kOther)}}};
  const Cause* worst = &causes.front();
  for (const Cause& cause : causes) {
    if (cause.ns > worst->ns) worst = &cause;
  }
  // "GPU 0", "NPU 3": what such a device is called.
  const std::string label = overview.gpus.empty() ? "" : overview.gpus.front().label;
  const std::string device = label.empty() ? "GPU" : label.substr(0, label.find(' '));
  headline.bound = Bound::kGpu;
  if (share(compute) < kBusy) {
    const bool named = worst->ns >= kNamed * (headline.total_ns - compute);
    headline.bound = named ? worst->bound : Bound::kUnknown;
  }
  // Recorders write device work behind the host's: a cut file may hold only its beginning.
  const bool unsure = headline.bound != Bound::kGpu || extent == Extent::kPart;
  if (unsure && IsIncomplete(model.store())) {
    headline.bound = Bound::kUnknown;
    headline.message =
        Say(messages::kReadPartBusy, {{"device", device}, {"busy", headline.busy, Unit::kRatio}});
    return headline;
  }
  if (headline.bound == Bound::kCommunication) headline.lost_ns = part(Role::kCommunication);
  const auto [lost, total] = PartOf(headline.lost_ns, headline.total_ns);
  headline.message = Say(messages::kDeviceBusy, {{"device", device},
                                                 {"busy", headline.busy, Unit::kRatio},
                                                 {"bound", BoundName(headline.bound)},
                                                 {"lost", lost},
                                                 {"total", total},
                                                 span});
  return headline;
}

}  // namespace emberline
