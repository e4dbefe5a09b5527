// The catalog of errors of profiles and loading.
#pragma once

#include "base/errors.h"

namespace emberline::errors {

inline constexpr ErrorText kProfileNotOpen{ErrorKind::kNotFound, "profileNotOpen",
                                           "There is no open profile \"{profile}\".",
                                           "Open it again."};
inline constexpr ErrorText kProfileNotOpenToClose{ErrorKind::kNotFound, "profileNotOpenToClose",
                                                  "There is no open profile \"{profile}\"."};
inline constexpr ErrorText kNoSuchRun{ErrorKind::kNotFound, "noSuchRun",
                                      "There is no run \"{run}\".", "Runs found: {known}."};
inline constexpr ErrorText kNoSuchWorker{ErrorKind::kNotFound, "noSuchWorker",
                                         "There is no worker \"{worker}\".",
                                         "Workers of this run: {known}."};
inline constexpr ErrorText kNoSuchSpan{ErrorKind::kNotFound, "noSuchSpan",
                                       "There is no capture span \"{span}\".",
                                       "Spans of this worker: {known}."};
inline constexpr ErrorText kNoMemoryToLoad{ErrorKind::kUnreadable, "noMemoryToLoad",
                                           "There is not enough memory to load this trace.",
                                           "Close other profiles, or record fewer steps."};
inline constexpr ErrorText kClosedWhileLoading{ErrorKind::kCancelled, "closedWhileLoading",
                                               "The profile was closed while it was loading."};
inline constexpr ErrorText kNoFirstPicture{
    ErrorKind::kNotFound, "noFirstPicture",
    "There is no first picture of this trace: it is small, or not being read."};
// How a span is listed that has no name.
inline constexpr Sentence kOnlySpan{"onlySpan", "(the only one)"};

}  // namespace emberline::errors
