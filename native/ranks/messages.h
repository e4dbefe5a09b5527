// The catalog of what is said about a job of many ranks beside its figures. The code of a note is
// its kind. {ranks} lists ranks as "0-3, 7"; {count} is how many they are.
#pragma once

#include "base/message.h"

namespace emberline::messages {

// Which traces belong to the job.
inline constexpr Sentence kOtherJob{
    "otherJob",
    "{path} is left out: it belongs to a job of {size} ranks, but the others belong to one of "
    "{usual}."};
inline constexpr Sentence kEmptyRank{
    "emptyRank", "{path} is left out: it contains no work, only the start of a recording."};
inline constexpr Sentence kDuplicateRank{"duplicateRank",
                                         "Rank {rank} has two traces: {kept} is used because it "
                                         "has more events, and {other} is left out."};
inline constexpr Sentence kCopiedRank{
    "copiedRank", "{other} is left out: it is a copy of {kept}, the trace of rank {rank}."};
inline constexpr Sentence kUnknownRank{
    "unknownRank", "{path} does not say which rank it is from; it is shown as rank {rank}."};
inline constexpr Sentence kMissingRank{
    "missingRank",
    "{count, plural, one {Rank {ranks} has} other {Ranks {ranks} have}} no trace here; the job has "
    "{size}."};
inline constexpr Sentence kBrokenFile{"brokenFile", "{path} cannot be read: {reason}"};
// {path} and {reason} of a digest that overlaps others.
inline constexpr Sentence kMergedDigest{"mergedDigest", "a merged digest"};
inline constexpr Sentence kOverlappingDigest{
    "overlappingDigest",
    "it has some traces in common with other digests, and some that they lack; it is left out."};

// Clocks.
inline constexpr Sentence kClockApart{
    "clockApart",
    "The clock of rank {rank} is {hours} h {side, select, behind {behind} other {ahead of}} the "
    "others{tied, select, yes {; its collectives correct that.} other {, and no collective ties it "
    "to them: it may belong to another run.}}"};
inline constexpr Sentence kClockUntied{
    "clockUntied",
    "{count, plural, one {Rank {ranks} shares} other {Ranks {ranks} share}} no collective with "
    "rank "
    "{first}: {count, plural, one {its} other {their}} place on the common clock is as recorded."};

// What the traces hold.
inline constexpr Sentence kNotice{"notice", "Rank {rank}: {text}"};
inline constexpr Sentence kNoCommunication{
    "noCommunication",
    "{count, plural, one {Rank {ranks} has} other {Ranks {ranks} have}} no communication in "
    "{count, plural, one {its trace} other {their traces}}."};
inline constexpr Sentence kMixedVersions{"mixedVersions", "Ranks differ in {what}: {values}."};
inline constexpr Sentence kMissingCalls{
    "missingCalls",
    "Rank {rank} lacks {calls, plural, one {# collective} other {# collectives}} that other ranks "
    "of its group made while it was recording."};
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
inline constexpr Sentence kSlowLink{
    "slowLink",
    "{count, plural, one {Rank {ranks}} other {Ranks {ranks}}} of group {group} {count, plural, "
    "one {reaches} other {reach}} a bus bandwidth of {rate} GB/s, similar groups {usual} GB/s "
    "({operation}, {bytes})."};

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
