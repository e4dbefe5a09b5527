// The catalog of what is said about a job of many ranks beside its figures. The code of a note is
// its kind. {ranks} lists ranks as "0-3, 7"; {count} is how many they are.
#pragma once

#include "base/message.h"

namespace emberline::messages {

// Which traces belong to the job.
// Of several traces, {path} is the first.
inline constexpr Sentence kOtherJob{
    "otherJob",
    "{count, plural, one {{path} is left out: it belongs} other {# traces are left out, the first "
    "of them {path}: they belong}} to a job of {size} ranks, but the others belong to one of "
    "{usual}."};
inline constexpr Sentence kEmptyRank{
    "emptyRank",
    "{count, plural, one {{path} is left out: it contains} other {# traces are left out, the first "
    "of them {path}: they contain}} no work, only the start of a recording."};
inline constexpr Sentence kOnlyEmptyRanks{
    "onlyEmptyRanks",
    "{count, plural, one {The trace contains} other {All # traces contain}} no work, only the "
    "start "
    "of a recording: there is nothing to sum up. Record at least one whole step."};
// {count} traces are left out, {other} is one of them.
inline constexpr Sentence kDuplicateRank{
    "duplicateRank",
    "{count, plural, one {Rank {rank} has two traces: {kept} is used because it has more events, "
    "and {other} is left out.} other {Rank {rank} has more traces than one: {kept} is used because "
    "it has the most events, and # are left out, one of them {other}.}}"};
// {path} is the first of them.
inline constexpr Sentence kOtherRecording{
    "otherRecording",
    "The folder holds several recordings of the same ranks. One is shown; {count, plural, one {the "
    "trace {path} is} other {# traces are}} left out{count, plural, one {} other {, the first of "
    "them {path}}}. To see another recording, put its traces into a folder of their own."};
inline constexpr Sentence kCopiedRank{
    "copiedRank",
    "{count, plural, one {{other} is left out: it is a copy} other {# traces are left out, the "
    "first of them {other}: they are copies}} of {kept}{known, select, yes {, the trace of rank "
    "{rank}} other {}}."};
// Of a folder of digests.
inline constexpr Sentence kTracesWithoutDigest{
    "tracesWithoutDigest",
    "{count, plural, one {The folder also contains the trace {path}, which has} other {The folder "
    "also contains # traces, the first of them {path}, which have}} no digest and {count, plural, "
    "one {is} other {are}} not shown. Digests are made with `emberline digest`."};
inline constexpr Sentence kUnknownRank{
    "unknownRank", "{path} does not say which rank it is from; it is shown as rank {rank}."};
inline constexpr Sentence kImpossibleRank{
    "impossibleRank",
    "{path} says that it is from rank {said} of {size}, which does not exist; it is shown as rank "
    "{rank}."};
inline constexpr Sentence kSmallWorld{"smallWorld",
                                      "The traces say that the job has {size, plural, one {# rank} "
                                      "other {# ranks}}, but they are from "
                                      "{count} different ones. How many there were is not known."};
// {path} is the first of them; {rank} is of that trace.
inline constexpr Sentence kOtherName{
    "otherName",
    "{count, plural, one {The name of # file gives another rank than the trace in it} other {The "
    "names of # files give other ranks than the traces in them}}: {path} is from rank {rank}. What "
    "traces record counts."};
inline constexpr Sentence kMissingRank{
    "missingRank",
    "{count, plural, one {Rank {ranks} has} other {Ranks {ranks} have}} no {from, select, digests "
    "{digest} other {trace}} here; the job has {size}."};
inline constexpr Sentence kMoreSpans{
    "moreSpans",
    "{count, plural, one {Rank {ranks} was} other {Ranks {ranks} were}} recorded {spans} times: "
    "only capture span {span} is shown."};
// {named} says whether {reason} names the file by {path} itself.
inline constexpr Sentence kBrokenFile{
    "brokenFile", "{named, select, yes {{reason}} other {{path} cannot be read: {reason}}}"};

// Clocks.
inline constexpr Sentence kClockApart{
    "clockApart",
    "{count, plural, one {The clock of rank {ranks} is} other {The clocks of ranks {ranks} are}} "
    "{hours} h {side, select, behind {behind} other {ahead of}} the others{tied, select, yes {; "
    "{count, plural, one {its} other {their}} collectives correct that.} far {, and no "
    "collective ties {count, plural, one {it} other {them}} to the others: {count, plural, one {it "
    "is} other {they are}} shown as beginning with the first, and may belong to another run.} "
    "other {, and no collective ties {count, plural, one {it} other {them}} to the others: {count, "
    "plural, one {it} other {they}} may belong to another run.}}"};
inline constexpr Sentence kClockUnknown{
    "clockUnknown",
    "{count, plural, one {The trace of rank {ranks} does} other {The traces of ranks {ranks} do}} "
    "not say at which time of day {count, plural, one {it was} other {they were}} recorded{tied, "
    "select, yes {; collectives tell {count, plural, one {its place} other {their places}} on the "
    "common clock.} other {, and no collective ties {count, plural, one {it} other {them}} to the "
    "others: {count, plural, one {it is} other {they are}} shown as beginning with the first.}}"};
inline constexpr Sentence kClockUntied{
    "clockUntied",
    "{count, plural, one {Rank {ranks} shares} other {Ranks {ranks} share}} no collective with "
    "rank "
    "{first}: {count, plural, one {its} other {their}} place on the common clock is as recorded."};
inline constexpr Sentence kClockRate{
    "clockRate",
    "{count, plural, one {The clock of rank {ranks} runs} other {The clocks of ranks {ranks} run}} "
    "{percent} % {slower, select, yes {slower} other {faster}} than that of rank {first}. This is "
    "corrected on the common clock, but durations are as {count, plural, one {it} other {they}} "
    "measured them."};

// What a late rank did, where it waited in another group for a rank that was late there.
inline constexpr Sentence kWaitedFor{"waitedFor", "{name}, waiting for rank {rank}"};

// What the work of a rank is compared with; see DelayKind.
inline constexpr Sentence kAgainstItself{"againstItself", "itself at other times"};
inline constexpr Sentence kAgainstLike{"againstLike", "ranks that do the same"};
inline constexpr Sentence kAgainstStages{"againstStages", "the other stages"};

// What the traces hold.
inline constexpr Sentence kNotice{
    "notice", "{count, plural, one {Rank {ranks}} other {Ranks {ranks}}}: {text}"};
inline constexpr Sentence kNoCommunication{
    "noCommunication",
    "{count, plural, one {Rank {ranks} has} other {Ranks {ranks} have}} no communication in "
    "{count, plural, one {its trace} other {their traces}}."};
inline constexpr Sentence kMixedVersions{"mixedVersions", "Ranks differ in {what}: {values}."};
inline constexpr Sentence kMissingCalls{
    "missingCalls",
    "{count, plural, one {Rank {ranks} lacks} other {Ranks {ranks} lack}} {calls, plural, one {# "
    "collective} other {# collectives}}{count, plural, one {} other { each}} that other ranks of "
    "{count, plural, one {its group made while it was} other {their groups made while they were}} "
    "recording."};
// {more} notes that are not listed.
inline constexpr Sentence kMoreNotes{
    "moreNotes", "{more, plural, one {# more note is} other {# more notes are}} not listed."};
inline constexpr Sentence kBytesDiffer{"bytesDiffer",
                                       "{calls, plural, one {# collective has} other {# "
                                       "collectives have}} different sizes on different ranks."};
inline constexpr Sentence kUnmatchedPairs{
    "unmatchedPairs",
    "{calls, plural, one {# send or receive does not name its peer and is} other {# sends and "
    "receives do not name their peers and are}} not matched."};
inline constexpr Sentence kUnknownGroups{
    "unknownGroups",
    "The traces do not name process groups: calls are matched across all ranks, by stream and "
    "order. Record with PyTorch 2.4 or newer to tell groups apart."};
inline constexpr Sentence kAmbiguousGroups{
    "ambiguousGroups",
    "The traces do not name the process groups of {size} ranks: {calls, plural, one {# collective "
    "is} other {# collectives are}} not matched. Record with PyTorch 2.4 or newer to tell groups "
    "apart."};
inline constexpr Sentence kSlowLink{
    "slowLink",
    "{count, plural, one {Rank {ranks}} other {Ranks {ranks}}} of group {group} {count, plural, "
    "one {reaches} other {reach}} a bus bandwidth of {rate} GB/s; similar {pair, select, yes "
    "{pairs} other {groups}} reach {usual} GB/s ({operation}, {bytes})."};

// Notices of one rank.
inline constexpr Sentence kManyDevices{"manyDevices",
                                       "Only the first {limit} devices of the trace are counted."};
inline constexpr Sentence kUnevenCounters{
    "unevenCounters",
    "The number of hardware counter ranges ({ranges}) differs from that of kernel launches, so "
    "their operators are unknown."};
inline constexpr Sentence kManyCounters{
    "manyCounters", "Only the first {kept} of {sums} sums of hardware counters are kept."};

}  // namespace emberline::messages
