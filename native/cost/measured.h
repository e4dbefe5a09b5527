// A kernel against the roof of the device that ran it.
#pragma once

#include <optional>
#include <vector>

#include "cost/launches.h"

namespace emberline {

struct Measured {
  Roof roof;
  std::optional<RoofBound> bound;  // nothing where the cost or the device is not known
};

// The bound; nothing where a kernel of `seconds` was faster than the device can be with that work,
// caches and clocks taken into account: it did less than its arguments say.
std::optional<RoofBound> CredibleBound(const DevicePeaks& device,
                                       const std::optional<RoofBound>& bound, double seconds);

// `devices`: DevicesOfTracks(context).
Measured MeasuredOf(const CostContext& context, const std::vector<const DevicePeaks*>& devices,
                    const KernelCost& kernel);

}  // namespace emberline
