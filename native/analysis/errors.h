// The catalog of errors of analyses.
#pragma once

#include "base/errors.h"

namespace emberline::errors {

inline constexpr ErrorText kNoSuchColumn{ErrorKind::kInvalidArgument, "noSuchColumn",
                                         "There is no column \"{column}\".", "Columns: {columns}."};
inline constexpr ErrorText kOperatorDidNotRun{
    ErrorKind::kNotFound, "operatorDidNotRun", "No operator \"{operator}\" ran in the selection.",
    "Take a name (and input shapes) from view/operators."};
inline constexpr ErrorText kKernelDidNotRun{ErrorKind::kNotFound, "kernelDidNotRun",
                                            "No kernel \"{kernel}\" ran in the selection.",
                                            "Take a name from view/kernels."};
inline constexpr ErrorText kCopyDidNotRun{ErrorKind::kNotFound, "copyDidNotRun",
                                          "No such memcpy or memset ran in the selection.",
                                          "Take direction, source and target from view/copies."};
inline constexpr ErrorText kEmptyTensorCoreRule{
    ErrorKind::kInvalidArgument, "emptyTensorCoreRule", "A tensor core rule is empty.",
    "Write part of a kernel name; a leading minus exempts kernels."};

}  // namespace emberline::errors
