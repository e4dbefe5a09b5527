#include "cost/measured.h"

namespace emberline {
namespace {

// How much faster than its roof a kernel may be: caches serve bytes faster than memory does, and
// clocks rise above those of the data sheet. What was faster yet did less than its arguments say,
// as a fused lookup that reads a few rows of the table it is given: its share of a roof is not
// known.
double Headroom(const DevicePeaks& device, const RoofBound& bound) {
  constexpr double kClock = 1.25;
  constexpr double kUnknownCache = 4;
  if (!bound.memory) return kClock;
  const bool cache_known = device.cache_gb_per_s > 0 && device.memory_gb_per_s > 0;
  return cache_known ? kClock * device.cache_gb_per_s / device.memory_gb_per_s : kUnknownCache;
}

}  // namespace

std::optional<RoofBound> CredibleBound(const DevicePeaks& device,
                                       const std::optional<RoofBound>& bound, double seconds) {
  if (bound && bound->seconds > seconds * Headroom(device, *bound)) return std::nullopt;
  return bound;
}

Measured MeasuredOf(const CostContext& context, const std::vector<const DevicePeaks*>& devices,
                    const KernelCost& kernel) {
  Measured measured;
  const DevicePeaks* device = devices[context.model.store().track(kernel.kernel)];
  // Links limit communication, not memory.
  if (device == nullptr || kernel.cost == nullptr ||
      kernel.cost->op_class == OpClass::kCollective) {
    return measured;
  }
  measured.roof = RoofOf(*device, *kernel.cost, kernel.matrix_call);
  const double seconds = static_cast<double>(context.model.store().duration(kernel.kernel)) / 1e9;
  measured.bound =
      CredibleBound(*device, BoundOf(measured.roof, kernel.flops, kernel.bytes()), seconds);
  return measured;
}

}  // namespace emberline
