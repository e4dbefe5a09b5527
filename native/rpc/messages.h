// The catalog of what views say beside their figures: what a trace lacks, and how to record it.
#pragma once

#include "base/message.h"

namespace emberline {

// Something that a trace lacks.
struct AbsenceText {
  const char* code;
  MessagePattern what;
  const char* argument = "";  // of the profiler, which records it; empty when none does
  const char* snippet = "";   // Python that records it
};

}  // namespace emberline

namespace emberline::messages {

// Nobody knows what was recorded in the missing part of a cut file; stands behind the last of
// {absences} absences.
inline constexpr Sentence kMayBeCut{"mayBeCut",
                                    "{what} This describes only the part of the file that could be "
                                    "read: the missing part may contain "
                                    "{absences, plural, one {some} other {any of these}}."};
// The same of the files of {count} ranks of a job; {ranks} lists them as "0-3, 7".
inline constexpr Sentence kRanksMayBeCut{"ranksMayBeCut",
                                         "{what} This describes only what could be read: {count, "
                                         "plural, one {the missing part of the file "
                                         "of rank {ranks}} other {the missing parts of the files "
                                         "of ranks {ranks}}} may contain {absences, "
                                         "plural, one {some} other {any of these}}."};

inline constexpr const char* kRecordActivities =
    "profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])";
inline constexpr const char* kRecordStacks =
    "with torch.profiler.profile(with_stack=True) as prof:\n    ...";

inline constexpr AbsenceText kNoEvents{
    "noEvents", "The trace contains no events: its schedule may not have reached an active step.",
    "schedule",
    "with profile(schedule=schedule(wait=1, warmup=1, active=3)) as prof:\n"
    "    for batch in loader:  # at least 5 steps\n        train_step(batch)\n"
    "        prof.step()"};
inline constexpr AbsenceText kNoDeviceWork{"noDeviceWork",
                                           "No device work was recorded: device times are empty.",
                                           "activities", kRecordActivities};
inline constexpr AbsenceText kNoSteps{
    "noSteps", "No steps were recorded: the whole trace counts as one step.", "schedule",
    "with profile(schedule=schedule(wait=1, warmup=1, active=3)) as prof:\n"
    "    for batch in loader:\n        train_step(batch)\n        prof.step()"};
inline constexpr AbsenceText kNoStacks{
    "noStacks", "No Python stacks were recorded: costs cannot be shown on lines.",
    "with_stack=True", "profile(with_stack=True)"};
inline constexpr AbsenceText kNoShapes{
    "noShapes", "No input shapes were recorded: operators cannot be grouped by shape.",
    "record_shapes=True", "profile(record_shapes=True)"};
inline constexpr AbsenceText kNoModules{
    "noModules", "No module calls were recorded: the modules view is empty.", "with_stack=True",
    "profile(with_stack=True, with_modules=True)"};
inline constexpr AbsenceText kNoOperators{"noOperators", "No operators were recorded.",
                                          "activities", kRecordActivities};
inline constexpr AbsenceText kNoOperatorsInSteps{"noOperatorsInSteps",
                                                 "No operators ran in the selected steps."};
inline constexpr AbsenceText kNoKernels{"noKernels", "No kernels were recorded.", "activities",
                                        kRecordActivities};
inline constexpr AbsenceText kNoKernelsInSteps{"noKernelsInSteps",
                                               "No kernels ran in the selected steps."};
inline constexpr AbsenceText kDeviceWorkUnknown{
    "deviceWorkUnknown",
    "Another program recorded this trace: which of its work ran on a device is not known."};
inline constexpr AbsenceText kNoWorkOfDevice{"noWorkOfDevice", "The trace contains no device work.",
                                             "activities", kRecordActivities};
inline constexpr AbsenceText kNoOperatorShapes{"noOperatorShapes",
                                               "Input shapes were not recorded.",
                                               "record_shapes=True", "profile(record_shapes=True)"};
inline constexpr AbsenceText kNoOperatorStacks{"noOperatorStacks",
                                               "Python stacks were not recorded.",
                                               "with_stack=True", "profile(with_stack=True)"};
inline constexpr AbsenceText kNoStackOfOperator{"noStackOfOperator",
                                                "No Python stack was recorded for this operator.",
                                                "with_stack=True", "profile(with_stack=True)"};
inline constexpr AbsenceText kNoModuleCalls{"noModuleCalls", "No nn.Module calls were recorded.",
                                            "with_stack=True", kRecordStacks};
inline constexpr AbsenceText kNoLightning{
    "noLightning", "This trace has no PyTorch Lightning ranges.",
    "pytorch_lightning.profilers.PyTorchProfiler",
    "profiler = PyTorchProfiler(dirpath=\"log\", filename=\"profile\", record_module_names=True)\n"
    "trainer = Trainer(profiler=profiler)"};
inline constexpr AbsenceText kNoLightningModules{
    "noLightningModules", "Lightning's module ranges were not recorded, only its hooks.",
    "record_module_names=True", "profiler = PyTorchProfiler(record_module_names=True)"};
inline constexpr AbsenceText kNoCosts{
    "noCosts", "Shapes were not recorded, so no operator's cost is known.", "record_shapes=True",
    "with torch.profiler.profile(record_shapes=True) as prof:\n    ..."};
inline constexpr AbsenceText kNoAllocations{
    "noAllocations", "No allocations were recorded.", "profile_memory=True",
    "with torch.profiler.profile(\n    profile_memory=True,\n    record_shapes=True,\n"
    "    with_stack=True,\n) as prof:\n    ..."};
inline constexpr AbsenceText kSilentAllocator{
    "silentAllocator", "Memory recording was on, but the trace contains no allocations."};
inline constexpr AbsenceText kNoTotals{
    "noTotals", "Totals were not recorded: curves count from zero at the first record."};
inline constexpr AbsenceText kNoAddresses{
    "noAddresses",
    "Addresses were not recorded (PyTorch before 1.10): releases cannot be matched with "
    "allocations, so what was held at the peak is unknown."};
inline constexpr AbsenceText kManyMemoryDevices{
    "manyMemoryDevices",
    "The records name {devices} memory devices; the first {shown} have curves, allocations and "
    "statistics here."};
inline constexpr AbsenceText kStacksMissing{"stacksMissing", "Python stacks were not recorded.",
                                            "with_stack=True", kRecordStacks};
inline constexpr AbsenceText kNoLines{
    "noLines", "Python stacks were not recorded, so time cannot be attributed to lines.",
    "with_stack=True", kRecordStacks};
inline constexpr AbsenceText kNoSources{
    "noSources",
    "No source file of the recorded program was found, so lines inside functions are known only "
    "where the recorder wrote them."};
inline constexpr AbsenceText kUnknownCells{
    "unknownCells",
    "The text of {cells, plural, one {a notebook or console cell} other {# notebook or console "
    "cells}} is not known, so the lines inside {cells, plural, one {its} other {their}} functions "
    "and longer statements are not either. Open the notebook to see {cells, plural, one {its} "
    "other {their}} costs."};

// What makes two traces hard to compare.
inline constexpr Sentence kOtherDevices{
    "otherDevices", "The traces were recorded on different devices: {baseline} and {candidate}."};
inline constexpr Sentence kOtherRanks{"otherRanks",
                                      "The traces are of different ranks, {baseline} and "
                                      "{candidate}, which may have different work."};
inline constexpr Sentence kCpuOnlyDevices{"cpuOnlyDevices", "the CPU only"};
inline constexpr Sentence kSeveralDevices{"severalDevices", "{count} devices ({first})"};
inline constexpr Sentence kStepsOnOneSide{
    "stepsOnOneSide",
    "Only one of the traces has recorded steps, so the whole traces are compared."};
inline constexpr Sentence kPerStep{"perStep",
                                   "Figures are per step: the baseline has {baseline, plural, one "
                                   "{# step} other {# steps}}, the candidate {candidate}."};
inline constexpr Sentence kOtherBatch{
    "otherBatch",
    "The batch sizes differ: the first dimension of most inputs is {baseline} and {candidate}."};
inline constexpr Sentence kLittleInCommon{
    "littleInCommon",
    "The traces have little in common: at no level do they share half of the time."};
inline constexpr Sentence kCoarserLevel{
    "coarserLevel", "The traces are matched by {level}: finer levels have little in common."};
// What went wrong on one side of a comparison.
inline constexpr Sentence kBaselineFailed{"baselineFailed", "The baseline: {reason}"};
inline constexpr Sentence kCandidateFailed{"candidateFailed", "The candidate: {reason}"};

// Entries of results.
inline constexpr Sentence kWorkersInRun{"workersInRun", "Workers in the run"};
inline constexpr Sentence kTestOfSteps{"testOfSteps", "Welch's t-test on the step times, 95 %"};

}  // namespace emberline::messages
