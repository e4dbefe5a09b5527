// When everything would have happened, had the device's work taken other times: the host goes on as
// recorded and waits where it waited, and each piece of work begins when what it waited for is
// done.
#pragma once

#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "model/model.h"

namespace emberline {

struct Replay {
  // Of the selected steps, as they would be: their lengths, and the time in which a device works in
  // them, both added up. Times in ns. Devices are averaged.
  double steps = 0;
  double busy = 0;
};

// `durations`: of each slice of the store, ns; what is no device work is not looked at. Work waits
// for the launch (not before the shortest time after it that any work of the trace needed), for the
// end of what its stream ran before, and for the work of other streams that ended last before it
// began, where that is what it began after. The host waits in calls that end when work of the
// device does. Sorts the device's work, else linear. Errors: kCancelled.
Result<Replay> ReplayWith(const Model& model, const StepSelection& steps,
                          const std::vector<Ns>& durations, const CancelToken& cancel);

}  // namespace emberline
