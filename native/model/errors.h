// The catalog of errors of the model.
#pragma once

#include "base/errors.h"

namespace emberline::errors {

inline constexpr ErrorText kNoSuchStep{ErrorKind::kInvalidArgument, "noSuchStep",
                                       "There is no step \"{step}\".",
                                       "Steps: all, or of {steps}."};
inline constexpr ErrorText kNoSteps{ErrorKind::kInvalidArgument, "noSteps",
                                    "There is no step \"{step}\".", "The trace has no steps."};

}  // namespace emberline::errors
