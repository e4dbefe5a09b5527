// The catalog of errors of jobs of many ranks.
#pragma once

#include "base/errors.h"

namespace emberline::errors {

inline constexpr ErrorText kDigestTooLarge{ErrorKind::kUnreadable, "digestTooLarge",
                                           "The digest is damaged: it is too large.",
                                           "Make it again with `emberline digest`."};
inline constexpr ErrorText kDigestBeginning{ErrorKind::kUnreadable, "digestBeginning",
                                            "This is not a digest.",
                                            "Make it again with `emberline digest`."};
inline constexpr ErrorText kDigestTooShort{ErrorKind::kUnreadable, "digestTooShort",
                                           "The digest is damaged: it ends too early.",
                                           "Make it again with `emberline digest`."};
inline constexpr ErrorText kDigestChecksum{ErrorKind::kUnreadable, "digestChecksum",
                                           "The digest is damaged: its checksum is wrong.",
                                           "Make it again with `emberline digest`."};
inline constexpr ErrorText kDigestDamaged{ErrorKind::kUnreadable, "digestDamaged",
                                          "The digest is damaged: its contents cannot be read.",
                                          "Make it again with `emberline digest`."};
inline constexpr ErrorText kDigestReference{
    ErrorKind::kUnreadable, "digestReference",
    "The digest is damaged: it refers to data that it does not contain.",
    "Make it again with `emberline digest`."};
inline constexpr ErrorText kDigestTimes{
    ErrorKind::kUnreadable, "digestTimes",
    "The digest is damaged: it contains times that no trace has.",
    "Make it again with `emberline digest`."};
inline constexpr ErrorText kDigestVersion{
    ErrorKind::kUnsupported, "digestVersion",
    "The digest has version {version}; this program reads version {known}.",
    "Make it again with this version of `emberline digest`."};
inline constexpr ErrorText kDigestNotWritten{ErrorKind::kUnreadable, "digestNotWritten",
                                             "The digest {path} cannot be written: {reason}.",
                                             "Write it to another place, or free this one."};
inline constexpr ErrorText kDigestNotPlaced{
    ErrorKind::kUnreadable, "digestNotPlaced",
    "The digest {path} cannot be moved into place: {reason}.",
    "Write it to another place, or free this one."};
inline constexpr ErrorText kNoDigest{ErrorKind::kNotFound, "noDigest",
                                     "There is no digest in {path}.",
                                     "Make some with `emberline digest TRACE... -o DIR`."};
inline constexpr ErrorText kNoReadableDigest{ErrorKind::kUnreadable, "noReadableDigest",
                                             "No digest can be read: {reason}",
                                             "Make them again with `emberline digest`."};
inline constexpr ErrorText kNoReadableRank{
    ErrorKind::kUnreadable, "noReadableRank",
    "No rank of this run can be read.{known, select, yes { {reason}} other {}}",
    "Record again, or open another run."};
inline constexpr ErrorText kRankChanged{ErrorKind::kUnreadable, "rankChanged",
                                        "{path} has changed since the job was loaded.",
                                        "Load the job again."};
inline constexpr ErrorText kNoCachedDigest{ErrorKind::kNotFound, "noCachedDigest",
                                           "This trace has no digest yet."};
inline constexpr ErrorText kDigestsWithoutNames{
    ErrorKind::kInvalidArgument, "digestsWithoutNames",
    "Digests do not contain the sequences of named operators.",
    "Name the folder of the traces instead."};
inline constexpr ErrorText kDigestsWithoutLaunches{
    ErrorKind::kInvalidArgument, "digestsWithoutLaunches",
    "Digests contain sums over launches, not each launch.",
    "Name the folder of the traces instead."};
inline constexpr ErrorText kNoTraceOfRank{ErrorKind::kNotFound, "noTraceOfRank",
                                          "The job has no trace of rank {rank}.",
                                          "Ranks: {known}."};
inline constexpr ErrorText kNoSuchTable{ErrorKind::kInvalidArgument, "noSuchTable",
                                        "There is no table \"{table}\".", "Tables: {known}."};
inline constexpr ErrorText kNothingToDigest{ErrorKind::kInvalidArgument, "nothingToDigest",
                                            "There is no trace to digest."};
inline constexpr ErrorText kBadArrayLimits{ErrorKind::kInvalidArgument, "badArrayLimits",
                                           "The limits of the array must be positive."};
inline constexpr ErrorText kControlCharacterInPath{
    ErrorKind::kInvalidArgument, "controlCharacterInPath",
    "A path contains control characters, so it cannot be listed."};
inline constexpr ErrorText kNotAnSbatchOption{ErrorKind::kInvalidArgument, "notAnSbatchOption",
                                              "\"{option}\" is not an sbatch option."};

}  // namespace emberline::errors
