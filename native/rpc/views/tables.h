// Tables of views that other views ask for too: made once, kept with the trace.
#pragma once

#include <memory>

#include "analysis/kernels.h"
#include "analysis/operators.h"
#include "rpc/views/common.h"

namespace emberline {

using OperatorTabled = Tabled<OperatorData>;
using KernelTabled = Tabled<KernelData>;

// Under the selected steps, the user's rules and params.module. Errors: kCancelled, and those of
// the user's rules.
Result<std::shared_ptr<const OperatorTabled>> OperatorsOf(const ViewRequest& request,
                                                          OperatorGrouping grouping);
Result<std::shared_ptr<const KernelTabled>> KernelsOf(const ViewRequest& request,
                                                      KernelGrouping grouping);

}  // namespace emberline
