// The catalog of what analyses say: findings, and the overview in one sentence. Several values
// are words of the catalog themselves: {span} is "step" where steps were recorded, else "trace";
// {device} is what people call such a device ("GPU", "NPU").
#pragma once

#include "analysis/findings.h"

namespace emberline::messages {

// Evidence.
inline constexpr Sentence kShareOfSpan{"shareOfSpan", "Share of the {span}"};
inline constexpr Sentence kWaiting{"waiting", "Waiting{span, select, step { per step} other {}}"};
inline constexpr Sentence kExposed{"exposed", "Exposed{span, select, step { per step} other {}}"};
inline constexpr Sentence kDevices{"devices", "Devices"};
inline constexpr Sentence kUtilizationOf{"utilizationOf", "Utilization of {label}"};
inline constexpr Sentence kRoleShare{"roleShare", "{role} share of the {span}"};
inline constexpr Sentence kEligible{"eligible", "Eligible kernel time"};
inline constexpr Sentence kOnTensorCores{"onTensorCores", "Kernel time on {matrix}"};
inline constexpr Sentence kShareOfMemory{"shareOfMemory", "Share of the memory"};
inline constexpr Sentence kPeakAllocated{"peakAllocated", "Peak allocated"};
inline constexpr Sentence kPeakReserved{"peakReserved", "Peak reserved"};
inline constexpr Sentence kKernels{"kernels", "Kernels{span, select, step { per step} other {}}"};
inline constexpr Sentence kMedianKernel{"medianKernel", "Median kernel"};
inline constexpr Sentence kStartedIdle{"startedIdle", "Kernels started on an idle {device}"};
inline constexpr Sentence kIdleBeforeLaunches{
    "idleBeforeLaunches", "Idle before launches{span, select, step { per step} other {}}"};
inline constexpr Sentence kCalls{"calls", "Calls{span, select, step { per step} other {}}"};
inline constexpr Sentence kShareOfKernelTime{"shareOfKernelTime", "Share of kernel time"};
inline constexpr Sentence kAllCalls{"allCalls", "Calls"};
inline constexpr Sentence kCopying{"copying", "Copying{span, select, step { per step} other {}}"};
inline constexpr Sentence kBytes{"bytes", "Bytes{span, select, step { per step} other {}}"};
inline constexpr Sentence kCopies{"copies", "Copies{span, select, step { per step} other {}}"};
inline constexpr Sentence kUtilization{"utilization", "Utilization"};
inline constexpr Sentence kSmEfficiency{"smEfficiency", "Estimated SM efficiency"};
inline constexpr Sentence kShareOfTime{"shareOfTime", "Share of the time"};
inline constexpr Sentence kAverageStep{"averageStep", "Average step as recorded"};

// Findings.
inline constexpr FindingText kDataLoading{
    "dataLoading",
    "{span, select, step {Steps wait} other {The program waits}} for the data loader",
    "{share} of {span} time is spent waiting for input data.",
    "Load in the background: give the DataLoader more worker processes, keep them alive between "
    "epochs, and pin its memory when it feeds {device, select, GPU {a GPU} other {a device}}.",
    "DataLoader(dataset, batch_size=..., num_workers=4, pin_memory=True, "
    "persistent_workers=True)"};
inline constexpr FindingText kDataParallel{
    "dataParallel", "DataParallel runs all {device}s from one process",
    "DataParallel ran on {devices} devices. One process feeds all of them and copies the model "
    "every step.",
    "Use DistributedDataParallel with one process per {device}, even on a single machine.",
    "model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[local_rank])"};
inline constexpr FindingText kBackend{
    "backend", "Gloo is used instead of NCCL",
    "DistributedDataParallel communicates through Gloo, which moves GPU data through the host.",
    "Use the NCCL backend for GPU training.",
    "torch.distributed.init_process_group(backend=\"nccl\")"};
inline constexpr FindingText kCommunication{
    "communication",
    "{span, select, step {Steps wait} other {The program waits}} for communication",
    "{share} of {span} time is communication not overlapped with compute.",
    "Communicate less data, or less often: compress gradients, accumulate them over several "
    "batches, or use a larger batch. The last two increase the effective batch size, so check "
    "convergence and consider an optimizer for large batches such as LAMB.",
    "from torch.distributed.algorithms.ddp_comm_hooks import default_hooks\n"
    "model.register_comm_hook(state=None, hook=default_hooks.bf16_compress_hook)"};
// {rest}: what fills most of the other time: "none", "unrecorded", or a {role}.
inline constexpr FindingText kLowUtilization{
    "lowUtilization",
    "{count, plural, one {{device} is} other {{device}s are}} idle most of the time",
    "{devices} {count, plural, one {runs kernels less than half the time ({utilization}).} other "
    "{run kernels less than half the time.}}{rest, select, none {} unrecorded { {restShare, "
    "number, integer} of the {span} has no recorded CPU or {device} work.} other { The largest "
    "other part of the {span}: {role} ({restShare}).}}",
    "Give the device more work per launch: a larger batch where convergence allows it, fewer and "
    "larger kernels (torch.compile, {graph}s), and remove synchronization points.",
    "model = torch.compile(model)"};
// How {devices} end where there are too many to be named.
inline constexpr Sentence kMoreDevices{"moreDevices", "{count} more"};
inline constexpr FindingText kMixedPrecision{
    "mixedPrecision", "{maker, select, amd {Matrix cores} other {Tensor cores}} are unused",
    "{share, number, integer} of kernel time is in operators that could use {matrix} but did "
    "not.",
    "Use mixed precision: autocast runs eligible operators in bfloat16 or float16.",
    "with torch.autocast(\"{torch}\", dtype=torch.bfloat16):\n    loss = criterion(model(x), y)"};
inline constexpr FindingText kMemoryNearCapacity{
    "memoryNearCapacity", "Memory is nearly full",
    "The peak of {label} reaches {share} of its {memory}.",
    "Trade time for memory with activation checkpointing, or store less with mixed precision.",
    "torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=False)"};
inline constexpr FindingText kLaunchBound{
    "launchBound", "{device} is starved: kernel launches are too slow",
    "{share} of the kernels started on an idle {device}: the host launches them more slowly than "
    "the {device} runs them. Median kernel: {median}.",
    "Launch fewer and larger kernels: compile the model, record it as a {graph}, use fused "
    "optimizers, or enlarge the batch.",
    "model = torch.compile(model, mode=\"reduce-overhead\")"};
inline constexpr FindingText kHostSynchronization{
    "hostSynchronization", "CPU blocks on {device} synchronization",
    "Synchronizing calls take {time}{span, select, step { per step} other {}} ({share}). Nothing "
    "new is launched until they return.",
    "Keep results on the {device}: accumulate losses as tensors and read them every N steps, "
    "avoid .item(), .cpu(), nonzero() and printing tensors in the loop, and copy from pinned "
    "memory with non_blocking=True.",
    "running_loss += loss.detach()      # not loss.item()\n"
    "if step % 100 == 0:\n    print(running_loss.item() / 100)"};
inline constexpr FindingText kMisalignedShapes{
    "misalignedShapes", "Matrix sizes are not aligned for {matrix}",
    "{share} of kernel time is in 16-bit matrix products with a dimension that is not a multiple "
    "of 8 ({sizes}).",
    "Round {vocabulary, select, yes {the vocabulary, hidden sizes, sequence length} other "
    "{channels, hidden sizes, sequence length}} and batch up to multiples of 8 (64 is better on "
    "large GPUs).",
    "{vocabulary, select, yes {vocab_size = (vocab_size + 63) // 64 * 64} other {}}"};
inline constexpr FindingText kPageableCopies{
    "pageableCopies", "Copies from pageable memory",
    "Copies between the device and pageable host memory take {time}{span, select, step { per "
    "step} other {}} ({share}). They go through a driver staging buffer and block the CPU.",
    "Pin the host memory and copy without blocking, so copies overlap with kernels.",
    "loader = DataLoader(dataset, pin_memory=True)\nx = x.to(\"{torch}\", non_blocking=True)"};
inline constexpr FindingText kSmallBatch{
    "smallBatch", "Kernels are too small to fill the {device}",
    "{label} runs kernels {utilization} of the time, but they fill only {efficiency} of its "
    "multiprocessors (estimated).",
    "Enlarge the batch, or run several models or streams side by side. Check convergence when the "
    "batch changes.",
    "loader = DataLoader(dataset, batch_size=2 * batch_size)"};
inline constexpr FindingText kFragmentation{
    "fragmentation", "Reserved memory is mostly unused",
    "{share} of the memory that the allocator reserved on {label} was never in use at the same "
    "time, because of fragmentation or a rare large allocation.",
    "Let the allocator grow its segments, and keep shapes the same from step to step where "
    "possible.",
    "{known, select, yes {{variable}=expandable_segments:True python train.py} other {}}"};
inline constexpr FindingText kProfilerOverhead{
    "profilerOverhead", "Profiler overhead inflates the times",
    "{share} of the time is profiler overhead: real steps are faster than these.",
    "Warm up before recording, record fewer steps, and leave out with_stack or record_shapes "
    "where they are not needed.",
    "schedule=torch.profiler.schedule(wait=1, warmup=3, active=3)"};
inline constexpr FindingText kRecordMore{
    "recordMore", "Some data was not recorded",
    "Not recorded: {missing}.{silent, select, yes { Memory recording was on, but the trace "
    "contains no allocations.} other {}}",
    "Record again with these arguments, and call prof.step() at the end of each step.",
    "with torch.profiler.profile(\n{arguments}) as prof:\n    ..."};
// What {missing} lists.
inline constexpr Sentence kPythonStacks{"pythonStacks", "Python stacks (lines, modules)"};
inline constexpr Sentence kInputShapes{"inputShapes", "input shapes"};
inline constexpr Sentence kMemory{"memory", "memory"};
inline constexpr Sentence kSteps{"steps", "steps"};

// The overview in one sentence.
inline constexpr Sentence kReadPartHoldsNoDeviceWork{
    "readPartHoldsNoDeviceWork", "The part of the file that was read holds no GPU work."};
inline constexpr Sentence kReadPartBusy{
    "readPartBusy",
    "{device} busy {busy} in the part of the file that was read. The rest may hold more "
    "{device} work, so what limits the program is not known."};
// {most} is what takes most of the time; of the others those that count are named.
inline constexpr Sentence kCpuOnly{
    "cpuOnly",
    "CPU only, no GPU work: {most, select, operators {operators take {operators}} loader {the data "
    "loader takes {loader}} communication {communication takes {communication}} other {Python and "
    "unrecorded work takes {rest}}} of {span, select, step {each step} other {the trace}}{works, "
    "select, yes {, operators {operators}} other {}}{calls, select, yes {, runtime calls "
    "{runtime}} other {}}{loads, select, yes {, the data loader {loader}} other {}}{sends, select, "
    "yes {, communication {communication}} other {}}{rests, "
    "select, yes {, Python and unrecorded work {rest}} other {}}."};
// {bound} is the name of the bound; {lost} is in the unit that {total} names.
inline constexpr Sentence kDeviceBusy{
    "deviceBusy",
    "{device} busy {busy}, {bound, select, gpu {{device} bound} communication {communication "
    "bound} input {input bound, waiting for the data loader} launch {launch bound, waiting for "
    "the CPU} python {host bound, waiting for Python or unrecorded work} other {no single cause "
    "of the idle time}}: {lost} of {total} {bound, select, communication {not overlapped with "
    "compute} other {lost}}{span, select, step { per step} other {}}."};

// Why a device was idle. {host} is what the host was in, for {part} of the gap. {late} says whether
// the launch that ended the gap came late in it: "none", "launch" where the host was in that very
// call, or "next".
#define EMBERLINE_LATE                                                \
  "{late, select, none {} launch { The launch began after {delay}.} " \
  "other { The next launch came after {delay}.}}"
inline constexpr Sentence kGapLaunchLate{
    "gapLaunchLate",
    "The launch came late: the host was in {host} ({part} of the gap)." EMBERLINE_LATE};
inline constexpr Sentence kGapSynchronization{"gapSynchronization",
                                              "The host waited for the device in {host} ({part} of "
                                              "the gap) before it launched more." EMBERLINE_LATE};
inline constexpr Sentence kGapHeldCopy{
    "gapHeldCopy", "A copy that was launched earlier did not start until then."};
inline constexpr Sentence kGapCopy{
    "gapCopy", "The host was copying in {host} ({part} of the gap)." EMBERLINE_LATE};
inline constexpr Sentence kGapDataLoader{
    "gapDataLoader", "The host waited for data in {host} ({part} of the gap)." EMBERLINE_LATE};
inline constexpr Sentence kGapCollective{
    "gapCollective", "The host was in a collective, {host} ({part} of the gap)." EMBERLINE_LATE};
inline constexpr Sentence kGapNothing{"gapNothing",
                                      "The host did nothing that was recorded." EMBERLINE_LATE};
inline constexpr Sentence kGapLittle{
    "gapLittle",
    "Little host work was recorded; the longest was {host} ({part} of the gap)." EMBERLINE_LATE};
inline constexpr Sentence kGapOutside{
    "gapOutside", "The host was outside operators, in {host} ({part} of the gap)." EMBERLINE_LATE};
inline constexpr Sentence kGapStart{"gapStart", "No work had been launched yet." EMBERLINE_LATE};
inline constexpr Sentence kGapNoLaunch{"gapNoLaunch",
                                       "No launch was recorded for the work that ended the gap."};
inline constexpr Sentence kGapHeld{
    "gapHeld",
    "The next work had been launched {before} before the gap began: the device held it back, for "
    "example for an event."};
#undef EMBERLINE_LATE

// Parts of a step: what they are called, and when time counts as them.
inline constexpr Sentence kRoleKernel{"roleKernel", "Kernel"};
inline constexpr Sentence kRoleKernelDefinition{
    "roleKernelDefinition", "A kernel that does not communicate runs on some device."};
inline constexpr Sentence kRoleMemcpy{"roleMemcpy", "Memcpy"};
inline constexpr Sentence kRoleMemcpyDefinition{
    "roleMemcpyDefinition", "No kernel runs, but a copy from, to or between devices does."};
inline constexpr Sentence kRoleMemset{"roleMemset", "Memset"};
inline constexpr Sentence kRoleMemsetDefinition{
    "roleMemsetDefinition", "No kernel or copy runs, but device memory is being set."};
inline constexpr Sentence kRoleCommunication{"roleCommunication", "Communication"};
inline constexpr Sentence kRoleCommunicationDefinition{
    "roleCommunicationDefinition",
    "Nothing else runs on the device, but a communication kernel does; for collectives without "
    "kernels (Gloo, MPI), the host is inside the call."};
inline constexpr Sentence kRoleRuntime{"roleRuntime", "Runtime"};
inline constexpr Sentence kRoleRuntimeDefinition{
    "roleRuntimeDefinition",
    "The device is idle; some host thread is in a runtime or driver call such as cudaLaunchKernel "
    "or cudaStreamSynchronize."};
inline constexpr Sentence kRoleDataLoader{"roleDataLoader", "Data loader"};
inline constexpr Sentence kRoleDataLoaderDefinition{
    "roleDataLoaderDefinition",
    "The device is idle and no runtime call is active; the host waits for the data loader."};
inline constexpr Sentence kRoleCpuExec{"roleCpuExec", "CPU operators"};
inline constexpr Sentence kRoleCpuExecDefinition{
    "roleCpuExecDefinition", "None of the above; some CPU thread runs an operator."};
inline constexpr Sentence kRoleOther{"roleOther", "Python / unrecorded"};
inline constexpr Sentence kRoleOtherDefinition{
    "roleOtherDefinition",
    "No recorded CPU or device work: Python between operators, or waiting that was not recorded."};

// Rows of the timeline, their groups, and what is told of them. {more} are names as they were
// recorded, each behind a comma.
inline constexpr Sentence kRowProcess{"rowProcess", "Process {pid}"};
inline constexpr Sentence kRowNamedProcess{"rowNamedProcess", "{name} ({pid})"};
inline constexpr Sentence kRowNamedDevice{"rowNamedDevice", "{device} ({name})"};
inline constexpr Sentence kRowThread{"rowThread", "Thread {tid}"};
inline constexpr Sentence kRowStream{"rowStream", "Stream {stream}"};
inline constexpr Sentence kRowAllStreams{"rowAllStreams", "All streams"};
inline constexpr Sentence kRowAsynchronous{"rowAsynchronous", "Asynchronous"};
inline constexpr Sentence kRowAsynchronousOf{"rowAsynchronousOf", "Asynchronous: {tid}"};
inline constexpr Sentence kRowIds{"rowIds", "pid {pid}, tid {tid}{more}"};
inline constexpr Sentence kRowAsynchronousIds{
    "rowAsynchronousIds", "pid {pid}, asynchronous events, one id above the other{more}"};
inline constexpr Sentence kRowPid{"rowPid", "pid {pid}"};
inline constexpr Sentence kRowSteps{"rowSteps", "Steps"};
inline constexpr Sentence kRowStepsHint{"rowStepsHint",
                                        "Ranges of the profiler's steps on the host"};
inline constexpr Sentence kRowUtilization{"rowUtilization", "Utilization"};
inline constexpr Sentence kRowUtilizationHint{"rowUtilizationHint",
                                              "Share of time in which some kernel runs"};
inline constexpr Sentence kRowBusy{"rowBusy", "Busy"};
inline constexpr Sentence kRowBusyHint{
    "rowBusyHint", "Share of time in which any stream works, memcpy and memset included"};
inline constexpr Sentence kRowSmEfficiency{"rowSmEfficiency", "Est. SM efficiency"};
inline constexpr Sentence kRowSmEfficiencyHint{
    "rowSmEfficiencyHint", "Blocks per multiprocessor of the kernels that run, at most 1"};
inline constexpr Sentence kRowCopyBandwidth{"rowCopyBandwidth", "Copy bandwidth"};
inline constexpr Sentence kRowCopyBandwidthHint{"rowCopyBandwidthHint",
                                                "Rate of the copies that run"};
inline constexpr Sentence kRowQueueDepth{"rowQueueDepth", "Queue depth, stream {stream}"};
inline constexpr Sentence kRowQueueDepthHint{
    "rowQueueDepthHint", "Launches whose work has not begun; a graph is one launch"};
inline constexpr Sentence kRowsMemory{"rowsMemory", "Memory"};
inline constexpr Sentence kRowMemory{"rowMemory", "{device} memory"};
inline constexpr Sentence kRowMemoryHint{"rowMemoryHint",
                                         "Bytes allocated by the caching allocator"};
inline constexpr Sentence kRowsCounters{"rowsCounters", "Counters"};
inline constexpr Sentence kRowsTrace{"rowsTrace", "Trace"};
inline constexpr Sentence kRowInstants{"rowInstants", "Instants"};
inline constexpr Sentence kRowInstantsHint{"rowInstantsHint", "Instants that belong to no thread"};

}  // namespace emberline::messages
