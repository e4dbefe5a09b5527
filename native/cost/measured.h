// A kernel against the roof of the device that ran it.
#pragma once

#include <optional>
#include <vector>

#include "cost/launches.h"

namespace emberline {

struct Measured {
  Roof roof;
  std::optional<Bound> bound;  // nothing where the cost or the device is not known
};

// `devices`: DevicesOfTracks(context).
Measured MeasuredOf(const CostContext& context, const std::vector<const DevicePeaks*>& devices,
                    const KernelCost& kernel);

}  // namespace emberline
