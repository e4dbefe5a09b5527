// Work of a graph counts where the graph was recorded; it is part of the line that launched it.
#include <string_view>

#include "analysis/stack_of.h"
#include "attribution/recorded_stacks.h"
#include "attribution/stages.h"
#include "model/graphs.h"

namespace emberline {

bool PlaceGraphs(Attributing& a, RecordedStacks& stacks) {
  const TraceStore& s = a.store;
  const Model& model = a.model;
  LineAttribution& at = a.at;
  for (SliceIndex work = 0; work < model.captured.size(); ++work) {
    const SliceIndex call = model.captured[work];
    if (call == kNone) continue;
    DevicePlace place;
    place.blamed = at.blamed[call];
    if (place.blamed == kNone) continue;
    place.pass = at.pass[call];
    place.op = model.op[call];
    if (model.launch[work] != kNone) place.context = at.context[model.launch[work]];
    at.captured.emplace(work, place);
  }
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (a.Stop(i)) return false;
    if (!IsDeviceWork(s.kind(i))) continue;
    const SliceIndex launch = model.launch[i];
    if (launch != kNone && !IsGraphLaunch(s.name(launch))) continue;
    const std::string_view stack = CaptureStack(s, i);
    if (stack.empty()) continue;
    const uint32_t context = stacks.ContextOf(stack);
    if (context == kNone) continue;
    at.has_stacks = true;
    const auto known = at.captured.find(i);
    DevicePlace place;
    if (known != at.captured.end()) place = known->second;
    place.blamed = context;
    if (launch != kNone) place.context = at.context[launch];
    if (s.ArgText(i, ArgRole::kAutogradPhase) == "backward" && place.pass == Pass::kForward)
      place.pass = Pass::kBackward;
    at.captured[i] = place;
  }
  return !a.cancel.cancelled();
}

}  // namespace emberline
