// The catalog of errors of the model.
#pragma once

#include "base/errors.h"

namespace emberline::errors {

inline constexpr ErrorText kNoSuchStep{ErrorKind::kInvalidArgument, "noSuchStep",
                                       "The trace has no steps \"{step}\".",
                                       "Its steps are {steps}. Give one, a range such as 1-3, or "
                                       "all."};
inline constexpr ErrorText kNoSteps{ErrorKind::kInvalidArgument, "noSteps",
                                    "The trace has no steps \"{step}\".",
                                    "No steps were recorded."};

}  // namespace emberline::errors
