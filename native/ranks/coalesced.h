// Calls that a program makes one by one and that run as one: those of a coalescing manager, such as
// the sends and receives of batch_isend_irecv. Their records have ended when the work is launched.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "store/trace_store.h"

namespace emberline {

// The record that PyTorch writes for each call of a process group.
inline constexpr std::string_view kCallRecord = "record_param_comms";

// A call whose record holds no launch.
struct QueuedCall {
  SliceIndex record = kNone;
  SliceIndex range = kNone;  // "nccl:send 0->1" within the record; or the record itself
};

struct QueuedWork {
  std::unordered_map<SliceIndex, std::vector<QueuedCall>> calls;  // by launch
  // Of a launch that followed another within the same range or operator: the first of them, which
  // has the calls that all of them ran.
  std::unordered_map<SliceIndex, SliceIndex> goes_on;
};

// What each of `launches` ran beside what is recorded around it: the calls that its thread made
// since the launch before it, as far as they are of the last one's group and number. `taken` are
// records that hold a launch. Linear in the slices, but for sorting the calls.
QueuedWork QueuedCalls(const TraceStore& store, const std::unordered_set<SliceIndex>& launches,
                       const std::unordered_set<SliceIndex>& taken);

}  // namespace emberline
