#include "cost/what_if.h"

#include <algorithm>
#include <cmath>

#include "cost/measured.h"
#include "cost/replay.h"

namespace emberline {
namespace {

// Work that needs as long at the roof fills a device half: of the time beyond the roof, half is the
// kernel's way to work, which scales, and half is latency.
constexpr double kFillsHalf = 10'000;  // ns

// The part of a kernel's time, ns, that other peaks change.
double Scaling(double duration, double bound) {
  const double at_roof = std::min(duration, bound);
  return at_roof + (duration - at_roof) * at_roof / (at_roof + kFillsHalf);
}

}  // namespace

Result<Prediction> PredictOn(const CostContext& context, const DevicePeaks& device,
                             const CancelToken& cancel) {
  const TraceStore& store = context.model.store();
  const std::vector<const DevicePeaks*> devices = DevicesOfTracks(context);
  Prediction prediction;
  std::vector<Ns> recorded(store.slice_count()), predicted;
  for (SliceIndex i = 0; i < store.slice_count(); ++i) recorded[i] = store.duration(i);
  predicted = recorded;
  size_t seen = 0;
  for (const KernelCost& kernel : context.costs.kernels) {
    if (++seen % 4096 == 0 && cancel.cancelled()) {
      return Cancelled();
    }
    const Ns duration = recorded[kernel.kernel];
    const bool selected = context.steps.Contains(context.model.step[kernel.kernel]);
    const Measured here = MeasuredOf(context, devices, kernel);
    std::optional<RoofBound> there;
    if (here.bound) {
      there =
          BoundOf(RoofOf(device, *kernel.cost, kernel.matrix_call), kernel.flops, kernel.bytes());
    }
    double time = static_cast<double>(duration), latency = 0;
    if (there && here.bound->seconds > 0) {
      const double scaling = Scaling(time, here.bound->seconds * 1e9);
      latency = time - scaling;
      time = latency + scaling * there->seconds / here.bound->seconds;
    } else if (selected) {
      prediction.unscaled += duration;
    }
    predicted[kernel.kernel] = std::llround(time);
    if (!selected) continue;
    prediction.kernel_time += duration;
    prediction.predicted += time;
    prediction.latency += latency;
  }
  const auto before = ReplayWith(context.model, context.steps, recorded, cancel);
  if (!before.ok()) return before.error();
  const auto after = ReplayWith(context.model, context.steps, predicted, cancel);
  if (!after.ok()) return after.error();
  for (uint32_t i = 0; i < context.model.steps.size(); ++i) {
    if (context.steps.Contains(i)) prediction.step_time += context.model.steps[i].time.Length();
  }
  prediction.predicted_step =
      std::max(0.0, static_cast<double>(prediction.step_time) + after->steps - before->steps);
  prediction.busy = before->busy;
  prediction.predicted_busy = after->busy;
  return prediction;
}

}  // namespace emberline
