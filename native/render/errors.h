// The catalog of errors of results as text.
#pragma once

#include "base/errors.h"

namespace emberline::errors {

inline constexpr ErrorText kNoSuchShownColumn{ErrorKind::kInvalidArgument, "noSuchShownColumn",
                                              "There is no column \"{column}\".",
                                              "Columns: {columns}."};

}  // namespace emberline::errors
