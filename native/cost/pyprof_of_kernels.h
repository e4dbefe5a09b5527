// PyProf2's figures of the kernels of a trace.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "cost/call_chain.h"
#include "cost/pyprof.h"
#include "cost/recorded_cost.h"
#include "model/model.h"

namespace emberline {

// Calls that are alike are read once. Refers to what it is made from; not thread-safe.
class PyProfOfKernels {
 public:
  PyProfOfKernels(const Model& model, CallChain* chain, RecordedCosts* recorded)
      : store_(model.store()), chain_(*chain), recorded_(*recorded) {}

  // The figures of a kernel that `op` launched, its number within the call being `sub`: an index
  // into TakeFigures().
  uint32_t Of(SliceIndex kernel, SliceIndex op, int64_t sub, bool backward);
  // All different figures; Of() must not be asked any more.
  std::vector<PyProfFigures> TakeFigures() { return std::move(figures_); }

 private:
  // What the figures of a kernel stand on.
  struct Call {
    StringId op = 0, kernel = 0, shapes = 0, types = 0, strides = 0, values = 0;
    int64_t sub = 0;
    bool backward = false;
    bool operator==(const Call&) const = default;
  };
  struct CallHash {
    size_t operator()(const Call& call) const;
  };

  const TraceStore& store_;
  CallChain& chain_;
  RecordedCosts& recorded_;
  std::vector<PyProfFigures> figures_ = {{}};  // the first: of kernels that no operator launched
  std::unordered_map<Call, uint32_t, CallHash> by_call_;
};

}  // namespace emberline
