#include "analysis/steps.h"

#include <algorithm>
#include <utility>

#include "analysis/intervals.h"
#include "analysis/messages.h"
#include "model/names.h"

namespace emberline {
namespace {

// Partial steps would distort averages; they count only when there is nothing else.
std::vector<uint32_t> WholeSteps(const Model& model, const StepSelection& selection) {
  std::vector<uint32_t> whole, all;
  for (uint32_t i = 0; i < model.steps.size(); ++i) {
    if (!selection.Contains(i)) continue;
    all.push_back(i);
    if (!model.steps[i].partial) whole.push_back(i);
  }
  return whole.empty() ? all : whole;
}

}  // namespace

const char* RoleKey(Role role) {
  switch (role) {
    case Role::kKernel:
      return "kernel";
    case Role::kMemcpy:
      return "memcpy";
    case Role::kMemset:
      return "memset";
    case Role::kCommunication:
      return "communication";
    case Role::kRuntime:
      return "runtime";
    case Role::kDataLoader:
      return "dataLoader";
    case Role::kCpuExec:
      return "cpuExec";
    case Role::kOther:
      return "other";
  }
  return "other";
}

const Sentence& RoleTitle(Role role) {
  switch (role) {
    case Role::kKernel:
      return messages::kRoleKernel;
    case Role::kMemcpy:
      return messages::kRoleMemcpy;
    case Role::kMemset:
      return messages::kRoleMemset;
    case Role::kCommunication:
      return messages::kRoleCommunication;
    case Role::kRuntime:
      return messages::kRoleRuntime;
    case Role::kDataLoader:
      return messages::kRoleDataLoader;
    case Role::kCpuExec:
      return messages::kRoleCpuExec;
    case Role::kOther:
      return messages::kRoleOther;
  }
  return messages::kRoleOther;
}

const Sentence& RoleDefinition(Role role) {
  switch (role) {
    case Role::kKernel:
      return messages::kRoleKernelDefinition;
    case Role::kMemcpy:
      return messages::kRoleMemcpyDefinition;
    case Role::kMemset:
      return messages::kRoleMemsetDefinition;
    case Role::kCommunication:
      return messages::kRoleCommunicationDefinition;
    case Role::kRuntime:
      return messages::kRoleRuntimeDefinition;
    case Role::kDataLoader:
      return messages::kRoleDataLoaderDefinition;
    case Role::kCpuExec:
      return messages::kRoleCpuExecDefinition;
    case Role::kOther:
      return messages::kRoleOtherDefinition;
  }
  return messages::kRoleOtherDefinition;
}

Interval SelectedRange(const Model& model, const StepSelection& selection) {
  const std::vector<uint32_t> steps = WholeSteps(model, selection);
  if (steps.empty()) return {};
  return {model.steps[steps.front()].time.begin, model.steps[steps.back()].time.end};
}

Result<StepBreakdown> AnalyzeSteps(const Model& model, const StepSelection& selection,
                                   const CancelToken& cancel) {
  const TraceStore& s = model.store();
  const uint32_t n = s.slice_count();
  StepBreakdown result;
  std::vector<Interval> all_steps;
  for (uint32_t i = 0; i < model.steps.size(); ++i) {
    if (selection.Contains(i)) {
      result.steps.push_back({i, {}});
      all_steps.push_back(model.steps[i].time);
    }
  }
  std::vector<uint8_t> range_of(s.strings().size(), 0xff);  // RangeKind by name
  std::vector<uint8_t> library_of(s.strings().size(),
                                  0xff);  // 0 none, 1 NCCL and the like, 2 host-side
  auto range = [&](SliceIndex i) {
    uint8_t& known = range_of[s.name_id(i)];
    if (known == 0xff) known = static_cast<uint8_t>(ClassifyRange(s.name(i)));
    return static_cast<RangeKind>(known);
  };
  auto library = [&](SliceIndex i) -> uint8_t {
    uint8_t& known = library_of[s.name_id(i)];
    if (known == 0xff) {
      const std::string_view name = CollectiveLibrary(s.name(i));
      known = name.empty() ? 0 : name == "gloo" || name == "mpi" || name == "ucc" ? 2 : 1;
    }
    return known;
  };
  const bool communication_kernels = model.is_communication.Any();

  std::array<std::vector<Interval>, kRoleCount> found;
  for (SliceIndex i = 0; i < n; ++i) {
    if (i % kCancelStride == 0 && cancel.cancelled()) {
      return Cancelled();
    }
    Role role = Role::kOther;
    switch (s.kind(i)) {
      case SliceKind::kKernel:
      case SliceKind::kDeviceOther:
      case SliceKind::kCommunication:
        role = model.is_communication[i] ? Role::kCommunication : Role::kKernel;
        break;
      case SliceKind::kMemcpy:
        role = Role::kMemcpy;
        break;
      case SliceKind::kMemset:
        role = Role::kMemset;
        break;
      case SliceKind::kRuntime:
      case SliceKind::kDriver:
        role = Role::kRuntime;
        break;
      case SliceKind::kCpuOp:
      case SliceKind::kUserAnnotation: {
        const RangeKind kind = range(i);
        if (kind == RangeKind::kStep) continue;
        if (kind == RangeKind::kDataLoader) {
          role = Role::kDataLoader;
        } else if (library(i) == 2 || (library(i) == 1 && !communication_kernels)) {
          // The host's call is the communication only where no kernel does it.
          role = Role::kCommunication;
        } else if (s.kind(i) == SliceKind::kCpuOp && (!model.IsOp(i) || model.op[i] == kNone)) {
          role = Role::kCpuExec;  // a nested op is inside the outer op's interval anyway
        } else {
          continue;  // user ranges span idle time too (B68)
        }
        break;
      }
      default:
        continue;  // device-side annotations among them (B3)
    }
    found[static_cast<size_t>(role)].push_back({s.start(i), s.end(i)});
  }

  IntervalSet free = Unite(all_steps);
  for (size_t role = 0; role < kRoleCount; ++role) {
    result.present[role] = !found[role].empty();
    IntervalSet active;
    if (role == static_cast<size_t>(Role::kOther)) {
      active = std::exchange(free, {});
    } else {
      active = Intersect(Unite(std::move(found[role])), free);
      free = Subtract(free, active);
    }
    const IntervalLengths lengths(std::move(active));
    for (StepParts& step : result.steps) {
      step.parts[role] = lengths.Within(model.steps[step.step].time);
    }
  }
  result.present[static_cast<size_t>(Role::kOther)] = true;

  const std::vector<uint32_t> whole = WholeSteps(model, selection);
  for (const StepParts& step : result.steps) {
    if (!std::binary_search(whole.begin(), whole.end(), step.step)) continue;
    ++result.averaged_steps;
    for (size_t role = 0; role < kRoleCount; ++role) {
      result.average_ns[role] += static_cast<double>(step.parts[role]);
    }
    result.average_total_ns += static_cast<double>(model.steps[step.step].time.Length());
  }
  if (result.averaged_steps > 0) {
    for (double& part : result.average_ns) part /= result.averaged_steps;
    result.average_total_ns /= result.averaged_steps;
  }
  return result;
}

}  // namespace emberline
