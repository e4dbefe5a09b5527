// What the adapters of several views share.
#pragma once

#include <memory>

#include "analysis/findings.h"
#include "analysis/memory.h"
#include "analysis/stack_of.h"
#include "analysis/tensor_cores.h"
#include "rpc/views/view.h"

namespace emberline {

// Frame and SliceRef of rpc/protocol/common.json.
Json FrameJson(const Frame& frame);
// A reference's name is cut beyond 400 bytes.
Json SliceRefJson(const TraceStore& store, SliceIndex slice);

// Finding of rpc/protocol/view-overview.json.
Json FindingJson(const Model& model, const Finding& finding);

// The rules for the trace's vendor with the user's own of params.tensorCoreRules.
Result<TensorCoreRules> RulesOf(const ViewRequest& request);

// Stack numbers of the trace, made once.
std::shared_ptr<const StackIds> StacksOf(const ViewRequest& request);

// Allocator records of the trace, paired and attributed once.
std::shared_ptr<const MemoryData> MemoryOf(const ViewRequest& request);

// Whether anything ran on a device; asked of the store once per trace.
bool HasDeviceWork(const ViewRequest& request);

// Part of a cache key for what depends on the selected steps.
std::string StepsKey(const ViewRequest& request);
// The same for what depends on the user's rules too.
std::string SelectionKey(const ViewRequest& request);

}  // namespace emberline
