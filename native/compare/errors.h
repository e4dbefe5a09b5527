// The catalog of errors of comparing.
#pragma once

#include "base/errors.h"

namespace emberline::errors {

inline constexpr ErrorText kNothingAtPath{ErrorKind::kNotFound, "nothingAtPath",
                                          "The comparison has nothing at \"{path}\".",
                                          "Take a path from the answer for the level above."};

}  // namespace emberline::errors
