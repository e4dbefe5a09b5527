// Where on the host device work was asked for.
#pragma once

#include <algorithm>

#include "model/model.h"

namespace emberline {

// The launch of a device slice: what runs around it asked for the work. Where the launch stands on
// a row apart from its thread's operators (Track::same_thread), the innermost operator or frame
// around it; where a thread of its own launches what others queue, and where no launch was
// recorded, the operator that asked. kNone when none of them is known.
inline SliceIndex LaunchPlaceOf(const Model& model, SliceIndex work) {
  const SliceIndex launch = model.launch[work], asked = model.op[work];
  if (launch == kNone) return asked;
  const SliceIndex op = model.op[launch], frame = model.frame[launch];
  if (op == kNone && frame == kNone) return asked != kNone ? asked : launch;
  const TraceStore& store = model.store();
  if (store.tracks()[store.track(launch)].same_thread == kNone) return launch;
  return op == kNone ? frame : frame == kNone ? op : std::max(op, frame);
}

// The same, and for work of a graph the call that recorded it, where that is known.
inline SliceIndex HostPlaceOf(const Model& model, SliceIndex work) {
  const SliceIndex captured = model.CapturedCall(work);
  return captured != kNone ? captured : LaunchPlaceOf(model, work);
}

}  // namespace emberline
