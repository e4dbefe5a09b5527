#include "cost/measured.h"

namespace emberline {

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
  measured.bound = BoundOf(measured.roof, kernel.flops, kernel.bytes());
  return measured;
}

}  // namespace emberline
