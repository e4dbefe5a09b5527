// Launches that wait on a stream of a device.
#pragma once

#include <vector>

#include "analysis/intervals.h"
#include "model/model.h"

namespace emberline {

// From the start of each launch call to the start of its work on the stream, in order of the work.
// A graph, or another call that launches several works, is one launch and waits until the first of
// them begins: the host may run ahead by a number of calls, however much each of them launches.
// Work without a recorded launch is left out; where clocks let work begin before its call, nothing
// waits.
std::vector<Interval> WaitingLaunches(const Model& model, TrackIndex stream);

}  // namespace emberline
