// The catalog of errors of JSON texts.
#pragma once

#include "base/errors.h"

namespace emberline::errors {

inline constexpr ErrorText kJsonTooDeep{ErrorKind::kInvalidArgument, "jsonTooDeep",
                                        "The JSON text is nested too deeply."};
inline constexpr ErrorText kNotJsonText{ErrorKind::kInvalidArgument, "notJsonText",
                                        "Not a JSON text."};
inline constexpr ErrorText kJsonNumberOutOfRange{ErrorKind::kInvalidArgument,
                                                 "jsonNumberOutOfRange",
                                                 "A number of the JSON text is out of range."};

}  // namespace emberline::errors
