// The catalog of what the command line says around results.
#pragma once

#include "base/message.h"

namespace emberline::messages {

inline constexpr Sentence kTraceAbout{
    "traceAbout",
    "run {run}, worker {worker}{spans, select, yes {, span {span}} other {}}, {events, plural, one "
    "{# event} other {# events}} in {duration}"};
inline constexpr Sentence kNoticeLine{"noticeLine", "Notice: {text}"};
inline constexpr Sentence kLeftovers{
    "leftovers",
    "What was left of damaged events was skipped in {places, plural, one {# place} other {# "
    "places}}."};
inline constexpr Sentence kSkipped{"skipped", "Skipped: {text}"};
inline constexpr Sentence kAugmented{
    "augmented", "{written, plural, one {# trace} other {# traces}} written, {failed} failed."};
// Of a comparison whose table has no rows.
inline constexpr Sentence kNothingCompared{
    "nothingCompared",
    "{by, select, modules {Neither trace recorded modules} memory {Neither trace recorded "
    "memory} communication {Neither trace contains communication} lines {Neither trace has work on "
    "lines "
    "of your code: Python stacks were not recorded, or hold libraries only} other {Neither trace "
    "has anything to compare by {by}}}."};
// The summary of a job of many ranks. Times and lists are written already.
inline constexpr Sentence kJobSize{
    "jobSize",
    "{loaded, plural, one {# rank} other {# ranks}}{known, select, yes { of {size}} other {}} on "
    "{nodes, plural, one {# node} other {# nodes}}, {collectives, plural, one {# collective} other "
    "{# collectives}} in {groups, plural, one {# group} other {# groups}}, {matched} found on "
    "several ranks"};
inline constexpr Sentence kJobStep{
    "jobStep",
    "Step {step}: computation {computation}, overlap {overlap}, exposed communication "
    "{communication}, other {other}"};
inline constexpr Sentence kJobWaiting{
    "jobWaiting",
    "{found, select, several {Transfer {transfer}, waiting of all ranks {waiting}} one "
    "{Communication {transfer}; how much of it was waiting shows where several ranks recorded the "
    "same collectives} other {No communication with other ranks}}"};
inline constexpr Sentence kJobStraggler{
    "jobStraggler",
    "Rank {rank} arrived last {last, plural, one {# time} other {# times}} of {calls} and made "
    "others "
    "wait {caused}{reason, select, none {} notBegun {; its recording started {time} late"
    "} other {; instead it was in {name}{placed, select, yes { "
    "at {place}} other {}} ({time} more)}}."};
// Work of a rank between its sends and receives; {steps} of them, the largest named {step}.
inline constexpr Sentence kJobLateWork{
    "jobLateWork",
    "Rank {rank} {kind, select, once {was late before {calls, plural, one {# send or receive} "
    "other "
    "{# sends and receives}} in {named, select, no {{steps, plural, one {# step} other {# steps}}} "
    "other {{steps, plural, one {step {step}} other {# steps, most in step {step}}}}}: its work "
    "took {excess} longer than usual} always {works longer in every step than ranks that do the "
    "same: {excess} more than their {usual}} other {is a heavy stage: in every step its work takes "
    "longer than that of the other stages, {excess} more than their {usual}}}, and others waited "
    "{caused} because of it{reason, select, none {} other {; most in {name}{placed, select, yes { "
    "at "
    "{place}} other {}} ({time} more)}}."};
inline constexpr Sentence kNoDigestOf{"noDigestOf", "{path} has no digest"};

}  // namespace emberline::messages
