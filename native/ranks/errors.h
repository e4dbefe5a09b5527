// The catalogue of errors of jobs of many ranks.
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
    "The digest is damaged: it refers to data that it does not hold.",
    "Make it again with `emberline digest`."};
inline constexpr ErrorText kDigestTimes{ErrorKind::kUnreadable, "digestTimes",
                                        "The digest is damaged: it holds times that no trace has.",
                                        "Make it again with `emberline digest`."};
inline constexpr ErrorText kDigestVersion{
    ErrorKind::kUnsupported, "digestVersion",
    "The digest has version {version}, this program reads {known}.",
    "Make it again with this version of `emberline digest`."};
inline constexpr ErrorText kDigestNotWritten{
    ErrorKind::kUnreadable, "digestNotWritten", "The digest {path} cannot be written.",
    "Look at the folder's permissions and at the space that is left."};
inline constexpr ErrorText kDigestNotPlaced{
    ErrorKind::kUnreadable, "digestNotPlaced", "The digest {path} cannot be put in its place.",
    "Look at the folder's permissions and at the space that is left."};
inline constexpr ErrorText kNoDigest{ErrorKind::kNotFound, "noDigest",
                                     "There is no digest in {path}.",
                                     "Make some with `emberline digest TRACE... -o DIR`."};
inline constexpr ErrorText kNoReadableDigest{ErrorKind::kUnreadable, "noReadableDigest",
                                             "No digest can be read: {reason}",
                                             "Make them again with `emberline digest`."};
inline constexpr ErrorText kNoReadableRank{
    ErrorKind::kUnreadable, "noReadableRank",
    "No rank of this run can be read.{known, select, yes { {reason}} other {}}"};
inline constexpr ErrorText kNoCachedDigest{ErrorKind::kNotFound, "noCachedDigest",
                                           "This trace has no digest yet."};
inline constexpr ErrorText kDigestsWithoutNames{
    ErrorKind::kInvalidArgument, "digestsWithoutNames",
    "Digests do not hold the sequences of operators by name.", "Give the folder of the traces."};
inline constexpr ErrorText kNoSuchTable{ErrorKind::kInvalidArgument, "noSuchTable",
                                        "There is no table \"{table}\".", "Tables: {known}."};
inline constexpr ErrorText kNothingToDigest{ErrorKind::kInvalidArgument, "nothingToDigest",
                                            "There is no trace to make a digest of."};
inline constexpr ErrorText kBadArrayLimits{ErrorKind::kInvalidArgument, "badArrayLimits",
                                           "The limits of the array must be positive."};
inline constexpr ErrorText kControlCharacterInPath{
    ErrorKind::kInvalidArgument, "controlCharacterInPath",
    "A path holds control characters: no list can name it."};
inline constexpr ErrorText kNotAnSbatchOption{ErrorKind::kInvalidArgument, "notAnSbatchOption",
                                              "\"{option}\" is no option of sbatch."};

}  // namespace emberline::errors
