// The catalog of what is said where a table of a job has no rows: what was looked for, and how to
// get it. The job may be one trace.
#pragma once

#include "rpc/messages.h"

namespace emberline::messages {

inline constexpr AbsenceText kNoCommunicationRecorded{
    "noCommunicationRecorded",
    "No communication was recorded: no kernel of NCCL, RCCL, HCCL, oneCCL or a custom all-reduce, "
    "and no call of Gloo or MPI on the host. A program on a single device has none. Of several "
    "ranks, record a step in which they communicate.",
    "activities", kRecordActivities};
inline constexpr AbsenceText kNothingMatched{
    "nothingMatched",
    "Communication was recorded, but no call was found on more than one rank. Open the traces or "
    "digests of all ranks together, as one folder."};
inline constexpr AbsenceText kNoKnownSizes{
    "noKnownSizes",
    "The sizes of the collectives that were found on more than one rank were not recorded. PyTorch "
    "2.2 and newer record them."};
inline constexpr AbsenceText kNobodyLate{
    "nobodyLate", "No rank came late to a collective because it did more than the others before."};
inline constexpr AbsenceText kNoLateWork{
    "noLateWork", "No rank kept others waiting with work between its sends and receives."};
inline constexpr AbsenceText kNoSendsOrReceives{
    "noSendsOrReceives",
    "No sends or receives were recorded, and late work is looked for between them, in pipelines "
    "and rings. Who is late in collectives is in the table of stragglers."};
inline constexpr AbsenceText kNoDeviceWorkOfJob{
    "noDeviceWorkOfJob", "No device work was recorded, and only device work is counted here.",
    "activities", kRecordActivities};
inline constexpr AbsenceText kNoLinkedLaunches{
    "noLinkedLaunches",
    "Device work was recorded, but not the calls that launched it: record the CPU as well.",
    "activities", kRecordActivities};
inline constexpr AbsenceText kNoIdleStream{"noIdleStream",
                                           "No stream was idle between two pieces of its work."};
inline constexpr AbsenceText kNoIdleDevice{"noIdleDevice",
                                           "No device was idle for as long as 1 us."};
inline constexpr AbsenceText kNoCopiesOfJob{
    "noCopiesOfJob", "Device work was recorded, but no copy or memset was among it."};
inline constexpr AbsenceText kNoSequences{
    "noSequences",
    "No operator launched the same 3 to 64 kernels, copies and memsets at least twice. Of one "
    "step, sequences show only where a layer repeats: record several steps."};
inline constexpr AbsenceText kNoNamedSequences{
    "noNamedSequences",
    "No operator whose name contains this text launched 3 or more kernels, copies and memsets."};
inline constexpr AbsenceText kNoLaunchingOperators{
    "noLaunchingOperators",
    "Device work was recorded, but none of it is known to be launched by an operator: record the "
    "CPU as well.",
    "activities", kRecordActivities};
inline constexpr AbsenceText kNoNamedRanges{
    "noNamedRanges",
    "No named ranges were recorded. A program names them with torch.profiler.record_function()."};
inline constexpr AbsenceText kNoCounters{
    "noCounters", "No hardware counters of kernels were recorded.", "experimental_config",
    "from torch._C._profiler import _ExperimentalConfig\n"
    "profile(experimental_config=_ExperimentalConfig(\n"
    "    profiler_metrics=[\"smsp__inst_executed.sum\"], profiler_measure_per_kernel=True))"};
inline constexpr AbsenceText kNoWholeStep{
    "noWholeStep", "No whole step was recorded, so there is no critical path.", "schedule",
    kNoSteps.snippet};
inline constexpr AbsenceText kNoKernelOnPath{
    "noKernelOnPath",
    "No kernel is on the critical path: only the host determines how long the steps take."};
inline constexpr AbsenceText kNothingInJob{"nothingInJob",
                                           "Neither device work nor operators were recorded.",
                                           "activities", kRecordActivities};

}  // namespace emberline::messages
