#include "ingest/trace_event/arg_names.h"

namespace emberline {

// Kineto's spellings come first, those of older and other recorders behind.
void NameArgs(TraceBuilder* builder) {
  static constexpr struct {
    ArgRole role;
    const char* key;
  } kNames[] = {
      {ArgRole::kCorrelation, "correlation"},
      {ArgRole::kExternalId, "External id"},
      {ArgRole::kExternalId, "external id"},
      {ArgRole::kSequenceNumber, "Sequence number"},
      {ArgRole::kForwardThread, "Fwd thread id"},
      {ArgRole::kGraph, "graph id"},
      {ArgRole::kGraphNode, "graph node id"},
      {ArgRole::kKernelName, "kernel"},
      {ArgRole::kAutogradPhase, "autograd_phase"},
      {ArgRole::kWaitedRecord, "wait_on_cuda_event_record_corr_id"},
      {ArgRole::kWaitedStream, "wait_on_stream"},
      {ArgRole::kWaitingStream, "stream"},
      {ArgRole::kWaitingDevice, "device"},
      {ArgRole::kInputShapes, "Input Dims"},
      {ArgRole::kInputShapes, "Input dims"},
      {ArgRole::kInputTypes, "Input type"},
      {ArgRole::kInputStrides, "Input Strides"},
      {ArgRole::kInputValues, "Concrete Inputs"},
      {ArgRole::kCallStack, "Call stack"},
      {ArgRole::kCallSite, "CallFrom"},
      {ArgRole::kCaptureStack, "py_stack"},
      {ArgRole::kCaptureStack, "Call stack"},
      {ArgRole::kCaptureStack, "stack"},
      {ArgRole::kModule, "Module Hierarchy"},
      {ArgRole::kGrid, "grid"},
      {ArgRole::kBlock, "block"},
      {ArgRole::kBlocksPerSm, "blocks per SM"},
      {ArgRole::kOccupancy, "est. achieved occupancy %"},
      {ArgRole::kRegisters, "registers per thread"},
      {ArgRole::kSharedMemory, "shared memory"},
      {ArgRole::kBytes, "bytes"},
      {ArgRole::kBytes, "size"},
      {ArgRole::kCopyRate, "memory bandwidth (GB/s)"},
      {ArgRole::kCopyDirection, "direction"},
      {ArgRole::kCopyDirection, "kind"},
      {ArgRole::kDeviceUnit, "Task Type"},
      {ArgRole::kCollective, "Collective name"},
      {ArgRole::kElementType, "dtype"},
      {ArgRole::kElementType, "data_type"},
      {ArgRole::kInSplits, "In split size"},
      {ArgRole::kOutSplits, "Out split size"},
      {ArgRole::kInElements, "In msg nelems"},
      {ArgRole::kInElements, "In msg size"},
      {ArgRole::kInElements, "count"},
      {ArgRole::kOutElements, "Out msg nelems"},
      {ArgRole::kOutElements, "Out msg size"},
      {ArgRole::kCollectiveNumber, "Seq"},
      {ArgRole::kGroupName, "Process Group Name"},
      {ArgRole::kGroupDescription, "Process Group Description"},
      {ArgRole::kGroupSize, "Group size"},
      {ArgRole::kGroupRanks, "Process Group Ranks"},
      {ArgRole::kSourceRank, "Src Rank"},
      {ArgRole::kTargetRank, "Dst Rank"},
  };
  for (const auto& name : kNames) builder->NameArg(name.role, name.key);
}

}  // namespace emberline
