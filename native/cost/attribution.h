// Which operator's cost each kernel has, and how much of it.
//
// The innermost operator around the launch whose cost has a formula owns it. An operator that holds
// another owner of its class (aten::linear around aten::addmm) has none of its own. The cost of one
// call is shared among the kernels that the call ran, so that they sum to it: kernels that only
// prepare (layout changes, split sums) get none; gradients of a convolution go to the kernels that
// are named after them; what is left is shared by duration. Results that the call fills with zeros
// first belong to the filling operator: they are not counted a second time.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "cost/kernel_costs.h"
#include "cost/op_cost.h"
#include "cost/rules.h"
#include "model/model.h"

namespace emberline {

struct CostAttribution {
  KernelCosts kernels;  // every kernel of the trace, by start
  std::shared_ptr<const std::deque<OpCost>> costs;
  std::deque<OpCost> derived;  // of backward nodes, from their forward operators
  uint64_t faulty_calls = 0;   // different calls whose recorded shapes are impossible
  size_t MemoryBytes() const;
};

// `rules` may be null. Linear in the trace. Errors: kCancelled; kInvalidArgument where the rules
// take too long on this trace.
Result<std::shared_ptr<const CostAttribution>> AttributeCosts(const Model& model,
                                                              const CostRules* rules,
                                                              const CancelToken& cancel);

}  // namespace emberline
