// What the same kernels would take on another device, by its peaks.
#pragma once

#include "cost/launches.h"

namespace emberline {

// Times in ns, of the selected steps.
struct Prediction {
  Ns kernel_time = 0;
  double predicted = 0;       // of all kernels
  Ns unscaled = 0;            // of kernels whose cost or roof is not known: taken as they are
  double latency = 0;         // of kernels: what other peaks do not change
  Ns step_time = 0;           // as recorded
  double predicted_step = 0;  // the same steps, replayed with the predicted times
  double busy = 0;            // time in which a device works, as recorded
  double predicted_busy = 0;
};

// A kernel takes as much longer as its bound is, max(operations, bytes) at the peaks. Of what it
// takes beyond its bound, the less scales the smaller the bound is: little work does not fill a
// device, whatever its peaks are, and waits for latencies. The steps are replayed with these times:
// where the host's launches are waited for now, they still are. Errors: kCancelled.
Result<Prediction> PredictOn(const CostContext& context, const DevicePeaks& device,
                             const CancelToken& cancel);

}  // namespace emberline
